//! Tests of the queue.

use super::super::testing::{Log, cycle, second, told};
use super::super::{Alone, Context, Edits, Query, TaskSupplier, Tasks};
use super::{OnFailure, Outcome, UnorderedQueue};
use Outcome::{Failure, Progress, Success};

#[test]
fn what_makes_progress_runs_again_and_what_succeeds_leaves() {
    let (mut tasks, log, mut queue) = (Tasks::new(), Log::default(), UnorderedQueue::default());
    queue.submit(told(&mut tasks, &log, "a", 1, &[Progress, Progress, Success]));
    queue.submit(told(&mut tasks, &log, "b", 1, &[Success]));
    queue.submit(told(&mut tasks, &log, "c", 1, &[Progress]));
    assert_eq!(queue.len(), 3);
    let ran: Vec<_> = (0..4).map(|n| cycle(&mut tasks, &mut queue, &log, second(n))).collect();
    assert_eq!(ran, ["a b c", "a c", "a c", "c"]);
    assert_eq!(queue.len(), 1);
}

#[test]
fn failures_follow_the_policy() {
    for (policy, expected, left) in [
        (OnFailure::Remove, ["f g", "g", "g"], 1),
        (OnFailure::Retry, ["f g", "f g", "g"], 1),
        (OnFailure::Halt, ["f", "", "g"], 1),
    ] {
        let (mut tasks, log, mut queue) = (Tasks::new(), Log::default(), UnorderedQueue::new(policy));
        let f = told(&mut tasks, &log, "f", 1, &[Failure, Success]);
        queue.submit(f);
        queue.submit(told(&mut tasks, &log, "g", 1, &[Progress]));
        let mut ran = Vec::new();
        for n in 0..3 {
            if n == 2 {
                assert_eq!(queue.halted(), (policy == OnFailure::Halt).then_some(f));
                queue.resume();
            }
            ran.push(cycle(&mut tasks, &mut queue, &log, second(n)));
        }
        assert_eq!(ran, expected, "{policy:?}");
        assert_eq!(queue.len(), left);
    }
}

#[test]
fn many_at_once_and_those_still_out_stay_out() {
    let (mut tasks, log, mut queue) = (Tasks::new(), Log::default(), UnorderedQueue::default());
    for name in ["a", "b", "c"] {
        queue.submit(told(&mut tasks, &log, name, 1, &[Success]));
    }
    let mut out = Vec::new();
    queue.begin_cycle(&second(0));
    assert_eq!(queue.query_many(&mut out), Query::Success);
    assert_eq!(out.len(), 3);
    assert_eq!(queue.query_many(&mut out), Query::Empty);
    queue.report(out[0], Success);
    // A second report of the same is no report.
    queue.report(out[0], Progress);
    queue.begin_cycle(&second(1));
    assert_eq!(queue.query_one(&mut out), Query::Empty);
    queue.report(out[1], Progress);
    queue.report(out[2], Success);
    queue.begin_cycle(&second(2));
    out.clear();
    assert_eq!(queue.query_many(&mut out), Query::Success);
    assert_eq!((out.len(), queue.len()), (1, 1));
}

#[test]
fn what_is_submitted_in_a_cycle_runs_in_it() {
    let (mut tasks, log, mut queue) = (Tasks::new(), Log::default(), UnorderedQueue::default());
    queue.begin_cycle(&second(0));
    queue.submit(told(&mut tasks, &log, "late", 1, &[Success]));
    let mut out = Vec::new();
    assert_eq!(queue.query_one(&mut out), Query::Success);
}

#[test]
fn a_removed_task_fails_and_its_handle_is_no_other_tasks() {
    let (mut tasks, log) = (Tasks::new(), Log::default());
    let old = told(&mut tasks, &log, "old", 1, &[Success]);
    assert!(tasks.remove(old));
    assert!(!tasks.remove(old));
    let new = told(&mut tasks, &log, "new", 1, &[Success]);
    let (edits, now) = (Edits::default(), second(0));
    assert_eq!(tasks.execute(old, &Context::new(&now, 0, &edits, &Alone)), Failure);
    assert_eq!(tasks.info(old), None);
    assert_eq!(tasks.info(new).map(|info| info.name.as_str()), Some("new"));
    assert_ne!(old, new);
}
