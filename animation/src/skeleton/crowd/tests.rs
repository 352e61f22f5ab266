use executors::{ForkJoin, Options, Replay, Stealing};
use partition::Accumulation;
use partition::control::Upkeep;

use super::*;
use crate::skeleton::{
    Cursors, IDENTITY, Influences, Interpolation, Joint, Mesh, MorphTarget, MorphTrack, Pose, Skin, Track,
    Transform, Transition, Vertex, blend, skin,
};

mod change;
mod pending;

fn walker() -> (Arc<Skeleton>, Arc<Clip>) {
    let rest = Transform { translation: [0.0, 1.0, 0.0], ..Transform::default() };
    let joint = |k: u32| Joint { name: format!("j{k}"), parent: k.checked_sub(1), rest };
    let (skeleton, _) = Skeleton::new((0..9).map(joint).collect()).expect("a skeleton");
    let turn = |degrees: f32| {
        let half = degrees.to_radians() / 2.0;
        [half.sin(), 0.0, 0.0, half.cos()]
    };
    let track = |k| {
        let keys = vec![turn(0.0), turn(20.0 + k as f32), turn(-30.0), turn(0.0)];
        Track::rotation(k, vec![0.0, 0.3, 0.7, 1.0], keys, Interpolation::Linear).expect("a track")
    };
    let clip = Clip::new("walk", 9, (vec![], (0..9).map(track).collect(), vec![]), vec![]).expect("a clip");
    (Arc::new(skeleton), Arc::new(clip))
}

fn backends() -> Vec<Backend> {
    let lowered = |executor, workers| {
        let lower = Box::new(Upkeep::new(Accumulation::Auto));
        Backend { executor, lower, workers }
    };
    let options = Options::new(3);
    vec![
        Backend::sequential(),
        lowered(Box::new(Replay::new(&options)), 3),
        lowered(Box::new(Stealing::new(&options)), 3),
        lowered(Box::new(ForkJoin::new(&options)), 3),
    ]
}

/// As a plain loop has them.
fn expected(skeleton: &Skeleton, clip: &Clip, time: f64) -> Vec<Matrix> {
    let (mut pose, mut matrices) = (Pose::new(9), vec![IDENTITY; 9]);
    clip.sample(skeleton, clip.looped(time), &mut Cursors::new(clip), &mut pose);
    skeleton.to_model(&pose, &mut matrices);
    matrices
}

#[test]
fn every_executor_shows_what_a_plain_loop_does() {
    let (skeleton, clip) = walker();
    let starts: Vec<f64> = (0..17).map(|k| f64::from(k) / 17.0).collect();
    for backend in backends() {
        let name = backend.executor.name();
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &starts, 1, backend).expect("a crowd");
        for frame in 0..40 {
            let time = frame as f64 / 30.0;
            assert_eq!(crowd.step(frame, time), Ok(17), "{name}");
            for (k, start) in starts.iter().enumerate() {
                assert_eq!(crowd.matrices(k), expected(&skeleton, &clip, start + time), "{name}, {frame}");
            }
        }
    }
}

#[test]
fn intervals_spread_the_work_and_what_comes_into_view_is_fresh() {
    let (skeleton, clip) = walker();
    for backend in backends() {
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 20], 4, backend).expect("a crowd");
        assert_eq!(crowd.step(0, 0.0), Ok(20), "nothing is shown that was not filled");
        let of: Vec<usize> = (1..9).map(|f| crowd.step(f, f as f64).expect("runs")).collect();
        assert_eq!(of, [5; 8]);
        crowd.set_visible(3, false);
        let seen: usize = (9..13).map(|f| crowd.step(f, f as f64).expect("runs")).sum();
        assert_eq!((seen, crowd.animated_in(3)), (19, Some(5)));
        crowd.set_visible(3, true);
        assert_eq!(crowd.animated_in(3), None);
        crowd.step(14, 0.25).expect("runs");
        assert_eq!(crowd.matrices(3), expected(&skeleton, &clip, 0.25));
        assert_eq!(crowd.animated_in(3), Some(14));
    }
}

#[test]
fn no_models_no_clip_and_no_interval() {
    let (skeleton, clip) = walker();
    for backend in backends() {
        let mut none = Crowd::new(&skeleton, Some(&clip), &[], 1, backend).expect("a crowd");
        assert_eq!((none.step(0, 0.0), none.is_empty()), (Ok(0), true));
    }
    let mut still = Crowd::new(&skeleton, None, &[0.0], 1, Backend::sequential()).expect("a crowd");
    still.step(0, 9.0).expect("runs");
    let mut rest = vec![IDENTITY; 9];
    skeleton.to_model(skeleton.rest(), &mut rest);
    assert_eq!(still.matrices(0), rest);
    let wrong = Crowd::new(&skeleton, None, &[0.0], 0, Backend::sequential()).err().expect("wrong");
    assert!(wrong.to_string().contains("at least 1"));
}

