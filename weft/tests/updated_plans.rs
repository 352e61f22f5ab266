//! Plans that are updated as contacts come and go equal plans made anew, and give the same bits.

use scenes::gallery;
use scenes::load::{LoadOptions, load_elements};
use weft::simulation::{
    AccumulateMode, ExecutorKind, PartitionerKind, PlanChange, Simulation, SimulationOptions,
};

/// Objects that fall on each other, far enough apart to be groups of their own at first. Without a group manager, contacts
/// between them act outside all solvers.
fn falling(objects: &str, merges: bool, options: SimulationOptions) -> Simulation {
    let set = [("objects".to_owned(), objects.to_owned())];
    let mut root = gallery::find("falling").and_then(|s| s.elements(&set)).expect("a gallery scene");
    root.children.retain(|e| merges || e.class != "CollisionGroupManager");
    let loaded = load_elements(root, &LoadOptions::default()).expect("it loads");
    Simulation::new(loaded.scene, SimulationOptions { dt: Some(0.02), pin: false, ..options })
        .expect("it can be simulated")
}

fn bits(s: &Simulation) -> Vec<u64> {
    let states = s.states();
    let all = states.iter().flat_map(|v| v.position.iter().chain(&v.velocity)).flatten();
    all.map(|c| c.to_bits()).collect()
}

/// The bits at the end; after every step whose plan was updated, the plan equals one made anew.
fn run(merges: bool, options: SimulationOptions, steps: usize) -> (Vec<u64>, usize) {
    let mut s = falling("9", merges, options);
    let mut updated = 0;
    for _ in 0..steps {
        let report = s.step().expect("a step");
        if report.plan == PlanChange::Updated {
            updated += 1;
            s.check_plan().expect("an updated plan equals one made anew");
        }
    }
    (bits(&s), updated)
}

fn check(merges: bool, ways: &[(usize, PartitionerKind, AccumulateMode)]) {
    let steps = 240;
    let sequential = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let (expected, updated) = run(merges, sequential, steps);
    assert!(updated > 15, "only {updated} steps changed their contacts");
    for &(threads, partitioner, accumulate) in ways {
        let options = SimulationOptions {
            executor: ExecutorKind::Replay,
            threads,
            partitioner,
            accumulate,
            ..SimulationOptions::default()
        };
        let (found, _) = run(merges, options, steps);
        assert!(found == expected, "{threads} workers, {partitioner:?}, {accumulate:?}");
    }
}

#[test]
fn updated_plans_equal_plans_made_anew_and_give_the_same_bits() {
    check(
        true,
        &[
            (1, PartitionerKind::Owner, AccumulateMode::Auto),
            (2, PartitionerKind::Metis, AccumulateMode::Auto),
            (3, PartitionerKind::Owner, AccumulateMode::Mirror),
            (2, PartitionerKind::Owner, AccumulateMode::Reduce),
        ],
    );
}

#[test]
fn contacts_outside_all_solvers_come_and_go_in_updated_plans_too() {
    check(
        false,
        &[
            (2, PartitionerKind::Metis, AccumulateMode::Auto),
            (3, PartitionerKind::Owner, AccumulateMode::Reduce),
        ],
    );
}
