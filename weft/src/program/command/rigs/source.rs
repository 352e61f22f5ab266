//! From the name of a rig to the rig: gallery or file, with the controls that the command line sets.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use animation::rig::format::{Catalogue, read_and_warn};
use animation::rig::node::Safety;
use animation::rig::{Fusion, Rig, RigError, Settings, Threading};
use scenes::diagnostics::Diagnostic;

use crate::output::report::Choices;
use crate::program::Program;
use crate::program::arguments::{EngineArguments, SceneArguments};
use crate::program::command::scene::{tell, wrong_parameter};
use crate::program::event_arguments::Switch;
use crate::program::failure::Failure;
use crate::program::rig_arguments::{RigModeArguments, RigThreading};
use crate::program::say::complain;
use crate::rigs::RigSimulation;
use crate::rigs::gallery::{self, RigScene, Unmade};
use crate::simulation::SimulationOptions;

/// Who places the tasks of a rig.
const PLACED: &str = "critical path";

/// How many frames a rig is run for, if nobody says.
pub const DEFAULT_FRAMES: u64 = 500;

/// A rig and warnings, or all that is wrong with it.
pub type Loaded = Result<(Rig, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Where a rig comes from, and what is set of it.
#[derive(Clone)]
pub struct RigSource {
    place: Place,
    /// Parameters of a rig that a program makes.
    parameters: Vec<(String, String)>,
    /// Controls, with their values as they were written.
    controls: Vec<(String, String)>,
    /// The kinds of nodes that it may have.
    kinds: Arc<Catalogue>,
    /// Whether nodes share tasks, if somebody says.
    fusion: Option<Fusion>,
    /// What runs on several workers.
    mode: RigModeArguments,
    /// Whether its warnings have been said.
    has_warned: Cell<bool>,
}

#[derive(Clone)]
enum Place {
    Gallery(&'static RigScene),
    File(PathBuf),
}

impl RigSource {
    /// The rig that a name means; none if it means something else.
    ///
    /// # Errors
    /// There is no such file, or an option makes no sense for it.
    pub fn find(program: &Program, arguments: &SceneArguments) -> Result<Option<Self>, Failure> {
        let name = &arguments.scene;
        let path = Path::new(name);
        let (mut parameters, mut controls) = (Vec::new(), arguments.set.clone());
        let place = if let Ok(scene) = gallery::find(name) {
            (parameters, controls) = controls.into_iter().partition(|(name, _)| scene.has_parameter(name));
            Place::Gallery(scene)
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("rig")) {
            Place::File(path.to_path_buf())
        } else {
            return Ok(None);
        };
        if matches!(place, Place::File(_)) && !path.exists() {
            return Err(Failure::Input(format!("there is no file `{name}`")));
        }
        if arguments.pieces.is_some() {
            return Err(Failure::Usage("--pieces: a rig has no bodies to cut".to_owned()));
        }
        let kinds = program.registry.rig_nodes().clone();
        Ok(Some(Self {
            place,
            parameters,
            controls,
            kinds,
            fusion: None,
            mode: RigModeArguments::default(),
            has_warned: Cell::new(false),
        }))
    }

    /// The same with nodes that share tasks or do not.
    pub fn fused(mut self, fusion: Option<Switch>) -> Self {
        // On is the default: so that each worker has several tasks.
        self.fusion = fusion.filter(|when| *when == Switch::Off).map(|_| Fusion::Off);
        self
    }

    /// The same with what runs on several workers.
    pub fn threaded(self, mode: &RigModeArguments) -> Self {
        Self { mode: mode.clone(), ..self }
    }

    /// What the choices of a run are for a rig: it places its tasks itself.
    pub fn choices(&self, engine: &EngineArguments, choices: Choices) -> Choices {
        if engine.partitioner.is_some() {
            complain("--partitioner has no effect: what the most work of a rig hangs on goes first");
        }
        Choices { partitioner: PLACED.to_owned(), ..choices }
    }

    /// Reads it, without a word.
    ///
    /// # Errors
    /// There is nothing to be read.
    pub fn load(&self) -> Result<Loaded, Failure> {
        match &self.place {
            Place::Gallery(scene) => match scene.rig_of(&self.kinds, &self.parameters) {
                Ok(rig) => Ok(Ok((rig, Vec::new()))),
                Err(Unmade::Parameter(error)) => Err(wrong_parameter(error)),
                Err(Unmade::Rig(error)) => Err(Failure::Input(error.to_string())),
                Err(Unmade::Text(found)) => Ok(Err(found)),
            },
            Place::File(path) => {
                let text = text(path)?;
                Ok(read_and_warn(&path.display().to_string(), &text, &self.kinds))
            }
        }
    }

    /// Reads it, tells what is wrong, makes it ready to run and sets its controls.
    ///
    /// # Errors
    /// It does not run; what is wrong has been said.
    pub fn simulation(&self, options: &SimulationOptions) -> Result<RigSimulation, Failure> {
        let threading = match self.mode.threading {
            None | Some(RigThreading::Graph) => Threading { graph: true, nodes: false },
            Some(RigThreading::Nodes) => Threading { graph: false, nodes: true },
            Some(RigThreading::Both) => Threading { graph: true, nodes: true },
            Some(RigThreading::Off) => Threading { graph: false, nodes: false },
        };
        let settings = Settings { fusion: self.fusion, threading, ..Settings::default() };
        self.made(|rig| RigSimulation::with(rig, options, settings))
    }

    /// The same with tasks by the costs that kinds declare: they are the same each time.
    ///
    /// # Errors
    /// As [`Self::simulation`].
    pub fn unmeasured_simulation(&self, options: &SimulationOptions) -> Result<RigSimulation, Failure> {
        self.made(|rig| RigSimulation::unmeasured(rig, options))
    }

    fn made(
        &self,
        make: impl FnOnce(Rig) -> Result<RigSimulation, Vec<RigError>>,
    ) -> Result<RigSimulation, Failure> {
        let rig = match self.load()? {
            Ok((rig, warnings)) => {
                if !self.has_warned.replace(true) {
                    tell(&warnings);
                }
                rig
            }
            Err(found) => {
                tell(&found);
                if found.len() != 1 {
                    complain(&format!("error: it does not run: {} findings", found.len()));
                }
                return Err(Failure::said(&found));
            }
        };
        let mut simulation = make(self.adjusted(rig)?).map_err(|wrong| refused(&wrong))?;
        self.set(&mut simulation)?;
        Ok(simulation)
    }

    /// The rig with what the command line says of its nodes.
    ///
    /// # Errors
    /// There is no such node or kind.
    fn adjusted(&self, mut rig: Rig) -> Result<Rig, Failure> {
        for name in &self.mode.whole {
            let node = rig.find(name).map_err(|e| Failure::Usage(format!("--whole {name}: {}", said(&e))))?;
            rig.set_whole(node, true);
        }
        for (name, word) in &self.mode.safety {
            let safety = Some(Safety::of_word(word));
            match rig.find(name) {
                Ok(node) => rig.set_safety(node, safety),
                Err(_) if rig.has_kind(name) => rig.set_safety_of_kind(name, safety),
                Err(e) => return Err(Failure::Usage(format!("--safety {name}: {}", said(&e)))),
            }
        }
        Ok(rig)
    }

    /// Sets the controls that the command line names.
    ///
    /// # Errors
    /// There is no such control, or it does not take this value.
    pub fn set(&self, simulation: &mut RigSimulation) -> Result<(), Failure> {
        for (name, text) in &self.controls {
            let wrong = |message: String| Failure::Usage(format!("--set {name}: {message}"));
            let id = simulation.rig().find_control(name).map_err(|e| wrong(said(&e)))?;
            let control = &simulation.rig().controls()[id.0 as usize];
            let words = text.split([',', ' ']).filter(|w| !w.is_empty());
            let value: Result<Vec<f64>, _> = words.map(str::parse).collect();
            let value = value.map_err(|_| wrong(format!("`{text}` is no list of numbers")))?;
            if value.iter().any(|v| !v.is_finite()) {
                return Err(wrong(format!("`{text}` is not finite")));
            }
            let is_inside = |v: &f64| control.range.is_none_or(|(low, high)| (low..=high).contains(v));
            if let (false, Some((low, high))) = (value.iter().all(is_inside), control.range) {
                return Err(wrong(format!("`{text}` is not between {low} and {high}")));
            }
            simulation.set(id, &value).map_err(|e| wrong(said(&e)))?;
        }
        Ok(())
    }
}

/// The text of a file.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::input(path, e))?;
    String::from_utf8(bytes).map_err(|e| {
        let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        Failure::Input(format!("{}:{line}: it is not text in UTF-8", path.display()))
    })
}

/// What is wrong, and what may be meant.
pub(super) fn said(error: &RigError) -> String {
    let meant = error.suggestion().map_or_else(String::new, |meant| format!("; {meant}"));
    format!("{error}{meant}")
}

/// What only shows when a rig is laid out.
pub(super) fn refused(wrong: &[RigError]) -> Failure {
    let wrong: Vec<String> = wrong.iter().map(|e| format!("error: {}", said(e))).collect();
    wrong.iter().for_each(|e| complain(e));
    Failure::said(wrong)
}
