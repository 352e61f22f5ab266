//! `CharacterFile`: characters that play clips with the scene.

use std::sync::Arc;

use animation::skeleton::walk::{Mind, TREE, WalkRules, Walker};
use animation::skeleton::{Clip, Sequence, Transition};
use characters::Character;
use sim_core::component::attributes::{Attributes, Word};
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::{Real, Vec3};
use sim_core::scene::ComponentId;

use super::{GALLERY, humanoid};
use crate::diagnostics::{Severity, did_you_mean};
use crate::gallery::graph_text;

/// What moves models over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Ground {
    /// Nothing but their clips.
    #[default]
    Clip,
    /// They stay at their places: what a clip moves its roots along x and z is left out.
    Place,
    /// They walk to goals that they choose, and keep out of each other's way; clips are blended by their speed.
    Walk,
}

/// Plays clips of a character (glTF, BVH, ozz, humanoids of X3D) with any number of models: the pose of each step is that of the time at its end.
#[derive(Attributes)]
struct Settings {
    /// the file (`.glb`, `.gltf`, `.bvh`, `.ozz`; of an X3D file its first HAnimHumanoid, with a clip for each TimeSensor), searched beside the scene and in the data paths; `gallery:walker` and `gallery:humanoid.x3dv` are inside the program
    #[attribute(kind = File)]
    filename: String,
    /// names of clips; one alone is played (the file's first, if none is named); several follow each other, or are those for standing, walking and running
    clips: Vec<String>,
    /// when each clip but the first comes in [s]
    times: Vec<Real>,
    /// how long a clip comes in [s]
    #[attribute(default = "0.3", non_negative)]
    transition: Real,
    /// number of models; the model m of n begins at m/n of the first clip
    #[attribute(default = "1", non_negative)]
    models: i64,
    /// how fast clips are played; 1: as they are
    #[attribute(default = "1")]
    speed: Real,
    /// length of the file's unit [m]
    #[attribute(default = "1", positive)]
    unit: Real,
    /// where models stand, a row for each; the last one for all further models [m]
    places: Vec<Vec3>,
    /// which way models look: angles about y, one for each; the last one for all further models [deg]
    headings: Vec<Real>,
    /// what moves models over the ground (y = 0)
    #[attribute(default = "clip")]
    ground: Ground,
    /// speed of models that walk [m/s]
    #[attribute(default = "1.3", positive)]
    walk_speed: Real,
    /// speed of models that run since their goal is far [m/s]
    #[attribute(default = "3.2", positive)]
    run_speed: Real,
    /// half the distance that models that walk keep from each other [m]
    #[attribute(default = "0.4", positive)]
    radius: Real,
    /// how far goals are from the origin at most, along x and z [m]
    area: Vec<Real>,
    /// the file with the behaviour tree of models that walk, whose tasks are `choose goal`, `is far`, `walk`, `run`, `stand` and `rest`; if not given, they go to goals and rest there
    #[attribute(kind = File)]
    tree: Option<String>,
    /// changes where models that walk want to go
    #[attribute(default = "1", non_negative)]
    seed: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "CharacterFile", build);

/// A character of a scene and its models.
#[derive(Clone, Debug)]
pub struct CharacterFile {
    /// The character.
    pub character: Arc<Character>,
    /// What all models play.
    pub sequence: Sequence,
    /// How fast.
    pub speed: f64,
    /// Length of the file's unit \[m\].
    pub unit: f64,
    /// Whether movements of roots along x and z are left out.
    pub is_in_place: bool,
    /// By model: where it stands at the beginning.
    pub models: Vec<Walker>,
    /// By model: how high it stands \[m\].
    pub heights: Vec<f64>,
    /// How they walk, if they do.
    pub walk: Option<WalkRules>,
    /// The behaviour tree of models that walk: its file, and what is in it.
    pub tree: (Arc<str>, Arc<str>),
}

impl CharacterFile {
    /// What a model that walks decides by; none if its tree could not be read, which the loader refuses.
    pub fn mind(&self) -> Option<Mind> {
        Mind::read(&self.tree.0, &self.tree.1).ok()
    }

