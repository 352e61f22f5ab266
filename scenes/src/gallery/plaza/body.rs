//! Who walks on the plaza: our own characters (glTF and HAnim), or one of a file.

use std::path::Path;

use super::guest::{self, Limb};
use animation::skeleton::{Clip, IDENTITY};
use characters::Character;

/// Spheres on bones of our own: the joint's row, where it is from the joint \[m\], its radius \[m\].
const OURS: [(usize, [f64; 3], f64); 15] = [
    (0, [0.0, 0.0, 0.0], 0.15),
    (2, [0.0, 0.08, 0.0], 0.17),
    (4, [0.0, 0.1, 0.01], 0.12),
    (6, [0.0, 0.0, 0.0], 0.06),
    (7, [0.0, -0.06, 0.0], 0.06),
    (9, [0.0, 0.0, 0.0], 0.06),
    (10, [0.0, -0.06, 0.0], 0.06),
    (11, [0.0, -0.2, 0.0], 0.09),
    (12, [0.0, 0.0, 0.0], 0.08),
    (12, [0.0, -0.2, 0.0], 0.07),
    (13, [0.0, -0.02, 0.06], 0.08),
    (14, [0.0, -0.2, 0.0], 0.09),
    (15, [0.0, 0.0, 0.0], 0.08),
    (15, [0.0, -0.2, 0.0], 0.07),
    (16, [0.0, -0.02, 0.06], 0.08),
];

/// Who walks.
pub(super) struct Body {
    /// The file of a CharacterFile.
    pub filename: String,
    /// Clips for standing, walking and running; fewer: those that there are.
    pub clips: Vec<String>,
    /// Length of the file's unit \[m\].
    pub unit: f64,
    /// Spheres on bones: the joint's row, where it is from the joint \[m\], its radius \[m\].
    pub bones: Vec<(usize, [f64; 3], f64)>,
    /// Meshes of the file that bones move.
    pub meshes: Vec<usize>,
}

/// Characters that are lower or higher are made this high \[m\].
const HEIGHT: f64 = 1.7;
/// What is between these is a height that people have \[m\].
const HEIGHTS: std::ops::Range<f64> = 1.0..2.5;
/// Things feel so many bones at most: those that move most of the mesh.
const MOST_BONES: usize = 16;
/// Radius of a bone \[m\].
const RADIUS: f64 = 0.08;

impl Body {
    /// Our own.
    pub fn ours() -> Self {
        let clips = ["stand", "walk", "run"].map(str::to_owned).to_vec();
        Self {
            filename: "gallery:walker".to_owned(),
            clips,
            unit: 1.0,
            bones: OURS.to_vec(),
            meshes: vec![0],
        }
    }

    /// Our own humanoid of X3D, which has the joints and limbs of the guest; the first of its joints is the whole.
    pub fn humanoid() -> Self {
        let bone = |limb: &Limb| {
            let (at, radius) = guest::bone(limb);
            (limb.0 + 1, at, radius)
        };
        Self {
            filename: "gallery:humanoid.x3dv".to_owned(),
            bones: guest::LIMBS.iter().map(bone).collect(),
            ..Self::ours()
        }
    }

    /// That of a file.
    ///
    /// # Errors
    /// The file cannot be read, or no bones move a mesh in it.
    pub fn of_file(path: &Path) -> Result<Self, String> {
        let absolute = std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let character = characters::load(path, None).map_err(|e| e.to_string())?;
        let skinned = |k: &usize| character.meshes[*k].skin.is_some();
        let meshes: Vec<usize> = (0..character.meshes.len()).filter(skinned).collect();
        if meshes.is_empty() {
            let what = match character.meshes.len() {
                0 => "it has no mesh",
                _ => "it has no skin: no bones move its mesh",
            };
            return Err(format!("{}: {what}, so nobody is seen to walk", path.display()));
        }
        let height = height(&character, &meshes);
        let unit = if HEIGHTS.contains(&height) || height <= 0.0 { 1.0 } else { HEIGHT / height };
        let bones = bones(&character, &meshes).into_iter().map(|row| (row, [0.0; 3], RADIUS)).collect();
        Ok(Self { filename: absolute.display().to_string(), clips: clips(&character), unit, bones, meshes })
    }
}

/// How high the character is at rest, in units of its file.
fn height(character: &Character, meshes: &[usize]) -> f64 {
    let mut matrices = vec![IDENTITY; character.skeleton.len()];
    character.skeleton.to_model(character.skeleton.rest(), &mut matrices);
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |y: f32| range = [range[0].min(f64::from(y)), range[1].max(f64::from(y))];
    for mesh in meshes {
        let Some((skin, influences)) = &character.meshes[*mesh].skin else { continue };
        let skin = &character.skins[*skin as usize];
        let mut moving = vec![IDENTITY; skin.joints().len()];
        skin.matrices(&matrices, &mut moving);
        for (vertex, p) in character.meshes[*mesh].positions.iter().enumerate() {
            let y = influences.of(vertex).map(|(joint, w)| {
                let m = &moving[usize::from(joint)];
                w * (m[0][1] * p[0] + m[1][1] * p[1] + m[2][1] * p[2] + m[3][1])
            });
            add(y.sum());
        }
    }
    let height = range[1] - range[0];
    if height.is_finite() { height } else { 0.0 }
}

/// Rows of the joints that move most of the meshes, among all joints that skins have.
fn bones(character: &Character, meshes: &[usize]) -> Vec<usize> {
    let mut moved = vec![0.0_f64; character.skeleton.len()];
    let mut is_of_skin = vec![false; character.skeleton.len()];
    for joint in character.skins.iter().flat_map(|skin| skin.joints()) {
        is_of_skin[*joint as usize] = true;
    }
    for mesh in meshes {
        let Some((skin, influences)) = &character.meshes[*mesh].skin else { continue };
        let joints = character.skins[*skin as usize].joints();
        for (joint, weight) in (0..influences.len()).flat_map(|vertex| influences.of(vertex)) {
            moved[joints[usize::from(joint)] as usize] += f64::from(weight);
        }
    }
    let rows = moved.iter().zip(&is_of_skin).filter(|(_, is_of_skin)| **is_of_skin).map(|(moved, _)| *moved);
    let mut rows: Vec<(usize, f64)> = rows.enumerate().filter(|(_, moved)| *moved > 0.0).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    rows.truncate(MOST_BONES);
    let mut rows: Vec<usize> = rows.into_iter().map(|(row, _)| row).collect();
    rows.sort_unstable();
    rows
}

/// Clips for standing, walking and running, by what they are called. Names with spaces cannot be listed: those are left out.
fn clips(character: &Character) -> Vec<String> {
    let names = || {
        character.clips.iter().map(Clip::name).filter(|n| !n.is_empty() && !n.contains(char::is_whitespace))
    };
    let find = |words: &[&str]| {
        let is_called = |name: &&str| words.iter().any(|word| name.to_lowercase().contains(word));
        names().find(is_called).map(str::to_owned)
    };
    let walk = find(&["walk"]);
    let stand = find(&["stand", "idle", "loiter", "survey"]).or_else(|| walk.clone());
    let of_speeds = [stand, walk.clone(), find(&["run", "jog"])];
    match walk {
        Some(_) => of_speeds.into_iter().flatten().collect(),
        None => names().next().map(str::to_owned).into_iter().collect(),
    }
}
