//! Workers take their steps in random order: each mix of tasks, trees, groups, long and overdue tasks ends, every task runs as it should,
//! and attributes that tasks post to have the values that they should.
//!
//! Between two steps of one worker any number of steps of others may lie, so this explores the protocol above the level of single
//! words; those are explored by loom in `executors`.

#[path = "../tests/mixes/dice.rs"]
mod dice;
#[path = "../tests/mixes/values.rs"]
mod values;
#[path = "../tests/mixes/watched.rs"]
mod watched;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use dice::Dice;
use values::Values;

use crate::item::{Ended, Item, Report};
use crate::options::{Options, Parsing, WorkerKind};
use crate::profile::State;
use crate::shared::Shared;
use crate::watch;
use crate::worker::{Step, Worker};
use animation::game::schedule::tree::{Invert, NodeId, Parallel, Random, Repeat, Selector, Sequence};
use animation::game::schedule::{Alone, Context, Cycle, Edits, Group, OnFailure, Outcome, Supply, TaskInfo};

/// Steps in a cycle, beyond which it is said not to end. Mixes have some hundred tasks at most.
const MOST_STEPS: u32 = 1_000_000;

/// What a mix shares with its tasks.
struct Common {
    values: Values,
    /// Tasks so far, each of which is a poster.
    tasks: AtomicU32,
    /// Executions of tasks in a cycle in which they had run, or in an earlier one.
    again: AtomicU32,
}

enum Doing {
    Steps,
    Task(Box<Item>),
    Rest,
    Left,
}

struct Mix {
    dice: Dice,
    shared: Shared,
    workers: Vec<(Worker, Doing)>,
    common: Arc<Common>,
    /// A time in which each step takes a microsecond.
    now: Duration,
}

fn outcome(dice: &mut Dice) -> Outcome {
    match dice.below(6) {
        0 => Outcome::Failure,
        1 | 2 => Outcome::Progress,
        _ => Outcome::Success,
    }
}

/// Adds a task that sometimes submits others.
fn add_task(
    supply: &mut Supply,
    dice: &mut Dice,
    common: &Arc<Common>,
    options: Options,
    depth: u32,
) -> animation::game::schedule::TaskId {
    let mut info =
        TaskInfo::new(format!("task {}", dice.below(1000)), Duration::from_micros(dice.below(50) as u64));
    if options.workers > 1 && dice.one_in(8) {
        info = info.long_term();
    } else if options.kind == WorkerKind::Locking && dice.one_in(3) {
        info.group = match dice.below(4) {
            0 => Group::Main,
            1 if options.workers > 1 => Group::NonMain,
            _ => Group::Named(dice.below(4) as u32),
        };
    }
    let (mut own_dice, common, is_long) = (Dice(dice.0 ^ 0x55), common.clone(), info.long_term);
    let poster = common.tasks.fetch_add(1, Ordering::Relaxed);
    // The cycle after the one in which it ran last.
    let next = AtomicU64::new(0);
    supply.tasks.add(info, move |context| {
        let (cycle, least) = (context.cycle.number, next.load(Ordering::Relaxed));
        next.store(cycle + 1, Ordering::Relaxed);
        common.again.fetch_add(u32::from(cycle < least), Ordering::Relaxed);
        common.values.post(context, (poster, is_long), &mut own_dice);
        if depth < 2 && own_dice.one_in(10) {
            let (mut dice, common) = (Dice(own_dice.0 ^ 0x77), common.clone());
            context.submit(move |supply| {
                let task = add_task(supply, &mut dice, &common, options, depth + 1);
                supply.queue.submit(task);
            });
        }
        assert!(!own_dice.one_in(40), "a mix's own panic");
        outcome(&mut own_dice)
    })
}

fn add_tree(supply: &mut Supply, mix: (&mut Dice, &Arc<Common>, Options), depth: u32) -> NodeId {
    let (dice, common, options) = mix;
    if depth == 0 || dice.one_in(4) {
        let task = add_task(supply, dice, common, options, 0);
        return supply.tree.task(task);
    }
    let n = dice.below(4);
    let children: Vec<_> = (0..n).map(|_| add_tree(supply, (dice, common, options), depth - 1)).collect();
    let tree = &mut supply.tree;
    let made = match (dice.below(6), &children[..]) {
        (0, [one]) => tree.node(Invert, &[*one]),
        (1, [one]) => tree.node(Repeat::times(dice.below(4) as u64), &[*one]),
        (2, all) => tree.node(Selector, all),
        (3, all) => tree.node(Parallel::default(), all),
        (4, all) => tree.node(Random::new(dice.0), all),
        (_, all) => tree.node(Sequence, all),
    };
    made.unwrap()
}

