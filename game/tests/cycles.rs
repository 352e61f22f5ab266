//! Cycles on threads: every kind of worker, with and without waiting at the supplier.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use weft_game::tree::{Behaviour, Decision, Ended, Heard, Parallel, Repeat, Sequence};
use weft_game::{
    Context, Cycle, CycleScheduler, Group, Options, Outcome, Parsing, Query, Released, TaskFailure, TaskId,
    TaskInfo, TaskSupplier, WhenAlone, WorkerKind,
};

const FRAME: Duration = Duration::from_millis(16);

fn info(name: &str) -> TaskInfo {
    TaskInfo::new(name, Duration::from_micros(10))
}

/// Each kind, each way at the supplier, and several numbers of workers.
fn all() -> impl Iterator<Item = Options> {
    let ways = [Parsing::Blocking, Parsing::NonBlocking];
    WorkerKind::ALL.into_iter().flat_map(move |kind| {
        ways.into_iter().flat_map(move |parsing| {
            [1, 2, 4, 8].map(|workers| Options::new(workers).kind(kind).parsing(parsing))
        })
    })
}

fn count(counter: &Arc<AtomicUsize>) -> impl FnMut(&Context<'_>) -> Outcome + Send + use<> {
    let counter = counter.clone();
    move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Outcome::Progress
    }
}

/// Waits for a flag, as something that lasts.
fn wait_for(flag: &Arc<AtomicBool>) -> impl FnMut(&Context<'_>) -> Outcome + Send + use<> {
    let flag = flag.clone();
    move |context| {
        while !flag.load(Ordering::Acquire) && !context.is_ending() {
            std::thread::yield_now();
        }
        Outcome::Success
    }
}

#[test]
fn every_task_runs_once_a_cycle() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let counters: Vec<Arc<AtomicUsize>> = (0..100).map(|_| Arc::default()).collect();
        for counter in &counters {
            scheduler.submit(info("count"), count(counter));
        }
        for n in 1..=20 {
            let report = scheduler.cycle(FRAME).unwrap();
            assert_eq!(report.executed, 100, "{options:?}");
            assert!(counters.iter().all(|c| c.load(Ordering::Relaxed) == n));
        }
        let profile = scheduler.profile();
        assert_eq!(profile.cycles, 20);
        assert_eq!(profile.workers.iter().map(|w| w.n_cycle_tasks).sum::<u64>(), 2000);
    }
}

#[test]
fn a_tree_keeps_its_order() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let log = Arc::<Mutex<Vec<u32>>>::default();
        scheduler.edit(|supply| {
            let mut stages = Vec::new();
            for stage in 0..5 {
                let tasks: Vec<TaskId> = (0..7)
                    .map(|_| {
                        let log = log.clone();
                        supply.tasks.add(info("stage"), move |_| {
                            log.lock().unwrap().push(stage);
                            Outcome::Success
                        })
                    })
                    .collect();
                stages.push(supply.tree.container(&tasks, &[]).unwrap());
            }
            let frame = supply.tree.node(Sequence, &stages).unwrap();
            let root = supply.tree.node(Repeat::forever(), &[frame]).unwrap();
            supply.tree.submit(root, &supply.tasks).unwrap();
        });
        for _ in 0..10 {
            assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 35);
            let ran = std::mem::take(&mut *log.lock().unwrap());
            assert!(ran.is_sorted(), "{options:?}: {ran:?}");
        }
    }
}

