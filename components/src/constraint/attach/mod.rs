//! `AttachProjectiveConstraint`: points of one state that are held to those of another. The file is long for the 16 attributes of SOFA's
//! class and what they may not be together.
//!
//! Of a pair of points: one way the displacement d₂ = 0, two ways d₁ = d₂ = (d₁ + d₂)/2. After the solve x₂ becomes (x₁ + x₂)/2, and both
//! velocities (v₁ + v₂)/2, also one way. With a factor s, `positionFactor` and the like times the pair's `constraintFactor`, each goes s
//! times that way: a + s (b − a)/2.
//!
//! Of a pair of frames: x₂ becomes x₁ and v₂ becomes v₁; one way d₂ = 0, two ways d₁ = d₂ = d₁ + d₂. No factor counts. What is free of
//! rotations is left out.
//!
//! Displacements stand for the forces and motions in linear solvers. In an assembled matrix rows are cleared one way only, those that the
//! second points' numbers have in the first state, as in SOFA.

mod frames;
mod pairs;
mod points;

use std::collections::BTreeSet;

use sim_core::math::{Quat, rotate};
use sim_core::prelude::*;

use frames::AttachFrames;
use pairs::{Attachment, Pair};
use points::AttachPoints;

/// Points of one state that are held to those of another, or of the same, under one solver.
#[derive(Attributes)]
#[attributes(ignored("topology", "showObject"))]
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
    /// whether rotations of frames stay free
    free_rotations: bool,
    /// whether those of the last frame that is attached do
    last_free_rotation: bool,
    /// whether the second frame of a pair keeps its x axis along the way to the next point of its state at rest; of Rigid3
    rest_rotations: bool,
    /// where pairs end [m]: those whose first point is beyond, along `lastDir`, do not act
    #[attribute(default = "0 0 0")]
    last_pos: Vec3,
    /// direction in which pairs end; zero: they do not
    #[attribute(default = "0 0 0")]
    last_dir: Vec3,
    /// whether the second point of a pair that has ended is held to `lastPos`, instead of being free
    clamp: bool,
    /// pairs whose points are farther apart do not act [m]; -1: all do
    #[attribute(default = "-1")]
    min_distance: Real,
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
            Sample::new("indices1='0' indices2='2' twoWay='1' freeRotations='1'").template("Rigid3"),
            Sample::new("indices1='0 1' indices2='10 11' twoWay='1' minDistance='0.5' endTime='0.05'")
                .template("Vec3"),
            // The last pair counts. Two points attached to one would flatten an element.
            Sample::new("indices1='0 3' indices2='11 11'").template("Vec3"),
        ]);

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
    let is_within = states[0] == states[1];
    if s.min_distance != -1.0 && has_twice(if is_within { &first } else { &[] }, &second) {
        let text = "a second point is in several pairs: with `minDistance` whether a pair acts would depend on what the pairs before have made of it; leave out all but one of these";
        return Err(BuildError::attribute("minDistance", text));
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
    let rest = if s.rest_rotations { rest_rotations(b, states[1], &second) } else { Vec::new() };
    let pair = |(k, (a, b)): (usize, (&u32, &u32))| {
        let factor = factors.get(k).copied().unwrap_or(1.0);
        Pair::new([*a, *b], factor, rest.get(k).copied().unwrap_or_else(Quat::identity))
    };
    let pairs: Vec<Pair> = first.iter().zip(&second).enumerate().map(pair).collect();
    let c = Attachment {
        two_way: s.two_way,
        position: s.position_factor,
        velocity: s.velocity_factor,
        response: s.response_factor,
        last: (s.last_dir.norm() > 1e-10).then_some((s.last_pos, s.last_dir)),
        clamp: s.clamp,
        min_distance: (s.min_distance != -1.0).then_some(s.min_distance),
        free_rotations: s.free_rotations,
        last_free_rotation: s.last_free_rotation,
    };
    if c.last.is_some() && !c.clamp && !c.two_way {
        let text = "an assembled matrix goes on without the rows of points that have become free; use a CGLinearSolver";
        b.warn(Some("lastDir"), text);
    }
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

/// Whether a second point is in several pairs; `first` are first points of the same state.
fn has_twice(first: &[u32], second: &[u32]) -> bool {
    let mut known: BTreeSet<u32> = first.iter().copied().collect();
    second.iter().any(|p| !known.insert(*p))
}

/// How the second frames of pairs are turned against the first ones: from the x axis to the way to the next frame at rest.
fn rest_rotations(b: &Builder<'_>, state: StateId, second: &[u32]) -> Vec<Quat> {
    let Some(initial) = b.scene.initial_as::<Rigid3Type>(state) else { return Vec::new() };
    let rest = &initial.rest_position;
    let rotation = |i: &u32| {
        let (here, next) = (rest.get(*i as usize)?, rest.get(*i as usize + 1)?);
        let way = rotate(&here.orientation.conjugate(), &(next.center - here.center))
            .try_normalize(f64::EPSILON)?;
        Some(pairs::turn(way.cross(&Vec3::x()), way.x.clamp(-1.0, 1.0).acos()))
    };
    second.iter().map(|i| rotation(i).unwrap_or_else(Quat::identity)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidCoord;

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
        let twice = [("indices1", "0 1"), ("indices2", "1 1"), ("minDistance", "9")];
        let e = t.add_linked(&DESCRIPTION, root, &twice, &links).unwrap_err();
        assert!(e.message.contains("in several pairs"), "{e}");
        let beyond = [("indices1", "7"), ("indices2", "0")];
        let e = t.add_linked(&DESCRIPTION, root, &beyond, &links).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices1"));
    }

    /// A frame at a place along x with an orientation.
    fn frame(x: Real, orientation: Quat) -> RigidCoord {
        RigidCoord { center: Vec3::x() * x, orientation }
    }

    fn attachment() -> Attachment {
        Attachment {
            two_way: false,
            position: 1.0,
            velocity: 1.0,
            response: 1.0,
            last: None,
            clamp: false,
            min_distance: None,
            free_rotations: false,
            last_free_rotation: false,
        }
    }

    #[test]
    fn pairs_beyond_the_last_place_are_free_or_held_there() {
        type P = AttachPoints<Vec3Type>;
        let mut c = Attachment { last: Some((Vec3::x(), Vec3::x())), ..attachment() };
        let mut pairs = [0, 1].map(|k| Pair::new([k, k], 1.0, Quat::identity()));
        let (first, second) = ([Vec3::x() * 0.5, Vec3::x() * 2.0], [Vec3::y(), Vec3::y()]);
        let after = |c: &Attachment, pairs: &mut [Pair; 2]| {
            P::update(c, pairs, |k, _| [first[k], second[k]]);
            let params = MechanicalParams { dt: 1.0, time: 0.0 };
            [0, 1].map(|k| {
                let at = || PairOf::<P> { params, element: &pairs[k], end: 1 };
                let response = P::project_response(c, at(), Vec3::z(), Vec3::zeros());
                (
                    P::project_position(c, at(), second[k], first[k]),
                    P::project_velocity(c, at(), Vec3::z(), Vec3::x()),
                    response,
                )
            })
        };
        let mean = (Vec3::new(0.25, 0.5, 0.0), Vec3::new(0.5, 0.0, 0.5), Vec3::zeros());
        assert_eq!(after(&c, &mut pairs), [mean, (Vec3::y(), Vec3::z(), Vec3::z())]);
        assert_eq!(P::cleared(&c, &pairs, 0, 2), [0, 1, 2, 3, 4, 5], "the second looks beyond the flags");
        assert_eq!(P::cleared(&c, &pairs, 1, 2), [0; 0]);
        c.clamp = true;
        let clamped = (Vec3::new(0.5, 0.5, 0.0), Vec3::z() * 0.5, Vec3::zeros());
        assert_eq!(after(&c, &mut pairs), [mean, clamped]);
        // Too far apart: the first pair by its points, the second by the place where pairs end.
        c.min_distance = Some(1.2);
        assert_eq!(after(&c, &mut pairs)[1], (Vec3::y(), Vec3::z(), Vec3::z()));
        assert_eq!(after(&c, &mut pairs)[0], mean);
    }

    #[test]
    fn both_ends_get_the_same_bits() {
        type P = AttachPoints<Vec3Type>;
        let c = Attachment { two_way: true, ..attachment() };
        let pair = Pair::new([0, 1], 1.0, Quat::identity());
        let params = MechanicalParams { dt: 1.0, time: 0.0 };
        let at = |end| PairOf::<P> { params, element: &pair, end };
        let pulls = (1..200).map(|k| Vec3::new(50.0 / f64::from(k), -7.3 * f64::from(k), 0.1));
        for pull in pulls {
            let other = Vec3::new(0.3, 1e-9, -1e-3) - pull;
            let mean = P::project_response(&c, at(0), pull, other);
            assert_eq!(mean, P::project_response(&c, at(1), other, pull));
            assert_eq!(mean, P::project_response(&c, at(0), mean, mean), "what is projected stays");
        }
    }

    #[test]
    fn rotations_of_frames_stay_free_or_keep_their_rest() {
        type P = AttachFrames<Rigid3Type>;
        let quarter = pairs::turn(Vec3::z(), std::f64::consts::FRAC_PI_2);
        let mut c = Attachment { last_free_rotation: true, ..attachment() };
        let mut pairs = [0, 1].map(|k| Pair::new([k, k], 1.0, Quat::identity()));
        let params = MechanicalParams { dt: 1.0, time: 0.0 };
        let held = |c: &Attachment, pairs: &mut [Pair; 2]| {
            P::update(c, pairs, |k, _| [frame(k as Real, quarter), frame(5.0, Quat::identity())]);
            [0, 1].map(|k| {
                let at = PairOf::<P> { params, element: &pairs[k], end: 1 };
                P::project_position(c, at, frame(5.0, Quat::identity()), frame(k as Real, quarter))
            })
        };
        assert_eq!(held(&c, &mut pairs), [frame(0.0, quarter), frame(1.0, Quat::identity())]);
        let at = PairOf::<P> { params, element: &pairs[1], end: 1 };
        let turning = sim_core::math::RigidDeriv { linear: Vec3::x(), angular: Vec3::y() };
        assert_eq!(P::project_response(&c, at, turning, turning).angular, Vec3::y());
        assert_eq!(P::cleared(&c, &pairs, 0, 2), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        c.free_rotations = true;
        assert_eq!(held(&c, &mut pairs)[0], frame(0.0, Quat::identity()));
        // With rotations of rest, the last active frame turns as far as it has come to the end.
        c = Attachment { last: Some((Vec3::x() * 0.25, Vec3::x())), ..attachment() };
        pairs = pairs.map(|p| Pair::new(p.points, 1.0, quarter));
        let turned = held(&c, &mut pairs)[0].orientation;
        let wanted = quarter * pairs::turn(Vec3::z(), std::f64::consts::FRAC_PI_2 * 0.25);
        assert!((turned - wanted).norm() < 1e-15, "{turned:?}");
    }

    #[test]
    fn frames_rest_along_the_way_to_the_next() {
        let mut t = TestScene::new();
        let root = t.root();
        let position = "0 0 0 0 0 0 1 0 1 0 0 0 0 1 0 5 0 0 0 0 1";
        let given = [("template", "Rigid3"), ("position", position)];
        let c = t.add(&mechanical_object::DESCRIPTION, root, &given).unwrap();
        let attached = [("indices1", "2"), ("indices2", "0"), ("restRotations", "1")];
        t.add(&DESCRIPTION, root, &attached).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x = t.scene.initial_as::<Rigid3Type>(state).unwrap().position[0];
        assert_eq!(x.center, Vec3::y() * 5.0);
        assert_eq!(rotate(&x.orientation, &Vec3::y()).map(|v| v.round()), Vec3::x());
    }
}
