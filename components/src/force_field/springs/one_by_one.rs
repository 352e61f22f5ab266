//! Springs of any type of state, one after the other.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::kind::SpringKind;
use super::spring::{Spring, Tangent};

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// Springs between points of one state, or between the centres of its frames, in as many dimensions as these have.
///
/// **Source:** as SOFA, whose springs of Vec6 have a length in six dimensions.
pub struct SpringsOneByOne<S, K>(PhantomData<(S, K)>);

impl<S: StateType, K: SpringKind> SpringsOneByOne<S, K> {
    /// The force field of some springs.
    pub fn parts(springs: Vec<Spring>) -> ForceFieldParts<Self> {
        let stored = vec![Tangent::default(); springs.len()];
        ForceFieldParts::new((), springs, stored)
    }
}

impl<S: StateType, K: SpringKind> ForceField for SpringsOneByOne<S, K> {
    type State = S;
    type Constants = ();
    type Element = Spring;
    type Stored = Tangent<Translation<S>>;
    const NAME: &'static str = K::NAME;
    const JOINS_STATES: bool = true;

    fn add_force(_: &(), AddForce { elements, stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let (i, j) = (s.i as usize, s.j as usize);
            let (v_i, v_j) = (v[i].translation(), v[j].translation());
            *tangent = Tangent::default();
            if let Some((force, t)) = s.force(&x[i].position(), &x[j].position(), &v_i, &v_j) {
                *tangent = t;
                f[i].add_translation(&force);
                f[j].add_translation(&-force);
            }
        }
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let (i, j) = (s.i as usize, s.j as usize);
            let d = tangent.times(&(dx[j].translation() - dx[i].translation())) * k_factor;
            df[i].add_translation(&d);
            df[j].add_translation(&-d);
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        if !K::ASSEMBLED {
            return;
        }
        for (s, tangent) in at.elements.iter().zip(at.stored) {
            let row = |[end, k]: [usize; 2]| [s.i, s.j][end] * S::Deriv::BLOCKS as u32 + k as u32;
            tangent.each_block(at.k_factor, |r, c, block| at.matrix.add_block(row(r), row(c), block));
        }
    }

    fn potential_energy(_: &(), springs: &[Spring], x: &[S::Coord]) -> Option<Real> {
        let energy = |s: &Spring| s.energy(&x[s.i as usize].position(), &x[s.j as usize].position());
        Some(springs.iter().map(energy).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::{RigidCoord, Vec1, Vec2, Vec6};
    use sim_core::testing::{ForceFieldCheck, Random};

    struct Assembled;
    impl SpringKind for Assembled {
        const NAME: &'static str = "springs";
        const ASSEMBLED: bool = true;
    }

    /// No length is near the rest length or 0, where a spring in few dimensions has no smooth force.
    fn conforms<S: VectorsAccess>(x: &[S::Coord], internal: bool) {
        let spring =
            Spring { i: 0, j: 1, stiffness: 100.0, damping: 0.0, length: 0.5, elongation_only: false };
        let springs = vec![spring, Spring { i: 2, j: 0, length: 3.0, ..spring }];
        let parts = SpringsOneByOne::<S, Assembled>::parts(springs);
        let v = Random::new(3).derivs(x.len());
        let check = ForceFieldCheck::new(&parts, x.to_vec(), v).seed(1);
        let check = if internal { check.internal() } else { check };
        check.symmetric().conservative().assembled().run();
    }

    #[test]
    fn springs_of_every_type_conform() {
        conforms::<Rigid3Type>(&Random::new(1).moved(&[RigidCoord::default(); 3], 1.0), true);
        conforms::<Vec3Type>(&Random::new(2).moved(&[Vec3::zeros(); 3], 1.0), true);
        conforms::<Vec1Type>(&[0.0, 1.5, -0.75].map(Vec1::new), false);
        conforms::<Vec2Type>(&Random::new(4).moved(&[Vec2::zeros(); 3], 1.0), false);
        conforms::<Vec6Type>(&Random::new(5).moved(&[Vec6::zeros(); 3], 1.0), false);
    }

    #[test]
    fn a_spring_of_six_dimensions_has_its_length_in_all_of_them() {
        let spring = Spring { i: 0, j: 1, stiffness: 2.0, damping: 0.0, length: 1.0, elongation_only: false };
        let x = [Vec6::zeros(), Vec6::new(0.0, 0.0, 0.0, 0.0, 3.0, 4.0)];
        let zero = Vec6::zeros();
        let (force, _) = spring.force(&x[0], &x[1], &zero, &zero).expect("it is long");
        assert!((force - x[1] * (8.0 / 5.0)).norm() < 1e-15);
        assert_eq!(spring.energy(&x[0], &x[1]), 16.0);
    }
}
