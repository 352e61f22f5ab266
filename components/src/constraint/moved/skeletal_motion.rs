//! `SkeletalMotionProjectiveConstraint`: frames that follow the bones of an animated skeleton. The file is long for joints whose keys
//! have not begun, go on or are over, each with a rule of SOFA's.

use sim_core::math::{Quat, RigidCoord, RigidDeriv};
use sim_core::prelude::*;

use super::skeleton_text::{Joint, Key, bones, joints};

/// Frames that follow bones of a skeleton, whose joints move between keys.
#[derive(Attributes)]
struct Settings {
    /// joints: `[ Parent p Channels n frames Times n times PreviousMotion frame NextMotion frame LocalRigid frame, ... ]`; -1 is no parent,
    /// frames are relative to the parent's
    joints: Option<String>,
    /// joints that the frames follow, one after the other: `[0, 1, ...]`
    bones: Option<String>,
    /// seconds of the animation in a second
    #[attribute(default = "1")]
    animation_speed: Real,
    /// whether it acts at all
    #[attribute(default = "1")]
    active: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::Constraint,
    "SkeletalMotionProjectiveConstraint",
    build,
)
.templates(&[Rigid3Type::NAME])
.samples(&[Sample::new(
    "joints='[ Parent -1 Channels 2 0 0 0 0 0 0 1 0.2 0.1 0 0 0.28 0 0.96 Times 2 0 0.3 PreviousMotion 0 0 0 0 0 0 1 NextMotion 0 0 0 0 0 0 1 LocalRigid 0 0 0 0 0 0 1 ]' bones='[0]'",
)
.template("Rigid3")]);

/// What the constraint has: joints first, then keys, then bones.
#[derive(Clone, Copy, Debug)]
pub enum Row {
    /// A joint.
    Joint(Joint),
    /// A key of one.
    Key(Key),
    /// The joint that the next frame follows.
    Bone(u32),
}

/// Frames that follow bones.
///
/// **Source:** as SOFA's: nothing happens at time 0. All frames of the state are held against forces and multipliers, also those beyond the bones, and an
/// assembled matrix loses nothing. Velocities lead from where a frame is to where it will be a step later (not of the animation's
/// time), and are 0 for all frames when no joint has a key to come. Then each joint stays at its last key. A joint whose keys are yet to
/// come moves from `PreviousMotion` at time 0 to the first; one without keys stays at `LocalRigid`. Orientations between keys are on
/// the shorter arc, in single precision of the share, and not brought to length 1. Where a whole interval at the end of a joint's keys lies
/// between two steps, SOFA goes back to the key before.
pub struct SkeletalMotionProjectiveConstraint;

/// The speed of the animation, and whether it acts.
type Constants = (Real, bool);

fn key(rows: &[Row], at: u32) -> Option<Key> {
    match rows.get(at as usize) {
        Some(Row::Key(key)) => Some(*key),
        _ => None,
    }
}

fn joint(rows: &[Row], at: u32) -> Option<&Joint> {
    match rows.get(at as usize) {
        Some(Row::Joint(joint)) => Some(joint),
        _ => None,
    }
}

/// The keys of a joint, in their order.
fn keys<'r>(rows: &'r [Row], joint: &Joint) -> impl Iterator<Item = Key> + 'r {
    (joint.keys[0]..joint.keys[1]).filter_map(|k| key(rows, k))
}

/// Whether a joint has a key after this time.
fn goes_on(rows: &[Row], time: Real) -> bool {
    let joints = rows.iter().map_while(|row| if let Row::Joint(joint) = row { Some(joint) } else { None });
    joints.filter(|j| j.has_times).any(|joint| keys(rows, joint).any(|key| key.time > time))
}

/// Where a joint is in its parent's frame.
fn local(rows: &[Row], joint: &Joint, time: Real, goes_on: bool) -> RigidCoord {
    if joint.keys[0] == joint.keys[1] {
        return joint.local;
    }
    let (mut before, mut after) = ((0.0, joint.previous), (0.0, joint.next));
    if joint.has_times {
        for key in keys(rows, joint) {
            if key.time > time {
                after = (key.time, key.frame);
                break;
            }
            before = (key.time, key.frame);
            if key.time > 0.0 {
                after = before;
            }
        }
    }
    if !goes_on || before.0 == after.0 {
        return after.1;
    }
    let share = (time - before.0) / (after.0 - before.0);
    RigidCoord {
        center: before.1.center + (after.1.center - before.1.center) * share,
        orientation: on_the_shorter_arc(&before.1.orientation, &after.1.orientation, share),
    }
}

