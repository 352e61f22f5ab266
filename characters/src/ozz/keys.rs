//! Keys of joints, as tracks of a clip.

use animation::skeleton::{Clip, ClipError, Interpolation, Skeleton, Track};

/// A time \[s\] and a value.
pub(super) type Key<const N: usize> = (f32, [f32; N]);

/// Keys of a joint: translation, rotation, scale.
#[derive(Clone, Debug, Default)]
pub(super) struct JointKeys {
    pub translation: Vec<Key<3>>,
    pub rotation: Vec<Key<4>>,
    pub scale: Vec<Key<3>>,
}

/// The clip of all joints' keys, in the archive's order of joints; a joint without keys of a kind is, for this kind, at the origin: neither
/// moved nor turned, of scale one.
pub(super) fn clip(
    name: String,
    joints: Vec<JointKeys>,
    (skeleton, place): (&Skeleton, &[u32]),
) -> Result<Clip, ClipError> {
    let mut tracks = (Vec::new(), Vec::new(), Vec::new());
    for (keys, &joint) in joints.into_iter().zip(place) {
        let split = |keys: Vec<Key<3>>, none: [f32; 3]| -> (Vec<f32>, Vec<[f32; 3]>) {
            if keys.is_empty() { (vec![0.0], vec![none]) } else { keys.into_iter().unzip() }
        };
        let (times, values) = split(keys.translation, [0.0; 3]);
        tracks.0.push(Track::new(joint, times, values, Interpolation::Linear)?);
        let (times, values) = match keys.rotation.is_empty() {
            true => (vec![0.0], vec![[0.0, 0.0, 0.0, 1.0]]),
            false => keys.rotation.into_iter().unzip(),
        };
        tracks.1.push(Track::rotation(joint, times, values, Interpolation::Chord)?);
        let (times, values) = split(keys.scale, [1.0; 3]);
        tracks.2.push(Track::new(joint, times, values, Interpolation::Linear)?);
    }
    Clip::new(name, skeleton.len(), tracks, Vec::new())
}
