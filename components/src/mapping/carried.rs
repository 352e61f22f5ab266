//! What frames carry: points in space, further frames, points in a plane.

use sim_core::math::{Rigid2Coord, Rigid2Deriv, RigidCoord, RigidDeriv, Vec2, quat_to_matrix};
use sim_core::prelude::*;

/// Something that is fixed to a frame, by the types of both.
pub trait Carried: Send + Sync + 'static {
    /// The frames.
    type Input: VectorsAccess;
    /// What is fixed to them.
    type Output: VectorsAccess;
    /// A frame as it stands, ready to place points.
    type Turned: Copy;
    /// From the frame's centre to what is fixed to it, in world axes.
    type Arm: Copy + Default + Send + Sync + 'static;

    /// A frame as it stands.
    fn turned(frame: &<Self::Input as StateType>::Coord) -> Self::Turned;
    /// Where something stands that is in a place of the frame's axes, and its arm.
    fn place(
        turned: &Self::Turned,
        local: &<Self::Output as StateType>::Coord,
    ) -> (<Self::Output as StateType>::Coord, Self::Arm);
    /// The place in a frame's axes of something that stands there.
    fn local(
        frame: &<Self::Input as StateType>::Coord,
        place: &<Self::Output as StateType>::Coord,
    ) -> <Self::Output as StateType>::Coord;
    /// Its velocity.
    fn velocity(
        frame: &<Self::Input as StateType>::Deriv,
        arm: &Self::Arm,
    ) -> <Self::Output as StateType>::Deriv;
    /// Adds a force on it to the frame's.
    fn add_force(
        frame: &mut <Self::Input as StateType>::Deriv,
        arm: &Self::Arm,
        f: &<Self::Output as StateType>::Deriv,
    );
    /// Adds the blocks of its Jacobian.
    fn add_jacobian(arm: &Self::Arm, output: u32, frame: u32, matrix: &mut dyn BlockSink);
    /// Which block of the frame's scalars turns it, and how the frame's torque changes by these scalars under a force.
    fn torque_change(arm: &Self::Arm, f: &<Self::Output as StateType>::Deriv) -> (u32, Mat3);
}

/// The torque arm x f changes by (dtheta x arm) x f = f x (arm x dtheta) where the frame turns by dtheta.
fn turning(arm: &Vec3, f: &Vec3) -> (u32, Mat3) {
    (1, f.cross_matrix() * arm.cross_matrix())
}

/// Points in space.
pub struct PointsOnFrames;

impl Carried for PointsOnFrames {
    type Input = Rigid3Type;
    type Output = Vec3Type;
    type Turned = (Mat3, Vec3);
    type Arm = Vec3;

    fn turned(frame: &RigidCoord) -> (Mat3, Vec3) {
        (quat_to_matrix(&frame.orientation), frame.center)
    }

    fn place((r, c): &(Mat3, Vec3), local: &Vec3) -> (Vec3, Vec3) {
        let arm = r * local;
        (arm + c, arm)
    }

    fn local(frame: &RigidCoord, place: &Vec3) -> Vec3 {
        quat_to_matrix(&frame.orientation).tr_mul(&(place - frame.center))
    }

    fn velocity(frame: &RigidDeriv, arm: &Vec3) -> Vec3 {
        frame.linear + frame.angular.cross(arm)
    }

    fn add_force(frame: &mut RigidDeriv, arm: &Vec3, f: &Vec3) {
        frame.linear += f;
        frame.angular += arm.cross(f);
    }

    /// v = v_frame - arm x omega.
    fn add_jacobian(arm: &Vec3, output: u32, frame: u32, matrix: &mut dyn BlockSink) {
        matrix.add_block(output, 2 * frame, &Mat3::identity());
        matrix.add_block(output, 2 * frame + 1, &-arm.cross_matrix());
    }

    fn torque_change(arm: &Vec3, f: &Vec3) -> (u32, Mat3) {
        turning(arm, f)
    }
}

