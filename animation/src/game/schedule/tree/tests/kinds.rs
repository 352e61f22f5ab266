//! What each behaviour does, alone and in others.

use std::time::Duration;

use super::super::super::{Cycle, Outcome, TaskInfo, TaskSupplier};
use super::super::{
    Behaviour, Decision, Ended, Every, Heard, If, Invert, Parallel, Random, Repeat, Selector, Sequence,
    TreeError, Wait,
};
use super::{Bench, second};
use Outcome::{Failure, Progress, Success};

#[test]
fn a_sequence_goes_on_within_a_cycle_and_over_several() {
    let mut bench = Bench::default();
    let children = [
        bench.leaf("a", &[Success]),
        bench.leaf("b", &[Progress, Progress, Success]),
        bench.leaf("c", &[Success]),
    ];
    let root = bench.tree.node(Sequence, &children).unwrap();
    bench.submit(root);
    assert_eq!(bench.tree.ended(root), None);
    assert_eq!(bench.cycles(4), ["a b", "b", "b c", ""]);
    assert_eq!(bench.tree.ended(root), Some(Ended::Success));
    // It can be submitted again.
    bench.submit(root);
    assert_eq!(bench.cycles(2), ["a b c", ""]);
}

#[test]
fn a_sequence_ends_with_a_child_that_fails_and_a_selector_with_one_that_succeeds() {
    for (is_selector, outcomes, ran, end) in [
        (false, [Success, Failure, Success], "a b", Ended::Failure),
        (false, [Success, Success, Success], "a b c", Ended::Success),
        (true, [Failure, Success, Failure], "a b", Ended::Success),
        (true, [Failure, Failure, Failure], "a b c", Ended::Failure),
    ] {
        let mut bench = Bench::default();
        let children: Vec<_> =
            ["a", "b", "c"].iter().zip(outcomes).map(|(name, end)| bench.leaf(name, &[end])).collect();
        let tree = &mut bench.tree;
        let root = if is_selector { tree.node(Selector, &children) } else { tree.node(Sequence, &children) }
            .unwrap();
        bench.submit(root);
        assert_eq!(bench.cycle(), ran);
        assert_eq!(bench.tree.ended(root), Some(end));
    }
}

#[test]
fn a_parallel_ends_when_all_have_ended_and_fails_if_one_has_failed() {
    for (last, end) in [(Success, Ended::Success), (Failure, Ended::Failure)] {
        let mut bench = Bench::default();
        let children = [
            bench.leaf("a", &[Progress, Success]),
            bench.leaf("b", &[last]),
            bench.leaf("c", &[Progress, Progress, Success]),
        ];
        let root = bench.tree.node(Parallel::default(), &children).unwrap();
        bench.submit(root);
        assert_eq!(bench.cycles(4), ["a b c", "a c", "c", ""]);
        assert_eq!(bench.tree.ended(root), Some(end));
    }
}

#[test]
fn behaviours_without_children_end_at_once() {
    let mut bench = Bench::default();
    let tree = &mut bench.tree;
    let roots = [
        (tree.node(Sequence, &[]).unwrap(), Ended::Success),
        (tree.node(Parallel::default(), &[]).unwrap(), Ended::Success),
        (tree.node(Selector, &[]).unwrap(), Ended::Failure),
        (tree.node(Random::new(1), &[]).unwrap(), Ended::Failure),
    ];
    for (root, end) in roots {
        assert_eq!(bench.cycle_with(root), "");
        assert_eq!(bench.tree.ended(root), Some(end));
    }
}

#[test]
fn a_condition_chooses() {
    for (condition, has_else, ran, end) in [
        (Success, true, "if then", Ended::Success),
        (Failure, true, "if else", Ended::Failure),
        (Success, false, "if then", Ended::Success),
        (Failure, false, "if", Ended::Success),
    ] {
        let mut bench = Bench::default();
        let mut children = vec![bench.leaf("if", &[condition]), bench.leaf("then", &[Success])];
        if has_else {
            children.push(bench.leaf("else", &[Failure]));
        }
        let root = bench.tree.node(If, &children).unwrap();
        bench.submit(root);
        assert_eq!(bench.cycle(), ran);
        assert_eq!(bench.tree.ended(root), Some(end));
    }
}

