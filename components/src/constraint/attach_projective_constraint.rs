//! `AttachProjectiveConstraint`: points of one state that are held to those of another.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points of one state that are held to those of another, or of the same, under one solver.
#[derive(Attributes)]
#[attributes(
    ignored("topology", "showObject"),
    unsupported(
        "freeRotations",
        "lastFreeRotation",
        "restRotations",
        "clamp",
        default = "false",
        summary = "leaves rotations of frames as they are, or stops points at a plane"
    ),
    unsupported("lastPos", "lastDir", summary = "frees points that pass a plane"),
    unsupported("minDistance", default = "-1", summary = "frees points that are farther apart")
)]
struct Settings {
    /// the state that leads; that of this node, or above, if not given
    object1: Option<LinkTarget>,
    /// the state that follows; that of this node, or above, if not given
    object2: Option<LinkTarget>,
    /// points of the first state
    indices1: Indices,
    /// points of the second state
    indices2: Indices,
    /// whether the motion of both points of a pair becomes their mean, and not that of the first alone
    two_way: bool,
    /// how much of the way to the mean positions go, of points; 1: all
    #[attribute(default = "1")]
    position_factor: Real,
    /// the same of velocities
    #[attribute(default = "1")]
    velocity_factor: Real,
    /// the same of forces and displacements, where both points move
    #[attribute(default = "1")]
    response_factor: Real,
    /// a further factor for each pair; none: 1
    constraint_factor: Vec<Real>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "AttachProjectiveConstraint", build)
        .old_names(&["AttachConstraint"])
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Rigid2"])
        .samples(&[
            Sample::new("indices1='0 1' indices2='10 11' twoWay='1'").template("Vec3"),
            Sample::new("indices1='0' indices2='11'").template("Vec3"),
            Sample::new("indices1='0' indices2='2'").template("Rigid3"),
        ]);

/// What holds for all pairs.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    two_way: bool,
    position: Real,
    velocity: Real,
    response: Real,
}

/// Two points, and the factor of their pair.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    points: [u32; 2],
    factor: Real,
}

/// Points held to points.
///
/// **Source:** as SOFA's. One way, the second point of a pair gets no displacement; two ways, both get the mean. After the solve the
/// second point moves half of the way to the first, which stays where it is, and both get the mean of their velocities: with one way,
/// too. Positions and velocities are drawn together by `positionFactor` and `velocityFactor`, displacements by `responseFactor`, each
/// times the pair's `constraintFactor`. An assembled matrix clears the rows of the second points where the attachment is one way.
pub struct AttachPoints<S>(PhantomData<S>);

impl<S: StateType> AttachPoints<S> {
    /// A vector of a point, and how it is drawn to the other: half of the way, times a factor.
    fn drawn(own: DerivOfState<S>, other: DerivOfState<S>, factor: Real) -> DerivOfState<S> {
        own + (other - own) * (0.5 * factor)
    }
}

type DerivOfState<S> = <S as StateType>::Deriv;

impl<S: StateType> ProjectiveConstraintBetween for AttachPoints<S>
where
    S::Coord: Apart<S::Deriv>,
{
    type State = S;
    type Constants = Attachment;
    type Element = Pair;
    const NAME: &'static str = DESCRIPTION.class;

    fn points(pair: &Pair) -> [u32; 2] {
        pair.points
    }

    fn project_response(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        match (c.two_way, at.end) {
            (true, _) => Self::drawn(own, other, c.response * at.element.factor),
            (false, 0) => own,
            (false, _) => S::Deriv::zero(),
        }
    }

    fn project_velocity(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        Self::drawn(own, other, c.velocity * at.element.factor)
    }

    fn project_position(c: &Attachment, at: PairOf<'_, Self>, own: S::Coord, other: S::Coord) -> S::Coord {
        if at.end == 0 {
            own
        } else {
            own.moved(&(other.apart(&own) * (0.5 * c.position * at.element.factor)))
        }
    }

    fn clears_rows(c: &Attachment, end: usize) -> bool {
        end == 1 && !c.two_way
    }
}

/// Points that have a difference.
pub trait Apart<D> {
    /// From another point to this one.
    fn apart(&self, from: &Self) -> D;
}

macro_rules! apart {
    ($($Point:ty),*) => {$(
        impl Apart<$Point> for $Point {
            fn apart(&self, from: &Self) -> $Point {
                self - from
            }
        }
    )*};
}
apart!(Vec3, sim_core::math::Vec2, sim_core::math::Vec1);

/// Frames held to frames.
///
/// **Source:** as SOFA's: the second frame of a pair stands where the first does, and moves as it. One way, it gets no displacement;
/// two ways, both get the sum. No factor counts. An assembled matrix clears the rows of the second frames where the attachment is one way.
pub struct AttachFrames<S>(PhantomData<S>);

impl<S: StateType> ProjectiveConstraintBetween for AttachFrames<S> {
    type State = S;
    type Constants = Attachment;
    type Element = Pair;
    const NAME: &'static str = DESCRIPTION.class;

    fn points(pair: &Pair) -> [u32; 2] {
        pair.points
    }