/// A skinned strip with a target that grows, and a carried point.
fn drawn() -> Arc<Drawn> {
    let skins = vec![Skin::new(vec![1, 4, 8], vec![], 9).expect("a skin")];
    let weights = vec![[0.5, 0.3, 0.2, 0.0]; 10];
    let influences = Influences::new(10, 3, &[(vec![[0, 1, 2, 0]; 10], weights)]).expect("influences");
    let positions: Vec<[f32; 3]> = (0..10).map(|k| [k as f32, 1.0, -0.5]).collect();
    let target = MorphTarget { positions: vec![[0.0, 2.0, 0.0]; 10], normals: Vec::new() };
    let strip = Mesh {
        skin: Some((0, influences)),
        normals: vec![[0.0, 0.0, 1.0]; 10],
        texture: vec![[0.25, 0.75]; 10],
        positions,
        targets: vec![target],
        weights: vec![0.5],
        ..Mesh::default()
    };
    let point = Mesh { joint: 3, positions: vec![[1.0, 2.0, 3.0]], ..Mesh::default() };
    Arc::new(Drawn { skins, meshes: vec![strip, point] })
}

#[test]
fn vertices_are_those_of_the_last_complete_generation() {
    let (skeleton, clip) = walker();
    let drawn = drawn();
    let starts = [0.0, 0.2, 0.4, 0.6, 0.8];
    for backend in backends() {
        let mut crowd = Crowd::drawn(&skeleton, Some(&clip), (&starts, 2), &drawn, backend).expect("a crowd");
        assert_eq!((crowd.vertices(0, 0, 9), crowd.second_buffer_bytes()), (None, 5 * 11 * 32));
        for frame in 0..12 {
            crowd.step(frame, frame as f64 * 0.03).expect("runs");
            for (model, start) in starts.iter().enumerate() {
                let last = crowd.animated_in(model).expect("all were animated");
                assert!(last + 2 > frame);
                assert_eq!(crowd.vertices(model, 0, 0).is_some(), last == frame);
                let joints = expected(&skeleton, &clip, start + last as f64 * 0.03);
                let mut matrices = vec![IDENTITY; 3];
                drawn.skins[0].matrices(&joints, &mut matrices);
                let (_, influences) = drawn.meshes[0].skin.as_ref().expect("a skin");
                let rest: Vec<[f32; 3]> = (0..10).map(|k| [k as f32, 2.0, -0.5]).collect();
                let normals = [[0.0, 0.0, 1.0]; 10];
                let mut to = [Vertex::default(); 10];
                skin(&matrices, (influences, 0), (&rest, &normals), &mut to);
                let seen = crowd.vertices(model, 0, 1).expect("young enough");
                for k in 0..10 {
                    assert_eq!((seen[k].position, seen[k].normal), (to[k].position, to[k].normal));
                    assert_eq!(seen[k].texture, [0.25, 0.75]);
                }
                let point = crate::skeleton::moved_point(&joints[3], [1.0, 2.0, 3.0]);
                assert_eq!(crowd.vertices(model, 1, 1).expect("young enough")[0].position, point);
            }
        }
        crowd.set_visible(2, false);
        crowd.set_visible(2, true);
        assert_eq!(crowd.vertices(2, 0, 99), None, "nothing stale is shown");
    }
}

#[test]
fn a_clip_moves_targets() {
    let (skeleton, _) = walker();
    let track = MorphTrack::new(0, 1, vec![0.0, 1.0], vec![0.0, 1.0], Interpolation::Linear);
    let clip = Clip::new("grow", 9, (vec![], vec![], vec![]), vec![track.expect("a track")]).expect("a clip");
    let drawn = drawn();
    let (clip, options) = (Arc::new(clip), (&[0.0][..], 1));
    let mut crowd =
        Crowd::drawn(&skeleton, Some(&clip), options, &drawn, Backend::sequential()).expect("a crowd");
    let mut height = |frame: u64, time: f64| {
        crowd.step(frame, time).expect("runs");
        crowd.vertices(0, 0, 0).expect("filled")[0].position[1]
    };
    let (low, high) = (height(0, 0.0), height(1, 0.75));
    assert!((high - low - 1.5).abs() < 1e-5, "{low} {high}");
}

