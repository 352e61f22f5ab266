//! Finite element kernels at the size of 64 bars of 4 x 4 x 16 points, beside a dense product as a measure of the machine.
//!
//! `calibration/dense24` does for each of the 8,640 hexahedra what a straightforward implementation does 25 times a step:
//! gather 24 numbers, rotate, multiply by the element's own stored 24 x 24 matrix, rotate back, scatter. Compare `hex/product25` with it.
//!
//! At the end stands a table: for each product its operations and bytes, and both limits of the machine, measured in the same run. `arithmetic`
//! is a loop of independent multiplications and additions, unfused as in the kernels; `memory` is a bare pass over as many bytes, in the
//! same order of bars and repetitions. A kernel cannot be faster than the slower of the two.

use std::hint::black_box;
use std::time::Duration;

use benches::bare_pass::{bare_passes, median};
use components::force_field::fem::boxes::Boxes;
use components::force_field::fem::bricks::Bricks;
use components::force_field::fem::frame::Method;
use components::force_field::fem::gauss_points::General;
use components::force_field::fem::hexahedra::rest_shapes;
use components::force_field::fem::material::Material;
use components::force_field::fem::patches::Order;
use components::force_field::fem::tetrahedra::Tangent;
use components::force_field::hexahedron_fem_force_field::HexahedronFEMForceField;
use components::force_field::tetrahedron_fem_force_field::{TetrahedronFEMForceField, TetrahedronOptions};
use components::topology::{HexaCut, cut_hexahedra};
use criterion::{Criterion, criterion_group, criterion_main};
use sim_core::component::MechanicalParams;
use sim_core::component::force_field::{AddDForce, AddForce, ForceField, ForceFieldParts};
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Vec3, Vec3Type};

const BARS: usize = 64;
const POINTS: [u32; 3] = [4, 4, 16];
const PRODUCTS: usize = 25;

/// Points and hexahedra of a bar, as a regular grid numbers them.
fn bar(offset: f64) -> (Vec<Vec3>, Vec<[u32; 8]>) {
    let at = |i: u32, j: u32, k: u32| i + POINTS[0] * (j + POINTS[1] * k);
    let (mut points, mut hexahedra) = (Vec::new(), Vec::new());
    for k in 0..POINTS[2] {
        for j in 0..POINTS[1] {
            for i in 0..POINTS[0] {
                points.push(Vec3::new(f64::from(i) + offset, f64::from(j), f64::from(k)));
                if i + 1 < POINTS[0] && j + 1 < POINTS[1] && k + 1 < POINTS[2] {
                    let face = |k| [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)];
                    let (a, b) = (face(k), face(k + 1));
                    hexahedra.push([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]);
                }
            }
        }
    }
    (points, hexahedra)
}

/// A bent and twisted shape.
fn bent(x: &[Vec3]) -> Vec<Vec3> {
    x.iter().map(|p| p + Vec3::new(0.01 * p.z * p.z, 0.02 * p.x * p.z, -0.01 * p.y * p.z)).collect()
}

/// One bar with its state.
struct Bar<F: ForceField> {
    parts: ForceFieldParts<F>,
    x: Vec<Vec3>,
    f: Vec<Vec3>,
    dx: Vec<Vec3>,
}

impl<F: ForceField<State = Vec3Type>> Bar<F> {
    fn new(parts: ForceFieldParts<F>, rest: &[Vec3]) -> Self {
        let x = bent(rest);
        let dx = x.iter().map(|p| Vec3::new(p.y.sin(), p.z.cos(), p.x.sin())).collect();
        let mut bar = Self { parts, f: vec![Vec3::zeros(); x.len()], x, dx };
        bar.force();
        bar
    }
    fn force(&mut self) {
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let ForceFieldParts { constants, elements, stored, .. } = &mut self.parts;
        let (f, x, v) = (&mut self.f[..], &self.x[..], &self.dx[..]);
        F::add_force(constants, AddForce { params, elements, stored, f, x, v });
    }
    fn product(&mut self) {
        let ForceFieldParts { constants, elements, stored, .. } = &self.parts;
        let (df, dx) = (&mut self.f[..], &self.dx[..]);
        let at = AddDForce { k_factor: -0.001, b_factor: 0.0, elements, stored, df, dx };
        F::add_d_force(constants, at);
    }
}

/// Measures one force and 25 products over all bars; each bar is an object of its own, so its products follow each other.
fn measure<F: ForceField<State = Vec3Type>>(c: &mut Criterion, name: &str, mut bars: Vec<Bar<F>>) {
    c.bench_function(&format!("{name}/force"), |b| b.iter(|| bars.iter_mut().for_each(Bar::force)));
    c.bench_function(&format!("{name}/product25"), |b| {
        b.iter(|| {
            for bar in &mut bars {
                bar.f.fill(Vec3::zeros());
                for _ in 0..PRODUCTS {
                    bar.product();
                }
                black_box(&bar.f);
            }
        });
    });
    c.bench_function(&format!("{name}/product25_across"), |b| {
        b.iter(|| {
            for _ in 0..PRODUCTS {
                bars.iter_mut().for_each(Bar::product);
            }
            bars.iter_mut().for_each(|bar| bar.f.fill(Vec3::zeros()));
        });
    });
}

