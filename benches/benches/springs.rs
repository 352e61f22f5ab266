//! Springs of a sheet: forces and products, beside a bare pass over the bytes that a product reads and writes.
//!
//! `one_by_one` adds the forces spring after spring; `runs` reads and adds to points as they lie in memory, and is what regular nets get.
//! Both have the same bits. The table at the end gives, per spring, the time of both products and of the bare pass, and how many times the
//! pass `runs` takes.

use std::hint::black_box;
use std::time::Duration;

use benches::bare_pass::{bare_passes, median};
use components::force_field::springs::{BlockSprings, RunSprings, Spring, SpringKind};
use criterion::{Criterion, criterion_group, criterion_main};
use sim_core::component::MechanicalParams;
use sim_core::component::force_field::{AddDForce, AddForce, ForceField, ForceFieldParts};
use sim_core::math::{Vec3, Vec3Type};

struct Sheet;
impl SpringKind for Sheet {
    const NAME: &'static str = "springs of a sheet";
    const ASSEMBLED: bool = true;
}

/// Points of a sheet of `n` by `n`, and its springs: edges along both directions, then both diagonals of each cell.
fn sheet(n: u32) -> (Vec<Vec3>, Vec<Spring>) {
    let at = |i: u32, k: u32| i + n * k;
    let points = (0..n * n).map(|p| Vec3::new(f64::from(p % n), 0.0, f64::from(p / n))).collect();
    let mut springs = Vec::new();
    let mut add = |i, j, length: f64| {
        springs.push(Spring::per_length(i, j, 1000.0, 1.0, length));
    };
    for k in 0..n {
        (0..n - 1).for_each(|i| add(at(i, k), at(i + 1, k), 1.0));
    }
    for k in 0..n - 1 {
        (0..n).for_each(|i| add(at(i, k), at(i, k + 1), 1.0));
    }
    for k in 0..n - 1 {
        for i in 0..n - 1 {
            add(at(i, k), at(i + 1, k + 1), 2.0_f64.sqrt());
            add(at(i + 1, k), at(i, k + 1), 2.0_f64.sqrt());
        }
    }
    (points, springs)
}

/// A sheet with its state.
struct Body<F: ForceField> {
    parts: ForceFieldParts<F>,
    x: Vec<Vec3>,
    f: Vec<Vec3>,
    dx: Vec<Vec3>,
}

impl<F: ForceField<State = Vec3Type>> Body<F> {
    fn new(parts: ForceFieldParts<F>, rest: &[Vec3]) -> Self {
        let bend =
            |p: &Vec3| p + Vec3::new(0.1 * (0.3 * p.z).sin(), (0.1 * p.x).sin(), 0.1 * (0.2 * p.x).cos());
        let x: Vec<Vec3> = rest.iter().map(bend).collect();
        let dx = x.iter().map(|p| Vec3::new(p.y.sin(), p.z.cos(), p.x.sin())).collect();
        let mut body = Self { parts, f: vec![Vec3::zeros(); x.len()], x, dx };
        body.force();
        body
    }
    fn force(&mut self) {
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let ForceFieldParts { constants, elements, stored, .. } = &mut self.parts;
        let (f, x, v) = (&mut self.f[..], &self.x[..], &self.dx[..]);
        f.fill(Vec3::zeros());
        F::add_force(constants, AddForce { params, elements, stored, f, x, v });
    }
    fn product(&mut self) {
        let ForceFieldParts { constants, elements, stored, .. } = &self.parts;
        let (df, dx) = (&mut self.f[..], &self.dx[..]);
        let at = AddDForce { k_factor: -0.001, b_factor: 0.0, elements, stored, df, dx };
        F::add_d_force(constants, at);
        black_box(&self.f);
    }
}

fn bodies(n: u32) -> (Body<BlockSprings<Sheet>>, Body<RunSprings<Sheet>>, usize) {
    let (points, springs) = sheet(n);
    let runs = RunSprings::parts(&springs).expect("a sheet is runs");
    (Body::new(BlockSprings::parts(&springs), &points), Body::new(runs, &points), springs.len())
}

fn springs(c: &mut Criterion) {
    for n in [32, 128, 512] {
        let (mut blocks, mut runs, _) = bodies(n);
        c.bench_function(&format!("one_by_one/{n}/force"), |b| b.iter(|| blocks.force()));
        c.bench_function(&format!("runs/{n}/force"), |b| b.iter(|| runs.force()));
        c.bench_function(&format!("one_by_one/{n}/product"), |b| b.iter(|| blocks.product()));
        c.bench_function(&format!("runs/{n}/product"), |b| b.iter(|| runs.product()));
    }
}

/// What a product reads of a spring: its direction and the stiffness across, and its share of what eight have in common: the stiffness, where
/// their points begin, and what is added to which (a round of 128 springs has 576 bytes, and 16 for each block).
const SPRING: f64 = 32.0 + 2.0 + 4.5;
/// What it reads and writes of a point: displacement, and twice the force.
const POINT: f64 = 24.0 + 48.0;

/// Where products stand against the memory.
fn limits(_: &mut Criterion) {
    println!("\nproducts against a bare pass over the same bytes, per spring");
    println!("sheet   springs   bytes   one by one [ns]       runs [ns]   bare pass [ns]   times the pass");
    for n in [32_u32, 64, 128, 256, 512] {
        let (mut blocks, mut runs, count) = bodies(n);
        let turns = 4_000_000 / count;
        let bytes = SPRING * count as f64 + POINT * f64::from(n * n);
        let before = median(|| (0..turns).for_each(|_| blocks.product()));
        let now = median(|| (0..turns).for_each(|_| runs.product()));
        let pass = bare_passes(1, bytes, turns);
        let ns = |seconds: f64| 1e9 * seconds / (turns * count) as f64;
        println!(
            "{n:5} {count:9} {:7.1} {:17.2} {:15.2} {:16.2} {:16.2}",
            bytes / count as f64,
            ns(before),
            ns(now),
            ns(pass),
            now / pass
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = springs, limits
}
criterion_main!(benches);
