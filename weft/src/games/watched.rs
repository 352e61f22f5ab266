//! A flock that somebody looks at.

use std::borrow::Cow;
use std::sync::Arc;

use animation::game::flock::{Key, Statistics};
use viewer::attribute::{Attribute, Edit};
use viewer::outline::{Outline, OutlineComponent};
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
    /// What the flock's own task counted last, once a second.
    shown: Statistics,
    outline: Arc<Outline>,
}

impl WatchedFlock {
    /// Of a game, with a picture of how it is now.
    pub fn new(simulation: FlockSimulation) -> Self {
        let flock = simulation.flock();
        flock.draw();
        let rules = flock.options().rules;
        let shapes = Shapes::new(rules.radius, rules.bounds, flock.len());
        flock.update_statistics();
        let shown = flock.statistics();
        let outline = Arc::new(outlined(&shown));
        Self { simulation, shapes, shown, outline }
    }
}

/// What was counted, as the panel shows it.
fn outlined(of: &Statistics) -> Outline {
    let why = "the game counts it once a second";
    let attribute =
        |name: &'static str, unit: &'static str, summary: &'static str, value: String| Attribute {
            name: Cow::Borrowed(name),
            unit,
            summary,
            value,
            is_default: false,
            edit: Edit::Fixed(why.to_owned()),
        };
    let each = of.neighbours as f64 / of.members.max(1) as f64;
    let attributes = vec![
        attribute("members", "", "members of the flock", of.members.to_string()),
        attribute("neighbours", "", "neighbours of a member, on average", format!("{each:.1}")),
        attribute("contacts", "", "contacts so far, each counted from both sides", of.contacts.to_string()),
        attribute("batches", "", "batches of the last thinking", of.batches.to_string()),
        attribute("posts", "", "posts of attributes so far", of.counts.posts.to_string()),
        attribute("cycles", "", "cycles so far", of.frame.to_string()),
        attribute("time", "s", "simulated time", format!("{:.2}", of.time)),
    ];
    let component = OutlineComponent {
        class: "Statistics",
        name: "statistics".to_owned(),
        path: "/statistics".to_owned(),
        place: String::new(),
        attributes,
    };
    let (path, opens) = ("/".to_owned(), Some("/statistics".to_owned()));
    Outline {
        name: "flock".to_owned(),
        path,
        opens,
        components: vec![Arc::new(component)],
        children: Vec::new(),
    }
}

impl Watched for WatchedFlock {
    const STEP: &'static str = "cycle";

    fn advance(&mut self) -> Result<(), String> {
        self.simulation.step().map_err(|e| e.to_string())?;
        self.shapes.grow(self.simulation.flock().picture().positions.len());
        let counted = self.simulation.flock().statistics();
        if counted != self.shown {
            self.shown = counted;
            self.outline = Arc::new(outlined(&counted));
        }
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
        into.outline.clone_from(&self.outline);
        match self.shapes.changed() {
            Some(changed) => into.changed.clone_from(changed),
            // Of a game before this one.
            None if !into.changed.is_empty() => into.changed = Arc::default(),
            None => {}
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
