//! Several poses in one.

use super::joints::Skeleton;
use super::lane::run;
use super::pose::Pose;

mod kernel;

/// Mixes poses by weights. Weights count relative to their sum; one that is not above zero counts nothing, and if none is, the result is the
/// pose at rest. Translations and scales are means. Rotations are means of quaternions, each taken on the side of the first, made unit
/// again: that does not depend on the order of two, and differs from the arc by little where rotations are near.
///
/// # Panics
/// If poses are of different numbers of joints.
pub fn blend(skeleton: &Skeleton, layers: &[(&Pose, f32)], into: &mut Pose) {
    blend_all(skeleton, layers.iter().copied(), into);
}

/// The same for layers that come from anywhere.
pub(super) fn blend_all<'p>(
    skeleton: &Skeleton,
    layers: impl Iterator<Item = (&'p Pose, f32)> + Clone,
    into: &mut Pose,
) {
    let counts = |w: f32| w > 0.0 && w.is_finite();
    let sum: f32 = layers.clone().map(|(_, w)| w).filter(|w| counts(*w)).sum();
    let layers = layers.filter(|(_, w)| counts(*w)).map(|(pose, w)| (pose, w / sum));
    if layers.clone().next().is_none() {
        into.copy_from(skeleton.rest());
        return;
    }
    let n = into.len();
    layers.clone().for_each(|(pose, _)| assert_eq!(pose.len(), n, "poses of one skeleton"));
    run(kernel::Blended { layers, into });
}

/// A change from one clip to another over a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// When it begins \[s\].
    pub begin: f64,
    /// How long it takes \[s\]; zero or less is at once.
    pub duration: f64,
}

impl Transition {
    /// How much of the new clip is seen at a time \[s\]: 0 before, 1 after, in between as the time.
    pub fn weight(&self, time: f64) -> f32 {
        if time < self.begin {
            0.0
        } else if self.duration > 0.0 {
            (((time - self.begin) / self.duration) as f32).min(1.0)
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::lane::{Kernel, Plain};
    use crate::skeleton::{Joint, Transform};

    fn around_z(degrees: f32) -> [f32; 4] {
        let half = degrees.to_radians() / 2.0;
        [0.0, 0.0, half.sin(), half.cos()]
    }

    fn one_joint() -> Skeleton {
        let rest = Transform { translation: [9.0; 3], ..Transform::default() };
        Skeleton::new(vec![Joint { name: "a".to_owned(), parent: None, rest }]).expect("a skeleton").0
    }

    fn pose(translation: f32, rotation: [f32; 4]) -> Pose {
        let mut pose = Pose::new(1);
        pose.set(0, &Transform { translation: [translation; 3], rotation, scale: [1.0; 3] });
        pose
    }

    #[test]
    fn half_of_each_is_in_the_middle_whatever_the_sign_of_a_quaternion() {
        let (a, b) = (pose(1.0, around_z(10.0)), pose(3.0, around_z(50.0).map(|x| -x)));
        let mut mixed = Pose::new(1);
        blend(&one_joint(), &[(&a, 2.0), (&b, 2.0), (&pose(100.0, around_z(180.0)), 0.0)], &mut mixed);
        let t = mixed.get(0);
        assert!((t.translation[0] - 2.0).abs() < 1e-6);
        let expected = around_z(30.0);
        assert!(t.rotation.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{:?}", t.rotation);
    }

    #[test]
    fn one_layer_is_itself_and_none_is_the_rest() {
        let (a, mut mixed) = (pose(1.0, around_z(33.0)), Pose::new(1));
        blend(&one_joint(), &[(&a, 0.3)], &mut mixed);
        assert!((mixed.get(0).rotation[2] - a.get(0).rotation[2]).abs() < 1e-7);
        for weights in [[0.0, -1.0], [f32::NAN, 0.0]] {
            blend(&one_joint(), &[(&a, weights[0]), (&a, weights[1])], &mut mixed);
            assert_eq!(mixed.get(0).translation, [9.0; 3]);
        }
    }

    #[test]
    fn lanes_and_arrays_have_the_same_bits() {
        let n = 11;
        let pose = |seed: usize| {
            let mut pose = Pose::new(n);
            for k in 0..n {
                let noise = |c: usize| (((seed + 31 * k + c) * 7919 % 1000) as f32 - 499.5) / 500.0;
                let rotation = around_z(300.0 * noise(1));
                let (translation, scale) = ([noise(2), noise(3), noise(4)], [1.0 + 0.1 * noise(5); 3]);
                pose.set(k, &Transform { translation, rotation, scale });
            }
            pose
        };
        let rest = Transform::default();
        let joint = |k| Joint { name: format!("{k}"), parent: None, rest };
        let skeleton = Skeleton::new((0..n).map(joint).collect()).expect("a skeleton").0;
        let (a, b, c) = (pose(1), pose(2), pose(3));
        let layers = [(&a, 0.25), (&b, 0.5), (&c, 0.25)];
        let (mut wide, mut plain) = (Pose::new(n), Pose::new(n));
        blend(&skeleton, &layers, &mut wide);
        kernel::Blended { layers: layers.into_iter(), into: &mut plain }.run(Plain);
        assert_eq!(wide, plain);
    }

    #[test]
    fn a_transition_goes_from_nothing_to_all() {
        let t = Transition { begin: 1.0, duration: 2.0 };
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|time| t.weight(time)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert_eq!(Transition { begin: 1.0, duration: 0.0 }.weight(1.0), 1.0);
    }
}
