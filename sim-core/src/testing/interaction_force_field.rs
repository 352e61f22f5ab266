//! The conformance check of a force field between two states.

use super::Random;
use super::vectors::{compare, difference, flat, inner};
use crate::component::MechanicalParams;
use crate::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, Coord1, Coord2, Deriv1, Deriv2,
    InteractionForceField, InteractionForceFieldParts,
};
use crate::component::matrix::{BlockSinkBetween, End};
use crate::math::{Coord, Deriv, Mat3, Vec3};
use engine::data::Adder;

/// What a check assumes and demands.
///
/// Always: forces are added to what is there, both sides together leave the momentum as it is, and `add_d_force` is the
/// derivative of `add_force` at rest, by central differences.
pub struct InteractionForceFieldCheck<'a, F: InteractionForceField> {
    parts: &'a InteractionForceFieldParts<F>,
    x1: Vec<Coord1<F>>,
    x2: Vec<Coord2<F>>,
    seed: u64,
    conservative: bool,
    assembled: bool,
}

/// Displacements, forces or velocities of both states.
type Both<F> = (Vec<Deriv1<F>>, Vec<Deriv2<F>>);

/// Half the distance of the central differences [m].
const H: f64 = 1e-6;

impl<'a, F: InteractionForceField> InteractionForceFieldCheck<'a, F> {
    /// Of a force field at these positions.
    pub fn new(parts: &'a InteractionForceFieldParts<F>, x1: Vec<Coord1<F>>, x2: Vec<Coord2<F>>) -> Self {
        Self { parts, x1, x2, seed: 0, conservative: false, assembled: false }
    }
    /// Demands that forces are minus the gradient of the potential energy.
    pub fn conservative(mut self) -> Self {
        self.conservative = true;
        self
    }
    /// Demands the blocks of the tangent, at places that do not depend on positions.
    pub fn assembled(mut self) -> Self {
        self.assembled = true;
        self
    }
    /// Of the random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs the check.
    ///
    /// # Panics
    /// Where anything disagrees.
    pub fn run(self) {
        let mut random = Random::new(self.seed);
        let zero = self.zero();
        let f = self.force(0.0, &zero, zero.clone());
        let before: Both<F> = (random.derivs(self.x1.len()), random.derivs(self.x2.len()));
        let after = self.force(0.0, &zero, before.clone());
        self.compare(
            "forces added to others, and alone",
            &sum(&flat_both::<F>(&before), &flat_both::<F>(&f), 1.0),
            &flat_both::<F>(&after),
            1e-12,
        );
        let total: Vec3 = f.0.iter().map(Deriv::linear).chain(f.1.iter().map(Deriv::linear)).sum();
        let size = flat_both::<F>(&f).iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        assert!(size > 0.0, "{}", self.name("no force at these positions proves nothing"));
        assert!(total.norm() <= 1e-12 * size, "{}: {total:?}", self.name("forces change the momentum"));
        for _ in 0..4 {
            let d: Both<F> = (random.derivs(self.x1.len()), random.derivs(self.x2.len()));
            let tangent = self.d_force(&d);
            let (ahead, behind) = (self.force(H, &d, zero.clone()), self.force(-H, &d, zero.clone()));
            let slope = (difference(&ahead.0, &behind.0, 2.0 * H), difference(&ahead.1, &behind.1, 2.0 * H));
            let (tangent, slope) = (flat_both::<F>(&tangent), flat_both::<F>(&slope));
            self.compare("add_d_force and the difference of forces", &tangent, &slope, 1e-6);
            if self.conservative {
                let work = inner(&f.0, &d.0) + inner(&f.1, &d.1);
                let slope = (self.energy(H, &d) - self.energy(-H, &d)) / (2.0 * H);
                self.compare("work and minus the difference of energies", &[work], &[-slope], 1e-6);
            }
            if self.assembled {
                let blocks = self.blocks(0.0, &d);
                self.compare("blocks and add_d_force", &self.times(&blocks, &d), &tangent, 1e-12);
                let places = |b: &Blocks| b.0.iter().map(|b| (b.0, b.1)).collect::<Vec<_>>();
                assert_eq!(
                    places(&blocks),
                    places(&self.blocks(1.0, &d)),
                    "{}",
                    self.name("blocks move with positions")
                );
            }
        }
    }