#[test]
fn invert_turns_the_end_round() {
    for (outcome, end) in [(Success, Ended::Failure), (Failure, Ended::Success)] {
        let mut bench = Bench::default();
        let child = bench.leaf("a", &[Progress, outcome]);
        let root = bench.tree.node(Invert, &[child]).unwrap();
        bench.submit(root);
        assert_eq!(bench.cycles(2), ["a", "a"]);
        assert_eq!(bench.tree.ended(root), Some(end));
    }
}

#[test]
fn repeat_runs_its_child_once_a_cycle_however_it_ends() {
    let mut bench = Bench::default();
    let child = bench.leaf("a", &[Success, Failure, Progress, Success, Failure]);
    let root = bench.tree.node(Repeat::times(4), &[child]).unwrap();
    bench.submit(root);
    // The fourth time it makes progress first: that is no end.
    assert_eq!(bench.cycles(6), ["a", "a", "a", "a", "a", ""]);
    assert_eq!(bench.tree.ended(root), Some(Ended::Failure));

    let mut bench = Bench::default();
    let child = bench.leaf("a", &[Success]);
    let never = bench.tree.node(Repeat::times(0), &[child]).unwrap();
    bench.submit(never);
    assert_eq!((bench.cycle(), bench.tree.ended(never)), (String::new(), Some(Ended::Success)));
}

#[test]
fn what_ends_late_does_not_run_twice_in_a_cycle() {
    let mut bench = Bench::default();
    let children = [bench.leaf("a", &[Success]), bench.leaf("b", &[Progress, Success])];
    let inner = bench.tree.node(Sequence, &children[1..]).unwrap();
    let sequence = bench.tree.node(Sequence, &[children[0], inner]).unwrap();
    let root = bench.tree.node(Repeat::forever(), &[sequence]).unwrap();
    bench.submit(root);
    // In the second cycle b ends, and the sequence begins again with a; b has run in this cycle already.
    assert_eq!(bench.cycles(4), ["a b", "b a", "b a", "b a"]);
}

#[test]
fn wait_takes_the_games_time() {
    let mut bench = Bench::default();
    bench.cycle();
    let wait = bench.tree.node(Wait::new(Duration::from_millis(2500)), &[]).unwrap();
    let children = [wait, bench.leaf("a", &[Success])];
    let root = bench.tree.node(Sequence, &children).unwrap();
    bench.submit(root);
    // It begins at 2 s, with the next cycle; the one at 5 s is the first one 2.5 s later.
    assert_eq!(bench.cycles(5), ["", "", "", "a", ""]);

    let none = bench.tree.node(Wait::new(Duration::ZERO), &[]).unwrap();
    assert_eq!(bench.cycle_with(none), "");
    assert_eq!(bench.tree.ended(none), Some(Ended::Success));
}

#[test]
fn every_releases_its_child_once_in_an_interval() {
    let mut bench = Bench::default();
    let child = bench.leaf("a", &[Success]);
    let every = bench.tree.node(Every::new(Duration::from_millis(2500)), &[child]).unwrap();
    let root = bench.tree.node(Repeat::forever(), &[every]).unwrap();
    bench.submit(root);
    // It begins at 1 s, in the first cycle, and is due at 3.5, 6, 8.5 s: late cycles do not shift what follows.
    let ran: Vec<_> = bench.cycles(9).iter().map(|ran| ran.len()).collect();
    assert_eq!(ran, [1, 0, 0, 1, 0, 1, 0, 0, 1]);
}

#[test]
fn random_takes_each_child_as_often_as_the_others_and_the_same_for_a_seed() {
    let run = |seed: u64| {
        let mut bench = Bench::default();
        let children = ["a", "b", "c"].map(|name| bench.leaf(name, &[Success]));
        let random = bench.tree.node(Random::new(seed), &children).unwrap();
        let root = bench.tree.node(Repeat::forever(), &[random]).unwrap();
        bench.submit(root);
        bench.cycles(3000).join("")
    };
    let ran = run(7);
    for name in ["a", "b", "c"] {
        let n = ran.matches(name).count();
        // Four standard deviations of 3000 draws of one in three.
        assert!((897..=1103).contains(&n), "{name}: {n}");
    }
    assert_eq!(ran, run(7));
    assert_ne!(ran, run(8));
}

/// Ends with the first child that ends, whatever becomes of the others.
struct Race;

impl Behaviour for Race {
    fn decide(&mut self, heard: Heard, _: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Begin => Decision::RunAll,
            Heard::Ended { how, .. } => Decision::End(how),
            Heard::Progress { .. } | Heard::Cycle => Decision::Await,
        }
    }
}

