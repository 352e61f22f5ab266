//! A flock that somebody looks at.

use animation::game::flock::Key;
use viewer::snapshot::{Command, Snapshot};
use viewer::viewed::Viewed;

use super::FlockSimulation;
use super::seen::Shapes;
use crate::live::{Played, Watched};
use crate::record::StepRecord;

/// A flocking game with what is seen of it. What is shown is the picture that its own task has taken, at the beginning of the cycle.
pub struct WatchedFlock {
    simulation: FlockSimulation,
    shapes: Shapes,
}

impl WatchedFlock {
    /// Of a game, with a picture of how it is now.
    pub fn new(simulation: FlockSimulation) -> Self {
        let flock = simulation.flock();
        flock.draw();
        let rules = flock.options().rules;
        let shapes = Shapes::new(rules.radius, rules.bounds, flock.len());
        Self { simulation, shapes }
    }
}

impl Watched for WatchedFlock {
    const STEP: &'static str = "cycle";

    fn advance(&mut self) -> Result<(), String> {
        self.simulation.step().map_err(|e| e.to_string())?;
        self.shapes.grow(self.simulation.flock().picture().positions.len());
        Ok(())
    }

    fn steps_done(&self) -> u64 {
        self.simulation.flock().frame()
    }

    fn seconds(&self) -> f64 {
        self.simulation.flock().time()
    }

    fn viewed(&self, title: &str) -> Viewed {
        self.shapes.viewed(title)
    }

    fn show(&self, into: &mut Snapshot) {
        if let Some(changed) = self.shapes.changed() {
            into.changed.clone_from(changed);
        }
        self.shapes.positions(&self.simulation.flock().picture(), &mut into.states);
    }
}

impl Played for WatchedFlock {
    fn frame_time(&self) -> f64 {
        self.simulation.flock().options().dt
    }

    // Its tasks are on no engine's timeline: what workers do is in the profile of its scheduler.
    fn observe(&mut self, _: bool) {}

    fn record(&mut self) -> Option<StepRecord> {
        None
    }

    fn key(&mut self, letter: char) {
        let key = match letter {
            'e' => Key::Spawn,
            'k' => Key::Remove,
            'm' => Key::Faster,
            'b' => Key::Slower,
            _ => return,
        };
        self.simulation.press(key);
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Grasp(..) => Err("members of a flock go where they want".to_owned()),
            Command::Pull(_) | Command::LetGo => Ok(()),
            Command::SetExecution(_) => Err("not while a game runs".to_owned()),
            _ => Err("a flock has no mechanics".to_owned()),
        }
    }
}
