//! From the name of an event graph to the graph: gallery or file.

use std::path::{Path, PathBuf};

use animation::event::runtime::{EventOptions, Mode, Restart as FrameRestart, Strategy as Share};
use animation::graph::Fusion;
use scenes::diagnostics::{Diagnostic, Severity};
use x3d::script::AllNodes;
use x3d::script::fragments::Fragments;
use x3d::{LoadOptions, Loaded};

use super::silent::tell_of_silent_nodes;
use crate::events::{EventSimulation, gallery};
use crate::program::arguments::{Executor, SceneArguments};
use crate::program::command::scene::{tell, wrong_parameter};
use crate::program::event_arguments::{
    EventArguments, EventMode, EventModeArguments, Restart, Strategy, Switch,
};
use crate::program::failure::Failure;
use crate::program::say::complain;
use crate::simulation::SimulationOptions;

/// Where an event graph comes from.
pub enum GraphSource {
    /// The gallery: its name, and the text that was made with its parameters.
    Gallery(String, String),
    /// A file.
    File(PathBuf),
}

impl GraphSource {
    /// The event graph that a name means; none if it means something else.
    ///
    /// # Errors
    /// Its parameters are wrong, or an option makes no sense for it.
    pub fn find(arguments: &SceneArguments) -> Result<Option<Self>, Failure> {
        let name = &arguments.scene;
        if let Ok(scene) = gallery::find(name) {
            let text = scene.text(&arguments.set).map_err(wrong_parameter)?;
            return Ok(Some(Self::Gallery(name.clone(), text)));
        }
        let path = Path::new(name);
        if !x3d::is_x3d(path) {
            return Ok(None);
        }
        if !path.exists() {
            return Err(Failure::Input(format!("there is no file `{name}`")));
        }
        if let Some((set, _)) = arguments.set.first() {
            return Err(Failure::Usage(format!("--set {set}: only gallery scenes have parameters")));
        }
        if arguments.pieces.is_some() {
            return Err(Failure::Usage("--pieces: an event graph has no bodies to cut".to_owned()));
        }
        Ok(Some(Self::File(path.to_path_buf())))
    }

    /// How many frames it is run for, if nobody says.
    pub fn default_frames(&self) -> u64 {
        match self {
            Self::Gallery(..) => 500,
            Self::File(_) => 1000,
        }
    }

    /// Loads it, without a word.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn load(&self) -> Result<Loaded, Vec<Diagnostic>> {
        let options = LoadOptions::default();
        match self {
            Self::Gallery(name, text) => x3d::load_text(text, &format!("gallery/{name}.x3dv"), &options),
            Self::File(path) => x3d::load_file(path, &options),
        }
    }

    /// Loads it, tells what there is to tell, and makes it ready to run.
    ///
    /// # Errors
    /// It does not run; what is wrong has been said.
    pub fn simulation(
        &self,
        events: EventOptions,
        options: &SimulationOptions,
    ) -> Result<EventSimulation, Failure> {
        self.simulation_for(events, options, false)
    }

    /// The same for a window, which tells of keys, or for what has none.
    ///
    /// # Errors
    /// As [`Self::simulation`].
    pub fn simulation_for(
        &self,
        events: EventOptions,
        options: &SimulationOptions,
        has_window: bool,
    ) -> Result<EventSimulation, Failure> {
        match self.load() {
            Ok(loaded) => {
                tell(&loaded.diagnostics);
                if loaded.diagnostics.iter().any(|d| d.severity == Severity::Error) {
                    complain("note: it runs without what the errors are about");
                }
                tell_of_silent_nodes(&loaded.scene, has_window);
                Ok(of_scene(loaded, events, options))
            }
            Err(found) => {
                tell(&found);
                let n = found.len();
                if n != 1 {
                    complain(&format!("error: it does not run: {n} findings"));
                }
                Err(Failure::said(&found))
            }
        }
    }
}

impl GraphSource {
    /// The same evaluated as it is by default, with its tasks.
    ///
    /// # Errors
    /// As [`Self::simulation`].
    pub fn plain_simulation(&self, options: &SimulationOptions) -> Result<EventSimulation, Failure> {
        let mut simulation = self.simulation(EventOptions::default(), options)?;
        simulation.prepare();
        Ok(simulation)
    }
}

/// The simulation of what was loaded.
pub(super) fn of_scene(loaded: Loaded, events: EventOptions, options: &SimulationOptions) -> EventSimulation {
    let mut behaviours = Box::new(AllNodes::default());
    behaviours.scripts.stop_at(options.stop.clone());
    let stacks = behaviours.built_in.stacks();
    let files = Box::new(Fragments::new(loaded.loader));
    let mut simulation = EventSimulation::new(loaded.scene, behaviours, files, events, options);
    simulation.look_from(stacks);
    simulation
}

/// Who shares levels out as a strategy says, if nobody says who executes: the paper's loops are parallel loops, its dynamic pool is a queue.
pub fn executor_of(strategy: Option<Strategy>) -> Executor {
    match strategy {
        None | Some(Strategy::PoolStatic) => Executor::Replay,
        Some(Strategy::PoolDynamic) => Executor::Stealing,
        Some(Strategy::LoopStatic | Strategy::LoopDynamic | Strategy::LoopGuided) => Executor::ForkJoin,
    }
}

/// How the graph is evaluated, as the command line says.
///
/// # Errors
/// A strategy without levels.
pub fn event_options(arguments: &EventArguments) -> Result<EventOptions, Failure> {
    let options = mode_options(&arguments.mode, arguments.fusion)?;
    Ok(EventOptions { log: arguments.export_events.is_some(), ..options })
}

/// How the graph is evaluated, without a log.
///
/// # Errors
/// A strategy without levels.
pub fn mode_options(arguments: &EventModeArguments, fusion: Option<Switch>) -> Result<EventOptions, Failure> {
    let share = arguments.strategy.map(|strategy| match strategy {
        Strategy::PoolStatic => Share::PoolStatic,
        Strategy::PoolDynamic => Share::PoolDynamic,
        Strategy::LoopStatic => Share::LoopStatic,
        Strategy::LoopDynamic => Share::LoopDynamic,
        Strategy::LoopGuided => Share::LoopGuided,
    });
    let mode = match (arguments.events, share) {
        (Some(EventMode::Levels), share) => Mode::Levels(share.unwrap_or(Share::PoolStatic)),
        (_, Some(_)) => {
            return Err(Failure::Usage("--strategy shares out levels: it wants --events levels".to_owned()));
        }
        (_, None) => Mode::Dataflow,
    };
    let restart = match arguments.restart {
        Some(Restart::Full) => FrameRestart::Full,
        Some(Restart::Resume) | None => FrameRestart::Resume,
    };
    let fusion = if fusion == Some(Switch::Off) { Fusion::Off } else { Fusion::default() };
    Ok(EventOptions { mode, restart, fusion, ..EventOptions::default() })
}
