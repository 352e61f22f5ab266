//! A character of our own, made by arithmetic and written as binary glTF: a body of tubes on seventeen joints that stands, walks and runs.

mod body;
mod gait;
mod glb;

use crate::character::Character;
use crate::gltf::read_gltf;

/// The joints: name, parent, and where it is from its parent \[m\].
const JOINTS: [(&str, Option<u32>, [f32; 3]); 17] = [
    ("hips", None, [0.0, 0.95, 0.0]),
    ("spine", Some(0), [0.0, 0.12, 0.0]),
    ("chest", Some(1), [0.0, 0.2, 0.0]),
    ("neck", Some(2), [0.0, 0.22, 0.0]),
    ("head", Some(3), [0.0, 0.08, 0.0]),
    ("l_shoulder", Some(2), [0.2, 0.16, 0.0]),
    ("l_elbow", Some(5), [0.0, -0.28, 0.0]),
    ("l_hand", Some(6), [0.0, -0.26, 0.0]),
    ("r_shoulder", Some(2), [-0.2, 0.16, 0.0]),
    ("r_elbow", Some(8), [0.0, -0.28, 0.0]),
    ("r_hand", Some(9), [0.0, -0.26, 0.0]),
    ("l_hip", Some(0), [0.1, -0.04, 0.0]),
    ("l_knee", Some(11), [0.0, -0.43, 0.0]),
    ("l_foot", Some(12), [0.0, -0.42, 0.0]),
    ("r_hip", Some(0), [-0.1, -0.04, 0.0]),
    ("r_knee", Some(14), [0.0, -0.43, 0.0]),
    ("r_foot", Some(15), [0.0, -0.42, 0.0]),
];

/// The walker as a file: binary glTF. It looks along z, its feet are on the plane y = 0, and it plays the clips `stand`, `walk` and `run`,
/// which go round in 3, 1.1 and 0.7 s and stay at the place. It is nobody's: whoever wants to may use it.
pub fn walker_glb() -> Vec<u8> {
    glb::file([gait::stand(), gait::walk(), gait::run()])
}

/// The walker, read from its file.
pub fn walker() -> Character {
    // What is written is right: the tests read all of it.
    read_gltf("walker.glb", &walker_glb(), None).expect("a file of our own")
}

/// The place of the joint of a name; the first where there is none, which the tests refuse.
fn joint(name: &str) -> usize {
    JOINTS.iter().position(|(known, ..)| *known == name).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use animation::skeleton::{IDENTITY, Player, Sequence, moved_point};
    use std::sync::Arc;

    use super::*;

    #[test]
    fn it_stands_on_the_ground_and_walks_on_the_spot() {
        let walker = walker();
        assert!(walker.warnings.is_empty(), "{:?}", walker.warnings);
        let names: Vec<&str> = walker.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, JOINTS.map(|(name, ..)| name));
        assert_eq!(walker.clips.iter().map(|clip| clip.name()).collect::<Vec<_>>(), ["stand", "walk", "run"]);
        let skeleton = Arc::new(walker.skeleton.clone());
        for clip in &walker.clips {
            let mut player = Player::new(&skeleton, &Sequence::of(Arc::new(clip.clone())), 0.0);
            let mut matrices = vec![IDENTITY; skeleton.len()];
            for k in 0..60 {
                player.animate(f64::from(clip.duration()) * f64::from(k) / 60.0, &[1.0], &mut matrices);
                let at =
                    |name| moved_point(&matrices[skeleton.find(name).expect("there") as usize], [0.0; 3]);
                let (left, right) = (at("l_foot"), at("r_foot"));
                let low = left[1].min(right[1]);
                assert!((-0.05..0.25).contains(&low), "{} {k}: {low}", clip.name());
                assert!(at("hips")[0].abs() + at("hips")[2].abs() < 0.1 && at("head")[1] > 1.2);
            }
            let (mut first, mut last) = (matrices.clone(), matrices.clone());
            player.animate(0.0, &[1.0], &mut first);
            player.animate(f64::from(clip.duration()) - 1e-6, &[1.0], &mut last);
            let off = first.as_flattened().as_flattened().iter().zip(last.as_flattened().as_flattened());
            assert!(off.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-3, "it goes round");
        }
    }

    #[test]
    fn its_surface_is_closed_tubes_around_its_bones() {
        let walker = walker();
        let mesh = &walker.meshes[0];
        let (skin, influences) = mesh.skin.as_ref().expect("a skin");
        assert_eq!(
            (walker.skins[*skin as usize].joints().len(), influences.len()),
            (17, mesh.positions.len())
        );
        // By divergence: the volume that the triangles enclose, in liters.
        let volume: f32 = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                let n = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
                (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0
            })
            .sum();
        assert!((0.03..0.12).contains(&volume), "{volume}");
        let mut edges: Vec<[u32; 2]> =
            mesh.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
        edges.sort_unstable();
        let is_closed = edges.iter().all(|[a, b]| edges.binary_search(&[*b, *a]).is_ok());
        assert!(is_closed, "each edge has a triangle on both sides");
    }
}