#[test]
fn groups_stay_on_their_workers_and_never_run_beside_themselves() {
    for parsing in [Parsing::Blocking, Parsing::NonBlocking] {
        for workers in [1, 2, 4, 8] {
            let mut scheduler = CycleScheduler::new(Options::new(workers).parsing(parsing));
            let threads: Vec<Arc<Mutex<BTreeSet<usize>>>> = (0..6).map(|_| Arc::default()).collect();
            let inside: Vec<Arc<AtomicUsize>> = (0..6).map(|_| Arc::default()).collect();
            if workers > 2 {
                scheduler.lock_group(Group::Named(5), &[1, 2]).unwrap();
            }
            for k in 0..60_usize {
                let group = if k % 6 == 0 { Group::Main } else { Group::Named(k as u32 % 6) };
                let (seen, inside) = (threads[k % 6].clone(), inside[k % 6].clone());
                scheduler.submit(info("grouped").group(group), move |context| {
                    let others = inside.fetch_add(1, Ordering::AcqRel);
                    assert!(k % 6 == 5 || others == 0, "one worker, one task at a time");
                    seen.lock().unwrap().insert(context.worker());
                    inside.fetch_sub(1, Ordering::AcqRel);
                    Outcome::Progress
                });
            }
            for _ in 0..20 {
                assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 60);
            }
            let seen = |group: usize| threads[group].lock().unwrap().clone();
            assert_eq!(seen(0), BTreeSet::from([0]));
            for group in 1..5 {
                assert_eq!(seen(group).len(), 1);
            }
            if workers > 2 {
                assert!(seen(5).is_subset(&BTreeSet::from([1, 2])));
            }
            if workers == 8 {
                let used: BTreeSet<usize> = (1..5).flat_map(seen).collect();
                assert_eq!(
                    used,
                    BTreeSet::from([0, 3, 4, 5]),
                    "with the fewest groups, which 1 and 2 are not"
                );
            }
        }
    }
}

#[test]
fn what_lasts_longer_than_cycles_is_never_on_the_main_worker_nor_waited_for() {
    for options in all().filter(|options| options.workers > 1) {
        let mut scheduler = CycleScheduler::new(options);
        let (flag, counter) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let threads = Arc::<Mutex<Vec<ThreadId>>>::default();
        for _ in 0..options.workers - 1 {
            let (threads, mut wait) = (threads.clone(), wait_for(&flag));
            scheduler.submit(info("load").long_term(), move |context| {
                threads.lock().unwrap().push(std::thread::current().id());
                wait(context)
            });
        }
        (0..20).for_each(|_| {
            scheduler.submit(info("frame"), count(&counter));
        });
        // All other workers are away before the end, whatever cycles did.
        while threads.lock().unwrap().len() < options.workers - 1 {
            assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 20);
        }
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 20);
        let seen: BTreeSet<String> = threads.lock().unwrap().iter().map(|id| format!("{id:?}")).collect();
        assert_eq!(seen.len(), options.workers - 1, "spread: each has one");
        assert!(!seen.contains(&format!("{:?}", std::thread::current().id())));
        assert_eq!(scheduler.profile().workers[0].n_long_term, 0);
        flag.store(true, Ordering::Release);
        while scheduler.edit(|supply| supply.queue.len()) > 20 {
            scheduler.cycle(FRAME).unwrap();
        }
    }
}

#[test]
fn what_is_locked_to_a_worker_that_is_away_waits_for_a_later_cycle() {
    let mut scheduler = CycleScheduler::new(Options::new(3));
    scheduler.lock_group(Group::Named(7), &[1]).unwrap();
    let (flag, on_it) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let (mut wait, begun) = (wait_for(&flag), on_it.clone());
    scheduler.submit(info("load").long_term().group(Group::Named(7)), move |context| {
        begun.store(true, Ordering::Release);
        wait(context)
    });
    while !on_it.load(Ordering::Acquire) {
        scheduler.cycle(FRAME).unwrap();
    }
    let counter = Arc::<AtomicUsize>::default();
    scheduler.submit(info("locked").group(Group::Named(7)), count(&counter));
    scheduler.submit(info("free"), count(&Arc::default()));
    for _ in 0..3 {
        let report = scheduler.cycle(FRAME).unwrap();
        assert_eq!((report.executed, report.postponed), (1, 1));
    }
    assert_eq!(counter.load(Ordering::Relaxed), 0);
    flag.store(true, Ordering::Release);
    while counter.load(Ordering::Relaxed) == 0 {
        scheduler.cycle(FRAME).unwrap();
    }
}