/// The quaternion at a share of the way between two.
fn on_the_shorter_arc(a: &Quat, b: &Quat, share: Real) -> Quat {
    let share = Real::from(share as f32);
    let cosine = a.dot(b);
    let [first, second] = if 1.0 - cosine.abs() < 0.01 {
        [1.0 - share, share]
    } else {
        let angle = cosine.abs().acos();
        let sine = angle.sin();
        [(angle * (1.0 - share)).sin() / sine, (angle * share).sin() / sine]
    };
    a * if cosine < 0.0 { -first } else { first } + b * second
}

/// Where a joint is in the world.
fn world(rows: &[Row], at: u32, time: Real, goes_on: bool) -> RigidCoord {
    let mut frame = RigidCoord::default();
    let mut next = joint(rows, at);
    let mut is_first = true;
    while let Some(joint) = next {
        let local = local(rows, joint, time, goes_on);
        frame = if is_first {
            local
        } else {
            let ones = Vec3::repeat(1.0);
            frame.transformed(&ones, &local.orientation, &local.center)
        };
        is_first = false;
        next = joint.parent.and_then(|parent| self::joint(rows, parent));
    }
    frame
}

fn bones_of(rows: &[Row]) -> impl Iterator<Item = u32> + '_ {
    rows.iter().filter_map(|row| if let Row::Bone(joint) = row { Some(*joint) } else { None })
}

/// What leads from a frame to another, within up to a whole turn.
fn difference(to: &RigidCoord, from: &RigidCoord) -> RigidDeriv {
    let q = to.orientation * from.orientation.conjugate();
    let q = q / q.norm();
    let (axis, angle) = (q.imag(), 2.0 * q.w.clamp(-1.0, 1.0).acos());
    let length = axis.norm();
    let angular = if length > 0.0 { axis * (angle / length) } else { Vec3::zeros() };
    RigidDeriv { linear: to.center - from.center, angular }
}

impl ProjectiveConstraint for SkeletalMotionProjectiveConstraint {
    type State = Rigid3Type;
    type Constants = Constants;
    type Element = Row;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;

    fn project_response((_, active): &Constants, at: ProjectResponse<'_, Self>) {
        if *active {
            at.d.fill(RigidDeriv::default());
        }
    }

    fn project_velocity((speed, active): &Constants, at: ProjectVelocity<'_, Self>) {
        let (now, dt) = (at.params.time * speed, at.params.dt);
        if !active || now == 0.0 {
            return;
        }
        let (rows, then) = (at.elements, now + dt);
        if !goes_on(rows, then) {
            return at.v.fill(RigidDeriv::default());
        }
        let goes_on_now = goes_on(rows, now);
        for (bone, v) in bones_of(rows).zip(at.v) {
            let (to, from) = (world(rows, bone, then, true), world(rows, bone, now, goes_on_now));
            *v = difference(&to, &from) * (1.0 / dt);
        }
    }

    fn project_position((speed, active): &Constants, at: ProjectPosition<'_, Self>) {
        let now = at.params.time * speed;
        if !active || now == 0.0 {
            return;
        }
        let goes_on = goes_on(at.elements, now);
        for (bone, x) in bones_of(at.elements).zip(at.x) {
            *x = world(at.elements, bone, now, goes_on);
        }
    }

