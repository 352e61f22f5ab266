//! What skinned characters cost: sampling a clip, blending poses, matrices of the model, by joint; skinning, by vertex.

use std::hint::black_box;
use std::time::Instant;

use animation::skeleton::{Cursors, IDENTITY, Matrix, Pose, Vertex, blend, skin};

use crate::character::{JOINTS, VERTICES, clip, mesh, skeleton};

/// What is measured.
pub const ROWS: [&str; 5] = [
    "sampling, ns a joint",
    "blending, ns a joint and layer",
    "local to model, ns a joint",
    "skinning positions, ns a vertex",
    "skinning positions and normals, ns a vertex",
];

/// The medians of so many rounds \[ns\], in which all is done in turns on one core.
pub fn measure(rounds: usize) -> [f64; 5] {
    let (skeleton, clips, mesh) = (skeleton(), [clip(0), clip(7)], mesh());
    let mut cursors = clips.each_ref().map(Cursors::new);
    let mut poses = [(); 2].map(|()| Pose::new(JOINTS));
    let (mut mixed, mut matrices) = (Pose::new(JOINTS), vec![IDENTITY; JOINTS]);
    let Some((_, influences)) = &mesh.skin else { return [0.0; 5] };
    let (rest, normals) = (&mesh.positions, &mesh.normals);
    let mut to = vec![Vertex::default(); VERTICES];
    let mut ns: [Vec<f64>; 5] = Default::default();
    for round in 0..rounds.max(1) {
        let time = (round as f32 / 60.0) % 1.0;
        let mut note = |k: usize, per: usize, work: &mut dyn FnMut()| {
            let begin = Instant::now();
            work();
            ns[k].push(begin.elapsed().as_nanos() as f64 / per as f64);
        };
        note(0, 2 * JOINTS, &mut || {
            for ((clip, cursors), pose) in clips.iter().zip(&mut cursors).zip(&mut poses) {
                clip.sample(&skeleton, black_box(time), cursors, pose);
            }
        });
        note(1, 2 * JOINTS, &mut || {
            blend(&skeleton, &[(&poses[0], 0.3), (&poses[1], 0.7)], black_box(&mut mixed));
        });
        note(2, JOINTS, &mut || skeleton.to_model(&mixed, black_box(&mut matrices)));
        let binds: &[Matrix] = &matrices;
        note(3, VERTICES, &mut || {
            skin(binds, (influences, 0), (rest, &[]), black_box(&mut to));
        });
        note(4, VERTICES, &mut || {
            skin(binds, (influences, 0), (rest, normals), black_box(&mut to));
        });
    }
    ns.map(|mut values| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}
