//! A character of the size that ozz's samples show: 67 joints, and 3,934 vertices with four influences each.

use animation::skeleton::{Clip, Influences, Interpolation, Joint, Mesh, Skeleton, Skin, Track, Transform};

/// Number of joints.
pub const JOINTS: usize = 67;
/// Number of vertices.
pub const VERTICES: usize = 3934;
const KEYS: usize = 61;

/// Numbers between -1 and 1 that look random.
fn noise(k: usize) -> f32 {
    (k as f32 * 12.9898).sin()
}

fn rotation(k: usize) -> [f32; 4] {
    let q = [0.3 * noise(k), 0.3 * noise(k + 1), 0.3 * noise(k + 2), 1.0];
    let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
    q.map(|x| x / length)
}

/// Joints in a tree, each with two children.
pub fn skeleton() -> Skeleton {
    let joint = |k: usize| {
        let rest = Transform { translation: [0.0, 0.1, noise(k)], rotation: rotation(k), scale: [1.0; 3] };
        Joint { name: format!("joint {k}"), parent: (k > 0).then(|| (k as u32 - 1) / 2), rest }
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton").0
}

/// A second of translations and rotations of all joints at 60 Hz.
pub fn clip(seed: usize) -> Clip {
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 60.0).collect();
    let at = |joint: usize, key: usize| seed + 1000 * joint + key;
    let translations = (0..JOINTS).map(|j| {
        let values = (0..KEYS).map(|k| [noise(at(j, k)), 0.1, 0.0]).collect();
        Track::new(j as u32, times.clone(), values, Interpolation::Linear).expect("a track")
    });
    let rotations = (0..JOINTS).map(|j| {
        let values = (0..KEYS).map(|k| rotation(at(j, k))).collect();
        Track::rotation(j as u32, times.clone(), values, Interpolation::Linear).expect("a track")
    });
    let tracks = (translations.collect(), rotations.collect(), Vec::new());
    Clip::new("noise", JOINTS, tracks, Vec::new()).expect("a clip")
}

/// A skin of all joints.
pub fn skin() -> Skin {
    Skin::new((0..JOINTS as u32).collect(), Vec::new(), JOINTS).expect("a skin")
}

/// Vertices without triangles, with normals, each moved by four joints.
pub fn mesh() -> Mesh {
    let joints = (0..VERTICES).map(|v| [0, 1, 2, 3].map(|k| ((v / 60 + k) % JOINTS) as u16)).collect();
    let weights = vec![[0.4, 0.3, 0.2, 0.1]; VERTICES];
    let influences = Influences::new(VERTICES, JOINTS, &[(joints, weights)]).expect("influences");
    Mesh {
        name: "skinned".to_owned(),
        skin: Some((0, influences)),
        positions: (0..VERTICES).map(|v| [noise(v), noise(v + 1), noise(v + 2)]).collect(),
        normals: vec![[0.0, 0.6, 0.8]; VERTICES],
        ..Mesh::default()
    }
}
