use std::sync::Arc;

use engine::graph::TaskId;

use super::*;
use crate::record::{Graph, Section};

fn did(worker: u32, start_ns: u64, duration_ns: u64) -> Activity {
    let deed = Deed::Task { task: TaskId(0), timed: true };
    Activity { worker, deed, iteration: 0, start_ns, duration_ns }
}

fn waited(worker: u32, cause: WaitCause, start_ns: u64, duration_ns: u64) -> Activity {
    let wait = ObservedWait { cause, at: "here", worker: Some(1 - worker), stage: "there" };
    Activity { worker, deed: Deed::Wait(wait), iteration: 0, start_ns, duration_ns }
}

fn step(runs: Vec<(Phase, u64, u64, Vec<Activity>)>, sections: Vec<Section>) -> StepRecord {
    let run = |(phase, start_ns, duration_ns, activities)| RunRecord {
        phase,
        start_ns,
        duration_ns,
        graph: Arc::new(Graph::default()),
        activities,
        visits: Vec::new(),
    };
    let runs = runs.into_iter().map(run).collect();
    StepRecord { step: 0, start_ns: 0, wall_ns: 1000, n_workers: 2, runs, sections, beside: Vec::new() }
}

fn of(waiting: &[Waiting], worker: u32) -> Vec<(Cause, u64, u64)> {
    waiting.iter().filter(|w| w.worker == worker).map(|w| (w.cause, w.start_ns, w.duration_ns)).collect()
}

#[test]
fn every_moment_of_a_step_has_its_account() {
    let integration = vec![
        did(0, 0, 300),
        waited(0, WaitCause::Gather, 300, 100),
        did(0, 400, 200),
        did(1, 50, 350),
        waited(1, WaitCause::Reduction, 410, 90),
        did(1, 500, 90),
    ];
    let serial = Section { kind: Serial::PlanWork, start_ns: 0, duration_ns: 200 };
    let other = Section { kind: Serial::Other, start_ns: 900, duration_ns: 100 };
    let record = step(vec![(Phase::Integration, 200, 700, integration)], vec![serial, other]);
    let waiting = waiting(&record);
    assert_eq!(of(&waiting, 0), [(Cause::Imbalance, 500, 100)]);
    assert_eq!(
        of(&waiting, 1),
        [
            (Cause::PlanWork, 0, 200),
            (Cause::Start, 200, 50),
            (Cause::Reduction, 610, 90),
            (Cause::Imbalance, 790, 10),
            (Cause::Serial, 900, 100),
        ]
    );
    assert_eq!(waiting[0].wait.and_then(|w| w.worker), Some(1));
    let splits = splits(&record, &waiting);
    assert_eq!((splits[0].tasks_ns, splits[0].serial_ns, splits[0].waiting()), (500, 300, 100));
    assert_eq!((splits[0].control_ns, splits[1].control_ns), (100, 110));
    assert!(splits.iter().all(|s| s.accounted() + s.control_ns == 1000));
}

#[test]
fn waiting_in_collision_detection_is_the_phases() {
    let bounds = vec![did(0, 0, 100), did(1, 20, 30)];
    let narrow = vec![did(0, 0, 50)];
    let mut record = step(
        vec![(Phase::Bounds, 0, 100, bounds), (Phase::NarrowPhase, 400, 60, narrow)],
        vec![Section { kind: Serial::PlanWork, start_ns: 300, duration_ns: 100 }],
    );
    record.fill_gaps();
    let kinds: Vec<_> = record.sections.iter().map(|s| (s.kind, s.start_ns, s.duration_ns)).collect();
    assert_eq!(
        kinds,
        [(Serial::BroadPhase, 100, 200), (Serial::PlanWork, 300, 100), (Serial::BroadPhase, 460, 540)]
    );
    let waiting = waiting(&record);
    assert_eq!(
        of(&waiting, 1),
        [
            (Cause::Start, 0, 20),
            (Cause::CollisionPhase, 50, 50),
            (Cause::CollisionPhase, 100, 200),
            (Cause::PlanWork, 300, 100),
            (Cause::CollisionPhase, 400, 50),
            (Cause::CollisionPhase, 460, 540),
        ]
    );
    assert_eq!(of(&waiting, 0), []);
}

#[test]
fn a_wait_during_which_something_else_was_done_counts_less() {
    let deeds = vec![
        did(0, 0, 10),
        waited(0, WaitCause::Dependence, 10, 100),
        did(0, 40, 20),
        waited(0, WaitCause::LoopControl, 60, 70),
        did(0, 130, 10),
    ];
    let record = step(vec![(Phase::Integration, 0, 140, deeds)], Vec::new());
    assert_eq!(
        of(&waiting(&record), 0),
        [(Cause::Dependence, 10, 30), (Cause::Dependence, 60, 50), (Cause::LoopCondition, 110, 20)]
    );
}
