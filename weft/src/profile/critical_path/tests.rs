use std::sync::Arc;

use engine::graph::TaskId;

use super::*;
use crate::record::{Phase, TaskFacts};

fn task(in_loop: Option<u32>, touches: &[Touch]) -> TaskFacts {
    TaskFacts {
        name: "task",
        stage: "stage",
        component: None,
        objects: Vec::new(),
        in_loop,
        group: 0,
        touches: touches.to_vec(),
    }
}

fn ran(task: u32, iteration: u32, duration_ns: u64) -> Activity {
    let deed = Deed::Task { task: TaskId(task), timed: true };
    // Where and when it ran plays no part.
    Activity { worker: task % 2, deed, iteration, start_ns: 7 * u64::from(iteration), duration_ns }
}

fn run(
    tasks: Vec<TaskFacts>,
    code: Vec<Code>,
    activities: Vec<Activity>,
    visits: Vec<(u32, u32)>,
) -> RunRecord {
    let n_loops = code.iter().filter(|c| matches!(c, Code::Begin { .. })).count();
    let graph = Graph { tasks, code, n_loops, n_groups: 1, n_data: 8, ..Graph::default() };
    RunRecord {
        phase: Phase::Integration,
        start_ns: 0,
        duration_ns: 1000,
        graph: Arc::new(graph),
        activities,
        visits,
    }
}

fn straight(touches: &[&[Touch]], durations: &[u64]) -> Chain {
    let tasks = touches.iter().map(|t| task(None, t)).collect();
    let code = vec![Code::Tasks((0..touches.len() as u32).collect())];
    let activities = durations.iter().enumerate().map(|(k, ns)| ran(k as u32, 0, *ns)).collect();
    critical_path(&run(tasks, code, activities, Vec::new()))
}

fn tasks_of(chain: &Chain) -> Vec<(u32, u32)> {
    chain.links.iter().map(|l| (l.task, l.iteration)).collect()
}

use Touch::{Add, Read, Write};

#[test]
fn a_diamond_takes_its_longer_side() {
    let c = straight(
        &[&[Write(0)], &[Read(0), Write(1)], &[Read(0), Write(2)], &[Read(1), Read(2), Write(3)]],
        &[10, 20, 50, 5],
    );
    assert_eq!((c.length_ns, c.work_ns), (65, 85));
    assert_eq!(tasks_of(&c), [(0, 0), (2, 0), (3, 0)]);
}

#[test]
fn independent_tasks_bound_by_the_longest() {
    let c = straight(&[&[Write(0)], &[Write(1)], &[Write(2)]], &[10, 30, 20]);
    assert_eq!((c.length_ns, c.work_ns), (30, 60));
}

#[test]
fn what_is_written_waits_for_its_readers_and_writers() {
    // Two reads side by side, then a write over what they read, then one more write.
    let c =
        straight(&[&[Read(0), Write(1)], &[Read(0), Write(2)], &[Write(0)], &[Write(0)]], &[10, 40, 1, 2]);
    assert_eq!(c.length_ns, 43);
    assert_eq!(tasks_of(&c), [(1, 0), (2, 0), (3, 0)]);
}

#[test]
fn additions_run_side_by_side_and_a_reader_waits_for_all() {
    let c = straight(&[&[Write(0)], &[Add(0)], &[Add(0)], &[Add(0)], &[Read(0)]], &[1, 10, 30, 20, 2]);
    assert_eq!(c.length_ns, 33);
    // A read between ends the epoch: what is added after it comes after it.
    let c = straight(&[&[Write(0)], &[Add(0)], &[Read(0)], &[Add(0)], &[Write(0)]], &[1, 10, 30, 20, 2]);
    assert_eq!(c.length_ns, 63);
}

#[test]
fn several_computations_of_a_task_count_once_with_their_mean() {
    let tasks = vec![task(None, &[Write(0)])];
    let code = vec![Code::Tasks(vec![0])];
    let c = critical_path(&run(tasks, code, vec![ran(0, 0, 10), ran(0, 0, 20)], Vec::new()));
    assert_eq!((c.length_ns, c.work_ns, c.links.len()), (15, 15, 1));
}

