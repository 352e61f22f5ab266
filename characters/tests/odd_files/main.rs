//! Files that are odd and right, and files that are wrong: what is read of them, or what is said.

mod bvh;
mod file;
mod gltf;
mod gltf_limits;

use animation::skeleton::{Cursors, IDENTITY, Matrix, Pose};
use weft_characters::Character;

/// The matrices of all joints at a time of a clip \[s\].
fn joints(character: &Character, clip: usize, time: f32) -> Vec<Matrix> {
    let n = character.skeleton.len();
    let (mut pose, mut model) = (Pose::new(n), vec![IDENTITY; n]);
    pose.copy_from(character.skeleton.rest());
    if let Some(clip) = character.clips.get(clip) {
        clip.sample(&character.skeleton, time, &mut Cursors::new(clip), &mut pose);
    }
    character.skeleton.to_model(&pose, &mut model);
    model
}

/// Where a joint is.
fn at(character: &Character, joint: &str, time: f32) -> [f32; 3] {
    let k = character.skeleton.find(joint).expect("a joint");
    let [x, y, z, _] = joints(character, 0, time)[k as usize][3];
    [x, y, z]
}

fn near(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-5)
}
