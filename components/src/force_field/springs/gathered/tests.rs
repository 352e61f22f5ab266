//! Gathered springs have the bits of springs that are added one after the other.

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

/// Springs in a strip of `n` points, at most `reach` numbers apart, in no order: some only pull, some join a point to itself or a twin.
fn strip(random: &mut Random, n: u32, reach: u32, count: usize) -> (Vec<Spring>, Vec<Vec3>) {
    let mut below = |n: u32| ((random.real().abs() * 1e7) as u32) % n;
    let mut springs: Vec<Spring> = Vec::new();
    for k in 0..count {
        let i = below(n);
        let j = if k % 97 == 0 { i } else { (i + below(reach)).min(n - 1) };
        let (i, j) = if k % 2 == 0 { (i, j) } else { (j, i) };
        let numbers = [below(1000), below(1000)].map(|n| Real::from(n) * 1e-3);
        springs.push(Spring {
            i,
            j,
            stiffness: 50.0 + 20.0 * numbers[0],
            damping: numbers[1],
            length: 0.7 + 0.5 * numbers[0],
            elongation_only: k % 5 == 0,
        });
    }
    let mut x = random.moved(&vec![Vec3::zeros(); n as usize], 1.0);
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

#[test]
fn bits_are_those_of_springs_one_after_the_other() {
    let mut random = Random::new(1);
    for (n, reach, count, rings) in [
        (300, 12, 700, 0..256),
        (300, 30, 3000, 256..1025),
        (2000, 40, 9000, 256..4097),
        (1500, 2, 1499, 0..256),
    ] {
        let (springs, x) = strip(&mut random, n, reach, count);
        let (v, dx): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(n as usize), random.derivs(n as usize));
        let parts = GatheredSprings::<Assembled>::parts(&springs);
        let mut parts =
            parts.unwrap_or_else(|| panic!("{n} points, {count} springs: they are many, and short"));
        assert!(rings.contains(&parts.constants.ring), "{}", parts.constants.ring);
        let gathered = evaluate(&mut parts, [&x, &v, &dx]);
        let blocks = evaluate(&mut BlockSprings::<Assembled>::parts(&springs), [&x, &v, &dx]);
        assert!(gathered == blocks, "{n} points, {count} springs");
        let listed = parts.elements.iter().flat_map(SpringGroup::springs).count();
        assert_eq!(listed, springs.len());
    }
}

#[test]
fn all_instructions_have_the_same_bits() {
    let mut random = Random::new(2);
    let (springs, x) = strip(&mut random, 300, 12, 700);
    let (v, dx): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(300), random.derivs(300));
    let mut parts = GatheredSprings::<Assembled>::parts(&springs).expect("they are many, and short");
    let (f, df, ..) = evaluate(&mut parts, [&x, &v, &dx]);
    let ring = parts.constants.ring;
    for instructions in Instructions::available() {
        let (groups, mut tangents) = (&parts.elements[..], parts.stored.clone());
        let (mut g, mut dg) = (dx.clone(), v.clone());
        let kernel =
            ForceKernel::<{ ROWS[0] }> { ring, groups, tangents: &mut tangents, f: &mut g, x: &x, v: &v };
        dispatch_with(instructions, kernel);
        let kernel = ProductKernel::<{ ROWS[0] }> {
            ring,
            k_factor: 0.3,
            groups,
            tangents: &tangents,
            df: &mut dg,
            dx: &dx,
        };
        dispatch_with(instructions, kernel);
        assert!(g == f && dg == df, "{instructions:?}");
    }
}

#[test]
fn conforms() {
    let mut random = Random::new(3);
    let (mut springs, x) = strip(&mut random, 60, 12, 700);
    // Springs as long as they are at rest, or shorter, have kinks, which differences do not see.
    for s in &mut springs {
        (s.damping, s.elongation_only) = (0.0, false);
    }
    springs.retain(|s| (x[s.i as usize] - x[s.j as usize]).norm() > 0.05);
    let parts = GatheredSprings::<Assembled>::parts(&springs).expect("they are many, and short");
    let check = ForceFieldCheck::new(&parts, x, random.derivs(60)).seed(1);
    check.internal().symmetric().conservative().assembled().run();
}
