//! From the name of a game to the game, with what the command line sets.

use crate::execution::SimulationOptions;
use crate::games::gallery::{self, GameScene};
use crate::games::{FlockSimulation, GameOptions};
use crate::program::arguments::SceneArguments;
use crate::program::command::scene::wrong_parameter;
use crate::program::failure::Failure;

/// How many cycles a game is run for, if nobody says.
pub const DEFAULT_CYCLES: u64 = 500;

/// A game of the gallery, and how it is played.
#[derive(Clone)]
pub struct GameSource {
    scene: &'static GameScene,
    options: GameOptions,
}

impl GameSource {
    /// The game that a name means; none if it means something else.
    ///
    /// # Errors
    /// A parameter or an option makes no sense for it.
    pub fn find(arguments: &SceneArguments) -> Result<Option<Self>, Failure> {
        let Ok(scene) = gallery::find(&arguments.scene) else { return Ok(None) };
        if arguments.pieces.is_some() {
            return Err(Failure::Usage("--pieces: a game has no bodies to cut".to_owned()));
        }
        let options = scene.options(&arguments.set).map_err(wrong_parameter)?;
        Ok(Some(Self { scene, options }))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.scene.name
    }

    /// How it is played.
    pub fn options(&self) -> &GameOptions {
        &self.options
    }

    /// Makes it ready to run.
    ///
    /// # Errors
    /// Options that make no sense.
    pub fn simulation(&self, options: &SimulationOptions) -> Result<FlockSimulation, Failure> {
        FlockSimulation::new(&self.options, options).map_err(|e| Failure::Input(e.to_string()))
    }
}