#[test]
fn what_nobody_may_run_fails_by_name() {
    let mut scheduler = CycleScheduler::new(Options::new(1));
    scheduler.submit(info("load").long_term(), |_| Outcome::Success);
    scheduler.submit(info("behind").group(Group::NonMain), |_| Outcome::Success);
    scheduler.submit(info("fine"), |_| Outcome::Success);
    let failure = scheduler.cycle(FRAME).unwrap_err();
    assert_eq!(failure.report.executed, 1);
    let alone = |task: &str| TaskFailure::NoOtherWorker { task: task.to_owned() };
    assert_eq!(failure.failures, [alone("load"), alone("behind")]);
    assert!(failure.to_string().starts_with("cycle 0: the task `load` must not run on the main worker"));
    assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 0);

    let mut scheduler = CycleScheduler::new(Options { when_alone: WhenAlone::RunOnMain, ..Options::new(1) });
    scheduler.submit(info("load").long_term(), |_| Outcome::Success);
    scheduler.submit(info("behind").group(Group::NonMain), |_| Outcome::Success);
    assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 2);

    for kind in [WorkerKind::Simple, WorkerKind::Stealing] {
        let mut scheduler = CycleScheduler::new(Options::new(2).kind(kind));
        scheduler.submit(info("draw").group(Group::Main), |_| Outcome::Success);
        let failure = scheduler.cycle(FRAME).unwrap_err();
        let expected = TaskFailure::Groups { task: "draw".to_owned(), group: Group::Main, kind };
        assert_eq!(failure.failures, [expected]);
        assert!(scheduler.lock_group(Group::Named(1), &[0]).is_err());
    }

    let mut scheduler = CycleScheduler::new(Options::new(2));
    assert!(scheduler.lock_group(Group::Named(1), &[2]).unwrap_err().to_string().contains("no worker 2"));
    assert!(scheduler.lock_group(Group::Named(1), &[]).is_err());
    assert!(scheduler.lock_group(Group::Main, &[1]).is_err());
    // A group of the main worker's, and a task that must not run there.
    scheduler.lock_group(Group::Named(1), &[0]).unwrap();
    for group in [Group::Named(1), Group::Main] {
        scheduler.submit(info("load").long_term().group(group), |_| Outcome::Success);
        assert_eq!(scheduler.cycle(FRAME).unwrap_err().failures, [alone("load")]);
    }
}

#[test]
fn a_task_that_panics_fails_the_cycle_and_no_more() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let counter = Arc::<AtomicUsize>::default();
        (0..10).for_each(|_| {
            scheduler.submit(info("fine"), count(&counter));
        });
        scheduler.submit(info("bad"), |_| panic!("no ammunition"));
        let failure = scheduler.cycle(FRAME).unwrap_err();
        let message = "no ammunition".to_owned();
        assert_eq!(failure.failures, [TaskFailure::Panicked { task: "bad".to_owned(), message }]);
        assert_eq!(failure.report.executed, 11);
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 10);
    }
}

#[test]
fn a_task_that_does_not_return_is_named_and_its_worker_comes_back() {
    for parsing in [Parsing::Blocking, Parsing::NonBlocking] {
        let options = Options::new(3).parsing(parsing).watchdog(Duration::from_millis(20));
        let mut scheduler = CycleScheduler::new(options);
        let flag = Arc::<AtomicBool>::default();
        scheduler.submit(info("stuck").group(Group::NonMain), wait_for(&flag));
        scheduler.submit(info("fine"), count(&Arc::default()));
        let failure = scheduler.cycle(FRAME).unwrap_err();
        let [TaskFailure::Overdue { task, worker, .. }] = &failure.failures[..] else {
            panic!("{failure:?}")
        };
        assert!(task == "stuck" && *worker > 0);
        let worker = *worker;
        // Later cycles do without it, and without naming it again; what is locked to its worker waits.
        scheduler.lock_group(Group::Named(1), &[worker]).unwrap();
        let counter = Arc::<AtomicUsize>::default();
        scheduler.submit(info("locked").group(Group::Named(1)), count(&counter));
        let report = scheduler.cycle(FRAME).unwrap();
        assert_eq!((report.executed, report.postponed), (1, 1));
        flag.store(true, Ordering::Release);
        while counter.load(Ordering::Relaxed) == 0 {
            scheduler.cycle(FRAME).unwrap();
        }
        while scheduler.edit(|supply| supply.queue.len()) > 2 {
            scheduler.cycle(FRAME).unwrap();
        }
    }
}

