//! `RepulsiveSpringForceField`: listed springs that only push.

use std::marker::PhantomData;

use sim_core::math::Mat3;
use sim_core::prelude::*;
use sim_core::scene::StateId;

use super::spring_force_field::{ends, one_template, without_edges};
use super::springs::listed::SpringLists;
use super::springs::pair::{self, PairLaw};
use super::springs::{Spring, Tangent, following};

/// Listed springs between points of one object, or of two, that act only while they are shorter than their rest length.
#[derive(Attributes)]
#[attributes(
    ignored("showArrowSize", "drawMode"),
    ignored(
        "elongationOnly",
        "enabled",
        summary = "without effect in SOFA: each spring acts, and only pushes"
    )
)]
struct Settings {
    #[attribute(flatten)]
    lists: SpringLists,
    /// state of the first points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second points; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "RepulsiveSpringForceField", build)
        .follows(Following::of_pairs(following::follow).prepared(&["fileSprings"], without_edges))
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME])
        .samples(&[
            Sample::new("spring='0 1 150 0.02 1.7'"),
            Sample::new("object1='{first}' object2='{second}' spring='0 0 100 0.02 2.8 1 0 100 0.02 2.8'"),
        ]);

/// Springs that only push.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, where d < L and
/// not 0. The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: the law of a `SpringForceField` where a spring is shorter than its rest length, and not of length 0.
pub struct RepulsiveSprings<S>(PhantomData<S>);

/// Positions without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

fn only<D: Deriv>(t: &D::Translation) -> D {
    let mut d = D::zero();
    d.add_translation(t);
    d
}

impl<S: VectorsAccess> PairLaw for RepulsiveSprings<S> {
    type State = S;
    type Spring = Spring;
    type Tangent = Tangent<Translation<S>>;
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;

    fn ends(spring: &Spring) -> [u32; 2] {
        [spring.i, spring.j]
    }

    fn force(
        s: &Spring,
        [a, b]: [&S::Coord; 2],
        [v, w]: [&S::Deriv; 2],
    ) -> (S::Deriv, Tangent<Translation<S>>) {
        match s.push(&a.position(), &b.position(), &v.translation(), &w.translation()) {
            Some((force, tangent)) => (only(&force), tangent),
            None => (S::Deriv::zero(), Tangent::default()),
        }
    }

    fn product(tangent: &Tangent<Translation<S>>, d: &S::Deriv) -> S::Deriv {
        only(&tangent.times(&d.translation()))
    }

    fn block(tangent: &Tangent<Translation<S>>, row: usize, column: usize) -> Mat3 {
        tangent.block(row, column)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let states: [StateId; 2] = ends(b, [s.object1, s.object2])?;
    let n = states.map(|state| b.size(state));
    let springs = s.lists.expected_springs(b, None, n)?;
    one_template(b, states)?;
    for_state_type!(b, states[0], S in [Vec3Type, Vec2Type, Vec1Type] => {
        pair::add::<RepulsiveSprings<S>>(b, states, springs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::springs::pair::{PairsOfOne, PairsOfTwo};
    use sim_core::component::interaction_force_field::InteractionForceFieldParts;
    use sim_core::math::Vec1;
    use sim_core::testing::{ForceFieldCheck, InteractionForceFieldCheck, Random};

    const SPRING: Spring =
        Spring { i: 0, j: 1, stiffness: 100.0, damping: 0.0, length: 9.0, elongation_only: false };

    #[test]
    fn conforms() {
        let mut random = Random::new(6);
        let (x, v) = (random.derivs(3), random.derivs(3));
        let springs = vec![SPRING, Spring { i: 2, j: 0, ..SPRING }, Spring { length: 1e-3, ..SPRING }];
        let stored = vec![Tangent::default(); springs.len()];
        let parts = ForceFieldParts::<PairsOfOne<RepulsiveSprings<Vec3Type>>>::new((), springs, stored);
        ForceFieldCheck::new(&parts, x, v).seed(6).internal().symmetric().assembled().run();
        let parts =
            InteractionForceFieldParts::<PairsOfTwo<RepulsiveSprings<Vec3Type>>>::new((), vec![SPRING]);
        let (x, y) = (random.derivs(2), random.derivs(2));
        InteractionForceFieldCheck::new(&parts, x, y).seed(6).assembled().run();
    }

    #[test]
    fn pushes_while_it_is_short_and_has_a_direction() {
        let spring = Spring { length: 2.0, ..SPRING };
        let force = |d: f64| {
            let (x, v) = ([Vec1::zeros(), Vec1::new(d)], Vec1::zeros());
            RepulsiveSprings::<Vec1Type>::force(&spring, [&x[0], &x[1]], [&v, &v]).0.x
        };
        assert_eq!([force(0.5), force(-0.5)], [-150.0, 150.0]);
        assert_eq!([force(2.0), force(3.0), force(0.0)], [0.0; 3]);
    }
}
