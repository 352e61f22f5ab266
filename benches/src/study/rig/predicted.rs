//! The time that recorded tasks would take on more workers than there are.

use animation::rig::{Evaluator, NodeId, Rig, Settings};
use engine::graph::Schedule;
use executors::interconnect;
use partition::simulate::{Machine, Measured, StaticPlan, Streams, simulate};

use super::Outcome;
use super::workers::{evaluator, full, measured, planned, replay};

/// A rig of which is known what its nodes take.
pub struct Costed {
    rig: Rig,
    /// What its tasks take when they are replayed on one worker, relative to the sum of what their nodes take one by one: caches, and what a
    /// task costs itself.
    scale: f64,
    /// The least time of full evaluations on one worker \[ms\].
    pub one_ms: f64,
}

impl Costed {
    /// Measures a rig on one worker.
    pub fn new(rig: Rig, settings: Settings, rounds: usize) -> Outcome<Self> {
        let mut e = measured(rig, replay(1), settings)?;
        let (one_ms, _) = full(&mut e, 4 * rounds)?;
        let frames = e.n_frames() as f64;
        let sum: f64 = (0..e.rig().n_nodes() as u32).map(|k| e.cost_ns(NodeId(k))).sum();
        Ok(Self { rig: e.rig().clone(), scale: one_ms * 1e6 / (frames * sum.max(1.0)), one_ms })
    }

    /// As [`Self::new`] with costs that kinds say of themselves: for work of which the amount is known.
    pub fn said(rig: Rig) -> Self {
        Self { rig, scale: 1.0, one_ms: 0.0 }
    }

    /// The rig, laid out for so many workers, with what its nodes take.
    pub fn laid_out(&self, workers: u32, settings: Settings) -> Outcome<Evaluator> {
        let mut e = evaluator(self.rig.clone(), planned(workers), settings)?;
        e.evaluate()?;
        Ok(e)
    }

    /// Predicted time of a full evaluation on so many workers of a machine [ms].
    pub fn on(&self, workers: u32, machine: &Machine, settings: Settings) -> Outcome<f64> {
        let mut e = self.laid_out(workers, settings)?;
        let plan = e.last_plan().ok_or("nothing was evaluated")?;
        let task_ns: Vec<f64> = e.task_ns(plan).iter().map(|ns| ns * self.scale).collect();
        let executor = &e.backend().executor;
        let (recording, schedule) = (executor.recording(plan).clone(), executor.schedule(plan).clone());
        let bytes = e.shared_bytes();
        let measured = Measured {
            task_ns: &task_ns,
            loops: &[],
            overhead_ns: 0.0,
            bytes_of: &|id| bytes.get(id as usize).copied().unwrap_or(0),
            cache: 0.0,
        };
        let schedule: &Schedule = &schedule;
        let plan = StaticPlan::new(&recording.program, schedule, &measured, Streams::PerGroup);
        Ok(simulate(&plan, machine)?.ns * 1e-6)
    }
}

/// A machine of so many cores: with latencies as servers have them, or none.
pub fn machine(cores: u32, ideal: bool) -> Outcome<Machine> {
    Ok(if ideal { Machine::ideal(cores) } else { Machine::named(&format!("1x{cores}"))? })
}

/// This machine, with two cores and what passing something from one to the other costs here.
pub fn here() -> Machine {
    let found = interconnect::measure();
    let server = Machine::named("1x2").unwrap_or_else(|_| Machine::ideal(2));
    let or = |found: Vec<f64>, otherwise: Vec<f64>| if found.is_empty() { otherwise } else { found };
    Machine {
        name: "this".into(),
        signal_ns: or(found.signal_ns, server.signal_ns.clone()),
        line_ns: or(found.line_ns, server.line_ns.clone()),
        overlap: found.overlap,
        ..server
    }
}