fn offsets() -> impl Iterator<Item = f64> {
    (0..BARS).map(|i| 6.0 * i as f64)
}

fn hexahedra(c: &mut Criterion) {
    let material = Material::uniform(100_000.0, 0.3);
    let shapes = |rest: &[Vec3], h: &[[u32; 8]]| {
        rest_shapes(rest, h, &material, Method::Large, Order::Fastest).expect("a regular bar has volume")
    };
    let bars = offsets().map(bar).map(|(rest, h)| {
        let parts = HexahedronFEMForceField::<Boxes>::parts(&shapes(&rest, &h), Method::Large);
        Bar::new(parts.expect("its cells are equal boxes"), &rest)
    });
    measure(c, "hex", bars.collect());
    let bars = offsets().map(bar).map(|(rest, h)| {
        Bar::new(HexahedronFEMForceField::<Bricks>::parts(&shapes(&rest, &h), Method::Large), &rest)
    });
    measure(c, "hex_bricks", bars.collect());
    let bars = offsets().map(bar).map(|(rest, h)| {
        Bar::new(HexahedronFEMForceField::<General>::parts(&shapes(&rest, &h), Method::Large), &rest)
    });
    measure(c, "hex_general", bars.collect());
}

fn tetrahedra(c: &mut Criterion) {
    let material = Material::uniform(100_000.0, 0.3);
    for (name, method) in
        [("tet_large", Method::Large), ("tet_polar", Method::Polar), ("tet_svd", Method::Svd)]
    {
        let bars = offsets().map(bar).map(|(rest, h)| {
            let elements = cut_hexahedra(&h, None, HexaCut::Plain);
            let options = TetrahedronOptions::new(method);
            let parts = TetrahedronFEMForceField::<Tangent>::parts(&rest, &elements, &material, &options);
            Bar::new(parts.expect("a regular bar has volume"), &rest)
        });
        measure(c, name, bars.collect());
    }
}

/// One hexahedron as a straightforward implementation keeps it.
struct DenseElement {
    nodes: [u32; 8],
    rotation: Mat3,
    k: [[f64; 24]; 24],
}

fn dense_product(elements: &[DenseElement], df: &mut [Vec3], dx: &[Vec3]) {
    for e in elements {
        let (mut u, mut f) = ([0.0; 24], [0.0; 24]);
        for (u, n) in u.chunks_exact_mut(3).zip(e.nodes) {
            u.copy_from_slice((e.rotation.transpose() * dx[n as usize]).as_slice());
        }
        for (f, row) in f.iter_mut().zip(&e.k) {
            for (k, u) in row.iter().zip(&u) {
                *f += k * u;
            }
        }
        for (f, n) in f.chunks_exact(3).zip(e.nodes) {
            df[n as usize] -= e.rotation * Vec3::new(f[0], f[1], f[2]) * 0.001;
        }
    }
}

fn calibration(c: &mut Criterion) {
    let mut bars: Vec<(Vec<DenseElement>, Vec<Vec3>, Vec<Vec3>)> = offsets()
        .map(bar)
        .map(|(rest, hexahedra)| {
            let mut k = [[0.0; 24]; 24];
            for (i, row) in k.iter_mut().enumerate() {
                for (j, value) in row.iter_mut().enumerate() {
                    *value = 1.0 / (1.0 + (i as f64 - j as f64).abs());
                }
            }
            let elements =
                hexahedra.iter().map(|nodes| DenseElement { nodes: *nodes, rotation: Mat3::identity(), k });
            (elements.collect(), vec![Vec3::zeros(); rest.len()], bent(&rest))
        })
        .collect();
    c.bench_function("calibration/dense24", |b| {
        b.iter(|| {
            for (elements, df, dx) in &mut bars {
                for _ in 0..PRODUCTS {
                    dense_product(black_box(elements), df, dx);
                }
            }
        });
    });
}

/// What a product does per element, as its file states the arithmetic.
struct Work {
    /// Additions and multiplications, those of the sums at points among them.
    flops: f64,
    /// What is read of constants and tangents [bytes]; vectors come on top.
    bytes: f64,
}

/// Three edges 9, gradient 45, stress 18, forces 51, sums 12; a block reads 14 lines of 64 bytes.
const TETRAHEDRON: Work = Work { flops: 135.0, bytes: 112.0 };
/// Transforms 141, rotations 210, the 45 entries 69, sums 24; a block reads 14 lines.
const BOX: Work = Work { flops: 444.0, bytes: 112.0 };
/// Transforms 141, seven terms 398, sums 24; a block reads 16 lines.
const BRICK: Work = Work { flops: 563.0, bytes: 128.0 };
/// Transforms 141, rotations 210, eight points of 171, scaling 24, sums 24; a block reads 5 lines, 11 for each point and 9.
const GENERAL: Work = Work { flops: 1767.0, bytes: 816.0 };