/// Frames in space.
pub struct FramesOnFrames;

impl Carried for FramesOnFrames {
    type Input = Rigid3Type;
    type Output = Rigid3Type;
    type Turned = (Mat3, RigidCoord);
    type Arm = Vec3;

    fn turned(frame: &RigidCoord) -> (Mat3, RigidCoord) {
        (quat_to_matrix(&frame.orientation), *frame)
    }

    fn place((r, frame): &(Mat3, RigidCoord), local: &RigidCoord) -> (RigidCoord, Vec3) {
        let arm = r * local.center;
        (RigidCoord { center: arm + frame.center, orientation: frame.orientation * local.orientation }, arm)
    }

    fn local(frame: &RigidCoord, place: &RigidCoord) -> RigidCoord {
        RigidCoord {
            center: PointsOnFrames::local(frame, &place.center),
            orientation: frame.orientation.conjugate() * place.orientation,
        }
    }

    fn velocity(frame: &RigidDeriv, arm: &Vec3) -> RigidDeriv {
        RigidDeriv { linear: PointsOnFrames::velocity(frame, arm), angular: frame.angular }
    }

    fn add_force(frame: &mut RigidDeriv, arm: &Vec3, f: &RigidDeriv) {
        frame.linear += f.linear;
        frame.angular += f.angular + arm.cross(&f.linear);
    }

    fn add_jacobian(arm: &Vec3, output: u32, frame: u32, matrix: &mut dyn BlockSink) {
        PointsOnFrames::add_jacobian(arm, 2 * output, frame, matrix);
        matrix.add_block(2 * output + 1, 2 * frame + 1, &Mat3::identity());
    }

    fn torque_change(arm: &Vec3, f: &RigidDeriv) -> (u32, Mat3) {
        turning(arm, &f.linear)
    }
}

/// Points in a plane.
pub struct PointsInPlane;

/// A vector turned by a right angle: what a turn of the frame adds to the arm.
fn across(arm: &Vec2) -> Vec2 {
    Vec2::new(-arm.y, arm.x)
}

fn turned_by(sin: f64, cos: f64, v: &Vec2) -> Vec2 {
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

impl Carried for PointsInPlane {
    type Input = Rigid2Type;
    type Output = Vec2Type;
    type Turned = (f64, f64, Vec2);
    type Arm = Vec2;

    fn turned(frame: &Rigid2Coord) -> (f64, f64, Vec2) {
        let (sin, cos) = frame.orientation.sin_cos();
        (sin, cos, frame.center)
    }

    fn place((sin, cos, center): &(f64, f64, Vec2), local: &Vec2) -> (Vec2, Vec2) {
        let arm = turned_by(*sin, *cos, local);
        (arm + center, arm)
    }

    fn local(frame: &Rigid2Coord, place: &Vec2) -> Vec2 {
        let (sin, cos) = frame.orientation.sin_cos();
        turned_by(-sin, cos, &(place - frame.center))
    }

    fn velocity(frame: &Rigid2Deriv, arm: &Vec2) -> Vec2 {
        frame.linear + across(arm) * frame.angular
    }

    fn add_force(frame: &mut Rigid2Deriv, arm: &Vec2, f: &Vec2) {
        frame.linear += f;
        frame.angular += across(arm).dot(f);
    }

    fn add_jacobian(arm: &Vec2, output: u32, frame: u32, matrix: &mut dyn BlockSink) {
        let turn = across(arm);
        matrix.add_block(output, frame, &Mat3::new(1.0, 0.0, turn.x, 0.0, 1.0, turn.y, 0.0, 0.0, 0.0));
    }

    fn torque_change(arm: &Vec2, f: &Vec2) -> (u32, Mat3) {
        let mut block = Mat3::zeros();
        block[(2, 2)] = -arm.dot(f);
        (0, block)
    }
}
