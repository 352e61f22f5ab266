//! An event graph that runs on its own thread, at its own rate, while somebody looks.
//!
//! As a simulation of physics does ([`live`](crate::live)), it publishes each finished frame and takes commands between frames.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use viewer::snapshot::{Command, Link, Publisher, Sample, link};
use viewer::surface::Surface;
use viewer::viewed::Viewed;
use x3d::shape::Shapes;

use super::EventSimulation;
use super::pointer::Press;
use super::seen::{positions, shapes, viewed};
use crate::execution::Execution;
use crate::live::Beginning;
use crate::live::execution::shown;

/// Makes the graph anew.
type Make<E> = Box<dyn FnMut() -> Result<EventSimulation, E> + Send>;

/// An event graph on its own thread; it ends when the other end of its link is dropped.
pub struct LiveEvents(JoinHandle<()>);

impl LiveEvents {
    /// Makes a graph on a thread of its own; `make` is called again whenever it is to begin anew.
    ///
    /// # Errors
    /// What `make` says the first time.
    pub fn start<E: Send + ToString + 'static>(
        title: &str,
        beginning: Beginning,
        execution: Execution,
        mut make: Make<E>,
    ) -> Result<(Self, Viewed, Link), E> {
        let (publisher, link) = link();
        let (tell, told) = sync_channel(1);
        let title = title.to_owned();
        let run = move || {
            // Made here, not moved here: the executor binds the thread that makes it.
            let simulation = match make() {
                Ok(simulation) => simulation,
                Err(e) => return drop(tell.send(Err(e))),
            };
            let shapes = shapes(&simulation);
            let seen = viewed(&title, &shapes);
            let mut session = Session {
                version: simulation.graph().version(),
                simulation,
                shapes,
                publisher,
                title,
                changed: Arc::default(),
                execution,
                beginning,
                press: None,
                resets: 0,
                failure: None,
                refusal: None,
                due: Instant::now(),
            };
            session.publish();
            if tell.send(Ok(seen)).is_ok() {
                session.run(&mut || make().map_err(|e| e.to_string()));
            }
        };
        let thread = std::thread::Builder::new().name("events".to_owned()).spawn(run);
        let thread = thread.expect("the system starts one more thread");
        let viewed = told.recv().expect("the thread says how it began before it ends")?;
        Ok((Self(thread), viewed, link))
    }

    /// Waits until it has ended, which it does after the frame that it is at once its link is dropped.
    pub fn join(self) {
        if let Err(panic) = self.0.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// A running graph and who looks at it.
struct Session {
    simulation: EventSimulation,
    shapes: Shapes,
    /// The version of the structure that the shapes are of.
    version: u64,
    publisher: Publisher,
    title: String,
    /// Surfaces that look otherwise than in the beginning.
    changed: Arc<Vec<Arc<Surface>>>,
    execution: Execution,
    beginning: Beginning,
    press: Option<Press>,
    resets: u64,
    failure: Option<String>,
    refusal: Option<String>,
    /// When the next frame is due, where it is held to the clock.
    due: Instant,
}

/// What a command leaves to be done.
enum Next {
    On,
    Frame,
    End,
}

impl Session {
    /// Runs until nobody looks any more.
    fn run(&mut self, make: &mut dyn FnMut() -> Result<EventSimulation, String>) {
        loop {
            let next = match self.command() {
                Ok(command) => self.obey(command, make),
                Err(TryRecvError::Empty) => Next::Frame,
                Err(TryRecvError::Disconnected) => Next::End,
            };
            match next {
                Next::End => return,
                Next::Frame => self.frame(),
                Next::On => {}
            }
        }
    }

    /// The next command; empty if a frame is due before one comes.
    fn command(&self) -> Result<Command, TryRecvError> {
        let commands = &self.publisher.commands;
        if !self.beginning.running {
            return commands.recv().map_err(|_| TryRecvError::Disconnected);
        }
        let wait = self.due.saturating_duration_since(Instant::now());
        if !self.beginning.paced || wait == Duration::ZERO {
            return commands.try_recv();
        }
        commands.recv_timeout(wait).map_err(|e| match e {
            RecvTimeoutError::Timeout => TryRecvError::Empty,
            RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
        })
    }

    fn obey(&mut self, command: Command, make: &mut dyn FnMut() -> Result<EventSimulation, String>) -> Next {
        self.refusal = None;
        match command {
            Command::Run(on) => {
                self.beginning.running = on && self.failure.is_none();
                self.due = Instant::now();
            }
            Command::Step => {
                self.beginning.running = false;
                return Next::Frame;
            }
            Command::Pace(on) => {
                self.beginning.paced = on;
                self.due = Instant::now();
            }
            Command::Reset => match make() {
                Ok(simulation) => {
                    self.simulation = simulation;
                    (self.failure, self.press) = (None, None);
                    self.resets += 1;
                    self.see_changes();
                }
                Err(e) => self.refusal = Some(e),
            },
            Command::Grasp(grip, _) => {
                self.press = Press::on(&mut self.simulation, &self.shapes, &grip);
                if self.press.is_none() {
                    self.refusal = Some("no sensor listens to this shape".to_owned());
                }
            }
            Command::Pull(to) => {
                if let Some(press) = &self.press {
                    press.moved(&mut self.simulation, to);
                }
            }
            Command::LetGo => {
                if let Some(press) = self.press.take() {
                    press.ended(&mut self.simulation);
                }
            }
            Command::SetDt(_) | Command::SetGravity(_) | Command::SetStiffness(_) | Command::Remove(_) => {
                self.refusal = Some("an event graph has no mechanics".to_owned());
            }
            Command::SetAttribute { .. } | Command::SetExecution(_) => {
                self.refusal = Some("not while an event graph runs".to_owned());
            }
            Command::Observe(_) | Command::ShowContacts(_) | Command::MeasureEnergy(_) => return Next::On,
        }
        self.publish();
        Next::On
    }

    fn frame(&mut self) {
        if self.failure.is_some() {
            self.beginning.running = false;
            return;
        }
        let begin = Instant::now();
        if let Err(failure) = self.simulation.step() {
            self.failure = Some(failure.to_string());
            self.beginning.running = false;
            return self.publish();
        }
        for said in self.simulation.take_said() {
            log::warn!("{said}");
        }
        let seconds = begin.elapsed().as_secs_f64();
        let length = Duration::from_secs_f64(self.simulation.dt());
        // What is late is not caught up with.
        self.due = (self.due + length).max(Instant::now().checked_sub(length).unwrap_or(begin));
        if self.version != self.simulation.graph().version() {
            self.see_changes();
        }
        let (step, time) = (self.simulation.frames(), self.simulation.time());
        self.publisher.measured(Sample { step, time, seconds, wall: seconds, ..Sample::default() });
        self.publish();
    }

    /// Finds the shapes anew after nodes came or went.
    fn see_changes(&mut self) {
        self.version = self.simulation.graph().version();
        self.shapes = shapes(&self.simulation);
        self.changed = Arc::new(viewed(&self.title, &self.shapes).surfaces);
    }

    /// Makes the present state the newest.
    fn publish(&mut self) {
        let Self { simulation, shapes, changed, execution, beginning, failure, refusal, resets, .. } = self;
        self.publisher.publish(|s| {
            s.step = simulation.frames();
            s.moved = s.step;
            s.time = simulation.time();
            s.running = beginning.running;
            s.failure.clone_from(failure);
            s.refusal.clone_from(refusal);
            s.dt = simulation.dt();
            s.resets = *resets;
            s.changed.clone_from(changed);
            s.execution = shown(*execution);
            positions(simulation, shapes, &mut s.states);
        });
    }
}