#[test]
fn a_behaviour_of_a_games_own_gives_its_other_children_up() {
    let mut bench = Bench::default();
    let children = [
        bench.leaf("slow", &[Progress]),
        bench.leaf("fast", &[Progress, Success]),
        bench.leaf("late", &[Progress]),
    ];
    let race = bench.tree.node(Race, &children).unwrap();
    let next = bench.leaf("next", &[Success]);
    let root = bench.tree.node(Sequence, &[race, next]).unwrap();
    bench.submit(root);
    // `late` was ready when the race ended: it does not run any more.
    assert_eq!(bench.cycles(3), ["slow fast late", "slow fast next", ""]);
    bench.tree.remove(root).unwrap();
    assert!(bench.tree.is_empty());
}

#[test]
fn what_a_worker_has_while_it_is_given_up_ends_unheard_and_can_begin_again() {
    let mut bench = Bench::default();
    let children = [bench.leaf("slow", &[Success]), bench.leaf("fast", &[Success])];
    let race = bench.tree.node(Race, &children).unwrap();
    let root = bench.tree.node(Repeat::forever(), &[race]).unwrap();
    bench.submit(root);
    let mut out = Vec::new();
    bench.tree.begin_cycle(&second(1));
    bench.tree.query_many(&mut out);
    let [slow, fast] = out[..] else { panic!("{out:?}") };
    bench.tree.report(fast, Success);
    // The race is over, and begins again in the next cycle, while `slow` is still out.
    bench.tree.begin_cycle(&second(2));
    out.clear();
    bench.tree.query_many(&mut out);
    assert_eq!(out.iter().map(|one| one.task).collect::<Vec<_>>(), [fast.task]);
    assert!(matches!(bench.tree.remove(root), Err(TreeError::Runs { .. })));
    bench.tree.report(slow, Failure);
    bench.tree.report(out[0], Success);
    out.clear();
    bench.tree.query_many(&mut out);
    assert!(out.is_empty(), "nobody heard of the failure, and nothing begins twice in a cycle");
    bench.tree.begin_cycle(&second(3));
    bench.tree.query_many(&mut out);
    assert_eq!(out.iter().map(|one| one.task).collect::<Vec<_>>(), [slow.task, fast.task]);
}

/// Asks for its child again whenever that does not end.
struct Impatient;

impl Behaviour for Impatient {
    fn decide(&mut self, heard: Heard, _: usize, _: &Cycle) -> Decision {
        match heard {
            Heard::Ended { how: Ended::Success, .. } => Decision::End(Ended::Success),
            _ => Decision::Run(0),
        }
    }
}

#[test]
fn a_behaviour_that_asks_again_and_again_does_not_keep_the_cycle_from_ending() {
    let mut bench = Bench::default();
    let child = bench.leaf("a", &[Failure, Progress, Success]);
    let root = bench.tree.node(Impatient, &[child]).unwrap();
    bench.submit(root);
    assert_eq!(bench.cycles(4), ["a", "a", "a", ""]);
    assert_eq!(bench.tree.ended(root), Some(Ended::Success));
}

/// Names a child that is not there.
struct Lost;

impl Behaviour for Lost {
    fn decide(&mut self, _: Heard, children: usize, _: &Cycle) -> Decision {
        Decision::Run(children)
    }
}

#[test]
fn a_behaviour_that_names_no_child_fails() {
    let mut bench = Bench::default();
    let root = bench.tree.node(Lost, &[]).unwrap();
    bench.cycle_with(root);
    assert_eq!(bench.tree.ended(root), Some(Ended::Failure));
}

/// Panics in the third cycle of its life.
struct Faulty(u64);

impl Behaviour for Faulty {
    fn decide(&mut self, heard: Heard, _: usize, _: &Cycle) -> Decision {
        self.0 = if heard == Heard::Begin { 1 } else { self.0 + 1 };
        if self.0 == 3 {
            std::panic::resume_unwind(Box::new("no idea"));
        }
        Decision::NextCycle
    }
}

