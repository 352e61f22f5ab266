//! What a running simulation shows of itself, and what it is told: states one way, commands the other.
//!
//! States go through three buffers: the simulation fills one while the window reads another, and the third is the newest
//! that is complete. Neither side ever waits for the other, no state is half-written, and none is drawn that is older than
//! one already drawn. Steps' measurements go through a queue of fixed length, so that plots miss no step as long as the
//! window is alive; where it sleeps they are dropped.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use sim_core::math::Vec3;
use sim_core::visitor::energy::Energy;

use crate::execution::Execution;
use crate::outline::Outline;
use crate::pick::Grip;
use crate::surface::{Color, Rows, Surface};
use crate::timeline::Timeline;
use crate::viewed::Viewed;
use crate::viewpoint::{Bearing, Typed, Viewpoint, Wants};

/// A lamp: each surface is lit as a whole, by what reaches its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// Where it is [m].
    pub at: Vec3,
    /// Red, green and blue, times its strength.
    pub color: [f32; 3],
    /// How far it reaches [m].
    pub radius: f64,
    /// It fades with a + b d + c d^2 of the distance d [m].
    pub attenuation: [f64; 3],
}

impl Lamp {
    /// What comes to a place of it: red, green and blue.
    pub fn reaching(&self, place: &Vec3) -> [f32; 3] {
        let d = (place - self.at).norm();
        let [a, b, c] = self.attenuation;
        let share = if d <= self.radius { 1.0 / (a + b * d + c * d * d).max(1.0) } else { 0.0 };
        self.color.map(|c| c * share as f32)
    }
}

/// A finished state.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Number of completed steps.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Positions of every mechanical state, in the scene's order.
    pub states: Vec<Rows>,
    /// The closest points of what is in contact [m], if somebody wants to see them.
    pub contacts: Vec<[Vec3; 2]>,
    /// The worker of each object that is simulated.
    pub owners: Vec<Option<u32>>,
    /// Of each object, whether it sleeps.
    pub asleep: Vec<bool>,
    /// Of each object, its color where that is another than in the beginning; none where all keep theirs.
    pub colors: Vec<Option<Color>>,
    /// Lamps that make brighter what is near them.
    pub lamps: Vec<Lamp>,
    /// Whether all that it moves sleeps.
    pub rests: bool,
    /// The last step in which something may have moved.
    pub moved: u64,
    /// What takes most of a step, while steps are slower than the clock that they are held to.
    pub busiest: Option<Busiest>,
    /// Whether the simulation runs on by itself.
    pub running: bool,
    /// Why it cannot go on, if so.
    pub failure: Option<String>,
    /// Why the last change was not made, if so.
    pub refusal: Option<String>,
    /// Time step [s].
    pub dt: f64,
    /// Gravity [m/s^2].
    pub gravity: Vec3,
    /// Counts the times that it was begun anew.
    pub resets: u64,
    /// What there was to see when it was begun last; none where nobody says.
    pub viewed: Option<Arc<Viewed>>,
    /// Nodes and components with the values in force; the same one as long as nothing of it changes.
    pub outline: Arc<Outline>,
    /// Surfaces that look otherwise than in the beginning, by their paths; the same list as long as they stay so.
    pub changed: Arc<Vec<Arc<Surface>>>,
    /// How it is run.
    pub execution: Execution,
    /// What the energies of the samples leave out, since it defines none.
    pub without_energy: Vec<&'static str>,
    /// From where the scene wants to be looked at, if it says so; whoever looks stays where they have moved to until it says otherwise.
    pub viewpoint: Option<Viewpoint>,
    /// What it wants to know of who looks at it.
    pub wants: Wants,
}

/// The components of one class, as they take most of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Busiest {
    /// Their class.
    pub class: String,
    /// Their share of all that is computed.
    pub share: f64,
}

/// Measurements of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Number of the step.
    pub step: u64,
    /// Simulated time after it [s].
    pub time: f64,
    /// Time that it took [s].
    pub seconds: f64,
    /// From the end of the step before to its end: what a clock on the wall says [s]; zero for a single step.
    pub wall: f64,
    /// Contact points.
    pub contacts: u32,
    /// Iterations of the conjugate gradient, of the group that took most.
    pub cg_iterations: u32,
    /// Energy after it, if it was measured.
    pub energy: Option<Energy>,
}

