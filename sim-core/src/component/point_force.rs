//! Force fields that act on each point by itself: a plane, a ball, a cone.
//!
//! Their author writes the force on one point and its tangent. The loops over the points of a state, what is stored for the
//! tangent, and the places in assembled matrices are here, for every type of states.

use std::marker::PhantomData;

use super::attributes::{Attributes, PointRange};
use super::build::{BuildError, Builder};
use super::description::{ComponentDescription, Family, OneTemplate};
use super::following::RunTime;
use super::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use crate::math::{Coord, Deriv, Mat3, Real, StateType};
use crate::scene::StateId;
use crate::visitor::vectors::VectorsAccess;

/// Velocities and forces of a type of states without rotations, in as many dimensions as its points have.
pub type TranslationOf<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// What pushes each point by itself: the numbers of the component, and the force on a point.
///
/// A frame is pushed at its centre and feels no torque.
pub trait PointForce: Copy + Send + Sync + 'static {
    /// Positions [m], velocities [m/s] and forces [N] of a point.
    type Point: Deriv;
    /// What the tangent at a point needs, as the last force left it.
    type Tangent: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;

    /// The force [N] on a point at `x` with velocity `v`, and what its tangent needs; none where nothing acts.
    fn force(&self, x: &Self::Point, v: &Self::Point) -> Option<(Self::Point, Self::Tangent)>;

    /// The change of the force by a displacement `dx` [m], times `factor`.
    fn d_force(&self, tangent: &Self::Tangent, dx: &Self::Point, factor: Real) -> Self::Point;

    /// The matrix of [`Self::d_force`] [N/m]: three of its rows and three of its columns, those of a block each, times `factor`.
    fn block(&self, tangent: &Self::Tangent, row: usize, column: usize, factor: Real) -> Mat3;

    /// Whether the force changes with the velocity, so that [`Self::d_damping`] and [`Self::damping_block`] are written. Where it does and
    /// this says no, that change acts explicitly: implicit integrators do not see it, and a large one makes them diverge.
    const HAS_DAMPING: bool = false;

    /// The change of the force by a change `dv` of the velocity [m/s], times `factor`.
    fn d_damping(&self, tangent: &Self::Tangent, dv: &Self::Point, factor: Real) -> Self::Point {
        const { assert!(!Self::HAS_DAMPING, "a force with HAS_DAMPING needs d_damping") };
        let _ = (tangent, dv, factor);
        Self::Point::zero()
    }

    /// The matrix of [`Self::d_damping`] [N s/m], as [`Self::block`].
    fn damping_block(&self, tangent: &Self::Tangent, row: usize, column: usize, factor: Real) -> Mat3 {
        const { assert!(!Self::HAS_DAMPING, "a force with HAS_DAMPING needs damping_block") };
        let _ = (tangent, row, column, factor);
        Mat3::zeros()
    }

    /// Potential energy of a point [J], where the force has one.
    fn energy(&self, x: &Self::Point) -> Option<Real> {
        let _ = x;
        None
    }
}

/// The force field of a [`PointForce`] on a range of a state's points. The constants are the force, the first point and the one
/// after the last; what is stored of a point on which nothing acts is none.
pub struct PointForceField<S, P>(PhantomData<(S, P)>);

impl<S: StateType, P: PointForce<Point = TranslationOf<S>>> ForceField for PointForceField<S, P> {
    type State = S;
    type Constants = (P, [usize; 2]);
    type Element = ();
    type Stored = Option<P::Tangent>;
    const NAME: &'static str = P::NAME;

    fn add_force((push, [first, _]): &Self::Constants, at: AddForce<'_, Self>) {
        for (i, stored) in (*first..).zip(at.stored) {
            *stored = push.force(&at.x[i].position(), &at.v[i].translation()).map(|(force, tangent)| {
                at.f[i].add_translation(&force);
                tangent
            });
        }
    }

    fn add_d_force((push, [first, _]): &Self::Constants, at: AddDForce<'_, Self>) {
        for (i, tangent) in (*first..).zip(at.stored).filter_map(|(i, stored)| Some((i, stored.as_ref()?))) {
            let dx = at.dx[i].translation();
            at.df[i].add_translation(&push.d_force(tangent, &dx, at.k_factor));
            if P::HAS_DAMPING {
                at.df[i].add_translation(&push.d_damping(tangent, &dx, at.b_factor));
            }
        }
    }

