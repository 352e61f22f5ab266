//! Workers take their steps in random order: each mix of tasks, trees, groups and long tasks ends, and every task runs as it should.
//!
//! Between two steps of one worker any number of steps of others may lie, so this explores the protocol above the level of single
//! words; those are explored by loom in `executors`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::item::{Ended, Item, Report};
use crate::options::{Options, Parsing, WorkerKind};
use crate::shared::Shared;
use crate::worker::{Step, Worker};
use animation::game::schedule::tree::{Invert, NodeId, Parallel, Random, Repeat, Selector, Sequence};
use animation::game::schedule::{Alone, Context, Cycle, Edits, Group, OnFailure, Outcome, Supply, TaskInfo};

/// Random numbers of a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What a mix knows of one of its tasks.
struct Known {
    is_long: bool,
    /// Executions in the present cycle.
    ran_now: AtomicU32,
}

/// All tasks of a mix.
type All = Arc<Mutex<Vec<Arc<Known>>>>;

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
    known: All,
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
    known: &All,
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
    let own = Arc::new(Known { is_long: info.long_term, ran_now: AtomicU32::new(0) });
    known.lock().unwrap().push(own.clone());
    let (mut own_dice, all) = (Dice(dice.0 ^ 0x55), known.clone());
    supply.tasks.add(info, move |context| {
        own.ran_now.fetch_add(1, Ordering::Relaxed);
        if depth < 2 && own_dice.one_in(10) {
            let (mut dice, all) = (Dice(own_dice.0 ^ 0x77), all.clone());
            context.submit(move |supply| {
                let task = add_task(supply, &mut dice, &all, options, depth + 1);
                supply.queue.submit(task);
            });
        }
        assert!(!own_dice.one_in(40), "a mix's own panic");
        outcome(&mut own_dice)
    })
}

fn add_tree(supply: &mut Supply, mix: (&mut Dice, &All, Options), depth: u32) -> NodeId {
    let (dice, known, options) = mix;
    if depth == 0 || dice.one_in(4) {
        let task = add_task(supply, dice, known, options, 0);
        return supply.tree.task(task);
    }
    let n = dice.below(4);
    let children: Vec<_> = (0..n).map(|_| add_tree(supply, (dice, known, options), depth - 1)).collect();
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
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        dice.below(2);
        let options = Options {
            spin: Duration::ZERO,
            parsing: [Parsing::Blocking, Parsing::NonBlocking][dice.below(2)],
            ..Options::new(1 + dice.below(5)).kind(WorkerKind::ALL[dice.below(3)])
        };
        let shared = Shared::new(options, 1 + dice.below(4));
        let known = Arc::default();
        if options.kind == WorkerKind::Locking {
            let owners = [dice.below(options.workers), dice.below(options.workers)];
            shared.lock_group(Group::Named(0), &owners).unwrap();
        }
        shared.edit(|supply| {
            supply.queue = animation::game::schedule::UnorderedQueue::new(
                [OnFailure::Remove, OnFailure::Retry][dice.below(2)],
            );
            for _ in 0..dice.below(12) {
                let task = add_task(supply, &mut dice, &known, options, 0);
                supply.queue.submit(task);
            }
            for _ in 0..dice.below(3) {
                let root = add_tree(supply, (&mut dice, &known, options), 3);
                supply.tree.submit(root, &supply.tasks).unwrap();
            }
        });
        let workers = (0..options.workers).map(|me| (Worker::new(me), Doing::Steps)).collect();
        Self { dice, shared, workers, known }
    }

    fn cycle(&mut self, number: u64) {
        self.known.lock().unwrap().iter().for_each(|one| one.ran_now.store(0, Ordering::Relaxed));
        self.shared.begin_cycle(Cycle { number, time: Duration::from_millis(number) });
        self.workers[0].0.begin();
        self.workers[0].1 = Doing::Steps;
        while !matches!(self.workers[0].1, Doing::Left) {
            self.wake();
            let those: Vec<usize> = (0..self.workers.len())
                .filter(|me| matches!(self.workers[*me].1, Doing::Steps | Doing::Task(_)))
                .collect();
            assert!(!those.is_empty(), "all rest in cycle {number}: a wake-up was lost");
            let me = those[self.dice.below(those.len())];
            self.go_on(me);
        }
        for one in self.known.lock().unwrap().iter().filter(|one| !one.is_long) {
            assert!(one.ran_now.load(Ordering::Relaxed) <= 1, "a task ran twice in cycle {number}");
        }
    }

    fn wake(&mut self) {
        for (me, (_, doing)) in self.workers.iter_mut().enumerate() {
            if matches!(doing, Doing::Rest) && !self.shared.sleepers.is_asleep(me) {
                *doing = Doing::Steps;
            }
        }
    }

    fn go_on(&mut self, me: usize) {
        let (worker, doing) = &mut self.workers[me];
        if let Doing::Task(_) = doing {
            // It may last.
            if self.dice.one_in(3) {
                let Doing::Task(item) = std::mem::replace(doing, Doing::Steps) else { return };
                let report = end(*item, me);
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

/// How many mixes: those of a size that the gate has time for, or `WEFT_GAME_MIXES`.
fn n_mixes() -> u64 {
    std::env::var("WEFT_GAME_MIXES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000)
}

#[test]
fn random_mixes_end_and_every_task_runs_where_and_when_it_may() {
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.to_string().contains("a mix's own panic") {
            silent(info);
        }
    }));
    for seed in 0..n_mixes() {
        let ended = catch_unwind(|| {
            let mut mix = Mix::new(seed);
            (0..4).for_each(|number| mix.cycle(number));
        });
        assert!(ended.is_ok(), "the mix of seed {seed} failed");
    }
}