#[test]
fn tasks_submit_tasks_and_trees_before_they_end() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let (counter, after) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        scheduler.edit(|supply| {
            let its = counter.clone();
            let update = supply.tasks.add(info("update"), move |context| {
                for _ in 0..5 {
                    let its = its.clone();
                    context.submit(move |supply| {
                        let batch = supply.tasks.add(info("batch"), move |_| {
                            its.fetch_add(1, Ordering::AcqRel);
                            Outcome::Success
                        });
                        let leaf = supply.tree.task(batch);
                        let root = supply.tree.node(Parallel::default(), &[leaf]).unwrap();
                        supply.tree.submit(root, &supply.tasks).unwrap();
                    });
                }
                Outcome::Success
            });
            let (its, seen) = (after.clone(), counter.clone());
            let last = supply.tasks.add(info("last"), move |_| {
                its.store(seen.load(Ordering::Acquire), Ordering::Release);
                Outcome::Success
            });
            let leaves = [supply.tree.task(update), supply.tree.task(last)];
            let root = supply.tree.node(Sequence, &leaves).unwrap();
            supply.tree.submit(root, &supply.tasks).unwrap();
        });
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 7, "{options:?}");
        assert_eq!(counter.load(Ordering::Acquire), 5);
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 0);
    }
}

#[test]
fn other_threads_submit_at_any_time() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let (submitter, counter) = (scheduler.submitter(), Arc::<AtomicUsize>::default());
        let its = counter.clone();
        let mut executed = 0;
        std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                for _ in 0..200 {
                    let its = its.clone();
                    submitter.submit(info("item"), move |_| {
                        its.fetch_add(1, Ordering::Relaxed);
                        Outcome::Success
                    });
                }
            });
            while !other.is_finished() || executed < 200 {
                executed += scheduler.cycle(FRAME).unwrap().executed;
            }
        });
        assert_eq!((executed, counter.load(Ordering::Relaxed)), (200, 200));
    }
}

#[test]
fn loops_are_shared_nested_and_may_be_empty() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let counter = Arc::<AtomicU64>::default();
        for _ in 0..3 {
            let counter = counter.clone();
            scheduler.submit(info("loop"), move |context| {
                context.parallel_for(0, 1, |_, _| panic!("there is nothing"));
                context.parallel_for(2, 1, |context, range| {
                    assert!(context.worker() < context.n_workers());
                    context.parallel_for(50, 7, |_, inner| {
                        counter.fetch_add((range.len() * inner.len()) as u64, Ordering::Relaxed);
                    });
                });
                Outcome::Progress
            });
        }
        for n in 1..=10 {
            scheduler.cycle(FRAME).unwrap();
            assert_eq!(counter.load(Ordering::Relaxed), n * 3 * 100);
        }
    }
}

#[test]
fn a_panic_in_a_loop_is_one_of_its_task() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        scheduler.submit(info("loop"), |context| {
            context.parallel_for(100, 1, |_, range| assert!(range.start != 57, "range {}", range.start));
            Outcome::Success
        });
        let failure = scheduler.cycle(FRAME).unwrap_err();
        let expected = TaskFailure::Panicked { task: "loop".to_owned(), message: "range 57".to_owned() };
        assert_eq!(failure.failures, [expected]);
        assert!(scheduler.cycle(FRAME).is_ok());
    }
}

#[test]
fn a_task_that_is_submitted_twice_runs_twice_but_not_beside_itself() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let counter = Arc::<AtomicUsize>::default();
        let id = scheduler.submit(info("twice"), count(&counter));
        scheduler.edit(|supply| supply.queue.submit(id));
        for n in 1..=10 {
            assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 2);
            assert_eq!(counter.load(Ordering::Relaxed), 2 * n);
        }
        scheduler.edit(|supply| assert!(supply.tasks.remove(id)));
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 0);
        assert!(scheduler.edit(|supply| supply.queue.is_empty()));
    }
}