#[test]
fn a_behaviour_that_panics_fails_and_all_else_goes_on() {
    let mut bench = Bench::default();
    let faulty = bench.tree.node(Faulty(0), &[]).unwrap();
    bench.tree.name(faulty, "faulty").unwrap();
    let children = [faulty, bench.leaf("then", &[Success])];
    let selector = bench.tree.node(Selector, &children).unwrap();
    let leaf = bench.leaf("frame", &[Success]);
    let frame = bench.tree.node(Repeat::forever(), &[leaf]).unwrap();
    let going = bench.leaf("going", &[Progress]);
    bench.submit(frame);
    bench.submit(going);
    for _ in 0..2 {
        bench.submit(selector);
        let mut ran = bench.cycles(4);
        ran.iter_mut().for_each(|names| {
            let mut list: Vec<&str> = names.split(' ').collect();
            list.sort_unstable();
            *names = list.join(" ");
        });
        assert_eq!(ran, ["frame going", "frame going", "frame going then", "frame going"]);
        assert_eq!(bench.tree.ended(selector), Some(Ended::Success));
        let [panicked] = &bench.tree.take_panicked()[..] else { panic!("one behaviour panicked once") };
        assert_eq!(panicked.what.as_deref(), Some("the behaviour of node `faulty`"));
        assert_eq!(panicked.payload.downcast_ref(), Some(&"no idea"));
    }
    bench.tree.remove(selector).unwrap();
}

#[test]
fn what_is_submitted_between_cycles_has_the_time_of_the_next_one() {
    let mut bench = Bench { n: 999, ..Bench::default() };
    let wait = bench.tree.node(Wait::new(Duration::from_secs(2)), &[]).unwrap();
    bench.submit(wait);
    assert_eq!(bench.cycles(2), ["", ""]);
    assert_eq!(bench.tree.ended(wait), None);
    assert!(matches!(bench.tree.submit(wait, &bench.tasks), Err(TreeError::Runs { .. })));
    bench.cycle();
    assert_eq!(bench.tree.ended(wait), Some(Ended::Success));
    // Between this submission and its cycle nothing of the earlier run is told, and the tree cannot be removed.
    bench.submit(wait);
    assert_eq!(bench.tree.ended(wait), None);
    assert!(matches!(bench.tree.remove(wait), Err(TreeError::Runs { .. })));
    bench.n += 100;
    assert_eq!(bench.cycles(2), ["", ""]);
    assert_eq!(bench.tree.ended(wait), None);
}

#[test]
fn several_roots_and_those_that_come_later() {
    let mut bench = Bench::default();
    let a = bench.leaf("a", &[Progress]);
    bench.submit(a);
    assert_eq!(bench.cycle(), "a");
    let b = bench.leaf("b", &[Success]);
    bench.submit(b);
    // Tasks that go on are ready when the cycle begins, after those that were before.
    assert_eq!(bench.cycle(), "b a");
    bench.tree.begin_cycle(&second(9));
    let c = bench.leaf("c", &[Success]);
    bench.submit(c);
    let mut out = Vec::new();
    bench.tree.query_many(&mut out);
    assert_eq!(out.len(), 2, "what is submitted in a cycle runs in it");
}

#[test]
fn a_container_holds_tasks_beside_nodes() {
    let mut bench = Bench::default();
    let (a, b) = (bench.task("a", &[Success]), bench.task("b", &[Progress, Success]));
    let child = bench.leaf("c", &[Success]);
    let container = bench.tree.container(&[a, b], &[child]).unwrap();
    let next = bench.leaf("next", &[Success]);
    let root = bench.tree.node(Sequence, &[container, next]).unwrap();
    bench.submit(root);
    assert_eq!(bench.cycles(2), ["a b c", "b next"]);
}

#[test]
fn what_has_the_longest_chain_behind_it_comes_first() {
    let mut bench = Bench::default();
    let short = bench.leaf("short", &[Success]);
    bench.submit(short);
    let children = ["x", "y", "z"].map(|name| bench.leaf(name, &[Success]));
    let chain = bench.tree.node(Sequence, &children).unwrap();
    bench.submit(chain);
    let ms = Duration::from_millis;
    let info = TaskInfo::new("long", ms(2));
    let (log, long) = (bench.log.clone(), "long".to_owned());
    let long = bench.tasks.add(info, move |_| {
        log.lock().unwrap().push(long.clone());
        Success
    });
    let long = bench.tree.task(long);
    bench.submit(long);
    bench.tree.begin_cycle(&second(1));
    let mut out = Vec::new();
    bench.tree.query_many(&mut out);
    assert_eq!(out.iter().map(|one| one.path).collect::<Vec<_>>(), [ms(3), ms(2), ms(1)]);
    for one in out {
        bench.tree.report(one, Success);
    }
}

