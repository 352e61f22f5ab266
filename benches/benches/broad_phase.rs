//! The broad phase of a heap of boxes: time for each box should not grow with their number.

use std::hint::black_box;

use components::collision::Aabb;
use components::collision::broad_phase::{BroadModel, BruteForceBroadPhase};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Boxes of 1 m in a cube in which each has some two neighbors.
fn heap(n: u32) -> Vec<Aabb> {
    let side = 1.6 * f64::from(n).cbrt();
    let at = |i: u32, step: f64| side * (f64::from(i) * step).fract();
    let body = |i: u32| {
        let min = [at(i, 0.819_172_513), at(i, 0.671_043_606), at(i, 0.549_700_478)];
        Aabb { min, max: min.map(|c| c + 1.0) }
    };
    (0..n).map(body).collect()
}

fn broad_phase(c: &mut Criterion) {
    let mut group = c.benchmark_group("broad phase of a heap");
    for n in [100, 1_000, 10_000, 100_000] {
        let roots = heap(n);
        let model =
            |node| BroadModel { node, simulated: true, self_collision: false, group: Vec::new(), skin: 0.0 };
        let mut phase = BruteForceBroadPhase::new((0..n).map(model).collect(), 0.1, None);
        group.throughput(Throughput::Elements(u64::from(n)));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| black_box(phase.update(black_box(&roots))).pairs.len());
        });
    }
    group.finish();
}

criterion_group!(benches, broad_phase);
criterion_main!(benches);
