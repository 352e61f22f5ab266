//! More partitions than cores: a sheet in 16 pieces on 1, 2, 3, 4 and 8 workers, which two threads run.
//!
//! `taskset -c 0,1 cargo bench -p benches --bench partitions` where there are more than two cores, since there are never
//! more threads than cores to run on. The bits are those of one worker, whatever their number.

use criterion::{Criterion, criterion_group, criterion_main};
use scenes::gallery;
use weft::prelude::*;

fn simulation(workers: usize) -> Simulation {
    let set = [("size".to_owned(), "64".to_owned()), ("pieces".to_owned(), "16".to_owned())];
    let scene = gallery::find("cloth").expect("a gallery scene").elements(&set).expect("its parameters");
    let loaded = load_elements(scene, &LoadOptions::default()).expect("a scene without errors");
    // All threads always, so that it is their time that is measured.
    let options = SimulationOptions { threads: workers, adapt: false, ..SimulationOptions::default() };
    Simulation::new(loaded.scene, options).expect("a scene that runs")
}

fn partitions(c: &mut Criterion) {
    let mut group = c.benchmark_group("partitions_on_2_threads");
    group.sample_size(60);
    for workers in [1, 2, 3, 4, 8] {
        let mut simulation = simulation(workers);
        let mut report = StepReport::default();
        // Objects are placed anew once costs are known.
        (0..80).for_each(|_| simulation.step_into(&mut report).expect("no failure"));
        group.bench_function(format!("{workers}"), |b| {
            b.iter(|| simulation.step_into(&mut report).expect("no failure"))
        });
    }
    group.finish();
}

criterion_group!(benches, partitions);
criterion_main!(benches);