/// Independent chains of x = x a + b.
struct MultiplyAdd(usize);

impl LaneKernel for MultiplyAdd {
    type Output = Row;
    #[inline(always)]
    fn run<L: Lane>(self) -> Row {
        let (a, b) = (L::splat(black_box(0.999)), L::splat(black_box(0.001)));
        let mut x = [L::splat(1.0); CHAINS];
        for _ in 0..self.0 {
            let mut i = 0;
            while i < CHAINS {
                x[i] = x[i] * a + b;
                i += 1;
            }
        }
        let mut sum = x[0];
        let mut i = 1;
        while i < CHAINS {
            sum = sum + x[i];
            i += 1;
        }
        let (mut row, mut at) = (Row::default(), 0);
        while at < BLOCK {
            sum.store(&mut row, at);
            at += L::WIDTH;
        }
        row
    }
}

/// Enough to hide the latency of an operation.
const CHAINS: usize = 12;

/// Additions and multiplications a second, at the width of the kernels.
fn arithmetic() -> f64 {
    struct Width;
    impl LaneKernel for Width {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lane>(self) -> usize {
            L::WIDTH
        }
    }
    const TURNS: usize = 200_000;
    let seconds = median(|| {
        black_box(dispatch(MultiplyAdd(black_box(TURNS))));
    });
    (2 * CHAINS * TURNS * dispatch(Width)) as f64 / seconds
}

/// One line: the product's time, and the two limits.
fn line<F: ForceField<State = Vec3Type>>(
    name: &str,
    work: &Work,
    per_second: f64,
    mut bars: Vec<Bar<F>>,
    n: usize,
) {
    let seconds = median(|| {
        for bar in &mut bars {
            bar.f.fill(Vec3::zeros());
            (0..PRODUCTS).for_each(|_| bar.product());
            black_box(&bar.f);
        }
    });
    let products = (BARS * PRODUCTS * n) as f64;
    // Displacements are read, forces read and written.
    let bytes = work.bytes * n as f64 + 3.0 * size_of_val(&bars[0].f[..]) as f64;
    let (arithmetic, memory) = (work.flops * products / per_second, bare_passes(BARS, bytes, PRODUCTS));
    let ns = |seconds: f64| 1e9 * seconds / products;
    println!(
        "{name:14} {:7.0} {:7.0} {:9.2} {:12.2} {:8.2} {:14.2}",
        work.flops,
        bytes / n as f64,
        ns(seconds),
        ns(arithmetic),
        ns(memory),
        seconds / arithmetic.max(memory)
    );
}

/// Where each product stands between the limits of the machine.
fn limits(_: &mut Criterion) {
    let material = Material::uniform(100_000.0, 0.3);
    let per_second = arithmetic();
    println!(
        "\nproducts against the limits of this core ({:.1} GFlop/s, unfused), per element",
        per_second / 1e9
    );
    println!("product          flops   bytes        ns   arithmetic   memory  times its limit");
    let n = bar(0.0).1.len();
    for order in [Order::Fastest, Order::OfMesh] {
        println!("{order:?}");
        let shapes = |rest: &[Vec3], h: &[[u32; 8]]| {
            rest_shapes(rest, h, &material, Method::Large, order).expect("a regular bar has volume")
        };
        let bars = offsets().map(bar).map(|(rest, h)| {
            let parts = HexahedronFEMForceField::<Boxes>::parts(&shapes(&rest, &h), Method::Large);
            Bar::new(parts.expect("its cells are equal boxes"), &rest)
        });
        line("hex", &BOX, per_second, bars.collect(), n);
        let bars = offsets().map(bar).map(|(rest, h)| {
            Bar::new(HexahedronFEMForceField::<Bricks>::parts(&shapes(&rest, &h), Method::Large), &rest)
        });
        line("hex_bricks", &BRICK, per_second, bars.collect(), n);
        let bars = offsets().map(bar).map(|(rest, h)| {
            Bar::new(HexahedronFEMForceField::<General>::parts(&shapes(&rest, &h), Method::Large), &rest)
        });
        line("hex_general", &GENERAL, per_second, bars.collect(), n);
        let bars = offsets().map(bar).map(|(rest, h)| {
            let elements = cut_hexahedra(&h, None, HexaCut::Plain);
            let options = TetrahedronOptions { order, ..TetrahedronOptions::new(Method::Large) };
            let parts = TetrahedronFEMForceField::<Tangent>::parts(&rest, &elements, &material, &options);
            Bar::new(parts.expect("a regular bar has volume"), &rest)
        });
        line("tet", &TETRAHEDRON, per_second, bars.collect(), 6 * n);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = calibration, hexahedra, tetrahedra, limits
}
criterion_main!(benches);
