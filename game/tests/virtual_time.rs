//! Virtual time: what can be calculated beforehand comes out exactly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use weft_game::tree::{Parallel, Repeat, Sequence};
use weft_game::{
    CycleReport, Group, Options, Outcome, Overheads, Parsing, Supply, TaskInfo, VirtualScheduler, WorkerKind,
};

const MS: Duration = Duration::from_millis(1);

fn add(supply: &mut Supply, n: usize, info: &TaskInfo, outcome: Outcome) {
    for _ in 0..n {
        let task = supply.tasks.add(info.clone(), move |_| outcome);
        supply.queue.submit(task);
    }
}

fn free(n: usize, cost: Duration, options: Options) -> VirtualScheduler {
    let mut scheduler = VirtualScheduler::new(options, Overheads::default());
    scheduler.edit(|supply| add(supply, n, &TaskInfo::new("task", cost), Outcome::Progress));
    scheduler
}

fn cycle(scheduler: &mut VirtualScheduler) -> CycleReport {
    scheduler.cycle(Duration::ZERO).unwrap()
}

#[test]
fn without_overheads_workers_divide_the_time() {
    for kind in WorkerKind::ALL {
        for parsing in [Parsing::Blocking, Parsing::NonBlocking] {
            for (tasks, workers, cost, lasts) in
                [(4, 1, 500, 2000), (4, 4, 500, 500), (4000, 4, 1, 1000), (5, 4, 1, 2), (0, 3, 1, 0)]
            {
                let options = Options::new(workers).kind(kind).parsing(parsing);
                let mut scheduler = free(tasks, MS * cost, options);
                for _ in 0..3 {
                    let report = cycle(&mut scheduler);
                    assert_eq!(report.lasted, MS * lasts, "{tasks} tasks, {options:?}");
                    assert_eq!(report.executed, tasks as u64);
                }
                assert_eq!(scheduler.now(), MS * lasts * 3);
                let busy: Duration = scheduler.profile().workers.iter().map(|w| w.cycle_tasks).sum();
                assert_eq!(busy, MS * cost * tasks as u32 * 3);
            }
        }
    }
}

#[test]
fn each_step_takes_its_time() {
    // One worker and one task: it asks, runs, brings back, and asks once more.
    let overheads = Overheads {
        query: MS * 100,
        query_task: MS * 20,
        report: MS * 10,
        run: MS * 3,
        ..Overheads::default()
    };
    let mut scheduler = VirtualScheduler::new(Options::new(1).kind(WorkerKind::Stealing), overheads);
    scheduler.edit(|supply| add(supply, 1, &TaskInfo::new("task", MS), Outcome::Progress));
    assert_eq!(cycle(&mut scheduler).lasted, MS * (100 + 20 + 3 + 1 + 10 + 100));
}

#[test]
fn workers_wait_for_each_other_at_the_supply_or_do_not() {
    // Four tasks by one worker each, asked for one after the other: the last one begins after four questions.
    let overheads = Overheads { query: MS * 10, ..Overheads::default() };
    let options = Options::new(4).kind(WorkerKind::Simple).parsing(Parsing::Blocking);
    let mut scheduler = VirtualScheduler::new(options, overheads);
    scheduler.edit(|supply| add(supply, 4, &TaskInfo::new("task", MS * 1000), Outcome::Progress));
    // Whether the cycle is over is asked after the last task.
    let lasted = cycle(&mut scheduler).lasted;
    assert!((MS * 1050..=MS * 1080).contains(&lasted), "{lasted:?}");
}

#[test]
fn a_group_is_as_fast_as_its_worker() {
    let mut scheduler = VirtualScheduler::new(Options::new(4), Overheads::default());
    for group in [0, 1] {
        let info = TaskInfo::new("task", MS).group(Group::Named(group));
        scheduler.edit(|supply| add(supply, 2000, &info, Outcome::Progress));
    }
    assert_eq!(cycle(&mut scheduler).lasted, MS * 2000);
    // Two workers each: half of that.
    for group in [0, 1] {
        let first = 2 * group as usize;
        scheduler.lock_group(Group::Named(group), &[first, first + 1]).unwrap();
    }
    assert_eq!(cycle(&mut scheduler).lasted, MS * 1000);
}