/// A loop: task 0 updates a chain and task 1 something of its own, the condition is task 2's, and task 3 stands behind it.
fn looped(visits: Vec<(u32, u32)>, iterations: u32, last_is_broken_off: bool) -> Chain {
    let tasks = vec![
        task(Some(0), &[Write(0)]),
        task(Some(0), &[Write(1)]),
        task(Some(0), &[Read(0), Write(2)]),
        task(Some(0), &[Read(1), Write(3)]),
    ];
    let code = vec![
        Code::Begin { id: 0, group: 0, limit: 7, end: 4 },
        Code::Tasks(vec![0, 1, 2]),
        Code::Break { group: 0, condition: 2 },
        Code::Tasks(vec![3]),
        Code::End { id: 0, begin: 0 },
    ];
    let mut activities = Vec::new();
    for k in 0..iterations {
        activities.extend([ran(0, k, 10), ran(1, k, 1), ran(2, k, 2)]);
        if !(last_is_broken_off && k + 1 == iterations) {
            activities.push(ran(3, k, 100));
        }
    }
    critical_path(&run(tasks, code, activities, visits))
}

#[test]
fn loops_are_unrolled_and_their_conditions_hold_up_what_follows() {
    // Task 0, the condition, and only then task 3; then task 1 writes over what it has read.
    let c = looped(vec![(0, 3)], 3, false);
    assert_eq!(c.length_ns, 10 + 2 + 100 + 2 * (1 + 100));
    assert_eq!(tasks_of(&c), [(0, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2), (3, 2)]);
    assert_eq!(c.work_ns, 3 * 113);
}

#[test]
fn a_broken_off_iteration_counts_as_far_as_it_went() {
    let c = looped(vec![(0, 3)], 3, true);
    assert_eq!(c.work_ns, 3 * 13 + 2 * 100);
    assert_eq!(c.length_ns, 10 + 2 + 100 + 1 + 100 + 1);
}

#[test]
fn visits_that_nobody_counted_are_taken_for_one() {
    assert_eq!(looped(Vec::new(), 3, true), looped(vec![(0, 3)], 3, true));
}

#[test]
fn a_loop_that_is_visited_twice_goes_on_counting() {
    let tasks = vec![task(Some(1), &[Write(0)]), task(Some(0), &[Write(1)])];
    let code = vec![
        Code::Begin { id: 0, group: 0, limit: 7, end: 5 },
        Code::Begin { id: 1, group: 0, limit: 7, end: 3 },
        Code::Tasks(vec![0]),
        Code::End { id: 1, begin: 1 },
        Code::Tasks(vec![1]),
        Code::End { id: 0, begin: 0 },
    ];
    let activities = vec![ran(0, 0, 1), ran(0, 1, 2), ran(1, 0, 5), ran(0, 2, 4), ran(1, 1, 5)];
    let visits = vec![(0, 2), (1, 2), (1, 1)];
    let c = critical_path(&run(tasks, code, activities, visits));
    assert_eq!((c.length_ns, c.work_ns), (10, 17));
    // The inner loop's chain, over both visits, is shorter than the outer one's.
    assert_eq!(tasks_of(&c), [(1, 0), (1, 1)]);
}

#[test]
fn a_loop_that_is_not_entered_is_skipped() {
    let tasks = vec![task(Some(0), &[Write(0)]), task(None, &[Read(0), Write(1)])];
    let code = vec![
        Code::Begin { id: 0, group: 0, limit: 7, end: 2 },
        Code::Tasks(vec![0]),
        Code::End { id: 0, begin: 0 },
        Code::Tasks(vec![1]),
    ];
    let c = critical_path(&run(tasks, code, vec![ran(1, 0, 9)], Vec::new()));
    assert_eq!((c.length_ns, c.work_ns), (9, 9));
}
