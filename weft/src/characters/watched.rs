//! Characters that somebody looks at.

use animation::skeleton::Camera;
use viewer::snapshot::{Command, Snapshot, Steer};
use viewer::viewed::Viewed;
use viewer::viewpoint::{Viewpoint, Wants};

use super::choice::Choice;
use super::{CharacterShapes, CharacterSimulation, ShownCharacters};
use crate::execution::Stepped;
use crate::live::{Played, Publish, Watched};
use crate::record::StepRecord;

/// Characters with what is seen of them. A window draws the frame that was published last while the next one is
/// computed; where that is done on a thread beside, it is published meanwhile, too.
pub struct WatchedCharacters {
    simulation: CharacterSimulation,
    shapes: CharacterShapes,
    /// A model whose clip a user chooses.
    choice: Option<Choice>,
}

impl WatchedCharacters {
    /// Of characters, animated for their first frame.
    ///
    /// # Errors
    /// A task fails.
    pub fn new(mut simulation: CharacterSimulation) -> Result<Self, String> {
        simulation.step().map_err(|e| e.to_string())?;
        let shapes = CharacterShapes::of(&simulation);
        Ok(Self { simulation, shapes, choice: None })
    }
}

impl WatchedCharacters {
    /// Takes over a model, or lets it go where it is taken over already, or where none is there.
    fn take_over(&mut self, there: Option<usize>) -> Result<(), String> {
        let before = self.choice.take().map(|choice| choice.model);
        if let Some(model) = before.filter(|model| *model < self.simulation.n_models()) {
            self.simulation.crowd.set_mix(model, None).map_err(|e| e.to_string())?;
        }
        let there = there.filter(|model| Some(*model) != before && *model < self.simulation.n_models());
        let time = self.seconds();
        self.choice = there.map(|model| Choice::of(model, self.simulation.sequence(), time));
        match (before, there) {
            (None, None) => Err("no model is under the cursor".to_owned()),
            _ => Ok(()),
        }
    }

    fn steer(&mut self, steer: Steer) -> Result<(), String> {
        let none = "no model is yours: U takes over the one under the cursor";
        let choice = self.choice.as_mut().ok_or(none)?;
        let still = "models play clips where they stand: up and down choose one of those that are played (--clip, --then)";
        choice.steer(steer).map(drop).ok_or_else(|| still.to_owned())
    }

    /// Has the model that is taken over play what is chosen, in the next frame.
    fn play_choice(&mut self) -> Result<(), String> {
        let dt = self.simulation.dt();
        match &mut self.choice {
            Some(choice) => choice.play(&mut self.simulation, dt).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }
}

/// How much more than the window's a camera's angle is: who turns sees models that have been animated already.
const WIDER: f64 = 1.25;
/// A camera sees less than half the world.
const WIDEST: f64 = 0.9 * std::f64::consts::PI;

/// A window's camera, a bit wider.
fn camera(from: &Viewpoint, aspect: f64) -> Camera {
    let angle = (WIDER * from.angle).min(WIDEST);
    Camera {
        eye: from.eye.into(),
        at: (from.eye - from.back).into(),
        up: from.up.into(),
        angle,
        aspect,
        range: [0.0; 2],
    }
}

impl Watched for WatchedCharacters {
    const STEP: &'static str = "frame";

    fn advance(&mut self) -> Result<(), String> {
        self.play_choice()?;
        self.simulation.step().map(drop).map_err(|e| e.to_string())
    }

    fn steps_done(&self) -> u64 {
        // The first frame is there from the beginning.
        self.simulation.frames() - 1
    }

    fn seconds(&self) -> f64 {
        self.steps_done() as f64 * self.simulation.dt()
    }

    fn viewed(&self, title: &str) -> Viewed {
        self.shapes.viewed(title, &self.simulation)
    }

    fn show(&self, into: &mut Snapshot) {
        show(&self.shapes, &self.simulation.shown(), into);
    }
}

fn show(shapes: &CharacterShapes, shown: &ShownCharacters<'_>, into: &mut Snapshot) {
    shapes.positions(shown, &mut into.states);
    into.wants = Wants { viewer: true, ..Wants::default() };
}

impl Played for WatchedCharacters {
    fn computes_beside(&self) -> bool {
        self.simulation.computes_beside()
    }

    fn advance_while(&mut self, publish: Publish<'_>) -> Result<(), String> {
        self.play_choice()?;
        let Self { simulation, shapes, .. } = self;
        let frame = simulation.step_while(|shown| publish(&|into| show(shapes, shown, into)));
        frame.map(drop).map_err(|e| e.to_string())
    }

    fn frame_time(&self) -> f64 {
        self.simulation.dt()
    }

    fn observe(&mut self, on: bool) {
        Stepped::observe(&mut self.simulation, on);
    }

    fn record(&mut self) -> Option<StepRecord> {
        Stepped::record(&mut self.simulation)
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Grasp(..) => Err("characters are moved by their clip".to_owned()),
            Command::Pull(_) | Command::LetGo => Ok(()),
            Command::TakeOver(grip) => {
                let there = grip.and_then(|grip| self.shapes.model_of(grip.state));
                self.take_over(there)
            }
            Command::Steer(steer) => self.steer(steer),
            Command::Look(from, aspect) => {
                self.simulation.look_from(&camera(&from, aspect));
                Ok(())
            }
            Command::SetExecution(_) => Err("not while characters play".to_owned()),
            _ => Err("characters have no mechanics".to_owned()),
        }
    }
}
