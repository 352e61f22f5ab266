//! What plays frame by frame on its own thread, at its own rate, while somebody looks: an event graph, a rig.
//!
//! As a simulation of physics does, it publishes each finished frame and takes commands between frames.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use viewer::snapshot::{Command, Link, Publisher, Sample, Snapshot};
use viewer::viewed::Viewed;

use super::Beginning;
use super::analyst::Analyst;
use super::execution::shown;
use super::threads::Threads;
use super::watched::{Played, Publish};
use crate::execution::Execution;

/// Frames on their own thread; it ends when the other end of its link is dropped.
pub struct LiveFrames(Threads);

impl LiveFrames {
    /// Makes what plays on a thread of its own; `make` is called again whenever it is to begin anew.
    ///
    /// # Errors
    /// What `make` says the first time.
    pub fn start<P: Played, E: Send + ToString + 'static>(
        title: &str,
        beginning: Beginning,
        execution: Execution,
        mut make: impl FnMut() -> Result<P, E> + Send + 'static,
    ) -> Result<(Self, Viewed, Link), E> {
        let title = title.to_owned();
        let (threads, viewed, link) = Threads::start("frames", move |publisher, analyst| {
            let player = make()?;
            let viewed = player.viewed(&title);
            let mut session = Session {
                viewed: Arc::new(viewed.clone()),
                player,
                publisher,
                analyst,
                observes: false,
                execution,
                beginning,
                resets: 0,
                moved: 0,
                failure: None,
                refusal: None,
                due: Instant::now(),
                last: None,
                owes: false,
            };
            session.publish();
            Ok((viewed, move || session.run(&mut || make().map_err(|e| e.to_string()))))
        })?;
        Ok((Self(threads), viewed, link))
    }

    /// Waits until it has ended, which it does after the frame that it is at once its link is dropped.
    pub fn join(self) {
        self.0.join();
    }
}

/// What plays, and who looks at it.
struct Session<P> {
    player: P,
    /// What there was to see when it was begun last.
    viewed: Arc<Viewed>,
    publisher: Publisher,
    analyst: Analyst,
    /// Whether somebody looks at what the workers do.
    observes: bool,
    execution: Execution,
    beginning: Beginning,
    resets: u64,
    /// Counts what may have moved something: frames, and commands between them.
    moved: u64,
    failure: Option<String>,
    refusal: Option<String>,
    /// When the next frame is due, where it is held to the clock.
    due: Instant,
    /// When the last frame ended, while they follow each other.
    last: Option<Instant>,
    /// Whether the last frame is published only while the next one is computed.
    owes: bool,
}

/// What a command leaves to be done.
enum Next {
    On,
    Frame,
    End,
}

impl<P: Played> Session<P> {
    /// Runs until nobody looks any more.
    fn run(&mut self, make: &mut dyn FnMut() -> Result<P, String>) {
        let mut waiting = None;
        loop {
            let next = match waiting.take().map_or_else(|| self.command(), Ok) {
                Ok(command) => {
                    let newest = self.newest(command);
                    waiting = newest.1;
                    self.obey(newest.0, make)
                }
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

    /// The last of the commands that make each other needless, and the one after it, if it is there already.
    fn newest(&self, mut command: Command) -> (Command, Option<Command>) {
        while let Ok(next) = self.publisher.commands.try_recv() {
            if !next.supersedes(&command) {
                return (command, Some(next));
            }
            command = next;
        }
        (command, None)
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

    fn obey(&mut self, command: Command, make: &mut dyn FnMut() -> Result<P, String>) -> Next {
        self.refusal = None;
        match command {
            Command::Run(on) => {
                self.beginning.running = on && self.failure.is_none();
                (self.due, self.last) = (Instant::now(), None);
                if !on {
                    self.analyst.hand_over(true);
                }
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
                Ok(player) => {
                    self.viewed = Arc::new(player.viewed(&self.viewed.title));
                    self.player = player;
                    self.player.observe(self.observes);
                    self.analyst.forget();
                    self.failure = None;
                    self.last = None;
                    self.resets += 1;
                    self.moved += 1;
                }
                Err(e) => self.refusal = Some(e),
            },
            Command::Key(letter) => self.player.key(letter),
            Command::Observe(on) => {
                self.observes = on;
                self.player.observe(on);
                self.analyst.forget();
                return Next::On;
            }
            Command::ShowContacts(_) | Command::MeasureEnergy(_) => return Next::On,
            // The next frame shows what comes of it.
            Command::Point(_) => {
                self.refusal = self.player.obey(command).err();
                return Next::On;
            }
            command => {
                self.refusal = self.player.obey(command).err();
                self.moved += 1;
            }
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
        let outcome = if self.owes { self.advance_while() } else { self.player.advance() };
        if let Err(failure) = outcome {
            self.failure = Some(failure);
            self.beginning.running = false;
            return self.publish();
        }
        if self.observes
            && self.analyst.wants()
            && let Some(record) = self.player.record()
        {
            self.analyst.take(record, self.beginning.running);
        }
        self.moved += 1;
        let end = Instant::now();
        let seconds = (end - begin).as_secs_f64();
        // Single frames have no pace.
        let wall = if self.beginning.running { end - self.last.unwrap_or(begin) } else { Duration::ZERO };
        self.last = self.beginning.running.then_some(end);
        let length = Duration::from_secs_f64(self.player.frame_time());
        // What is late is not caught up with.
        self.due = (self.due + length).max(Instant::now().checked_sub(length).unwrap_or(begin));
        let (step, time) = (self.player.steps_done(), self.player.seconds());
        self.publisher.measured(Sample {
            step,
            time,
            seconds,
            wall: wall.as_secs_f64(),
            ..Sample::default()
        });
        // Where the next frame begins at once, this one is published while that one is computed.
        let Beginning { running, paced } = self.beginning;
        let is_late = running && (!paced || self.due <= Instant::now());
        self.owes = is_late && self.player.computes_beside();
        if !self.owes {
            self.publish();
        }
    }

    /// Makes the present state the newest.
    fn publish(&mut self) {
        self.owes = false;
        self.publish_with(|player, publish| publish(&|s| player.show(s)));
    }

    /// Computes a frame while the one before is published.
    fn advance_while(&mut self) -> Result<(), String> {
        self.owes = false;
        self.publish_with(|player, publish| player.advance_while(publish))
    }

    /// What `act` publishes is the state of now.
    fn publish_with<T>(&mut self, act: impl FnOnce(&mut P, Publish<'_>) -> T) -> T {
        let Self { player, viewed, publisher, execution, beginning, failure, refusal, resets, moved, .. } =
            self;
        let (step, time, dt) = (player.steps_done(), player.seconds(), player.frame_time());
        let mut publish = |show: &dyn Fn(&mut Snapshot)| {
            publisher.publish(|s| {
                s.step = step;
                s.moved = *moved;
                s.time = time;
                s.running = beginning.running;
                s.failure.clone_from(failure);
                s.refusal.clone_from(refusal);
                s.dt = dt;
                s.resets = *resets;
                s.viewed = Some(viewed.clone());
                s.execution = shown(*execution);
                show(s);
            });
        };
        act(player, &mut publish)
    }
}
