//! Keys of clips: legs and arms swing, knees and elbows bend, hips go up and down.

use std::f32::consts::TAU;

use super::{JOINTS, joint};

/// Keys of a clip, the first and the last of which are alike.
const KEYS: usize = 25;

/// How one goes: angles in radians, lengths in meters.
struct Gait {
    name: &'static str,
    /// How long it takes to go round \[s\].
    period: f32,
    /// How far legs swing.
    legs: f32,
    /// How far knees bend.
    knees: f32,
    /// How far arms swing.
    arms: f32,
    /// How far elbows bend, always and in addition while arms swing.
    elbows: [f32; 2],
    /// How far hips go up and down, and how low they are below standing.
    hips: [f32; 2],
    /// How far the trunk leans ahead, and turns to either side.
    trunk: [f32; 2],
}

/// A clip: keys of joints at the same times.
pub(super) struct Keys {
    pub name: &'static str,
    /// When \[s\].
    pub times: Vec<f32>,
    /// Where the first joint, the hips, is.
    pub hips: Vec<[f32; 3]>,
    /// How joints are turned.
    pub rotations: Vec<(usize, Vec<[f32; 4]>)>,
}

/// It breathes.
pub(super) fn stand() -> Keys {
    keys(&Gait {
        name: "stand",
        period: 3.0,
        legs: 0.0,
        knees: 0.0,
        arms: 0.04,
        elbows: [0.15, 0.03],
        hips: [0.005, 0.005],
        trunk: [0.02, 0.03],
    })
}

/// It walks.
pub(super) fn walk() -> Keys {
    keys(&Gait {
        name: "walk",
        period: 1.1,
        legs: 0.42,
        knees: 0.9,
        arms: 0.4,
        elbows: [0.25, 0.2],
        hips: [0.015, 0.035],
        trunk: [0.05, 0.1],
    })
}

/// It runs.
pub(super) fn run() -> Keys {
    keys(&Gait {
        name: "run",
        period: 0.7,
        legs: 0.7,
        knees: 1.6,
        arms: 0.75,
        elbows: [1.3, 0.3],
        hips: [0.04, 0.05],
        trunk: [0.18, 0.15],
    })
}

/// Half the sine and the cosine: a rotation about an axis.
fn about(axis: usize, angle: f32) -> [f32; 4] {
    let (s, c) = (angle / 2.0).sin_cos();
    let mut q = [0.0, 0.0, 0.0, c];
    q[axis] = s;
    q
}

fn keys(gait: &Gait) -> Keys {
    let phases: Vec<f32> = (0..KEYS).map(|k| TAU * k as f32 / (KEYS - 1) as f32).collect();
    let times: Vec<f32> = phases.iter().map(|phase| gait.period * phase / TAU).collect();
    let turns = |name: &str, axis: usize, angle: &dyn Fn(f32) -> f32| {
        (joint(name), phases.iter().map(|phase| about(axis, angle(*phase))).collect())
    };
    let half_turn = TAU / 2.0;
    let mut rotations = vec![
        turns("spine", 0, &|_| gait.trunk[0]),
        turns("chest", 1, &|p| gait.trunk[1] * p.sin()),
        turns("neck", 1, &|p| -gait.trunk[1] * p.sin()),
    ];
    for (side, offset) in [("l", 0.0), ("r", half_turn)] {
        let name = |part: &str| format!("{side}_{part}");
        // Turned about x, what hangs swings back.
        rotations.push(turns(&name("hip"), 0, &|p| -gait.legs * (p + offset).sin()));
        // Knees bend most while the leg comes ahead.
        rotations.push(turns(&name("knee"), 0, &|p| gait.knees * (p + offset).cos().max(0.0).powi(2)));
        rotations.push(turns(&name("foot"), 0, &|p| 0.3 * gait.legs * (p + offset).sin()));
        rotations.push(turns(&name("shoulder"), 0, &|p| gait.arms * (p + offset).sin()));
        rotations.push(turns(&name("elbow"), 0, &|p| {
            -gait.elbows[0] - gait.elbows[1] * (1.0 - (p + offset).sin()) / 2.0
        }));
    }
    let [x, y, z] = JOINTS[0].2;
    let height = |p: &f32| [x, y - gait.hips[1] + gait.hips[0] * (2.0 * p).cos(), z];
    Keys { name: gait.name, hips: phases.iter().map(height).collect(), times, rotations }
}