/// Submits a task whenever it is asked.
struct Submits(weft_game::Submitter, Arc<AtomicUsize>);

impl Behaviour for Submits {
    fn decide(&mut self, _: Heard, _: usize, _: &Cycle) -> Decision {
        let counter = self.1.clone();
        self.0.submit(info("submitted"), move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Outcome::Success
        });
        Decision::NextCycle
    }
}

#[test]
fn behaviours_submit_while_they_are_asked() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let (submitter, counter) = (scheduler.submitter(), Arc::<AtomicUsize>::default());
        let its = counter.clone();
        scheduler.edit(|supply| {
            let root = supply.tree.node(Submits(submitter, its), &[]).unwrap();
            supply.tree.submit(root, &supply.tasks).unwrap();
        });
        for n in 1..=10 {
            scheduler.cycle(FRAME).unwrap();
            // It is asked at the beginning of each cycle.
            assert_eq!(counter.load(Ordering::Relaxed), n, "{options:?}");
        }
    }
}

#[test]
fn other_threads_see_what_the_main_worker_does_not_return_from() {
    let mut scheduler = CycleScheduler::new(Options::new(1));
    let (monitor, flag) = (scheduler.monitor(), Arc::<AtomicBool>::default());
    scheduler.submit(info("stuck"), wait_for(&flag));
    assert!(monitor.overdue(Duration::ZERO).is_empty());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                match &monitor.overdue(Duration::from_millis(5))[..] {
                    [] => std::thread::yield_now(),
                    [TaskFailure::Overdue { task, worker: 0, .. }] if task == "stuck" => break,
                    other => panic!("{other:?}"),
                }
            }
            flag.store(true, Ordering::Release);
        });
        scheduler.cycle(FRAME).unwrap();
    });
    assert!(monitor.overdue(Duration::ZERO).is_empty());
}

#[test]
fn a_scheduler_ends_though_a_task_does_not() {
    let options = Options::new(2).watchdog(Duration::from_millis(10));
    let mut scheduler = CycleScheduler::new(options);
    let flag = Arc::<AtomicBool>::default();
    let its = flag.clone();
    scheduler.submit(info("stuck").group(Group::NonMain), move |_| {
        while !its.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Outcome::Success
    });
    assert!(scheduler.cycle(FRAME).is_err());
    drop(scheduler);
    flag.store(true, Ordering::Release);
}

#[test]
fn a_group_that_is_locked_anew_takes_its_tasks_along() {
    let mut scheduler = CycleScheduler::new(Options::new(3));
    let seen = Arc::<AtomicUsize>::default();
    scheduler.lock_group(Group::Named(1), &[1]).unwrap();
    let its = seen.clone();
    scheduler.submit(info("grouped").group(Group::Named(1)), move |context| {
        its.store(context.worker(), Ordering::Relaxed);
        Outcome::Progress
    });
    for worker in [1, 0, 2, 1] {
        scheduler.lock_group(Group::Named(1), &[worker]).unwrap();
        scheduler.cycle(FRAME).unwrap();
        assert_eq!(seen.load(Ordering::Relaxed), worker);
    }
    // Two long ones for one worker: the second one waits, and then nobody may run it.
    let flag = Arc::<AtomicBool>::default();
    for _ in 0..2 {
        scheduler.submit(info("load").long_term().group(Group::Named(2)), wait_for(&flag));
    }
    scheduler.lock_group(Group::Named(2), &[2]).unwrap();
    while scheduler.profile().workers[2].n_long_term == 0 {
        scheduler.cycle(FRAME).unwrap();
    }
    scheduler.lock_group(Group::Named(2), &[0]).unwrap();
    let failure = scheduler.cycle(FRAME).unwrap_err();
    assert_eq!(failure.failures, [TaskFailure::NoOtherWorker { task: "load".to_owned() }]);
    flag.store(true, Ordering::Release);
}

/// Panics when it is asked.
struct Bad;