/// How a user steers a character that is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steer {
    /// It stands, walks or runs: the next of these; or it plays the next clip.
    Faster,
    /// The one before.
    Slower,
    /// It turns to its left.
    Left,
    /// It turns to its right.
    Right,
}

/// What a simulation is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Run on by yourself, or stop.
    Run(bool),
    /// Compute one step, and stop.
    Step,
    /// Begin anew.
    Reset,
    /// Do not be faster than the clock on the wall, or be as fast as you can.
    Pace(bool),
    /// Pull a place on a body to where it is now, by a spring of a stiffness [N/m].
    Grasp(Grip, f64),
    /// Pull it to there [m].
    Pull(Vec3),
    /// Let go.
    LetGo,
    /// Remove the element of a topology that is there.
    Remove(Grip),
    /// Take over the character that is there, or let go of the one that is taken over.
    TakeOver(Option<Grip>),
    /// Steer the character that is taken over.
    Steer(Steer),
    /// Note what the workers do from now on, or no longer.
    Observe(bool),
    /// Publish where contacts are from now on, or no longer.
    ShowContacts(bool),
    /// Another time step [s].
    SetDt(f64),
    /// Another gravity [m/s^2].
    SetGravity(Vec3),
    /// Another stiffness of the spring that pulls, held or not [N/m].
    SetStiffness(f64),
    /// Another value of an attribute.
    SetAttribute {
        /// Path of the component.
        path: String,
        /// Name of the attribute.
        attribute: String,
        /// The value as it is written in a scene file.
        value: String,
    },
    /// Run with other workers, another partitioner or executor.
    SetExecution(Execution),
    /// Measure energies from now on, or no longer.
    MeasureEnergy(bool),
    /// A letter was pressed that means nothing to the window: a game may know it.
    Key(char),
    /// Somebody looks at you from here now, at a picture of so much width over height.
    Look(Viewpoint, f64),
    /// A key went down (true) or up.
    Type(Typed, bool),
    /// The mouse points along a ray now; none where it points at no place of the scene.
    Point(Option<Bearing>),
    /// The mouse's button went down (true) or up where it points.
    Button(bool),
}

impl Command {
    /// Whether it makes a command of before needless, if no other one came between: a number that is dragged has many values.
    pub fn supersedes(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (
                Self::SetAttribute { path, attribute, .. },
                Self::SetAttribute { path: earlier_path, attribute: earlier_attribute, .. },
            ) => path == earlier_path && attribute == earlier_attribute,
            (Self::Pull(_), Self::Pull(_))
            | (Self::SetDt(_), Self::SetDt(_))
            | (Self::SetGravity(_), Self::SetGravity(_))
            | (Self::SetStiffness(_), Self::SetStiffness(_))
            | (Self::SetExecution(_), Self::SetExecution(_))
            | (Self::Look(..), Self::Look(..))
            | (Self::Point(_), Self::Point(_)) => true,
            _ => false,
        }
    }
}

/// Steps whose measurements wait for the window at most.
const SAMPLES: usize = 4096;
/// Steps whose timelines wait for the window at most.
const TIMELINES: usize = 16;

/// The simulation's end.
pub struct Publisher {
    snapshots: triple_buffer::Input<Snapshot>,
    samples: SyncSender<Sample>,
    timelines: SyncSender<Timeline>,
    /// What it is told; disconnected when the window is gone.
    pub commands: Receiver<Command>,
}

/// The window's end.
pub struct Link {
    snapshots: triple_buffer::Output<Snapshot>,
    /// Measurements of the steps since the last look.
    pub samples: Receiver<Sample>,
    /// What the workers did in the steps since the last look, if that is noted.
    pub timelines: Receiver<Timeline>,
    commands: Sender<Command>,
}

/// Joins a simulation and a window.
pub fn link() -> (Publisher, Link) {
    let (input, output) = triple_buffer::triple_buffer(&Snapshot::default());
    let (to_window, samples) = sync_channel(SAMPLES);
    let (timelines_to_window, timelines) = sync_channel(TIMELINES);
    let (to_simulation, commands) = channel();
    (
        Publisher { snapshots: input, samples: to_window, timelines: timelines_to_window, commands },
        Link { snapshots: output, samples, timelines, commands: to_simulation },
    )
}

