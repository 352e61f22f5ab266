//! Random programs: every executor, number of workers, assignment and way of accumulating gives the bits of the
//! sequential executor, and the schedule passes the validator.

mod evicted;
mod generator;
mod moving;
mod splicing;
mod world;

use std::sync::Arc;

use engine::data::{ObjectId, Store};
use engine::exec::{Executor, Sequential};
use engine::graph::validate::validate;
use engine::graph::{Assignment, Group, GroupId, LoopInfo, Program, Recording, Schedule, StageKind};
use generator::record;
use partition::control::{Accumulation, lower};
use proptest::prelude::*;
use weft_executors::{ForkJoin, Options, Replay, Stealing};
use world::{Random, World, bits, world};

const STEPS: u32 = 5;

/// The bits after each step, and the words of all scalars.
fn simulate(
    exec: &mut dyn Executor,
    recording: Recording,
    schedule: Arc<Schedule>,
    store: &mut Store,
    world: &World,
) -> Vec<Vec<u64>> {
    let recording = Arc::new(recording);
    let plan = exec.load_plan(None, recording.clone(), schedule, store).unwrap();
    (0..STEPS)
        .map(|step| {
            world.begin_step(store, step);
            exec.run(plan, store).unwrap();
            store.swap_states();
            let mut all = bits(store, world);
            for (id, group) in recording.program.groups() {
                all.extend((0..group.scalars.len() as u32).map(|i| exec.word(plan, id, i)));
            }
            all
        })
        .collect()
}

/// Random workers, but for the objects that are [bound](bind) by `bound_by`.
fn assignment(seed: u64, bound_by: u64, n: usize, workers: u32) -> Assignment {
    let mut random = Random(seed.rotate_left(17) | 1);
    let mut assignment = Assignment::new(workers);
    for i in 0..n as u32 {
        let anywhere = random.below(workers as usize) as u32;
        let bound = bound_worker(bound_by, i).map(|worker| worker.min(workers - 1));
        assignment.set(ObjectId(i), bound.unwrap_or(anywhere));
    }
    assignment
}

/// The worker that an object is bound to: one in six is, for half of all seeds.
fn bound_worker(seed: u64, object: u32) -> Option<u32> {
    let mut random = Random((seed ^ u64::from(object) << 40).rotate_left(31) | 1);
    (seed.is_multiple_of(2) && random.chance(17)).then(|| random.below(3) as u32)
}

/// Binds the objects of a seed.
fn bind(store: &mut Store, seed: u64, n: usize) {
    for object in 0..n as u32 {
        if let Some(worker) = bound_worker(seed, object) {
            store.bind_to_worker(ObjectId(object), worker);
        }
    }
}

/// The executors that are compared with the sequential one, and what each is called.
fn executors(seed: u64, workers: u32) -> Vec<(Box<dyn Executor>, String)> {
    let mut all: Vec<(Box<dyn Executor>, String)> = Vec::new();
    for threads in [1, 2] {
        for switch_seed in [None, Some(seed)] {
            let adapt = switch_seed.is_some();
            let options = Options { threads, switch_seed, adapt, ..Options::new(workers) };
            let how = format!("({threads} threads, {switch_seed:?})");
            all.push((Box::new(Replay::new(&options)), how.clone()));
            all.push((Box::new(Stealing::new(&options)), how.clone()));
            if switch_seed.is_none() {
                all.push((Box::new(ForkJoin::new(&options)), how));
            }
        }
    }
    all
}

fn check(seed: u64, n: usize, n_groups: usize, workers: u32, mode: Accumulation) {
    let fresh = || {
        let mut store = Store::new();
        let w = world(&mut store, n);
        bind(&mut store, seed, n);
        let recording = record(&mut store, &w, seed, n_groups);
        (store, w, recording)
    };
    let (mut store, w, recording) = fresh();
    let schedule = Arc::new(lower(&recording.program, &assignment(seed, seed, n, workers), mode));
    validate(&recording.program, &schedule).unwrap();
    let expected = simulate(&mut Sequential::new(), recording, schedule.clone(), &mut store, &w);
    for (mut exec, how) in executors(seed, workers) {
        let (mut store, w, recording) = fresh();
        let found = simulate(&mut *exec, recording, schedule.clone(), &mut store, &w);
        let name = exec.name();
        assert!(found == expected, "{name} {how}: seed {seed}, {n} objects, {workers} workers, {mode:?}");
    }
}