    fn add_k_to_matrix((push, [first, _]): &Self::Constants, at: AddKToMatrix<'_, Self>) {
        let n = <P::Point as Deriv>::BLOCKS;
        for (i, tangent) in (*first..).zip(at.stored) {
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                // A point on which nothing acts writes zeros: the matrix keeps the places that it found at first.
                let block = |tangent| {
                    let block = push.block(tangent, row, column, at.k_factor);
                    if P::HAS_DAMPING {
                        block + push.damping_block(tangent, row, column, at.b_factor)
                    } else {
                        block
                    }
                };
                let block = tangent.as_ref().map_or(Mat3::zeros(), block);
                let of_point = |k: usize| (i * S::Deriv::BLOCKS + k) as u32;
                at.matrix.add_block(of_point(row), of_point(column), &block);
            }
        }
    }

    fn potential_energy((push, [first, end]): &Self::Constants, _: &[()], x: &[S::Coord]) -> Option<Real> {
        x[*first..*end].iter().map(|x| push.energy(&x.position())).sum()
    }
}

impl<S: StateType, P: PointForce<Point = TranslationOf<S>>> ForceFieldParts<PointForceField<S, P>> {
    /// A force on the points from the first of `range` to the one before its second.
    pub fn of_point_force(push: P, range: [usize; 2]) -> Self {
        Self::new((push, range), Vec::new(), vec![None; range[1] - range[0]])
    }
}

impl Builder<'_> {
    /// Puts a force on each of some points of a state, with the attributes of its family.
    ///
    /// # Errors
    /// A state of another template than the force's.
    pub fn add_point_force<S: VectorsAccess, P: PointForce<Point = TranslationOf<S>>>(
        &mut self,
        state: StateId,
        push: P,
        range: &PointRange,
    ) -> Result<(), BuildError> {
        let n = self.size(state);
        if let Some(remark) = range.remark(n) {
            self.warn(Some(range.name()), remark);
        }
        let range = range.of(n);
        self.add_force_field(state, ForceFieldParts::<PointForceField<S, P>>::of_point_force(push, range))
    }
}

impl ComponentDescription {
    /// A force on each point of states of one type, whose numbers are its attributes: nothing else is needed to build it.
    pub const fn of_point_force<S: VectorsAccess, P: PointForce<Point = TranslationOf<S>> + Attributes>()
    -> Self {
        let new = Self::new::<P>(Family::ForceField, P::NAME, build::<S, P>);
        new.templates(OneTemplate::<S>::TEMPLATES).at_run_time(RunTime::All)
    }
}

fn build<S: VectorsAccess, P: PointForce<Point = TranslationOf<S>> + Attributes>(
    b: &mut Builder<'_>,
) -> Result<(), BuildError> {
    let (state, push) = (b.state()?, P::read(b)?);
    b.add_point_force::<S, P>(state, push, &PointRange::ALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::force_field::ForceFieldParts;
    use crate::math::{Rigid3Type, RigidCoord, Vec3, Vec3Type};
    use crate::testing::{ForceFieldCheck, Random};

    /// A spring to the origin in a fluid.
    #[derive(Clone, Copy)]
    struct Drag {
        k: Real,
        b: Real,
    }

    impl PointForce for Drag {
        type Point = Vec3;
        type Tangent = ();
        const NAME: &'static str = "Drag";
        const HAS_DAMPING: bool = true;
        fn force(&self, x: &Vec3, v: &Vec3) -> Option<(Vec3, ())> {
            Some((-x * self.k - v * self.b, ()))
        }
        fn d_force(&self, (): &(), dx: &Vec3, factor: Real) -> Vec3 {
            -dx * (self.k * factor)
        }
        fn block(&self, (): &(), _: usize, _: usize, factor: Real) -> Mat3 {
            Mat3::identity() * (-self.k * factor)
        }
        fn d_damping(&self, (): &(), dv: &Vec3, factor: Real) -> Vec3 {
            -dv * (self.b * factor)
        }
        fn damping_block(&self, (): &(), _: usize, _: usize, factor: Real) -> Mat3 {
            Mat3::identity() * (-self.b * factor)
        }
    }

    #[test]
    fn damping_is_in_products_and_matrices() {
        let drag = Drag { k: 3.0, b: 0.7 };
        let (mut random, n) = (Random::new(5), 4);
        let (x, v) = (random.moved(&[Vec3::zeros(); 4], 1.0), random.derivs(n));
        let parts = ForceFieldParts::<PointForceField<Vec3Type, Drag>>::of_point_force(drag, [0, n]);
        ForceFieldCheck::new(&parts, x, v).symmetric().assembled().run();
        let (x, v) = (random.moved(&[RigidCoord::default(); 4], 1.0), random.derivs(n));
        let parts = ForceFieldParts::<PointForceField<Rigid3Type, Drag>>::of_point_force(drag, [1, n]);
        ForceFieldCheck::new(&parts, x, v).symmetric().assembled().run();
    }
}