    /// By model: where in the first clip it begins \[s\].
    pub fn start(&self, model: usize) -> f64 {
        self.sequence.first_duration() * model as f64 / self.models.len().max(1) as f64
    }
}

/// Warnings of a file that are shown one by one.
const MOST_WARNINGS: usize = 10;
/// Models that a scene may have: more would need more memory than machines have.
const MOST_MODELS: i64 = 100_000;

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let character = character(b, &s)?;
    for warning in character.warnings.iter().take(MOST_WARNINGS) {
        b.warn(Some("filename"), warning.clone());
    }
    let more = character.warnings.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        b.warn(Some("filename"), format!("{more} more findings; `weft check` on the file shows them"));
    }
    if s.models > MOST_MODELS {
        return Err(BuildError::attribute("models", format!("{} are more than {MOST_MODELS}", s.models)));
    }
    let sequence = sequence(&s, &character)?;
    let walk = match (s.ground, s.area.as_slice()) {
        (Ground::Walk, area) => {
            let area = match area {
                [] => WalkRules::default().area,
                [both] => [*both; 2],
                [x, z] => [*x, *z],
                more => {
                    let text = format!("an area has one number or two, along x and z, not {}", more.len());
                    return Err(BuildError::attribute("area", text));
                }
            };
            let (walk, run, radius) = (s.walk_speed, s.run_speed.max(s.walk_speed), s.radius);
            Some(WalkRules { walk, run, radius, area, ..WalkRules::default() })
        }
        (_, []) => None,
        _ => return Err(BuildError::attribute("area", "`area` counts where `ground` is `walk` only")),
    };
    let tree = tree(b, &s)?;
    let rules = walk.unwrap_or_default();
    let at = |m: usize| s.places.get(m).or(s.places.last()).copied().unwrap_or_else(Vec3::zeros);
    let heading = |m: usize| s.headings.get(m).or(s.headings.last()).copied().unwrap_or(0.0).to_radians();
    let n = s.models.max(0) as usize;
    let model = |m: usize| {
        let place = at(m);
        Walker::new([place.x, place.z], heading(m), s.seed as u64 * 1_000_003 + m as u64, &rules)
    };
    let models: Vec<Walker> = (0..n).map(model).collect();
    if walk.is_some() {
        check_apart(b, &models, s.radius)?;
    }
    b.keep(Some(CharacterFile {
        character: Arc::new(character),
        sequence,
        speed: s.speed,
        unit: s.unit,
        is_in_place: s.ground != Ground::Clip,
        heights: (0..n).map(|m| at(m).y).collect(),
        models,
        walk,
        tree,
    }));
    Ok(())
}

/// The character that is in the file.
fn character(b: &mut Builder<'_>, s: &Settings) -> Result<Character, BuildError> {
    let wrong = |text: String| BuildError::attribute("filename", text);
    let options = x3d::LoadOptions::default();
    let loaded = match s.filename.trim().strip_prefix(GALLERY) {
        Some("walker") => return Ok(characters::walker()),
        Some(name) => {
            let known = "there are walker and humanoid.x3dv";
            let text = graph_text(name).ok().filter(|_| x3d::is_x3d(name));
            let text =
                text.ok_or_else(|| wrong(format!("there is no character `{name}` in the gallery; {known}")))?;
            x3d::load_text(text, &s.filename, &options)
        }
        None => {
            let path = b.file("filename")?;
            if !x3d::is_x3d(&path) {
                return characters::load(&path, None).map_err(|e| wrong(e.to_string()));
            }
            x3d::load_file(path, &options)
        }
    };
    let loaded = loaded.map_err(|found| wrong(super::first_error(&found)))?;
    let mut character = humanoid::character(&loaded.scene).map_err(wrong)?;
    let findings = loaded.diagnostics.iter().filter(|d| d.severity >= Severity::Warning);
    character.warnings.extend(findings.map(ToString::to_string));
    Ok(character)
}

