//! The time that recorded tasks would take on more workers than there are.

use animation::rig::{Evaluator, Rig, Settings};
use engine::graph::Schedule;
use partition::simulate::{Machine, Measured, StaticPlan, Streams, simulate};

use super::Outcome;
use super::workers::{evaluator, planned};

/// Time of the last evaluation's tasks on a machine by the schedule that was made for it [ms]; tasks take what their nodes were measured
/// to take.
pub fn time(e: &mut Evaluator, machine: &Machine) -> Outcome<f64> {
    let plan = e.last_plan().ok_or("nothing was evaluated")?;
    let task_ns = e.task_ns(plan);
    let executor = &e.backend().executor;
    let (recording, schedule) = (executor.recording(plan).clone(), executor.schedule(plan).clone());
    let store = e.store();
    let measured = Measured {
        task_ns: &task_ns,
        loops: &[],
        overhead_ns: 0.0,
        bytes_of: &|id| store.bytes_of(id),
        cache: 0.0,
    };
    let schedule: &Schedule = &schedule;
    let plan = StaticPlan::new(&recording.program, schedule, &measured, Streams::PerGroup);
    Ok(simulate(&plan, machine)?.ns * 1e-6)
}

/// A copy of a rig whose costs were measured, planned for so many workers and evaluated on one.
pub fn planned_for(workers: u32, make: &dyn Fn() -> Outcome<Rig>, settings: Settings) -> Outcome<Evaluator> {
    super::workers::measured(make()?, planned(workers), settings)
}

/// As [`planned_for`] with costs that kinds say of themselves: for work of which the amount is known.
pub fn said_for(workers: u32, rig: Rig, settings: Settings) -> Outcome<Evaluator> {
    let mut e = evaluator(rig, planned(workers), settings)?;
    e.evaluate()?;
    Ok(e)
}

/// A machine of so many cores: with latencies as servers have them, or none.
pub fn machine(cores: u32, ideal: bool) -> Outcome<Machine> {
    Ok(if ideal { Machine::ideal(cores) } else { Machine::named(&format!("1x{cores}"))? })
}