    fn name(&self, what: &str) -> String {
        format!("{} (seed {}): {what}", F::NAME, self.seed)
    }

    fn compare(&self, what: &str, a: &[f64], b: &[f64], tolerance: f64) {
        compare(&self.name(what), a, b, tolerance);
    }

    fn zero(&self) -> Both<F> {
        (vec![Deriv::zero(); self.x1.len()], vec![Deriv::zero(); self.x2.len()])
    }

    /// The positions, moved by h d.
    fn moved(&self, h: f64, d: &Both<F>) -> (Vec<Coord1<F>>, Vec<Coord2<F>>) {
        let first = self.x1.iter().zip(&d.0).map(|(x, d)| x.moved(&(*d * h))).collect();
        let second = self.x2.iter().zip(&d.1).map(|(x, d)| x.moved(&(*d * h))).collect();
        (first, second)
    }

    /// Forces at moved positions, added to some.
    fn force(&self, h: f64, d: &Both<F>, mut f: Both<F>) -> Both<F> {
        let ((x1, x2), (v1, v2)) = (self.moved(h, d), self.zero());
        let at = AddForceBetween {
            params: MechanicalParams { dt: 0.01, time: 0.0 },
            elements: &self.parts.elements,
            f1: Adder::direct(&mut f.0),
            f2: Adder::direct(&mut f.1),
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
        };
        F::add_force(&self.parts.constants, at);
        f
    }

    fn d_force(&self, d: &Both<F>) -> Both<F> {
        let (mut df, (v1, v2)) = (self.zero(), self.zero());
        let at = AddDForceBetween {
            k_factor: 1.0,
            elements: &self.parts.elements,
            df1: Adder::direct(&mut df.0),
            df2: Adder::direct(&mut df.1),
            x1: &self.x1,
            x2: &self.x2,
            v1: &v1,
            v2: &v2,
            dx1: &d.0,
            dx2: &d.1,
        };
        F::add_d_force(&self.parts.constants, at);
        df
    }

    fn energy(&self, h: f64, d: &Both<F>) -> f64 {
        let (x1, x2) = self.moved(h, d);
        let energy = F::potential_energy(&self.parts.constants, &self.parts.elements, &x1, &x2);
        energy.unwrap_or_else(|| panic!("{}", self.name("no potential energy is defined")))
    }

    fn blocks(&self, h: f64, d: &Both<F>) -> Blocks {
        let ((x1, x2), (v1, v2)) = (self.moved(h, d), self.zero());
        let mut blocks = Blocks::default();
        let at = AddKToMatrixBetween {
            k_factor: 1.0,
            elements: &self.parts.elements,
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
            matrix: &mut blocks,
        };
        F::add_k_to_matrix(&self.parts.constants, at);
        blocks
    }

    /// The blocks' product with displacements of both states.
    fn times(&self, blocks: &Blocks, d: &Both<F>) -> Vec<f64> {
        let d = flat_both::<F>(d);
        let n1 = self.x1.len() * Deriv1::<F>::SIZE;
        let first = |(end, block): (End, u32)| 3 * block as usize + if end == End::First { 0 } else { n1 };
        let mut product = vec![0.0; d.len()];
        for (row, column, block) in &blocks.0 {
            let part = block * Vec3::from_column_slice(&d[first(*column)..][..3]);
            product[first(*row)..][..3].iter_mut().zip(part.iter()).for_each(|(sum, p)| *sum += p);
        }
        product
    }
}

/// Blocks with their places.
#[derive(Default)]
struct Blocks(Vec<(Place, Place, Mat3)>);

/// A block row or column of a state.
type Place = (End, u32);

impl BlockSinkBetween for Blocks {
    fn add_block(&mut self, row: (End, u32), column: (End, u32), block: &Mat3) {
        self.0.push((row, column, *block));
    }
}

fn flat_both<F: InteractionForceField>((first, second): &Both<F>) -> Vec<f64> {
    [flat(first), flat(second)].concat()
}

/// a + h b.
fn sum(a: &[f64], b: &[f64], h: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + h * b).collect()
}