#[test]
fn a_hundred_characters_take_the_papers_memory() {
    let (skeleton, clip) = walker();
    let mesh = Mesh { positions: vec![[0.0; 3]; 5000], ..Mesh::default() };
    let drawn = Arc::new(Drawn { skins: Vec::new(), meshes: vec![mesh] });
    let starts = [0.0; 100];
    let crowd = Crowd::drawn(&skeleton, Some(&clip), (&starts, 1), &drawn, Backend::sequential());
    assert_eq!(crowd.expect("a crowd").second_buffer_bytes(), 16_000_000);
}

/// The walker's clip, and one that bows.
fn two_clips() -> (Arc<Skeleton>, [Arc<Clip>; 2]) {
    let (skeleton, walk) = walker();
    let bow = |k| {
        let keys = vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8]];
        Track::rotation(k, vec![0.0, 0.8], keys, Interpolation::Linear).expect("a track")
    };
    let bow = Clip::new("bow", 9, (vec![], (0..4).map(bow).collect(), vec![]), vec![]).expect("a clip");
    (skeleton, [walk, Arc::new(bow)])
}

/// A plain loop that samples both and blends.
fn blended(skeleton: &Skeleton, clips: &[Arc<Clip>; 2], time: f64, weights: [f32; 2]) -> Vec<Matrix> {
    let (mut poses, mut pose) = ([Pose::new(9), Pose::new(9)], Pose::new(9));
    for (clip, pose) in clips.iter().zip(&mut poses) {
        clip.sample(skeleton, clip.looped(time), &mut Cursors::new(clip), pose);
    }
    blend(skeleton, &[(&poses[0], weights[0]), (&poses[1], weights[1])], &mut pose);
    let mut matrices = vec![IDENTITY; 9];
    skeleton.to_model(&pose, &mut matrices);
    matrices
}

#[test]
fn clips_follow_each_other_with_the_same_bits_everywhere() {
    let (skeleton, clips) = two_clips();
    let over = Transition { begin: 0.5, duration: 0.5 };
    let sequence = Sequence::of(clips[0].clone()).then(clips[1].clone(), over);
    for backend in backends() {
        let name = backend.executor.name();
        let settings = CrowdSettings {
            skeleton: skeleton.clone(),
            sequence: sequence.clone(),
            starts: vec![0.0, 0.1, 0.7],
            interval: 1,
            drawn: Arc::default(),
        };
        let starts = settings.starts.clone();
        let mut crowd = Crowd::of(settings, backend).expect("a crowd");
        crowd.set_mix(2, Some(&[3.0, 1.0])).expect("two weights");
        for frame in 0..40 {
            let time = frame as f64 / 30.0;
            crowd.step(frame, time).expect("runs");
            let new = over.weight(time);
            for (model, start) in starts.iter().enumerate() {
                let weights = if model == 2 { [3.0, 1.0] } else { [1.0 - new, new] };
                let at = start + time;
                let wanted = match weights {
                    [_, 0.0] => expected(&skeleton, &clips[0], at),
                    [0.0, _] => expected(&skeleton, &clips[1], at),
                    _ => blended(&skeleton, &clips, at, weights),
                };
                assert_eq!(crowd.matrices(model), wanted, "{name}: {frame}, {model}");
            }
        }
        crowd.set_mix(2, None).expect("back");
        crowd.step(40, 9.0).expect("runs");
        assert_eq!(crowd.matrices(2), expected(&skeleton, &clips[1], 9.7));
        for wrong in [&[1.0][..], &[1.0, -1.0], &[f32::NAN, 1.0]] {
            assert!(matches!(crowd.set_mix(0, Some(wrong)), Err(CrowdError::Mix { n: 2 })));
        }
    }
}

#[test]
fn a_budget_makes_models_wait_and_what_is_uploaded_is_counted() {
    let (skeleton, clip) = walker();
    let drawn = drawn();
    for backend in backends() {
        let mut crowd =
            Crowd::drawn(&skeleton, Some(&clip), (&[0.0; 10], 1), &drawn, backend).expect("a crowd");
        crowd.set_budget(4).expect("some");
        crowd.set_priority(9, 3);
        // Eleven vertices of 32 bytes each.
        assert_eq!((crowd.step(0, 0.0), crowd.uploaded_bytes(), crowd.n_waiting()), (Ok(4), 4 * 11 * 32, 6));
        assert!(crowd.vertices(9, 0, 9).is_some() && crowd.vertices(8, 0, 9).is_none(), "not filled yet");
        for frame in 1..3 {
            crowd.step(frame, 0.1).expect("runs");
        }
        assert!((0..10).all(|m| crowd.vertices(m, 0, 2).is_some()));
        crowd.set_interval(3, 5).expect("an interval");
        assert!(matches!(crowd.set_interval(3, 0), Err(CrowdError::Interval)));
        assert!(matches!(crowd.set_budget(0), Err(CrowdError::Budget)));
    }
    let mut matrices =
        Crowd::new(&skeleton, Some(&clip), &[0.0; 3], 1, Backend::sequential()).expect("a crowd");
    matrices.step(0, 0.0).expect("runs");
    assert_eq!(matrices.uploaded_bytes(), 3 * 9 * 64);
}

