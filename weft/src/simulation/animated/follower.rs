//! What a state that follows a graph is in each step: poses of joints, and how fast they change.

use std::sync::Arc;

use animation::rig::math::quaternion::{Quaternion, conjugate, mul, normalized};
use sim_core::math::{Coord, Deriv, StateType};
use x3d::shape::{JointPlace, Joints};

/// Numbers of a frame: position \[m\], then quaternion.
type Pose = [f64; 7];
/// Velocity \[m/s\], then angular velocity \[rad/s\].
type Speed = [f64; 6];

/// Joints of an event graph, and the memory that finding them takes.
pub(super) struct JointSource {
    joints: Arc<Joints>,
    memory: Vec<JointPlace>,
}

impl JointSource {
    pub(super) fn new(joints: Arc<Joints>) -> Self {
        Self { memory: joints.memory(), joints }
    }

    /// Calls `put` with the pose of each joint.
    pub(super) fn poses(&mut self, numbers: &[f64], put: &mut dyn FnMut(usize, [f64; 3], Quaternion)) {
        self.joints.frames(numbers, &mut self.memory, put);
    }
}

/// Where frames are, and where they were before the step.
pub(super) struct Follower {
    now: Vec<(Pose, Speed)>,
    before: Vec<(Pose, Speed)>,
    /// The step that `now` is of; none before the first one.
    step: Option<u64>,
    /// A frame that is nowhere: its numbers are not finite.
    lost: Option<usize>,
}

impl Follower {
    pub(super) fn new(n: usize) -> Self {
        let rest = vec![([0.0; 7], [0.0; 6]); n];
        Self { now: rest.clone(), before: rest, step: None, lost: None }
    }

    /// A frame that the last frame has put nowhere.
    pub(super) fn lost(&self) -> Option<usize> {
        self.lost
    }

    /// Writes positions and velocities of the poses that `poses` puts, in a step of a length and number. A step that is repeated begins
    /// where it began before.
    pub(super) fn follow<S: StateType>(
        &mut self,
        x: &mut [S::Coord],
        v: &mut [S::Deriv],
        (dt, step): (f64, u64),
        poses: impl FnOnce(&mut dyn FnMut(usize, [f64; 3], Quaternion)),
    ) {
        if self.step.is_some_and(|known| known != step) {
            self.before.copy_from_slice(&self.now);
            self.step = Some(step);
        }
        let Self { now, before, step, lost } = self;
        *lost = None;
        poses(&mut |k, [px, py, pz], turn| {
            let [qx, qy, qz, qw] = normalized(turn);
            let pose = [px, py, pz, qx, qy, qz, qw];
            if !pose.iter().all(|c| c.is_finite()) {
                lost.get_or_insert(k);
                return;
            }
            let speed = if step.is_some() { speed(&before[k].0, &pose, dt) } else { [0.0; 6] };
            now[k] = (pose, speed);
        });
        write::<S>(&self.now, x, v);
    }

    /// The first frame is complete: what comes next is a step, and moves.
    pub(super) fn begin(&mut self) {
        self.step = Some(u64::MAX);
    }

    /// Writes what was before a step that failed.
    pub(super) fn undo<S: StateType>(&self, x: &mut [S::Coord], v: &mut [S::Deriv], step: u64) {
        if self.step == Some(step) {
            write::<S>(&self.before, x, v);
        }
    }
}

fn write<S: StateType>(from: &[(Pose, Speed)], x: &mut [S::Coord], v: &mut [S::Deriv]) {
    for ((pose, speed), (x, v)) in from.iter().zip(x.iter_mut().zip(v)) {
        let known = S::Coord::from_scalars(pose).zip(S::Deriv::from_scalars(speed));
        if let Some((now, fast)) = known {
            (*x, *v) = (now, fast);
        }
    }
}

/// The difference of two poses over a time: the rotation is that of the shorter way.
fn speed(before: &Pose, now: &Pose, dt: f64) -> Speed {
    let turn = |p: &Pose| -> Quaternion { [p[3], p[4], p[5], p[6]] };
    let [x, y, z, w] = mul(turn(now), conjugate(turn(before)));
    let (x, y, z, w) = if w < 0.0 { (-x, -y, -z, -w) } else { (x, y, z, w) };
    let sine = (x * x + y * y + z * z).sqrt();
    // Of a small rotation angle and sine are alike, and the axis is lost.
    let factor = if sine > 1e-9 { 2.0 * sine.atan2(w) / sine } else { 2.0 } / dt;
    let linear = |k: usize| (now[k] - before[k]) / dt;
    [linear(0), linear(1), linear(2), x * factor, y * factor, z * factor]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_differences_of_poses() {
        let half = 0.05_f64;
        let before = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        // A turn by 0.1 about z; the quaternion of the other sign means the same.
        for sign in [1.0, -1.0] {
            let now = [1.5, 0.0, -1.0, 0.0, 0.0, sign * half.sin(), sign * half.cos()];
            let s = speed(&before, &now, 0.01);
            let wanted = [50.0, 0.0, -100.0, 0.0, 0.0, 10.0];
            assert!(s.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{s:?}");
        }
        assert_eq!(speed(&before, &before, 0.01), [0.0; 6]);
    }
}
