//! Characters with every executor.

use animation::skeleton::Camera;

use super::*;
use crate::execution::ExecutorKind;

const ARM: &str = "HIERARCHY
ROOT upper
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 5 0
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0
90 0 0
0 0 0
";

fn arm(models: usize, executor: ExecutorKind, threads: usize) -> CharacterSimulation {
    let character = characters::read_bvh("arm.bvh", ARM).expect("reads");
    playing(character, models, executor, threads)
}

fn playing(
    character: Character,
    models: usize,
    executor: ExecutorKind,
    threads: usize,
) -> CharacterSimulation {
    let options = SimulationOptions { executor, threads, dt: Some(0.25), ..SimulationOptions::default() };
    let of = CharacterOptions {
        models,
        clip: Some(0),
        interval: 1,
        life: 1,
        skins: true,
        ..CharacterOptions::default()
    };
    CharacterSimulation::new(character, &of, &options).expect("runs")
}

#[test]
fn models_play_from_phases_of_their_own_with_the_same_bits_everywhere() {
    let mut expected = arm(8, ExecutorKind::Sequential, 1);
    for _ in 0..3 {
        expected.step().expect("a frame");
    }
    // Frame 2 is at 0.5 s: the first model is upright again a second later, the fifth, half a clip ahead, at its end.
    let tip = |model: usize| expected.matrices(model)[1][3];
    assert!((tip(0)[0] + 5.0).abs() < 1e-5 && (tip(4)[1] - 5.0).abs() < 1e-5, "{:?}", (tip(0), tip(4)));
    for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
        let mut other = arm(8, executor, 2);
        for _ in 0..3 {
            other.step().expect("a frame");
        }
        assert_eq!(other.state_hash(), expected.state_hash(), "{executor:?}");
    }
    assert_eq!((expected.animated(), expected.n_models()), (24, 8));
}

#[test]
fn what_a_camera_does_not_see_is_not_animated_until_it_does() {
    let mut simulation = arm(9, ExecutorKind::Sequential, 1);
    let mut other = arm(9, ExecutorKind::Sequential, 1);
    let camera = |at: [f64; 3]| Camera {
        eye: [0.0, 0.0, 40.0],
        at,
        up: [0.0, 1.0, 0.0],
        angle: 0.8,
        aspect: 1.5,
        range: [0.0; 2],
    };
    // Nobody knows where models stand before the first frame.
    simulation.look_from(&camera([0.0, 0.0, 80.0]));
    simulation.step().expect("a frame");
    assert_eq!(simulation.animated(), 9);
    simulation.look_from(&camera([0.0, 0.0, 80.0]));
    simulation.step().expect("a frame");
    assert_eq!((simulation.animated(), simulation.in_view()), (9, 9));
    simulation.look_from(&camera([0.0, 0.0, 0.0]));
    simulation.step().expect("a frame");
    assert_eq!((simulation.animated(), simulation.in_view()), (18, 18));
    // Those that were not seen meanwhile are where all would be.
    for _ in 0..3 {
        other.step().expect("a frame");
    }
    assert_eq!(simulation.state_hash(), other.state_hash());
}

