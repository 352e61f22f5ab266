//! The conformance check of a force field between two states.

use super::Random;
use super::vectors::{Joined, PADDING, Product, compare, difference, flat, in_blocks, inner};
use crate::component::MechanicalParams;
use crate::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, Coord1, Coord2, Deriv1, Deriv2,
    InteractionForceField, InteractionForceFieldParts,
};
use crate::component::matrix::{BlockSink, PatternSink};
use crate::math::{Coord, Deriv, Vec3};
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
            let (flat_tangent, slope) = (flat_both::<F>(&tangent), flat_both::<F>(&slope));
            self.compare("add_d_force and the difference of forces", &flat_tangent, &slope, 1e-6);
            if self.conservative {
                let work = inner(&f.0, &d.0) + inner(&f.1, &d.1);
                let slope = (self.energy(H, &d) - self.energy(-H, &d)) / (2.0 * H);
                self.compare("work and minus the difference of energies", &[work], &[-slope], 1e-6);
            }
            if self.assembled {
                let tangent = blocks_of_both::<F>(&tangent, 0.0);
                let mut product = Product::of_rows(blocks_of_both::<F>(&d, PADDING), tangent.len());
                self.add_k(0.0, &d, &mut product);
                self.compare("blocks and add_d_force", product.scalars(), &tangent, 1e-12);
                let [mut here, mut there] = [PatternSink::default(), PatternSink::default()];
                self.add_k(0.0, &d, &mut here);
                self.add_k(1.0, &d, &mut there);
                assert_eq!(here, there, "{}", self.name("blocks move with positions"));
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

    /// The blocks at moved positions.
    fn add_k<S: BlockSink>(&self, h: f64, d: &Both<F>, sink: &mut S) {
        let ((x1, x2), (v1, v2)) = (self.moved(h, d), self.zero());
        let at = AddKToMatrixBetween {
            k_factor: 1.0,
            elements: &self.parts.elements,
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
            matrix: &mut Joined { sink, n_first: (x1.len() * Deriv1::<F>::BLOCKS) as u32 },
        };
        F::add_k_to_matrix(&self.parts.constants, at);
    }
}

fn flat_both<F: InteractionForceField>((first, second): &Both<F>) -> Vec<f64> {
    [flat(first), flat(second)].concat()
}

fn blocks_of_both<F: InteractionForceField>((first, second): &Both<F>, padding: f64) -> Vec<f64> {
    [in_blocks(first, padding), in_blocks(second, padding)].concat()
}

/// a + h b.
fn sum(a: &[f64], b: &[f64], h: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + h * b).collect()
}
