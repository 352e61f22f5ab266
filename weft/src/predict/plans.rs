//! Plans for any number of workers, and their walk.

use std::sync::Arc;

use engine::data::{DataId, ObjectId, Store};
use engine::graph::{Assignment, Schedule};
use partition::control::lower;
use partition::simulate::{Machine, Measured, Outcome, StaticPlan, Streams, Stuck, simulate};
use partition::{Accumulation, Planner, PlannerOptions};

use super::PlanChoices;
use super::sample::GraphSample;

/// The streams that the replay executor's workers have.
const STREAMS: Streams = Streams::PerGroup;
/// How often the planner may correct a new placement by measured costs.
const CORRECTIONS: usize = 8;

/// A simulated run of a graph with its plan.
pub struct Walked {
    /// The plan.
    pub plan: StaticPlan,
    /// What became of it.
    pub outcome: Outcome,
}

/// Simulates a graph with a schedule.
///
/// # Errors
/// If the schedule does not end.
pub fn walk(graph: &GraphSample, schedule: &Schedule, machine: &Machine) -> Result<Walked, Stuck> {
    let plan = static_plan(graph, schedule, graph.beside_ns, machine.cache);
    let outcome = simulate(&plan, machine)?;
    Ok(Walked { plan, outcome })
}

fn static_plan(graph: &GraphSample, schedule: &Schedule, overhead_ns: f64, cache: f64) -> StaticPlan {
    let bytes_of = |data: DataId| graph.bytes.get(data as usize).copied().unwrap_or(0);
    let measured =
        Measured { task_ns: &graph.task_ns, loops: &graph.loops, overhead_ns, bytes_of: &bytes_of, cache };
    StaticPlan::new(&graph.program, schedule, &measured, STREAMS)
}

/// Schedules of a step's graphs: collision detection has one placement, integration another, both by measured costs.
pub(super) fn planned(
    graphs: &[GraphSample],
    store: &Store,
    workers: u32,
    machine: &Machine,
    choices: PlanChoices,
) -> Vec<Arc<Schedule>> {
    let PlanChoices { partitioner, accumulation } = choices;
    let options = PlannerOptions { workers, partitioner, accumulation };
    let planner = || Planner::new(options).on_nodes(machine.worker_nodes(workers));
    let (mut collision, mut integration) = (planner(), planner());
    let of_graph = |graph: &GraphSample| {
        let planner = if graph.phase.is_collision() { &mut collision } else { &mut integration };
        let program = &graph.program;
        let mut schedule = planner.plan(program, store).0;
        let costs = graph.costs();
        for _ in 0..CORRECTIONS {
            if planner.rebalance(program, &costs, store).is_empty() {
                break;
            }
            schedule = planner.plan(program, store).0;
        }
        Arc::new(schedule)
    };
    graphs.iter().map(of_graph).collect()
}

/// The sum of the graphs' critical paths [ns].
pub(super) fn critical_paths(graphs: &[GraphSample], core_speed: f64) -> Result<f64, Stuck> {
    let mut sum = 0.0;
    for graph in graphs {
        let program = &graph.program;
        let accesses = program.tasks().flat_map(|(id, _)| program.accesses_of(id));
        let objects = accesses.map(|a| a.object.0).max().map_or(1, |n| n + 1);
        let mut assignment = Assignment::new(objects);
        (0..objects).for_each(|i| assignment.set(ObjectId(i), i));
        let schedule = lower(program, &assignment, Accumulation::Mirror);
        let machine = Machine { core_speed, ..Machine::ideal(objects) };
        sum += simulate(&static_plan(graph, &schedule, 0.0, 0.0), &machine)?.ns;
    }
    Ok(sum)
}
