//! What skinned characters cost: sampling a clip, blending poses, matrices of the model, by joint; skinning, by vertex.

use std::hint::black_box;
use std::time::Instant;

use animation::skeleton::{Clip, Cursors, IDENTITY, Pose, Skeleton, Vertex, blend, skin};

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
    let (skeleton, mesh) = (skeleton(), mesh());
    let [sampling, blending, local_to_model] = measure_joints(rounds, &skeleton, [&clip(0), &clip(7)]);
    let mut matrices = vec![IDENTITY; JOINTS];
    skeleton.to_model(skeleton.rest(), &mut matrices);
    let Some((_, influences)) = &mesh.skin else { return [0.0; 5] };
    let (rest, normals) = (&mesh.positions, &mesh.normals);
    let mut to = vec![Vertex::default(); VERTICES];
    let mut ns: [Vec<f64>; 2] = Default::default();
    for _ in 0..rounds.max(1) {
        for (ns, normals) in ns.iter_mut().zip([&[][..], normals]) {
            let begin = Instant::now();
            skin(&matrices, (influences, 0), (rest, normals), black_box(&mut to));
            ns.push(begin.elapsed().as_nanos() as f64 / VERTICES as f64);
        }
    }
    let [positions, both] = ns.map(median);
    [sampling, blending, local_to_model, positions, both]
}

/// The same of what joints cost, for two clips of a skeleton: sampling, blending, local to model.
pub fn measure_joints(rounds: usize, skeleton: &Skeleton, clips: [&Clip; 2]) -> [f64; 3] {
    let n = skeleton.len();
    let mut cursors = clips.map(Cursors::new);
    let mut poses = [(); 2].map(|()| Pose::new(n));
    let (mut mixed, mut matrices) = (Pose::new(n), vec![IDENTITY; n]);
    let mut ns: [Vec<f64>; 3] = Default::default();
    for round in 0..rounds.max(1) {
        let time = f64::from(round as u32) / 60.0;
        let mut note = |k: usize, per: usize, work: &mut dyn FnMut()| {
            let begin = Instant::now();
            work();
            ns[k].push(begin.elapsed().as_nanos() as f64 / per as f64);
        };
        note(0, 2 * n, &mut || {
            for ((clip, cursors), pose) in clips.iter().zip(&mut cursors).zip(&mut poses) {
                clip.sample(skeleton, black_box(clip.looped(time)), cursors, pose);
            }
        });
        note(1, 2 * n, &mut || {
            blend(skeleton, &[(&poses[0], 0.3), (&poses[1], 0.7)], black_box(&mut mixed));
        });
        note(2, n, &mut || skeleton.to_model(&mixed, black_box(&mut matrices)));
    }
    ns.map(median)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
