//! `MouseSpringForceField`: a spring that pulls one point of a body to a target, as the mouse does. The file is long for points and
//! frames, which are gripped differently.

use std::marker::PhantomData;

use sim_core::math::{RigidCoord, RigidDeriv, rotate};
use sim_core::prelude::*;

/// A spring that pulls one point of a body to a target.
#[derive(Attributes)]
#[attributes(ignored("showArrowSize", "arrowSize"))]
struct Settings {
    /// the point, or the frame, that is pulled
    #[attribute(default = "0")]
    index: Index,
    /// the place that is pulled, in the axes of a frame [m]
    #[attribute(default = "0 0 0")]
    local_position: Vec3,
    /// where it is pulled to [m]
    #[attribute(default = "0 0 0")]
    target: Vec3,
    /// stiffness [N/m]
    #[attribute(default = "1000", non_negative)]
    stiffness: Real,
    /// damping of the point's velocity [N s/m]
    #[attribute(default = "0", non_negative)]
    damping: Real,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "MouseSpringForceField", build)
        .templates(&[Vec3Type::NAME, Rigid3Type::NAME])
        .samples(&[Sample::new("index='0' target='1 3 1' stiffness='50' damping='0.01'")]);

/// The spring. What may change between steps is a [`Pull`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MouseSpring {
    /// The point or frame that is pulled.
    pub index: u32,
    /// The place that is pulled in the axes of a frame [m]; points ignore it.
    pub local: Vec3,
    /// Where it is pulled to [m].
    pub target: Vec3,
    /// Stiffness k [N/m].
    pub stiffness: Real,
    /// Damping c [N s/m].
    pub damping: Real,
}

/// What may change of a spring between steps: no plan depends on it. The point that is pulled stays, since kernels index
/// by it.
#[derive(Debug)]
pub struct Pull<'a> {
    /// Where it pulls to [m].
    pub target: &'a mut Vec3,
    /// Stiffness k [N/m].
    pub stiffness: &'a mut Real,
    /// Damping c [N s/m].
    pub damping: &'a mut Real,
}

impl MouseSpring {
    /// What may change of it.
    pub fn pull(&mut self) -> Pull<'_> {
        Pull { target: &mut self.target, stiffness: &mut self.stiffness, damping: &mut self.damping }
    }
}

/// The force f = -k (p - target) - c p' on a place p of a body; on a frame with its torque r x f, r the arm from the center.
///
/// **Source:** as SOFA's attached body (a StiffSpringForceField of rest length 0 between mouse and body); here damping acts in
/// all directions, so that what hangs on the mouse comes to rest. The tangent holds the arm, and is symmetric.
pub struct MouseSpringForceField<S>(PhantomData<S>);

/// What the spring needs of a state's points or frames.
pub trait Gripped: StateType {
    /// From the center to the place that is pulled [m].
    fn arm(x: &Self::Coord, local: &Vec3) -> Vec3;
    /// The velocity (or displacement) of the place.
    fn motion(d: &Self::Deriv, arm: &Vec3) -> Vec3;
    /// Adds a force on the place.
    fn push(f: &mut Self::Deriv, arm: &Vec3, force: &Vec3);
    /// Adds the blocks of J^T J times a factor, J the map from velocity to the place's.
    fn blocks(index: u32, arm: &Vec3, factor: Real, matrix: &mut dyn BlockSink);
}

impl Gripped for Vec3Type {
    fn arm(_: &Vec3, _: &Vec3) -> Vec3 {
        Vec3::zeros()
    }
    fn motion(d: &Vec3, _: &Vec3) -> Vec3 {
        *d
    }
    fn push(f: &mut Vec3, _: &Vec3, force: &Vec3) {
        *f += force;
    }
    fn blocks(index: u32, _: &Vec3, factor: Real, matrix: &mut dyn BlockSink) {
        matrix.add_block(index, index, &(Mat3::identity() * factor));
    }
}

impl Gripped for Rigid3Type {
    fn arm(x: &RigidCoord, local: &Vec3) -> Vec3 {
        rotate(&x.orientation, local)
    }
    fn motion(d: &RigidDeriv, arm: &Vec3) -> Vec3 {
        d.linear + d.angular.cross(arm)
    }
    fn push(f: &mut RigidDeriv, arm: &Vec3, force: &Vec3) {
        f.linear += force;
        f.angular += arm.cross(force);
    }
    fn blocks(index: u32, arm: &Vec3, factor: Real, matrix: &mut dyn BlockSink) {
        let (linear, angular) = (2 * index, 2 * index + 1);
        // J = [1, -r]: a cross product as a matrix.
        let r = arm.cross_matrix();
        matrix.add_block(linear, linear, &(Mat3::identity() * factor));
        matrix.add_block(linear, angular, &(r * -factor));
        matrix.add_block(angular, linear, &(r * factor));
        matrix.add_block(angular, angular, &(r * r * -factor));
    }
}

