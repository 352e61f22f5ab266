//! Buffers that move to other workers' memory between steps, and plans that change with them.

use std::sync::Arc;

use engine::data::{Move, Store};
use engine::exec::{Executor, Sequential};
use engine::graph::{Recording, Schedule};
use partition::control::{Accumulation, lower};
use weft_executors::{Options, Replay};

use super::generator::record;
use super::world::{Random, World, bits, world};
use super::{STEPS, assignment, bind, simulate};

/// As [`simulate`], with buffers moved to other workers' memory before each step, and the plan changed for another
/// assignment half of the time.
fn simulate_moving(
    exec: &mut Replay,
    recording: Recording,
    schedules: &[Arc<Schedule>],
    store: &mut Store,
    world: &World,
    random: &mut Random,
) -> Vec<Vec<u64>> {
    let recording = Arc::new(recording);
    let mut plan = None;
    (0..STEPS)
        .map(|step| {
            let schedule = schedules[random.below(schedules.len())].clone();
            let at = exec.load_plan(plan, recording.clone(), schedule.clone(), store).unwrap();
            plan = Some(at);
            let mut moves = Vec::new();
            for data in 0..store.n_data() as u32 {
                if random.chance(60) {
                    let worker = schedule.assignment.worker(store.info(data).object);
                    moves.push(Move { worker, data, node: worker });
                }
            }
            store.relocate(&moves, |copy| exec.on_workers(copy));
            let placed = moves.iter().filter(|m| store.is_movable(m.data));
            assert!(placed.clone().all(|m| store.home(m.data) == Some(m.node)));
            world.begin_step(store, step);
            exec.run(at, store).unwrap();
            store.swap_states();
            bits(store, world)
        })
        .collect()
}

pub fn check(seed: u64, n: usize, n_groups: usize, workers: u32, mode: Accumulation) {
    let mut store = Store::new();
    let w = world(&mut store, n);
    bind(&mut store, seed, n);
    let recording = record(&mut store, &w, seed, n_groups);
    let schedules: Vec<_> = (0..2)
        .map(|k| Arc::new(lower(&recording.program, &assignment(seed + k, seed, n, workers), mode)))
        .collect();
    let expected = simulate(&mut Sequential::new(), recording, schedules[0].clone(), &mut store, &w);
    let mut store = Store::new();
    let w = world(&mut store, n);
    bind(&mut store, seed, n);
    let recording = record(&mut store, &w, seed, n_groups);
    let mut replay = Replay::new(&Options { threads: 2, adapt: false, ..Options::new(workers) });
    let found = simulate_moving(&mut replay, recording, &schedules, &mut store, &w, &mut Random(seed | 1));
    for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            found[..] == expected[..found.len()],
            "step {step}, seed {seed}, {workers} workers, {mode:?}"
        );
    }
}
