//! Springs in runs have the bits of springs that are added one after the other.

use sim_core::component::MechanicalParams;
use sim_core::component::matrix::BlockSink;
use sim_core::math::Mat3;
use sim_core::math::lane::{Instructions, dispatch_with};
use sim_core::testing::{ForceFieldCheck, Random};

use super::*;
use crate::force_field::springs::BlockSprings;

struct Assembled;
impl SpringKind for Assembled {
    const NAME: &'static str = "springs";
    const ASSEMBLED: bool = true;
    const SHORTEST: Real = 1e-4;
}

/// A sheet of `w` by `h` points with what disturbs it: a tube's closing springs, twins, springs the other way round, some that only pull,
/// some of a point with itself or with one further on; `mixed`, some have changed places.
fn net(random: &mut Random, [w, h]: [u32; 2], mixed: bool) -> (Vec<Spring>, Vec<Vec3>) {
    let mut below = |n: u32| ((random.real().abs() * 1e7) as u32) % n;
    let mut ends: Vec<[u32; 2]> = Vec::new();
    for k in 0..h {
        for i in 0..w {
            let p = i + w * k;
            ends.push([p, if i + 1 < w { p + 1 } else { w * k }]);
            if k + 1 < h {
                ends.push([p + w, p]);
                if i + 1 < w {
                    ends.extend([[p, p + w + 1], [p + 1, p + w]]);
                }
            }
        }
    }
    for k in 0..ends.len() / 97 {
        let (twin, p, far) = (ends[97 * k], below(w * h), below(40));
        let q = (p + far).min(w * h - 1);
        ends.extend([twin, [p, p], [p, q]]);
    }
    for _ in 0..if mixed { ends.len() / 40 } else { 0 } {
        let n = ends.len() as u32;
        ends.swap(below(n) as usize, below(n) as usize);
    }
    let spring = |(k, [i, j]): (usize, [u32; 2])| {
        let numbers = [below(1000), below(1000)].map(|n| Real::from(n) * 1e-3);
        Spring {
            i,
            j,
            stiffness: 50.0 + 20.0 * numbers[0],
            damping: numbers[1],
            length: 0.7 + 0.5 * numbers[0],
            elongation_only: k % 5 == 0,
        }
    };
    let mut springs: Vec<Spring> = ends.into_iter().enumerate().map(spring).collect();
    let mut x = random.moved(&vec![Vec3::zeros(); (w * h) as usize], 1.0);
    x[11] = x[10];
    springs.push(Spring { i: 10, j: 11, ..springs[0] });
    (springs, x)
}

/// Blocks in the order in which they are added.
#[derive(Default, PartialEq)]
struct Blocks(Vec<(u32, u32, Mat3)>);

impl BlockSink for Blocks {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        self.0.push((row, column, *block));
    }
}

/// Forces, their change and the matrix.
fn evaluate<F: ForceField<State = Vec3Type>>(
    parts: &mut ForceFieldParts<F>,
    [x, v, dx]: [&[Vec3]; 3],
) -> (Vec<Vec3>, Vec<Vec3>, Blocks, Option<Real>) {
    // Something is there already, and points that no spring has stay as they are.
    let mut f = dx.to_vec();
    let mut df = v.to_vec();
    let params = MechanicalParams { dt: 0.01, time: 0.0 };
    let ForceFieldParts { constants, elements, stored, .. } = parts;
    F::add_force(constants, AddForce { params, elements, stored, f: &mut f, x, v });
    let (k_factor, b_factor, elements, stored) = (0.3, 0.0, &elements[..], &stored[..]);
    let at = AddDForce { k_factor, b_factor, elements, stored, df: &mut df, dx };
    F::add_d_force(constants, at);
    let mut blocks = Blocks::default();
    let at = AddKToMatrix { k_factor, b_factor, elements, stored, matrix: &mut blocks };
    F::add_k_to_matrix(constants, at);
    (f, df, blocks, F::potential_energy(constants, elements, x))
}

fn parts(springs: &[Spring]) -> ForceFieldParts<RunSprings<Assembled>> {
    RunSprings::parts(springs).expect("most of them lie in runs")
}

#[test]
fn bits_are_those_of_springs_one_after_the_other() {
    let mut random = Random::new(1);
    for (size, mixed) in
        [([32, 20], false), ([32, 20], true), ([45, 33], true), ([24, 60], false), ([300, 9], true)]
    {
        let (springs, x) = net(&mut random, size, mixed);
        let n = x.len();
        let (v, dx): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(n), random.derivs(n));
        let mut parts = parts(&springs);
        let runs = evaluate(&mut parts, [&x, &v, &dx]);
        let blocks = evaluate(&mut BlockSprings::<Assembled>::parts(&springs), [&x, &v, &dx]);
        assert!(runs == blocks, "{size:?}, {mixed}");
        let listed = super::springs(&parts.elements);
        assert_eq!(listed.len(), springs.len());
        assert!(listed.iter().zip(&springs).all(|(a, b)| [a.i, a.j] == [b.i, b.j] && a.length == b.length));
    }
}

#[test]
fn all_instructions_have_the_same_bits() {
    let mut random = Random::new(2);
    let (springs, x) = net(&mut random, [37, 19], true);
    let n = x.len();
    let (v, dx): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(n), random.derivs(n));
    let mut field = parts(&springs);
    let (f, df, ..) = evaluate(&mut field, [&x, &v, &dx]);
    for instructions in Instructions::available() {
        let mut tangents = field.stored.clone();
        let (mut g, mut dg) = (dx.clone(), v.clone());
        let parts = || Parts::new(&field.constants, &field.elements);
        with_ring(field.constants.ring, |ring| {
            let (parts, tangents, f, x, v) = (parts(), &mut tangents[..], &mut g[..], &x[..], &v[..]);
            dispatch_with(instructions, ForceKernel { ring, parts, tangents, f, x, v });
        });
        with_ring(field.constants.ring, |ring| {
            let (parts, k_factor, tangents, df, dx) = (parts(), 0.3, &tangents[..], &mut dg[..], &dx[..]);
            dispatch_with(instructions, ProductKernel { ring, k_factor, parts, tangents, df, dx });
        });
        assert!(g == f && dg == df, "{instructions:?}");
    }
}

#[test]
fn conforms() {
    let mut random = Random::new(3);
    let (mut springs, x) = net(&mut random, [16, 8], false);
    // Springs as long as they are at rest, or shorter, have kinks, which differences do not see.
    for s in &mut springs {
        (s.damping, s.elongation_only) = (0.0, false);
    }
    springs.retain(|s| (x[s.i as usize] - x[s.j as usize]).norm() > 0.05);
    let n = x.len();
    let parts = parts(&springs);
    let check = ForceFieldCheck::new(&parts, x, random.derivs(n)).seed(1);
    check.internal().symmetric().conservative().assembled().run();
}