/// How many programs each test draws: 200, or what `WEFT_RANDOM_PROGRAMS` says, for runs under a sanitizer, where each takes ten times as
/// long.
fn n_programs() -> u32 {
    std::env::var("WEFT_RANDOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_executor_gives_the_bits_of_the_sequential_one(
        seed in any::<u64>(), n in 2usize..7, n_groups in 0usize..4, workers in 1u32..5, logged in any::<bool>(),
    ) {
        let mode = if logged { Accumulation::Reduce } else { Accumulation::Mirror };
        check(seed, n, n_groups, workers, mode);
    }

    #[test]
    fn buffers_may_move_between_any_two_steps(
        seed in 0..u64::MAX - 1, n in 2usize..7, n_groups in 0usize..4, workers in 1u32..5, logged in any::<bool>(),
    ) {
        let mode = if logged { Accumulation::Reduce } else { Accumulation::Mirror };
        moving::check(seed, n, n_groups, workers, mode);
    }

    #[test]
    fn programs_are_kept_and_evicted(
        seed in 0..u64::MAX - 9, n in 2usize..7, workers in 1u32..5, capacity in 1usize..4,
    ) {
        evicted::check(seed, n, workers, capacity);
    }

    #[test]
    fn parts_come_and_go(seed in 1..u64::MAX, n in 3usize..8, workers in 1u32..5, logged in any::<bool>()) {
        let mode = if logged { Accumulation::Reduce } else { Accumulation::Mirror };
        splicing::check(seed, n, workers, mode);
    }
}

/// Events in the control flow of a step.
#[derive(Debug, Default)]
struct Seen {
    loops: usize,
    never_entered: usize,
    left_at_the_limit: usize,
    left_by_a_break: usize,
    /// By a break behind another one of the same loop.
    left_by_a_later_break: usize,
    left_in_the_first_iteration: usize,
    varying: usize,
    nested: usize,
    conditions: usize,
    /// Conditions that were false.
    skipped: usize,
}

/// The loops of a group, with their numbers in it.
fn loops_of(id: GroupId, group: &Group) -> impl Iterator<Item = (GroupId, &Group, usize, &LoopInfo)> {
    group.loops.iter().enumerate().map(move |(k, info)| (id, group, k, info))
}

impl Seen {
    fn step(&mut self, program: &Program, word: &dyn Fn(GroupId, u32) -> u64, counts: &mut [Vec<u64>]) {
        let of_group = |(id, group)| loops_of(id, group);
        for (number, (id, group, k, info)) in program.groups().flat_map(of_group).enumerate() {
            let (limit, count) = (word(id, info.limit), word(id, info.count));
            if info.is_condition {
                self.conditions += 1;
                self.skipped += usize::from(limit & 1 == 0);
                continue;
            }
            let mut breaks = group.stages.iter().filter_map(|s| match s.kind {
                StageKind::Break(of, condition) if of.0 as usize == k => Some(condition),
                _ => None,
            });
            let taken = breaks.position(|condition| word(id, condition) & 1 == 1);
            counts[number].push(count);
            self.nested += usize::from(info.parent.is_some());
            self.loops += 1;
            self.never_entered += usize::from(limit == 0);
            if limit > 0 {
                self.left_at_the_limit += usize::from(count == limit);
                self.left_by_a_break += usize::from(count < limit);
                self.left_by_a_later_break += usize::from(count < limit && taken > Some(0));
                self.left_in_the_first_iteration += usize::from(count == 0 && taken.is_some());
            }
        }
    }
}

#[test]
fn the_programs_hold_what_they_should() {
    let mut seen = Seen::default();
    for seed in 1..150u64 {
        let mut store = Store::new();
        let w = world(&mut store, 5);
        let recording = Arc::new(record(&mut store, &w, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), 2));
        let mut exec = Sequential::new();
        let schedule = Arc::new(lower(&recording.program, &Assignment::new(1), Accumulation::Auto));
        let plan = exec.load_plan(None, recording.clone(), schedule, &mut store).unwrap();
        let mut counts = vec![Vec::new(); recording.program.n_loops()];
        for step in 0..STEPS {
            w.begin_step(&mut store, step);
            exec.run(plan, &mut store).unwrap();
            store.swap_states();
            seen.step(&recording.program, &|g, i| exec.word(plan, g, i), &mut counts);
        }
        seen.varying += counts.iter().filter(|c| c.iter().any(|n| *n != c[0])).count();
    }
    let least = [
        seen.never_entered,
        seen.left_at_the_limit,
        seen.left_by_a_break,
        seen.left_in_the_first_iteration,
        seen.nested,
    ];
    assert!(least.iter().all(|&n| 20 * n > seen.loops), "{seen:?}");
    let skipped = 10 * seen.skipped > 2 * seen.conditions && 10 * seen.skipped < 8 * seen.conditions;
    assert!(100 * seen.conditions > seen.loops && skipped, "{seen:?}");
    assert!(100 * seen.left_by_a_later_break > seen.loops, "{seen:?}");
    assert!(5 * seen.varying > seen.loops / STEPS as usize, "{seen:?}");
}

#[test]
fn a_schedule_is_a_function_of_program_and_assignment() {
    for seed in 1..20 {
        let mut store = Store::new();
        let w = world(&mut store, 5);
        let first = record(&mut store, &w, seed, 2).program;
        let second = record(&mut store, &w, seed, 2).program;
        assert_eq!(first, second);
        let assignment = assignment(seed, seed, 5, 3);
        let (a, b) =
            (lower(&first, &assignment, Accumulation::Auto), lower(&second, &assignment, Accumulation::Auto));
        assert_eq!(a, b);
        assert_eq!(a.fingerprint(), b.fingerprint());
    }
}