impl Mix {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::of_mix(seed);
        let options = Options {
            spin: Duration::ZERO,
            parsing: [Parsing::Blocking, Parsing::NonBlocking][dice.below(2)],
            watchdog: dice.one_in(3).then(|| Duration::from_micros(3)),
            ..Options::new(1 + dice.below(5)).kind(WorkerKind::ALL[dice.below(3)])
        };
        let shared = Shared::new(options, 1 + dice.below(4));
        let values = Values::new(options.workers);
        let common = Arc::new(Common { values, tasks: AtomicU32::new(0), again: AtomicU32::new(0) });
        if options.kind == WorkerKind::Locking {
            let owners = [dice.below(options.workers), dice.below(options.workers)];
            shared.lock_group(Group::Named(0), &owners).unwrap();
        }
        shared.edit(|supply| {
            supply.queue = animation::game::schedule::UnorderedQueue::new(
                [OnFailure::Remove, OnFailure::Retry, OnFailure::Halt][dice.below(3)],
            );
            for _ in 0..dice.below(12) {
                let task = add_task(supply, &mut dice, &common, options, 0);
                supply.queue.submit(task);
            }
            for _ in 0..dice.below(3) {
                let root = add_tree(supply, (&mut dice, &common, options), 3);
                supply.tree.submit(root, &supply.tasks).unwrap();
            }
        });
        let workers = (0..options.workers).map(|me| (Worker::new(me), Doing::Steps)).collect();
        Self { dice, shared, workers, common, now: Duration::ZERO }
    }

    fn cycle(&mut self, number: u64) {
        self.shared.begin_cycle(Cycle { number, time: Duration::from_millis(number), ..Cycle::default() });
        self.workers[0].0.begin();
        self.workers[0].1 = Doing::Steps;
        let mut steps = 0;
        while !matches!(self.workers[0].1, Doing::Left) {
            self.wake();
            let those: Vec<usize> = (0..self.workers.len())
                .filter(|me| matches!(self.workers[*me].1, Doing::Steps | Doing::Task(_)))
                .collect();
            assert!(!those.is_empty(), "all rest in cycle {number}: a wake-up was lost");
            let me = those[self.dice.below(those.len())];
            self.go_on(me);
            steps += 1;
            assert!(steps < MOST_STEPS, "cycle {number} does not end");
        }
        assert_eq!(
            self.common.again.load(Ordering::Relaxed),
            0,
            "a task ran twice in a cycle, {number} or before"
        );
        self.common.values.exchange();
        // Some tasks panic, some are overdue: that is a failure of the cycle, and no more.
        let _ = self.shared.cycle_result(Cycle::default(), Duration::ZERO);
        if self.dice.one_in(2) {
            self.shared.edit(|supply| supply.queue.resume());
        }
    }

    /// Who was woken goes on; the main worker also if it has waited for as long as its watchdog lets it.
    fn wake(&mut self) {
        for (me, (_, doing)) in self.workers.iter_mut().enumerate() {
            if !matches!(doing, Doing::Rest) {
                continue;
            }
            let barks = me == 0 && self.shared.options.watchdog.is_some() && self.dice.one_in(3);
            if barks && !self.shared.sleepers.sleep_for(0, Duration::ZERO) {
                watch::excuse(&self.shared, self.now);
                *doing = Doing::Steps;
            } else if !self.shared.sleepers.is_asleep(me) {
                *doing = Doing::Steps;
            }
        }
    }

    fn go_on(&mut self, me: usize) {
        self.now += Duration::from_micros(1);
        let (worker, doing) = &mut self.workers[me];
        if let Doing::Task(_) = doing {
            // It may last.
            if self.dice.one_in(3) {
                let Doing::Task(item) = std::mem::replace(doing, Doing::Steps) else { return };
                let report = end(*item, me);
                self.shared.desks[me].enter(State::Search, self.now);
                worker.bring_back(report);
            }
            return;
        }
        // Somebody else may be at the supply at this moment.
        let is_taken =
            self.dice.one_in(4) && worker.at_supply().is_some() && !worker.waits_for_supply(&self.shared);
        let held = is_taken.then(|| self.shared.core());
        let step = worker.step(&self.shared);
        drop(held);
        if is_taken {
            // It sees what was left there meanwhile.
            if self.shared.take_in_late() {
                self.shared.tell(usize::MAX);
            }
        }
        *doing = match step {
            Step::Next(_) | Step::Help(_) => Doing::Steps,
            Step::Run(_, item) => {
                self.begin(me, &item);
                self.workers[me].1 = Doing::Task(Box::new(item));
                return;
            }
            Step::Rest => Doing::Rest,
            Step::Leave => Doing::Left,
        };
    }

    fn begin(&self, me: usize, item: &Item) {
        self.shared.desks[me].run(item.info.clone(), item.serial, item.is_long, self.now);
        assert!(!item.is_long || me > 0, "a long task on the main worker");
        assert!(
            self.workers.len() == 1 || self.shared.groups().may_run(item.info.group, me),
            "{:?} on worker {me}",
            item.info.group
        );
        if !item.is_long {
            assert!(!matches!(self.workers[0].1, Doing::Left), "a task of a cycle between cycles");
        }
    }
}

fn end(mut item: Item, me: usize) -> Report {
    let edits = Edits::default();
    let context = Context::new(&item.cycle, me, &edits, &Alone);
    let ended = match catch_unwind(AssertUnwindSafe(|| item.task.execute(&context))) {
        Ok(outcome) => Ended::Outcome(outcome),
        Err(_) => Ended::Panicked("a mix's own panic".to_owned()),
    };
    Report { item, ended, edits, worker: me }
}

#[test]
fn random_mixes_end_and_every_task_runs_where_and_when_it_may() {
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.to_string().contains("a mix's own panic") {
            silent(info);
        }
    }));
    watched::every_one_ends(watched::n_mixes(3000), |seed| {
        let mut mix = Mix::new(seed);
        (0..4).for_each(|number| mix.cycle(number));
    });
}
