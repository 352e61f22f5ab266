//! What skinned characters cost: sampling a clip, blending poses, matrices of the model, by joint; skinning, by vertex.
//!
//! `cargo bench -p benches --bench skeleton` prints a table, for 67 joints and 3,934 vertices with four influences, as a character that ozz's
//! samples show. All is done in turns within one run on one core; medians count.

use std::hint::black_box;
use std::time::Instant;

use animation::skeleton::{
    Clip, Cursors, IDENTITY, Influences, Interpolation, Joint, Matrix, Pose, Skeleton, Track, Transform,
    blend, skin,
};

const JOINTS: usize = 67;
const VERTICES: usize = 3934;
const KEYS: usize = 61;
const ROUNDS: usize = 301;

/// Numbers between -1 and 1 that look random.
fn noise(k: usize) -> f32 {
    (k as f32 * 12.9898).sin()
}

fn rotation(k: usize) -> [f32; 4] {
    let q = [0.3 * noise(k), 0.3 * noise(k + 1), 0.3 * noise(k + 2), 1.0];
    let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
    q.map(|x| x / length)
}

fn skeleton() -> Skeleton {
    let joint = |k: usize| {
        let rest = Transform { translation: [0.0, 0.1, noise(k)], rotation: rotation(k), scale: [1.0; 3] };
        Joint { name: format!("joint {k}"), parent: (k > 0).then(|| (k as u32 - 1) / 2), rest }
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton").0
}

/// A second of translations and rotations of all joints at 60 Hz.
fn clip(seed: usize) -> Clip {
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

fn main() {
    let (skeleton, clips) = (skeleton(), [clip(0), clip(7)]);
    let mut cursors = clips.each_ref().map(Cursors::new);
    let mut poses = [(); 2].map(|()| Pose::new(JOINTS));
    let (mut mixed, mut matrices) = (Pose::new(JOINTS), vec![IDENTITY; JOINTS]);
    let joints = (0..VERTICES).map(|v| [0, 1, 2, 3].map(|k| ((v / 60 + k) % JOINTS) as u16)).collect();
    let weights = vec![[0.4, 0.3, 0.2, 0.1]; VERTICES];
    let influences = Influences::new(VERTICES, JOINTS, &[(joints, weights)]).expect("influences");
    let rest: Vec<[f32; 3]> = (0..VERTICES).map(|v| [noise(v), noise(v + 1), noise(v + 2)]).collect();
    let normals = vec![[0.0, 0.6, 0.8]; VERTICES];
    let (mut to, mut to_normals) = (rest.clone(), normals.clone());
    let mut ns: [Vec<f64>; 5] = Default::default();
    for round in 0..ROUNDS {
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
            skin(binds, (&influences, 0), (&rest, &[]), (black_box(&mut to), &mut []));
        });
        note(4, VERTICES, &mut || {
            skin(binds, (&influences, 0), (&rest, &normals), (black_box(&mut to), &mut to_normals));
        });
    }
    let rows = [
        "sampling, ns a joint",
        "blending, ns a joint and layer",
        "local to model, ns a joint",
        "skinning positions, ns a vertex",
        "skinning positions and normals, ns a vertex",
    ];
    for (row, mut values) in rows.iter().zip(ns) {
        values.sort_by(f64::total_cmp);
        println!("{row:45} {:6.2}", values[values.len() / 2]);
    }
}
