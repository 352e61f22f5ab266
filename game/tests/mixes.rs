//! Random mixes of tasks, trees, groups, long tasks, loops, panics and submissions on threads, with a watchdog: each one ends.
//!
//! `WEFT_GAME_MIXES=1000000 cargo test --release -p weft-game --test mixes` runs as many as one likes; the gate some hundred. The same
//! kinds of mixes run step by step in random order in `game/src/interleavings.rs`, a thousand times faster.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use weft_game::tree::{Invert, NodeId, Parallel, Random, Repeat, Selector, Sequence};
use weft_game::{
    CycleScheduler, Group, OnFailure, Options, Outcome, Parsing, Supply, TaskId, TaskInfo, UnorderedQueue,
    WorkerKind,
};

/// Random numbers of a seed.
#[derive(Clone)]
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

/// How often tasks ran, and how often one did where or when it must not.
#[derive(Default)]
struct Counts {
    ran: AtomicU64,
    wrong: AtomicU64,
}

fn add_task(
    supply: &mut Supply,
    dice: &mut Dice,
    counts: &Arc<Counts>,
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
    let (counts, mut own) = (counts.clone(), Dice(dice.0 ^ 0x55));
    supply.tasks.add(info, move |context| {
        counts.ran.fetch_add(1, Ordering::Relaxed);
        let fits = match group {
            Group::Main => context.worker() == 0,
            Group::NonMain => context.worker() > 0,
            _ => !is_long || context.worker() > 0,
        };
        counts.wrong.fetch_add(u64::from(!fits), Ordering::Relaxed);
        if own.one_in(8) {
            let sum = AtomicU64::new(0);
            context.parallel_for(20, 1 + own.below(6), |_, range| {
                sum.fetch_add(range.len() as u64, Ordering::Relaxed);
            });
            counts.wrong.fetch_add(u64::from(sum.load(Ordering::Relaxed) != 20), Ordering::Relaxed);
        }
        if depth < 2 && own.one_in(10) {
            let (mut dice, counts) = (Dice(own.0 ^ 0x77), counts.clone());
            context.submit(move |supply| {
                let task = add_task(supply, &mut dice, &counts, options, depth + 1);
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
    counts: &Arc<Counts>,
    options: Options,
    depth: u32,
) -> NodeId {
    if depth == 0 || dice.one_in(4) {
        let task = add_task(supply, dice, counts, options, 0);
        return supply.tree.task(task);
    }
    let n = dice.below(4);
    let children: Vec<_> = (0..n).map(|_| add_tree(supply, dice, counts, options, depth - 1)).collect();
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
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    dice.below(2);
    let parsing = [Parsing::Blocking, Parsing::NonBlocking][dice.below(2)];
    let options = Options::new(1 + dice.below(5)).kind(WorkerKind::ALL[dice.below(3)]).parsing(parsing);
    let counts = Arc::<Counts>::default();
    let mut scheduler = CycleScheduler::new(options);
    scheduler.edit(|supply| {
        supply.queue = UnorderedQueue::new([OnFailure::Remove, OnFailure::Retry][dice.below(2)]);
        for _ in 0..dice.below(30) {
            let task = add_task(supply, &mut dice, &counts, options, 0);
            supply.queue.submit(task);
        }
        for _ in 0..dice.below(4) {
            let root = add_tree(supply, &mut dice, &counts, options, 4);
            supply.tree.submit(root, &supply.tasks).unwrap();
        }
    });
    for number in 0..5 {
        // Some tasks panic: that is a failure of the cycle.
        let _ = scheduler.cycle(Duration::from_millis(number));
    }
    let profile = scheduler.profile();
    drop(scheduler);
    assert_eq!(counts.wrong.load(Ordering::Relaxed), 0, "the mix of seed {seed}");
    let counted: u64 = profile.workers.iter().map(|w| w.n_cycle_tasks + w.n_long_term).sum();
    assert!(counted <= counts.ran.load(Ordering::Relaxed), "the mix of seed {seed}");
}

#[test]
fn every_mix_ends() {
    let n = std::env::var("WEFT_GAME_MIXES").ok().and_then(|n| n.parse().ok()).unwrap_or(300_u64);
    let (tell, hear) = mpsc::channel();
    // What hangs hangs in its own thread: this one says which mix it was.
    let mixes = std::thread::Builder::new().spawn(move || {
        for seed in 0..n {
            mix(seed);
            if tell.send(seed).is_err() {
                return;
            }
        }
    });
    let mut next = 0;
    while next < n {
        match hear.recv_timeout(Duration::from_secs(120)) {
            Ok(seed) => next = seed + 1,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the mix of seed {next} does not end"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    assert!(mixes.unwrap().join().is_ok(), "the mix of seed {next} failed");
}
