//! Executors, partitioners and numbers of workers are exchanged while a scene runs.

use super::support::{bits, falling, of_elements, sequential};
use engine::exec::{Activity, Deed};
use scenes::gallery;
use sim_core::math::Vec3;
use weft::simulation::{Execution, ExecutorKind, PartitionerKind, Simulation, SimulationOptions};

use ExecutorKind::{ForkJoin, Replay, Sequential, Stealing};
use PartitionerKind::{Metis, Owner};

/// One after the other.
const WAYS: &[(ExecutorKind, usize, PartitionerKind)] = &[
    (Replay, 3, Metis),
    (Replay, 2, Owner),
    (Sequential, 2, Owner),
    (Stealing, 2, Owner),
    (Replay, 2, Metis),
    (ForkJoin, 2, Metis),
    (ForkJoin, 1, Owner),
    (Replay, 1, Metis),
    (Stealing, 3, Metis),
    (Replay, 3, Owner),
];

fn execution((executor, threads, partitioner): (ExecutorKind, usize, PartitionerKind)) -> Execution {
    Execution { threads, partitioner, executor }
}

fn steps(s: &mut Simulation, n: usize) -> usize {
    (0..n).map(|_| s.step().expect("a step").contacts).max().unwrap_or(0)
}

fn hash(s: &Simulation) -> String {
    s.state_hash().expect("finite")
}

/// Contacts begin and end between the changes, and groups merge.
#[test]
fn a_heap_that_changes_hands_has_the_bits_of_one_that_does_not() {
    for merges in [true, false] {
        let mut whole = falling("8", merges, sequential());
        let mut changing = falling("8", merges, SimulationOptions { threads: 2, ..Default::default() });
        let mut contacts = 0;
        // The first change comes before the first step, and some follow each other without any between.
        for (k, way) in WAYS.iter().enumerate() {
            changing.set_execution(execution(*way)).expect("it can be changed");
            assert_eq!(changing.execution(), execution(*way));
            assert_eq!(changing.workers(), if way.0 == Sequential { 1 } else { way.1 });
            let n = if k % 4 == 3 { 0 } else { 13 };
            contacts = contacts.max(steps(&mut whole, n));
            steps(&mut changing, n);
            changing.check_plan().expect("as made anew");
            assert_eq!(hash(&whole), hash(&changing), "after {k} changes: {way:?}");
        }
        assert!(contacts > 20, "{contacts} contacts");
    }
}

#[test]
fn what_else_changes_while_it_runs_changes_on_after_it() {
    let course = |hands: bool| {
        let mut s = falling("6", true, SimulationOptions { threads: 2, ..sequential() });
        let hand_over = |s: &mut Simulation, k: usize| {
            if hands {
                s.set_execution(execution(WAYS[k])).expect("it can be changed");
            }
        };
        steps(&mut s, 20);
        let state = s.world().objects.iter().find(|o| o.solver.is_some()).expect("an object").root;
        let spring = components::force_field::mouse_spring_force_field::MouseSpring {
            index: 0,
            local: Vec3::zeros(),
            target: Vec3::new(0.0, 4.0, 0.0),
            stiffness: 200.0,
            damping: 2.0,
        };
        hand_over(&mut s, 0);
        let held = s.attach_body(state, spring).expect("it can be pulled");
        steps(&mut s, 15);
        hand_over(&mut s, 3);
        s.mouse_spring_mut(held).expect("it is held").target.x = 1.0;
        s.set_gravity(Vec3::new(0.0, -5.0, 1.0)).expect("finite");
        steps(&mut s, 15);
        hand_over(&mut s, 1);
        s.remove_force_field(held).expect("it is there");
        hand_over(&mut s, 5);
        steps(&mut s, 15);
        s.check_plan().expect("as made anew");
        bits(&s)
    };
    assert!(course(true) == course(false));
}

#[test]
fn observation_goes_on_and_what_was_seen_before_is_not_mistaken() {
    let root = gallery::find("stack").and_then(|s| s.elements(&[])).expect("a gallery scene");
    let mut s = of_elements(root, SimulationOptions { threads: 2, ..SimulationOptions::default() });
    s.observe(true);
    steps(&mut s, 5);
    assert!(s.record().is_some_and(|r| r.is_complete()));
    s.set_execution(execution((Replay, 3, Owner))).expect("it can be changed");
    assert!(s.record().is_none(), "no step since");
    for way in WAYS {
        s.set_execution(execution(*way)).expect("it can be changed");
        steps(&mut s, 5);
        let record = s.record().expect("it is observed");
        assert!(record.is_complete() && record.n_activities() > 0, "{way:?}");
        assert!(record.runs.iter().flat_map(|r| &r.activities).all(|a| (a.worker as usize) < 3));
    }
    s.observe(false);
    s.set_execution(execution((Replay, 2, Metis))).expect("it can be changed");
    steps(&mut s, 1);
    assert!(s.record().is_none());
}

/// Workers take several groups in turns, and a loop makes way for another: time is counted where it was spent.
#[test]
fn a_worker_does_one_thing_at_a_time() {
    let root = gallery::find("crates").and_then(|s| s.elements(&[])).expect("a gallery scene");
    let mut s = of_elements(root, SimulationOptions { threads: 2, ..Default::default() });
    steps(&mut s, 60);
    s.observe(true);
    for step in 0..40 {
        steps(&mut s, 1);
        let record = s.record().expect("it is observed");
        for run in &record.runs {
            for worker in 0..2 {
                let did = |a: &&Activity| a.worker == worker && !matches!(a.deed, Deed::Wait(_));
                let mut times: Vec<_> = run
                    .activities
                    .iter()
                    .filter(did)
                    .map(|a| (a.start_ns, a.start_ns + a.duration_ns))
                    .collect();
                times.sort_unstable();
                let overlap = times.array_windows().find(|[one, next]| next.0 < one.1);
                assert!(overlap.is_none(), "step {step}, {:?}, worker {worker}: {overlap:?}", run.phase);
            }
        }
    }
}

#[test]
fn nobody_is_refused() {
    let mut s = falling("2", true, SimulationOptions::default());
    let before = s.execution();
    let refused = s.set_execution(Execution { threads: 0, ..before }).expect_err("nobody computes");
    assert!(refused.to_string().contains("at least 1"), "{refused}");
    assert_eq!(s.execution(), before);
    steps(&mut s, 3);
}