#[test]
fn targets_are_mixed_beside_bones() {
    let (skeleton, [walk, _]) = two_clips();
    let track =
        MorphTrack::new(0, 1, vec![0.0, 1.0], vec![1.0, 1.0], Interpolation::Linear).expect("a track");
    let grown = Clip::new("grown", 9, (vec![], vec![], vec![]), vec![track]).expect("a clip");
    let settings = CrowdSettings {
        skeleton,
        sequence: Sequence::of(walk).then(Arc::new(grown), Transition { begin: 9.0, duration: 1.0 }),
        starts: vec![0.0],
        interval: 1,
        drawn: drawn(),
    };
    let mut crowd = Crowd::of(settings, Backend::sequential()).expect("a crowd");
    // At time zero bones are straight: heights are those of the mesh, whose target counts 0.5 without a clip of it.
    let mut height = |mix: [f32; 2], frame| {
        crowd.set_mix(0, Some(&mix)).expect("a mix");
        crowd.step(frame, 0.0).expect("runs");
        crowd.vertices(0, 0, 0).expect("filled")[0].position[1]
    };
    let (rest, half, all) = (height([1.0, 0.0], 0), height([1.0, 1.0], 1), height([0.0, 1.0], 2));
    assert!((half - rest - 0.5).abs() < 1e-5 && (all - rest - 1.0).abs() < 1e-5, "{rest} {half} {all}");
}

/// A model whose skinned mesh has targets and is cut into parts.
fn large() -> Arc<Drawn> {
    let n = 20_005;
    let noise = |k: usize| ((k * 7919 % 1000) as f32 - 499.5) / 500.0;
    let list = |from: usize| (0..n).map(|v| [0, 1, 2].map(|c| noise(3 * v + from + c))).collect::<Vec<_>>();
    let joints = (0..n).map(|v| [0, 1, 2, 0].map(|k| ((v + k) % 3) as u16)).collect();
    let weights = (0..n).map(|v| [0.5, 0.3, if v % 7 == 0 { 0.2 } else { 0.0 }, 0.0]).collect();
    let mesh = Mesh {
        skin: Some((0, Influences::new(n, 3, &[(joints, weights)]).expect("influences"))),
        positions: list(1),
        normals: list(5),
        targets: vec![MorphTarget { positions: list(9), normals: list(2) }],
        weights: vec![0.25],
        ..Mesh::default()
    };
    Arc::new(Drawn { skins: vec![Skin::new(vec![1, 4, 8], vec![], 9).expect("a skin")], meshes: vec![mesh] })
}

#[test]
fn a_large_mesh_is_cut_into_parts_of_all_workers_and_nobody_sees_it() {
    let (skeleton, clip) = walker();
    let drawn = large();
    let mesh = &drawn.meshes[0];
    for backend in backends() {
        let workers = backend.workers;
        let mut crowd = Crowd::drawn(&skeleton, Some(&clip), (&[0.3], 1), &drawn, backend).expect("a crowd");
        crowd.step(0, 0.1).expect("runs");
        let seen = crowd.vertices(0, 0, 0).expect("filled");
        let (n, n_parts) = (mesh.positions.len(), seen.parts().count());
        assert!((seen.len(), seen.iter().count()) == (n, n) && n_parts > 3, "{n_parts}");
        let placed = Load::of(&crowd.models, workers);
        let busy: std::collections::BTreeSet<u32> =
            crowd.models[0].meshes[0].costs().map(|(object, _)| placed.placed().worker(object)).collect();
        assert_eq!(busy.len(), workers as usize);
        let (mut positions, mut normals) = (mesh.positions.clone(), mesh.normals.clone());
        mesh.morph(&[0.25], &mut positions, &mut normals);
        let mut matrices = vec![IDENTITY; 3];
        drawn.skins[0].matrices(&expected(&skeleton, &clip, 0.3 + 0.1), &mut matrices);
        let (_, influences) = mesh.skin.as_ref().expect("a skin");
        let mut whole = vec![Vertex::default(); n];
        skin(&matrices, (influences, 0), (&positions, &normals), &mut whole);
        assert!(seen.iter().eq(&whole) && seen[n - 1] == whole[n - 1]);
    }
}