    fn fixed_dofs(_: &Constants, _: &[Row], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn projected_columns((_, active): &Constants, _: &[Row], n_dofs: usize) -> Vec<u32> {
        all_scalars::<Self>(0..if *active { n_dofs as u32 } else { 0 })
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    b.check_template::<Rigid3Type>(state)?;
    let wrong = |name: &'static str| move |text: String| BuildError::attribute(name, text);
    let (joints, keys) = joints(s.joints.as_deref().unwrap_or_default()).map_err(wrong("joints"))?;
    let bones = bones(s.bones.as_deref().unwrap_or_default(), joints.len()).map_err(wrong("bones"))?;
    let n = b.size(state);
    if bones.len() > n {
        let text = format!("there are {} bones for {n} frames", bones.len());
        return Err(BuildError::attribute("bones", text));
    }
    if bones.is_empty() {
        b.warn(Some("bones"), "no frame follows a bone; all of them are held where they are");
    }
    let begin = joints.len() as u32;
    let placed = joints.into_iter().map(|j| Joint { keys: j.keys.map(|k| k + begin), ..j });
    let rows = placed.map(Row::Joint).chain(keys.into_iter().map(Row::Key));
    let rows: Vec<Row> = rows.chain(bones.into_iter().map(Row::Bone)).collect();
    let constants = (s.animation_speed, s.active);
    let mut parts = ProjectiveConstraintParts::<SkeletalMotionProjectiveConstraint>::new(constants, rows);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    /// An arm of length 1 that turns by a quarter about z in a second and then stays, and a hand on it that never moves.
    const ARM: &str = "[ Parent -1 Channels 2  0 0 0 0 0 0 1  2 0 0 0 0 0.70710678 0.70710678 Times 2 0 1 \
        PreviousMotion 0 0 0 0 0 0 1 NextMotion 0 0 0 0 0 0 1 LocalRigid 0 0 0 0 0 0 1, \
        Parent 0 Channels 0 Times 0 PreviousMotion 0 0 0 0 0 0 1 NextMotion 0 0 0 0 0 0 1 LocalRigid 1 0 0 0 0 0 1 ]";

    fn rows() -> Vec<Row> {
        let (joints, keys) = joints(ARM).unwrap();
        let begin = joints.len() as u32;
        let joints = joints.into_iter().map(|j| Row::Joint(Joint { keys: j.keys.map(|k| k + begin), ..j }));
        joints.chain(keys.into_iter().map(Row::Key)).chain([Row::Bone(1), Row::Bone(0)]).collect()
    }

    #[test]
    fn bones_follow_their_joints_between_keys() {
        let mut rows = rows();
        let mut at = |time: f64| {
            let mut x = [RigidCoord::default(); 3];
            let params = MechanicalParams { dt: 0.1, time };
            let at = ProjectPosition { params, elements: &mut rows, x: &mut x };
            SkeletalMotionProjectiveConstraint::project_position(&(2.0, true), at);
            x.map(|x| x.center)
        };
        assert_eq!(at(0.0), [Vec3::zeros(); 3], "nothing happens at time 0");
        let half = at(0.25);
        let diagonal = 0.5f64.sqrt();
        // Turned by 45 degrees at the half of the way; the share is in single precision.
        assert!(
            (half[0] - Vec3::new(1.0 + 45f64.to_radians().cos(), diagonal, 0.0)).norm() < 1e-6,
            "{half:?}"
        );
        assert!((half[1] - Vec3::x()).norm() < 1e-12 && half[2] == Vec3::zeros(), "{half:?}");
        let end = at(3.0);
        assert!((end[0] - Vec3::new(2.0, 1.0, 0.0)).norm() < 1e-7, "{end:?}");
    }

    #[test]
    fn velocities_lead_to_where_bones_will_be_and_end_with_the_keys() {
        let rows = rows();
        let at = |time: f64, active: bool| {
            let mut v = [RigidDeriv { linear: Vec3::y(), angular: Vec3::zeros() }; 3];
            let at =
                ProjectVelocity { params: MechanicalParams { dt: 0.1, time }, elements: &rows, v: &mut v };
            SkeletalMotionProjectiveConstraint::project_velocity(&(1.0, active), at);
            v
        };
        let v = at(0.2, true);
        assert!((v[1].linear - Vec3::x() * 2.0).norm() < 1e-9, "{v:?}");
        assert!((v[1].angular - Vec3::z() * 90f64.to_radians()).norm() < 1e-5, "{v:?}");
        assert_eq!(v[2].linear, Vec3::y(), "beyond the bones");
        assert_eq!(at(0.95, true).map(|v| v.linear), [Vec3::zeros(); 3], "there is no key to come");
        assert_eq!(at(0.2, false)[0].linear, Vec3::y());
        let mut d = [RigidDeriv { linear: Vec3::y(), angular: Vec3::zeros() }; 3];
        let params = MechanicalParams { dt: 0.1, time: 0.0 };
        let at = ProjectResponse { params, elements: &rows, d: &mut d };
        SkeletalMotionProjectiveConstraint::project_response(&(1.0, true), at);
        assert_eq!(d.map(|d| d.linear), [Vec3::zeros(); 3]);
        let columns =
            |active| SkeletalMotionProjectiveConstraint::projected_columns(&(1.0, active), &rows, 3).len();
        assert_eq!((columns(true), columns(false)), (18, 0));
    }

    #[test]
    fn bones_must_fit() {
        let mut t = TestScene::new();
        let root = t.root();
        let frames = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1 1 0 0 0 0 0 1")];
        t.add(&mechanical_object::DESCRIPTION, root, &frames).unwrap();
        t.add(&DESCRIPTION, root, &[("joints", ARM), ("bones", "[1, 0]")]).unwrap();
        for bones in ["[0, 1, 0]", "[2]", "0"] {
            let e = t.add(&DESCRIPTION, root, &[("joints", ARM), ("bones", bones)]).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some("bones"), "{bones}");
        }
    }
}