impl TaskSupplier for Bad {
    fn begin_cycle(&mut self, _: &Cycle) {}
    fn query_one(&mut self, _: &mut Vec<Released>) -> Query {
        panic!("out of order")
    }
    fn query_many(&mut self, _: &mut Vec<Released>) -> Query {
        panic!("out of order")
    }
    fn report(&mut self, _: Released, _: Outcome) -> bool {
        false
    }
}

impl Behaviour for Bad {
    fn decide(&mut self, _: Heard, _: usize, _: &Cycle) -> Decision {
        panic!("no idea")
    }
}

#[test]
fn what_supplies_may_panic() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        scheduler.submit(info("fine"), count(&Arc::default()));
        scheduler.submit(info("submits"), |context| {
            context.submit(|_| panic!("no place"));
            Outcome::Success
        });
        let failure = scheduler.cycle(FRAME).unwrap_err();
        assert_eq!(failure.failures, [TaskFailure::Supply { message: "no place".to_owned() }]);
        assert_eq!(failure.report.executed, 2);
        scheduler.edit(|supply| supply.add_supplier(Bad));
        let later = Arc::<AtomicUsize>::default();
        let its = later.clone();
        scheduler.edit(|supply| {
            let task = supply.tasks.add(info("later"), count(&its));
            supply.add_supplier(Ever(task, false))
        });
        let failure = scheduler.cycle(FRAME).unwrap_err();
        assert_eq!(failure.failures[0], TaskFailure::Supply { message: "out of order".to_owned() });
        // What is asked after it has its turn.
        assert_eq!((failure.report.executed, later.load(Ordering::Relaxed)), (2, 1));
    }
}

/// A task once a cycle.
struct Ever(TaskId, bool);

impl TaskSupplier for Ever {
    fn begin_cycle(&mut self, _: &Cycle) {
        self.1 = false;
    }
    fn query_one(&mut self, into: &mut Vec<Released>) -> Query {
        if std::mem::replace(&mut self.1, true) {
            return Query::Empty;
        }
        into.push(Released { task: self.0, path: Duration::ZERO, place: 0 });
        Query::Success
    }
    fn query_many(&mut self, into: &mut Vec<Released>) -> Query {
        self.query_one(into)
    }
    fn report(&mut self, _: Released, _: Outcome) -> bool {
        false
    }
}

#[test]
fn a_behaviour_that_panics_is_a_failure_and_all_other_trees_go_on() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let (frames, going, queued) = (Arc::default(), Arc::default(), Arc::default());
        scheduler.submit(info("queued"), count(&queued));
        let bad = scheduler.edit(|supply| {
            let bad = supply.tree.node(Bad, &[]).unwrap();
            let mut frame = count(&frames);
            let task = supply.tasks.add(info("frame"), move |context| {
                frame(context);
                Outcome::Success
            });
            let leaf = supply.tree.task(task);
            let frame = supply.tree.node(Repeat::forever(), &[leaf]).unwrap();
            let task = supply.tasks.add(info("going"), count(&going));
            let going = supply.tree.task(task);
            [bad, frame, going].iter().for_each(|root| supply.tree.submit(*root, &supply.tasks).unwrap());
            bad
        });
        for n in 1..=4_usize {
            let result = scheduler.cycle(FRAME);
            assert_eq!([&frames, &going, &queued].map(|c| c.load(Ordering::Relaxed)), [n; 3], "{options:?}");
            if n % 2 == 1 {
                let failure = result.unwrap_err();
                let message = "the behaviour of node 0: no idea".to_owned();
                assert_eq!(failure.failures, [TaskFailure::Supply { message }]);
                scheduler.edit(|supply| {
                    assert_eq!(supply.tree.ended(bad), Some(Ended::Failure));
                });
            } else {
                assert!(result.is_ok());
                scheduler.edit(|supply| supply.tree.submit(bad, &supply.tasks).unwrap());
            }
        }
        assert!(scheduler.cycle(FRAME).is_err());
        scheduler.edit(|supply| supply.tree.remove(bad).unwrap());
    }
}