#[test]
fn what_cannot_be_put_together_is_refused() {
    let mut bench = Bench::default();
    let (a, b) = (bench.leaf("a", &[Success]), bench.leaf("b", &[Success]));
    bench.tree.name(a, "first").unwrap();
    let root = bench.tree.node(Sequence, &[a]).unwrap();
    let twice = bench.tree.node(Sequence, &[a]).unwrap_err();
    assert_eq!(twice.to_string(), "node `first` has a parent already: a node is in one place of one tree");
    assert!(matches!(bench.tree.node(Sequence, &[b, b]), Err(TreeError::Twice { .. })));
    let one = bench.tree.node(Invert, &[]).unwrap_err();
    assert_eq!(one.to_string(), "a node has 0 children and takes 1");
    assert!(matches!(bench.tree.node(If, &[b]), Err(TreeError::Children { .. })));
    assert!(matches!(bench.tree.submit(a, &bench.tasks), Err(TreeError::NotARoot { .. })));
    bench.submit(root);
    assert!(matches!(bench.tree.submit(root, &bench.tasks), Err(TreeError::Runs { .. })));
    assert!(matches!(bench.tree.node(Sequence, &[root]), Err(TreeError::Runs { .. })));
    bench.cycle();
    bench.tree.remove(root).unwrap();
    assert!(matches!(bench.tree.submit(root, &bench.tasks), Err(TreeError::Unknown)));
    assert!(matches!(bench.tree.name(a, "gone"), Err(TreeError::Unknown)));
    let gone = bench.task("gone", &[Success]);
    let leaf = bench.tree.task(gone);
    bench.tasks.remove(gone);
    assert!(matches!(bench.tree.submit(leaf, &bench.tasks), Err(TreeError::NoTask { .. })));
}

#[test]
fn children_are_exchanged_while_the_tree_runs_and_what_follows_waits_for_them() {
    let mut bench = Bench::default();
    let update = bench.leaf("update", &[Success]);
    let batches = bench.tree.node(Parallel::default(), &[]).unwrap();
    let after = bench.leaf("after", &[Success]);
    let frame = bench.tree.node(Sequence, &[update, batches, after]).unwrap();
    let root = bench.tree.node(Repeat::forever(), &[frame]).unwrap();
    bench.submit(root);
    assert_eq!(bench.cycle(), "update after");
    let all = ["a", "b", "c"].map(|name| bench.leaf(name, &[Success]));
    for (some, ran) in
        [(&all[..2], "update a b after"), (&all[1..], "update b c after"), (&[], "update after")]
    {
        bench.tree.begin_cycle(&second(bench.n + 1));
        let mut out = Vec::new();
        bench.tree.query_many(&mut out);
        bench.log.lock().unwrap().clear();
        let [update] = out[..] else { panic!("{out:?}") };
        bench.tree.set_children(batches, some, &bench.tasks).unwrap();
        bench.tree.report(update, Success);
        bench.n += 1;
        let ran_after = super::run(&mut bench.tasks, &mut bench.tree, &bench.log, second(bench.n));
        assert_eq!(format!("update {ran_after}"), ran);
    }
    let Bench { tree, tasks, .. } = &mut bench;
    let at_work = tree.set_children(frame, &[], tasks);
    assert!(matches!(at_work, Err(TreeError::Runs { .. })), "it begins in the next cycle");
    assert!(matches!(tree.set_children(update, &[], tasks), Err(TreeError::Children { .. })));
    assert!(matches!(tree.set_children(batches, &[after], tasks), Err(TreeError::Twice { .. })));
    assert!(matches!(tree.set_children(batches, &[all[0], all[0]], tasks), Err(TreeError::Twice { .. })));
    assert!(matches!(tree.set_children(batches, &[root], tasks), Err(TreeError::Above { .. })));
    assert!(matches!(tree.set_children(batches, &[batches], tasks), Err(TreeError::Above { .. })));
    tree.set_children(batches, &all, tasks).unwrap();
    assert_eq!(bench.cycle(), "update a b c after");
}

#[test]
fn trees_may_be_as_deep_as_memory_goes() {
    let mut bench = Bench::default();
    let mut node = bench.leaf("a", &[Progress, Failure]);
    for k in 0..200_001 {
        let tree = &mut bench.tree;
        node = match k % 3 {
            0 => tree.node(Sequence, &[node]),
            1 => tree.node(Parallel::default(), &[node]),
            _ => tree.node(Invert, &[node]),
        }
        .unwrap();
    }
    bench.submit(node);
    assert_eq!(bench.cycles(3), ["a", "a", ""]);
    // 66,667 times the end was turned round.
    assert_eq!(bench.tree.ended(node), Some(Ended::Success));
    bench.tree.remove(node).unwrap();
}