impl Publisher {
    /// Lets `fill` write over an old snapshot, whose lists keep their memory, and makes it the newest.
    pub fn publish(&mut self, fill: impl FnOnce(&mut Snapshot)) {
        fill(self.snapshots.input_buffer_mut());
        self.snapshots.publish();
    }

    /// Passes on the measurements of a step; they are dropped where the window has not looked for long.
    pub fn measured(&self, sample: Sample) {
        // A full queue, or no window, is no concern of the simulation's.
        let _ = self.samples.try_send(sample);
    }

    /// Where what the workers did goes to, for a thread that finds it out.
    pub fn timelines(&self) -> TimelineFeed {
        TimelineFeed(self.timelines.clone())
    }
}

/// The way of timelines to the window.
pub struct TimelineFeed(SyncSender<Timeline>);

impl TimelineFeed {
    /// Passes on what the workers did in a step; dropped as measurements are.
    pub fn send(&self, timeline: Timeline) {
        let _ = self.0.try_send(timeline);
    }
}

impl Link {
    /// The newest finished state.
    pub fn newest(&mut self) -> &Snapshot {
        self.snapshots.read()
    }

    /// Takes up the newest finished state, and says whether it is a newer one.
    pub fn take(&mut self) -> bool {
        self.snapshots.update()
    }

    /// The state that was taken up last, or looked at as the newest.
    pub fn taken(&self) -> &Snapshot {
        self.snapshots.output_buffer()
    }

    /// Whether there is a newer state than the one that was last looked at.
    pub fn has_newer(&self) -> bool {
        self.snapshots.updated()
    }

    /// Tells the simulation something; nobody may be there any more.
    pub fn tell(&self, command: Command) {
        // Without a simulation there is nothing to command.
        let _ = self.commands.send(command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_state_is_read_whole() {
        let (mut publisher, mut link) = link();
        assert!(!link.has_newer());
        for step in 1..=3 {
            publisher.publish(|s| {
                s.step = step;
                s.states.resize(2, Rows::default());
                s.states.iter_mut().for_each(|r| {
                    r.stride = 3;
                    r.values.clear();
                    r.values.resize(6, step as f64);
                });
            });
        }
        assert!(link.has_newer());
        let newest = link.newest();
        assert_eq!(newest.step, 3);
        assert!(newest.states.iter().all(|r| r.values == [3.0; 6]));
        assert_eq!(link.newest().step, 3, "it stays until there is a newer one");
    }

    #[test]
    fn neither_side_waits_for_the_other() {
        let (publisher, link) = link();
        for step in 0..2 * SAMPLES as u64 {
            publisher.measured(Sample { step, ..Sample::default() });
        }
        assert_eq!(link.samples.try_iter().count(), SAMPLES);
        link.tell(Command::Step);
        assert_eq!(publisher.commands.try_recv(), Ok(Command::Step));
        drop(link);
        publisher.measured(Sample::default());
        assert!(publisher.commands.try_recv().is_err());
    }

    #[test]
    fn only_the_same_number_makes_its_earlier_values_needless() {
        let set = |path: &str, attribute: &str, value: &str| Command::SetAttribute {
            path: path.to_owned(),
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        };
        assert!(set("/a", "k", "2").supersedes(&set("/a", "k", "1")));
        assert!(!set("/a", "k", "2").supersedes(&set("/a", "c", "1")));
        assert!(!set("/a", "k", "2").supersedes(&set("/b", "k", "1")));
        assert!(Command::SetDt(0.1).supersedes(&Command::SetDt(0.2)));
        assert!(!Command::Step.supersedes(&Command::Step));
        assert!(!Command::SetDt(0.1).supersedes(&Command::Step));
        // A button counts where the mouse was when it went down.
        let (point, button) = (Command::Point(None), Command::Button(true));
        assert!(point.supersedes(&point) && !point.supersedes(&button) && !button.supersedes(&point));
    }
}