#[test]
fn what_is_drawn_beside_is_the_frame_before_with_the_same_bits_everywhere() {
    let with = |executor, threads, beside| {
        let character = characters::read_bvh("arm.bvh", ARM).expect("reads");
        let options = SimulationOptions { executor, threads, dt: Some(0.25), ..SimulationOptions::default() };
        let models_at = vec![(7, 0.5), (3, 1.0)];
        let of = CharacterOptions {
            models: 5,
            models_at,
            clip: Some(0),
            interval: 1,
            life: 1,
            skins: true,
            beside,
            ..CharacterOptions::default()
        };
        CharacterSimulation::new(character, &of, &options).expect("runs")
    };
    let tips = |shown: &ShownCharacters<'_>| -> Vec<[f32; 4]> {
        (0..shown.n_models()).filter(|m| shown.is_filled(*m)).map(|m| shown.matrices(m)[1][3]).collect()
    };
    let mut plain = with(ExecutorKind::Sequential, 1, true);
    assert!(!plain.computes_beside());
    for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
        let mut beside = with(executor, 2, true);
        assert!(beside.computes_beside());
        let mut before = None;
        for _ in 0..8 {
            let mut drawn = None;
            beside.step_while(|shown| drawn = Some(tips(shown))).expect("a frame");
            if let (Some(before), Some(drawn)) = (&before, &drawn) {
                let before: &Vec<[f32; 4]> = before;
                let n = before.len().min(drawn.len());
                assert_eq!(before[..n], drawn[..n]);
            }
            assert_eq!(drawn.is_some(), before.is_some());
            before = Some(tips(&beside.shown()));
        }
        assert_eq!((beside.n_models(), beside.overlap().frames), (3, 7));
        if plain.frames() == 0 {
            for _ in 0..8 {
                plain.step().expect("a frame");
            }
        }
        assert_eq!(beside.state_hash(), plain.state_hash(), "{executor:?}");
    }
}

#[test]
fn lines_say_where_joints_are() {
    let mut simulation = arm(2, ExecutorKind::Sequential, 1);
    let mut lines = crate::characters::PoseLines::new(Vec::new());
    simulation.step().expect("a frame");
    lines.write(0, 0.0, &simulation).expect("writes");
    let text = String::from_utf8(lines.finish().expect("finishes")).expect("text");
    let parsed: Vec<serde_json::Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(parsed.len(), 2);
    assert_eq!((parsed[1]["model"].as_u64(), parsed[1]["clip"].as_str()), (Some(1), Some("motion")));
    assert_eq!(parsed[0]["joints"][1]["name"], "upper end");
    assert_eq!(parsed[0]["joints"][1]["matrix"][13].as_f64(), Some(5.0));
    assert!(parsed[0]["joints"][1].get("skin").is_none());
}

#[test]
fn lines_have_the_skins_that_are_worn_first_and_the_frame_that_a_pose_is_of() {
    let bind = |x: f32| {
        let mut bind = animation::skeleton::IDENTITY;
        bind[3][0] = x;
        bind
    };
    let mut character = characters::read_bvh("arm.bvh", ARM).expect("reads");
    let n = character.skeleton.len();
    let skin = |joints: &[u32], x: f32| {
        animation::skeleton::Skin::new(joints.to_vec(), joints.iter().map(|_| bind(x)).collect(), n)
    };
    character.skins = vec![skin(&[0, 1], 7.0).expect("fits"), skin(&[1], 8.0).expect("fits")];
    let block = (vec![[0; 4]], vec![[1.0, 0.0, 0.0, 0.0]]);
    let influences = animation::skeleton::Influences::new(1, 1, &[block]).expect("fits");
    character.meshes =
        vec![Mesh { positions: vec![[0.0; 3]], skin: Some((1, influences)), ..Mesh::default() }];
    let mut simulation = playing(character, 2, ExecutorKind::Sequential, 1);
    simulation.crowd.set_interval(1, 2).expect("an interval");
    let mut lines = crate::characters::PoseLines::new(Vec::new());
    for step in 0..4 {
        simulation.step().expect("a frame");
        lines.write(step, 0.0, &simulation).expect("writes");
    }
    let text = String::from_utf8(lines.finish().expect("finishes")).expect("text");
    let parsed: Vec<serde_json::Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let joints = &parsed[0]["joints"];
    assert_eq!(joints[0]["skin"][12].as_f64(), Some(7.0));
    assert!(joints[0].get("skins").is_none());
    assert_eq!(joints[1]["skin"][12].as_f64(), Some(8.0));
    assert_eq!(
        (joints[1]["skins"]["0"][12].as_f64(), joints[1]["skins"]["1"][12].as_f64()),
        (Some(7.0), Some(8.0))
    );
    let animated = |model: usize| {
        parsed.iter().skip(model).step_by(2).map(|l| l["animated"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(animated(0), [Some(0), Some(1), Some(2), Some(3)]);
    let second = animated(1);
    assert!(second.windows(2).any(|w| w[0] == w[1]), "{second:?}");
}