#[test]
fn a_long_task_is_left_to_a_worker_that_no_group_waits_for() {
    for workers in [3, 4, 8] {
        for owner in 1..workers {
            let mut scheduler = CycleScheduler::new(Options::new(workers));
            scheduler.lock_group(Group::Named(4), &[owner]).unwrap();
            let (flag, begun) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
            // As many as there are workers for them without the owner, and later one more.
            let load = || {
                let (mut wait, begun) = (wait_for(&flag), begun.clone());
                move |context: &Context<'_>| {
                    begun.fetch_add(1, Ordering::AcqRel);
                    wait(context)
                }
            };
            for n in 1..workers - 1 {
                scheduler.submit(info("load").long_term(), load());
                while begun.load(Ordering::Acquire) < n {
                    scheduler.cycle(FRAME).unwrap();
                }
            }
            let locked = Arc::<AtomicUsize>::default();
            scheduler.submit(info("locked").group(Group::Named(4)), count(&locked));
            for n in 1..20 {
                let report = scheduler.cycle(FRAME).unwrap();
                assert_eq!((report.postponed, locked.load(Ordering::Relaxed)), (0, n), "{workers}, {owner}");
            }
            // All others are away: the owner takes it.
            scheduler.submit(info("load").long_term(), load());
            while begun.load(Ordering::Acquire) < workers - 1 {
                scheduler.cycle(FRAME).unwrap();
            }
            flag.store(true, Ordering::Release);
        }
    }
}

#[test]
fn what_is_submitted_goes_when_it_leaves_the_queue() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let kept = Arc::new(());
        let holds = |outcome| {
            let kept = kept.clone();
            move |_: &Context<'_>| {
                let _ = &kept;
                outcome
            }
        };
        scheduler.submit(info("done"), holds(Outcome::Success));
        scheduler.submit(info("failed"), holds(Outcome::Failure));
        scheduler.submitter().submit(info("from elsewhere"), holds(Outcome::Success));
        let mut twice = 0;
        let twice = scheduler.submit(info("twice"), move |_| {
            twice += 1;
            if twice < 3 { Outcome::Progress } else { Outcome::Success }
        });
        let going = scheduler.submit(info("going"), holds(Outcome::Progress));
        scheduler.edit(|supply| {
            supply.queue.submit(twice);
            // What is added and submitted by hand stays.
            let own = supply.tasks.add(info("own"), holds(Outcome::Success));
            supply.queue.submit(own);
        });
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 7, "{options:?}");
        let names = |scheduler: &mut CycleScheduler| {
            scheduler
                .edit(|supply| supply.tasks.iter().map(|(_, info)| info.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(
            (names(&mut scheduler), Arc::strong_count(&kept)),
            (["twice", "going", "own"].map(str::to_owned).to_vec(), 3)
        );
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 3);
        assert_eq!(names(&mut scheduler), ["going", "own"]);
        assert!(scheduler.edit(|supply| supply.tasks.info(going).is_some()));
    }
}

#[test]
fn a_task_of_many_leaves_runs_once_for_each_of_them() {
    for options in all() {
        let mut scheduler = CycleScheduler::new(options);
        let (counter, other) = (Arc::default(), Arc::default());
        let task = scheduler.edit(|supply| {
            let mut many = count(&counter);
            let task = supply.tasks.add(info("many"), move |context| {
                many(context);
                Outcome::Success
            });
            let alone = supply.tasks.add(info("other"), count(&other));
            let root = supply.tree.container(&[[task; 500].as_slice(), &[alone; 500]].concat(), &[]).unwrap();
            supply.tree.submit(root, &supply.tasks).unwrap();
            supply.queue.submit(task);
            task
        });
        let report = scheduler.cycle(FRAME).unwrap();
        let ran = [&counter, &other].map(|c| c.load(Ordering::Relaxed));
        assert_eq!((report.executed, ran), (1001, [501, 500]), "{options:?}");
        scheduler.edit(|supply| assert!(supply.tasks.remove(task)));
        assert_eq!(scheduler.cycle(FRAME).unwrap().executed, 500);
    }
}