/// The behaviour tree, which can be read.
fn tree(b: &mut Builder<'_>, s: &Settings) -> Result<(Arc<str>, Arc<str>), BuildError> {
    let wrong = |text: String| BuildError::attribute("tree", text);
    let (name, text) = match &s.tree {
        None => ("walk.tree.json".to_owned(), TREE.to_owned()),
        Some(_) if s.ground != Ground::Walk => {
            return Err(wrong("`tree` counts where `ground` is `walk` only".to_owned()));
        }
        Some(_) => {
            let path = b.file("tree")?;
            let text =
                std::fs::read_to_string(&path).map_err(|e| wrong(format!("{}: {e}", path.display())))?;
            (path.display().to_string(), text)
        }
    };
    Mind::read(&name, &text).map_err(|found| wrong(super::first_error(&found)))?;
    Ok((name.into(), text.into()))
}

/// The clips that are named, one after another.
fn sequence(s: &Settings, character: &Character) -> Result<Sequence, BuildError> {
    let known = || character.clips.iter().map(Clip::name);
    let find = |name: &String| {
        let found = character.clips.iter().find(|clip| clip.name() == name);
        let hint = || did_you_mean(name, known()).map_or_else(String::new, |hint| format!("; {hint}"));
        let text = || format!("there is no clip `{name}` in the file{}", hint());
        found.map(|clip| Arc::new(clip.clone())).ok_or_else(|| BuildError::attribute("clips", text()))
    };
    let mut clips = s.clips.iter().map(find).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = clips.next().or_else(|| character.clips.first().map(|clip| Arc::new(clip.clone())));
    let Some(first) = first else { return Ok(Sequence::default()) };
    let mut sequence = Sequence::of(first);
    if s.ground != Ground::Walk && s.times.len() != clips.len() {
        let text =
            format!("{} clips come in after the first, but {} times are given", clips.len(), s.times.len());
        return Err(BuildError::attribute("times", text));
    }
    if s.ground == Ground::Walk && !s.times.is_empty() {
        return Err(BuildError::attribute(
            "times",
            "clips of models that walk are blended by speed, not by time",
        ));
    }
    for (k, clip) in clips.enumerate() {
        let begin = s.times.get(k).copied().unwrap_or(f64::INFINITY);
        sequence = sequence.then(clip, Transition { begin, duration: s.transition });
    }
    Ok(sequence)
}

/// Two that begin nearer to each other than they may come could never part.
fn check_apart(b: &Builder<'_>, models: &[Walker], radius: f64) -> Result<(), BuildError> {
    let is_near = |a: &Walker, b: &Walker| (a.at[0] - b.at[0]).hypot(a.at[1] - b.at[1]) < 2.0 * radius;
    let before = b.scene.all_components().filter(|c| b.scene.has_component(*c));
    for component in before {
        let other = b.scene.component(component).extension::<CharacterFile>();
        let Some(other) = other.filter(|other| other.walk.is_some()) else { continue };
        let mut pairs = models
            .iter()
            .enumerate()
            .flat_map(|(k, a)| other.models.iter().enumerate().map(move |(j, b)| (k, a, j, b)));
        if let Some((k, _, j, _)) = pairs.find(|(_, a, _, b)| is_near(a, b)) {
            let path = b.scene.path(component);
            let text =
                format!("model {k} stands nearer to model {j} of {path} than twice the radius, {radius} m");
            return Err(BuildError::attribute("places", text));
        }
    }
    for (k, a) in models.iter().enumerate() {
        if let Some(j) = models[..k].iter().position(|b| is_near(a, b)) {
            let text =
                format!("models {j} and {k} stand nearer to each other than twice the radius, {radius} m");
            return Err(BuildError::attribute("places", text));
        }
    }
    Ok(())
}

/// The component with the character that another one means: that of its link `file`, else that of its node or the nearest above.
pub(super) fn character_of(b: &Builder<'_>, link: Option<LinkTarget>) -> Result<ComponentId, BuildError> {
    let is_file = |c: &ComponentId| b.scene.component(*c).extension::<CharacterFile>().is_some();
    match link {
        Some(LinkTarget::Component(c)) if is_file(&c) => Ok(c),
        Some(_) => Err(BuildError::attribute("file", "`file` leads to no CharacterFile")),
        None => {
            let found = b.scene.upward(b.node).flat_map(|n| b.scene.components_of(n)).find(is_file);
            found.ok_or_else(|| {
                BuildError::new(
                    "there is no CharacterFile before it in this node or above; put one there, or set `file`",
                )
            })
        }
    }
}
