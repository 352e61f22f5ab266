//! Several programs over one store, kept for when they are wanted again, and evicted where there are too many.

use std::sync::Arc;

use engine::data::Store;
use engine::exec::{Executor, PlanCache, Sequential};
use partition::control::{Accumulation, lower};

use super::generator::record;
use super::world::{Random, bits, world};
use super::{assignment, bind, executors};

/// Different programs.
const PROGRAMS: usize = 4;
const STEPS: u32 = 12;

/// The bits after each step, in which a few programs run that are known by their numbers.
fn simulate(exec: &mut dyn Executor, seed: u64, n: usize, workers: u32, capacity: usize) -> Vec<Vec<u64>> {
    let mut store = Store::new();
    let w = world(&mut store, n);
    bind(&mut store, seed, n);
    let mut cache = PlanCache::new(capacity);
    let mut random = Random(seed | 1);
    (0..STEPS)
        .map(|step| {
            w.begin_step(&mut store, step);
            for _ in 0..1 + random.below(3) {
                let key = random.below(PROGRAMS) as u64;
                let plan = cache.find_or_load(key, exec, &mut store, |store| {
                    let recording = record(store, &w, seed + key, 1);
                    let assignment = assignment(seed + key, seed, n, workers);
                    let schedule = lower(&recording.program, &assignment, Accumulation::Auto);
                    (Arc::new(recording), Arc::new(schedule))
                });
                exec.run(plan.unwrap(), &mut store).unwrap();
                assert!(cache.len() <= capacity);
            }
            store.swap_states();
            bits(&store, &w)
        })
        .collect()
}

pub fn check(seed: u64, n: usize, workers: u32, capacity: usize) {
    let expected = simulate(&mut Sequential::new(), seed, n, workers, PROGRAMS);
    for (mut exec, how) in executors(seed, workers) {
        let found = simulate(&mut *exec, seed, n, workers, capacity);
        assert!(found == expected, "{} {how}: seed {seed}, {n} objects, {workers} workers", exec.name());
    }
}