impl<S: Gripped> ForceField for MouseSpringForceField<S> {
    type State = S;
    type Constants = ();
    type Element = MouseSpring;
    /// The arm of each spring at the last `add_force` [m].
    type Stored = Vec3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (s, stored) in elements.iter().zip(stored) {
            let i = s.index as usize;
            let arm = S::arm(&x[i], &s.local);
            let stretch = x[i].center() + arm - s.target;
            S::push(&mut f[i], &arm, &(stretch * -s.stiffness - S::motion(&v[i], &arm) * s.damping));
            *stored = arm;
        }
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        for (s, arm) in at.elements.iter().zip(at.stored) {
            let i = s.index as usize;
            let factor = -(at.k_factor * s.stiffness + at.b_factor * s.damping);
            S::push(&mut at.df[i], arm, &(S::motion(&at.dx[i], arm) * factor));
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        for (s, arm) in at.elements.iter().zip(at.stored) {
            let factor = -(at.k_factor * s.stiffness + at.b_factor * s.damping);
            S::blocks(s.index, arm, factor, at.matrix);
        }
    }

    fn potential_energy(_: &(), springs: &[MouseSpring], x: &[S::Coord]) -> Option<Real> {
        let of = |s: &MouseSpring| {
            let at = &x[s.index as usize];
            0.5 * s.stiffness * (at.center() + S::arm(at, &s.local) - s.target).norm_squared()
        };
        Some(springs.iter().map(of).sum())
    }
}

/// What the scene takes over for one spring.
pub fn parts<S: Gripped>(spring: MouseSpring) -> ForceFieldParts<MouseSpringForceField<S>> {
    ForceFieldParts::new((), vec![spring], vec![Vec3::zeros()])
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let index = s.index.below(b.size(state))?;
    let Settings { local_position: local, target, stiffness, damping, .. } = s;
    let spring = MouseSpring { index, local, target, stiffness, damping };
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type] => b.add_force_field(state, parts::<S>(spring)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::testing::{ForceFieldCheck, Random};

    fn spring(damping: Real) -> MouseSpring {
        MouseSpring {
            index: 2,
            local: Vec3::new(0.3, -0.2, 0.5),
            target: Vec3::new(1.0, 2.0, -1.0),
            stiffness: 40.0,
            damping,
        }
    }

    fn conforms<S: Gripped>(rest: S::Coord) {
        let x: Vec<S::Coord> = Random::new(2).moved(&[rest; 4], 1.0);
        let v: Vec<S::Deriv> = Random::new(3).derivs(4);
        let undamped = parts::<S>(spring(0.0));
        ForceFieldCheck::new(&undamped, x.clone(), v.clone())
            .frozen(hold_arm::<S>)
            .seed(1)
            .symmetric()
            .assembled()
            .run();
        ForceFieldCheck::new(&undamped, x.clone(), v.clone()).frozen(hold_arm::<S>).conservative().run();
        let damped = parts::<S>(spring(3.0));
        ForceFieldCheck::new(&damped, x, v).frozen(hold_arm::<S>).seed(4).symmetric().assembled().run();
    }

    /// The force whose torque and damping are those of the arm as it was stored.
    fn hold_arm<S: Gripped>(
        _: &(),
        springs: &[MouseSpring],
        arms: &[Vec3],
        f: &mut [S::Deriv],
        x: &[S::Coord],
        v: &[S::Deriv],
    ) {
        for (s, arm) in springs.iter().zip(arms) {
            let i = s.index as usize;
            let stretch = x[i].center() + S::arm(&x[i], &s.local) - s.target;
            let force = stretch * -s.stiffness - S::motion(&v[i], arm) * s.damping;
            S::push(&mut f[i], arm, &force);
        }
    }

    #[test]
    fn conforms_on_points() {
        conforms::<Vec3Type>(Vec3::zeros());
    }

    #[test]
    fn conforms_on_frames() {
        conforms::<Rigid3Type>(RigidCoord::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "4")]).unwrap();
        t.add(&DESCRIPTION, root, &[("index", "3"), ("target", "0 1 0")]).unwrap();
        for (name, value) in [("index", "4"), ("index", "-1"), ("stiffness", "-1"), ("damping", "-2")] {
            let e = t.add(&DESCRIPTION, root, &[(name, value)]).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(name));
        }
    }
}
