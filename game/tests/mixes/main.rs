//! Random mixes of tasks, trees, groups, long tasks, loops, panics, submissions, halts, overdue tasks and attributes on threads, with a
//! watchdog: each one ends, and attributes have the values that they should.
//!
//! `WEFT_GAME_MIXES=1000000 cargo test --release -p weft-game --test mixes` runs as many as one likes; the gate some hundred. The same
//! kinds of mixes run step by step in random order in `game/src/interleavings.rs`, a thousand times faster.

mod dice;
mod values;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use weft_game::tree::{Invert, NodeId, Parallel, Random, Repeat, Selector, Sequence};
use weft_game::{
    CycleScheduler, Group, OnFailure, Options, Outcome, Parsing, Supply, TaskId, TaskInfo, UnorderedQueue,
    WorkerKind,
};

use dice::Dice;
use values::Values;

/// What a mix shares with its tasks: attributes, and how often tasks ran, and how often one did where or when it must not.
struct Common {
    values: Values,
    posters: AtomicU64,
    ran: AtomicU64,
    wrong: AtomicU64,
}

fn add_task(
    supply: &mut Supply,
    dice: &mut Dice,
    common: &Arc<Common>,
    options: Options,
    depth: u32,
) -> TaskId {
    let mut info = TaskInfo::new("mixed", Duration::from_micros(dice.below(50) as u64));
    if options.workers > 1 && dice.one_in(10) {
        info = info.long_term();
    } else if options.kind == WorkerKind::Locking && dice.one_in(3) {
        info.group = match dice.below(4) {
            0 => Group::Main,
            1 if options.workers > 1 => Group::NonMain,
            _ => Group::Named(dice.below(4) as u32),
        };
    }
    let (is_long, group) = (info.long_term, info.group);
    let (common, mut own) = (common.clone(), Dice(dice.0 ^ 0x55));
    let poster = common.posters.fetch_add(1, Ordering::Relaxed) as u32;
    supply.tasks.add(info, move |context| {
        common.ran.fetch_add(1, Ordering::Relaxed);
        let fits = match group {
            Group::Main => context.worker() == 0,
            Group::NonMain => context.worker() > 0,
            _ => !is_long || context.worker() > 0,
        };
        common.wrong.fetch_add(u64::from(!fits), Ordering::Relaxed);
        if own.one_in(8) {
            let sum = AtomicU64::new(0);
            context.parallel_for(20, 1 + own.below(6), |_, range| {
                sum.fetch_add(range.len() as u64, Ordering::Relaxed);
            });
            common.wrong.fetch_add(u64::from(sum.load(Ordering::Relaxed) != 20), Ordering::Relaxed);
        }
        common.values.post(context, (poster, is_long), &mut own);
        if depth < 2 && own.one_in(10) {
            let (mut dice, common) = (Dice(own.0 ^ 0x77), common.clone());
            context.submit(move |supply| {
                let task = add_task(supply, &mut dice, &common, options, depth + 1);
                supply.queue.submit(task);
            });
        }
        for _ in 0..own.below(300) {
            std::hint::spin_loop();
        }
        if own.one_in(60) {
            std::panic::resume_unwind(Box::new("a mix's own panic"));
        }
        match own.below(6) {
            0 => Outcome::Failure,
            1 | 2 => Outcome::Progress,
            _ => Outcome::Success,
        }
    })
}

fn add_tree(
    supply: &mut Supply,
    dice: &mut Dice,
    common: &Arc<Common>,
    options: Options,
    depth: u32,
) -> NodeId {
    if depth == 0 || dice.one_in(4) {
        let task = add_task(supply, dice, common, options, 0);
        return supply.tree.task(task);
    }
    let n = dice.below(4);
    let children: Vec<_> = (0..n).map(|_| add_tree(supply, dice, common, options, depth - 1)).collect();
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

/// One mix: some cycles of a scheduler of its own.
fn mix(seed: u64) {
    let mut dice = Dice::of_mix(seed);
    let parsing = [Parsing::Blocking, Parsing::NonBlocking][dice.below(2)];
    let options = Options::new(1 + dice.below(5)).kind(WorkerKind::ALL[dice.below(3)]).parsing(parsing);
    // Some tasks take as long.
    let options = if dice.one_in(4) { options.watchdog(Duration::from_micros(1)) } else { options };
    let (values, posters, ran, wrong) =
        (Values::new(options.workers), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let common = Arc::new(Common { values, posters, ran, wrong });
    let mut scheduler = CycleScheduler::new(options);
    scheduler.edit(|supply| {
        supply.queue =
            UnorderedQueue::new([OnFailure::Remove, OnFailure::Retry, OnFailure::Halt][dice.below(3)]);
        for _ in 0..dice.below(30) {
            let task = add_task(supply, &mut dice, &common, options, 0);
            supply.queue.submit(task);
        }
        for _ in 0..dice.below(4) {
            let root = add_tree(supply, &mut dice, &common, options, 4);
            supply.tree.submit(root, &supply.tasks).unwrap();
        }
    });
    for number in 0..5 {
        // Some tasks panic: that is a failure of the cycle.
        let _ = scheduler.cycle(Duration::from_millis(number));
        common.values.exchange();
        if dice.one_in(2) {
            scheduler.edit(|supply| supply.queue.resume());
        }
    }
    let profile = scheduler.profile();
    drop(scheduler);
    assert_eq!(common.wrong.load(Ordering::Relaxed), 0, "the mix of seed {seed}");
    let counted: u64 = profile.workers.iter().map(|w| w.n_cycle_tasks + w.n_long_term).sum();
    assert!(counted <= common.ran.load(Ordering::Relaxed), "the mix of seed {seed}");
}

#[test]
fn every_mix_ends() {
    watched::every_one_ends(watched::n_mixes(300), mix);
}