    fn project_response(c: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        match (c.two_way, at.end) {
            (true, _) => own + other,
            (false, 0) => own,
            (false, _) => S::Deriv::zero(),
        }
    }

    fn project_velocity(_: &Attachment, at: PairOf<'_, Self>, own: S::Deriv, other: S::Deriv) -> S::Deriv {
        if at.end == 0 { own } else { other }
    }

    fn project_position(_: &Attachment, at: PairOf<'_, Self>, own: S::Coord, other: S::Coord) -> S::Coord {
        if at.end == 0 { own } else { other }
    }

    fn clears_rows(c: &Attachment, end: usize) -> bool {
        end == 1 && !c.two_way
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = |link: Option<LinkTarget>, name: &str| match link {
        Some(target) => b.state_at(target, name),
        None => b.state(),
    };
    let states = [state(s.object1, "object1")?, state(s.object2, "object2")?];
    let (first, second) = (s.indices1.below(b.size(states[0]))?, s.indices2.below(b.size(states[1]))?);
    if first.len() != second.len() {
        let (n, m) = (first.len(), second.len());
        b.warn(
            Some("indices2"),
            format!("{n} points are attached to {m}: those that are left over stay free"),
        );
    }
    let mut named: Vec<(usize, u32)> = first.iter().map(|p| (0, *p)).collect();
    named.extend(second.iter().map(|p| (usize::from(states[0] != states[1]), *p)));
    named.sort_unstable();
    if let Some(twice) = named.windows(2).find(|w| w[0] == w[1]) {
        let text = format!("point {} is attached twice; leave one of the pairs out", twice[0].1);
        return Err(BuildError::attribute("indices2", text));
    }
    let factors = &s.constraint_factor;
    let n = first.len().min(second.len());
    if !factors.is_empty() && factors.len() < n {
        let text = format!("`constraintFactor` has {} entries for {n} pairs", factors.len());
        return Err(BuildError::attribute("constraintFactor", text));
    }
    if factors.iter().any(|f| !(0.0..=1.0).contains(f)) {
        b.warn(Some("constraintFactor"), "factors should be from 0 (free) to 1 (attached)");
    }
    let pair = |(k, (a, b)): (usize, (&u32, &u32))| Pair {
        points: [*a, *b],
        factor: factors.get(k).copied().unwrap_or(1.0),
    };
    let pairs: Vec<Pair> = first.iter().zip(&second).enumerate().map(pair).collect();
    let c = Attachment {
        two_way: s.two_way,
        position: s.position_factor,
        velocity: s.velocity_factor,
        response: s.response_factor,
    };
    match b.scene.initial(states[0]).template() {
        "Vec3" => b.add_projective_constraint_between::<AttachPoints<Vec3Type>>(states, c, &pairs),
        "Vec2" => b.add_projective_constraint_between::<AttachPoints<Vec2Type>>(states, c, &pairs),
        "Vec1" => b.add_projective_constraint_between::<AttachPoints<Vec1Type>>(states, c, &pairs),
        "Rigid2" => b.add_projective_constraint_between::<AttachFrames<Rigid2Type>>(states, c, &pairs),
        "Rigid3" => b.add_projective_constraint_between::<AttachFrames<Rigid3Type>>(states, c, &pairs),
        other => {
            Err(BuildError::new(format!("points of a state of the template {other} cannot be attached")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn points_meet_half_way_and_move_as_their_mean() {
        let mut t = TestScene::new();
        let nodes = ["a", "b"].map(|name| t.child(t.root(), name));
        let state = |t: &mut TestScene, node, position, velocity| {
            let given = [("position", position), ("velocity", velocity)];
            let c = t.add(&mechanical_object::DESCRIPTION, node, &given).unwrap();
            t.scene.state_of_component(c).unwrap()
        };
        let a = state(&mut t, nodes[0], "0 0 0 1 0 0", "0 0 0 2 0 0");
        let b = state(&mut t, nodes[1], "3 0 0 5 0 0", "4 0 0 0 0 0");
        let links = [("object1", LinkTarget::Node(nodes[0])), ("object2", LinkTarget::Node(nodes[1]))];
        let root = t.root();
        t.add_linked(&DESCRIPTION, root, &[("indices1", "1"), ("indices2", "0")], &links).unwrap();
        let (a, b) = (t.scene.initial_as::<Vec3Type>(a).unwrap(), t.scene.initial_as::<Vec3Type>(b).unwrap());
        assert_eq!((a.position[1].x, b.position[0].x, b.position[1].x), (1.0, 2.0, 5.0));
        assert_eq!((a.velocity[1].x, b.velocity[0].x, a.velocity[0].x), (3.0, 3.0, 0.0));
        assert_eq!(t.scene.parts.constraints.len(), 2);
        let twice = [("indices1", "1 1"), ("indices2", "0 1")];
        let e = t.add_linked(&DESCRIPTION, root, &twice, &links).unwrap_err();
        assert!(e.message.contains("attached twice"), "{e}");
        let beyond = [("indices1", "7"), ("indices2", "0")];
        let e = t.add_linked(&DESCRIPTION, root, &beyond, &links).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices1"));
    }
}
