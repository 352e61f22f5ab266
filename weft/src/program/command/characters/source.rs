//! From the name of a file to a character, with what the command line sets.

use std::path::{Path, PathBuf};

use animation::skeleton::Clip;
use scenes::diagnostics::did_you_mean;

use super::settings::Settings;
use crate::characters::{Character, CharacterOptions, CharacterSimulation, is_character, load};
use crate::program::arguments::SceneArguments;
use crate::program::character_arguments::{CharacterArguments, Skinning};
use crate::program::failure::Failure;
use crate::program::say::complain;
use crate::simulation::SimulationOptions;

/// A file with a character, and how it is played.
#[derive(Clone, Debug)]
pub struct CharacterSource {
    path: PathBuf,
    settings: Settings,
}

impl CharacterSource {
    /// The file that a name means; none if it means something else.
    ///
    /// # Errors
    /// There is no such file, or an option makes no sense for it.
    pub fn find(arguments: &SceneArguments) -> Result<Option<Self>, Failure> {
        Self::find_with(arguments, &CharacterArguments::default())
    }

    /// The same with options for characters.
    ///
    /// # Errors
    /// There is no such file, or an option makes no sense for it, or for anything else.
    pub fn find_with(
        arguments: &SceneArguments,
        options: &CharacterArguments,
    ) -> Result<Option<Self>, Failure> {
        let path = Path::new(&arguments.scene);
        if !is_character(path) {
            return match options.given() {
                Some(option) => Err(Failure::Usage(format!(
                    "{option}: only characters (glTF, BVH and ozz files) have it"
                ))),
                None => Ok(None),
            };
        }
        if !path.exists() {
            return Err(Failure::Input(format!("there is no file `{}`", arguments.scene)));
        }
        if arguments.pieces.is_some() {
            return Err(Failure::Usage("--pieces: a character has no bodies to cut".to_owned()));
        }
        let settings = Settings::of(&arguments.set, options)?;
        Ok(Some(Self { path: path.to_path_buf(), settings }))
    }

    /// How it is played.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads it, and tells what was mended.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(&self) -> Result<Character, Failure> {
        let character =
            load(&self.path, self.settings.skeleton.as_deref()).map_err(|e| Failure::Input(e.to_string()))?;
        for warning in &character.warnings {
            complain(&format!("warning: {}: {warning}", self.path.display()));
        }
        Ok(character)
    }

    /// Reads it and makes its models.
    ///
    /// # Errors
    /// What is wrong with it, or there is no such clip.
    pub fn simulation(&self, options: &SimulationOptions) -> Result<CharacterSimulation, Failure> {
        self.make(self.load()?, options, false)
    }

    /// The same for a window, which is told of each frame while the next one is computed.
    ///
    /// # Errors
    /// As [`Self::simulation`].
    #[cfg(feature = "view")]
    pub fn watched(&self, options: &SimulationOptions) -> Result<CharacterSimulation, Failure> {
        self.make(self.load()?, options, true)
    }

    /// Makes the models of a character that has been read.
    ///
    /// # Errors
    /// There is no such clip.
    pub fn simulation_of(
        &self,
        character: Character,
        options: &SimulationOptions,
    ) -> Result<CharacterSimulation, Failure> {
        self.make(character, options, false)
    }

    fn make(
        &self,
        character: Character,
        options: &SimulationOptions,
        is_watched: bool,
    ) -> Result<CharacterSimulation, Failure> {
        let Settings { models, interval, life, skinning, least_rate, budget, look_around, .. } =
            self.settings;
        let first = clip(&character, self.settings.clip.as_deref())?;
        let mut then = Vec::new();
        for (name, over) in &self.settings.then {
            let Some(next) = clip(&character, Some(name))?.filter(|_| first.is_some()) else {
                let text = "a clip comes in after a clip, not after or before the pose at rest";
                return Err(Failure::Usage(format!("then: {text}")));
            };
            then.push((next, *over));
        }
        let chosen = CharacterOptions {
            models,
            models_at: self.settings.models_at.clone(),
            clip: first,
            then,
            interval,
            intervals: self.settings.intervals.clone(),
            priorities: self.settings.priorities.clone(),
            budget,
            least_rate,
            look_around,
            life,
            skins: skinning == Skinning::Cpu,
            draws: self.settings.draw,
            beside: self.settings.draw || is_watched,
        };
        CharacterSimulation::new(character, &chosen, options).map_err(|e| Failure::Input(e.to_string()))
    }
}

/// The clip of a name, by its place; what follows a bar in its name will do where that is of one clip only; the first if none is named,
/// none if the name is `none` and no clip has it. Where no clip is called `clip 2`, this is the third one: several may have one name, or none.
///
/// # Errors
/// There is no such clip.
fn clip(character: &Character, name: Option<&str>) -> Result<Option<usize>, Failure> {
    let Some(name) = name else { return Ok((!character.clips.is_empty()).then_some(0)) };
    if let Some(k) = character.clips.iter().position(|clip| clip.name() == name) {
        return Ok(Some(k));
    }
    // Programs that write these files put the name of the skeleton before, with a bar between.
    let mut shorter = character
        .clips
        .iter()
        .enumerate()
        .filter(|(_, clip)| clip.name().rsplit_once('|').is_some_and(|(_, short)| short == name));
    if let (Some((k, _)), None) = (shorter.next(), shorter.next()) {
        return Ok(Some(k));
    }
    if name == "none" {
        return Ok(None);
    }
    let place = name.strip_prefix("clip ").and_then(|k| k.parse::<usize>().ok());
    if let Some(k) = place.filter(|k| *k < character.clips.len()) {
        return Ok(Some(k));
    }
    let names: Vec<&str> = character.clips.iter().map(Clip::name).collect();
    let is_told = |name: &&str| !name.is_empty() && names.iter().filter(|n| n == &name).count() == 1;
    let told = |(k, name): (usize, &&str)| {
        if is_told(name) {
            (*name).to_owned()
        } else {
            format!("{name} (`clip {k}`)").trim_start().to_owned()
        }
    };
    let hint = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| match names.len() {
        0 => "the file has none".to_owned(),
        _ => format!("there are {}", names.iter().enumerate().map(told).collect::<Vec<_>>().join(", ")),
    });
    Err(Failure::Usage(format!("clip: there is no clip `{name}`; {hint}")))
}