#[test]
fn no_cycle_waits_for_what_lasts_longer() {
    let mut scheduler = VirtualScheduler::new(Options::new(4), Overheads::default());
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    scheduler.edit(|supply| {
        for _ in 0..3 {
            let seen = seen.clone();
            let task = supply.tasks.add(TaskInfo::new("load", MS * 300).long_term(), move |context| {
                seen.lock().unwrap().push(context.worker());
                Outcome::Success
            });
            supply.queue.submit(task);
        }
        add(supply, 2, &TaskInfo::new("task", MS), Outcome::Progress);
    });
    // Those who have nothing else to do begin a long task; from then on the others share the rest.
    for _ in 0..100 {
        let lasted = cycle(&mut scheduler).lasted;
        assert!(lasted <= MS * 2, "{lasted:?}");
        scheduler.host(MS * 5);
    }
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3]);
    assert_eq!(scheduler.profile().workers.iter().map(|w| w.long_term).sum::<Duration>(), MS * 900);
}

#[test]
fn the_longest_chain_begins_first() {
    for kind in [WorkerKind::Stealing, WorkerKind::Locking] {
        let mut scheduler = VirtualScheduler::new(Options::new(4).kind(kind), Overheads::default());
        scheduler.edit(|supply| {
            let leaf = |supply: &mut Supply| {
                let task = supply.tasks.add(TaskInfo::new("task", MS), |_| Outcome::Success);
                supply.tree.task(task)
            };
            let beside: Vec<_> = (0..2000).map(|_| leaf(supply)).collect();
            let after: Vec<_> = (0..2000).map(|_| leaf(supply)).collect();
            let roots = [
                supply.tree.node(Parallel::default(), &beside).unwrap(),
                supply.tree.node(Sequence, &after).unwrap(),
            ];
            for root in roots {
                let root = supply.tree.node(Repeat::forever(), &[root]).unwrap();
                supply.tree.submit(root, &supply.tasks).unwrap();
            }
        });
        for _ in 0..3 {
            let report = cycle(&mut scheduler);
            assert_eq!((report.lasted, report.executed), (MS * 2000, 4000), "{kind:?}");
        }
    }
}

#[test]
fn the_same_run_is_the_same() {
    let run = || {
        let ns = Duration::from_nanos;
        let overheads = Overheads {
            look: ns(30),
            own: ns(40),
            query: ns(200),
            query_task: ns(50),
            steal: ns(60),
            steal_task: ns(20),
            report: ns(150),
            run: ns(100),
            wake: ns(5000),
        };
        let mut scheduler = VirtualScheduler::new(Options::new(4), overheads);
        scheduler.edit(|supply| {
            for k in 0..500 {
                add(supply, 1, &TaskInfo::new("task", Duration::from_micros(k % 37)), Outcome::Progress);
            }
        });
        let lasted: Vec<_> = (0..10).map(|_| cycle(&mut scheduler).lasted).collect();
        (lasted, scheduler.profile())
    };
    assert_eq!(run(), run());
}

#[test]
fn failures_are_those_of_threads() {
    let mut scheduler = VirtualScheduler::new(Options::new(1), Overheads::default());
    scheduler.submit(TaskInfo::new("load", MS).long_term(), |_| Outcome::Success);
    scheduler.submit(TaskInfo::new("bad", MS), |_| panic!("no ammunition"));
    let failure = scheduler.cycle(Duration::ZERO).unwrap_err();
    assert_eq!(failure.failures.len(), 2);
    assert!(scheduler.cycle(Duration::ZERO).is_ok());
}
