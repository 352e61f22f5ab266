//! The simulation's loop: commands, a step, publish.

use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use sim_core::scene::StateId;
use viewer::snapshot::{Command, Publisher, Sample};
use viewer::surface::Rows;

use super::Beginning;
use super::hand::Hand;
use super::timeline::timeline;
use crate::simulation::{Simulation, StepReport};

/// Makes the simulation anew.
type Make = Box<dyn FnMut() -> Result<Simulation, String> + Send>;

/// A running simulation and who looks at it.
pub(super) struct Session {
    simulation: Simulation,
    make: Make,
    publisher: Publisher,
    hand: Hand,
    order: Vec<StateId>,
    report: StepReport,
    running: bool,
    paced: bool,
    failure: Option<String>,
    refusal: Option<String>,
    resets: u64,
    shows_contacts: bool,
    /// When the next step is due, where it is held to the clock.
    due: Instant,
    /// When the last step ended.
    last: Option<Instant>,
}

/// What a command leaves to be done.
enum Next {
    /// Go on as before.
    On,
    /// Compute one step.
    Step,
    /// Nobody looks any more.
    End,
}

impl Session {
    pub(super) fn new(
        simulation: Simulation,
        make: Make,
        publisher: Publisher,
        beginning: Beginning,
    ) -> Self {
        Self {
            order: simulation.state_order(),
            simulation,
            make,
            publisher,
            hand: Hand::default(),
            report: StepReport::default(),
            running: beginning.running,
            paced: beginning.paced,
            failure: None,
            refusal: None,
            resets: 0,
            shows_contacts: false,
            due: Instant::now(),
            last: None,
        }
    }

    /// Makes the present state the newest.
    pub(super) fn publish(&mut self) {
        let Self { simulation, order, running, failure, refusal, resets, shows_contacts, .. } = self;
        self.publisher.publish(|s| {
            s.step = simulation.step_index();
            s.time = simulation.time();
            s.running = *running;
            s.failure.clone_from(failure);
            s.refusal.clone_from(refusal);
            (s.dt, s.gravity) = (simulation.dt(), simulation.gravity());
            s.resets = *resets;
            s.contacts.clear();
            if *shows_contacts {
                simulation.nearest_points(&mut s.contacts);
            }
            simulation.owners(&mut s.owners);
            s.states.resize_with(order.len(), Rows::default);
            for (rows, state) in s.states.iter_mut().zip(&*order) {
                rows.values.clear();
                rows.stride = simulation.append_positions(*state, &mut rows.values);
            }
        });
    }

    /// Runs until nobody looks any more.
    pub(super) fn run(&mut self) {
        loop {
            match self.listen() {
                Next::End => return,
                Next::Step => self.step(),
                Next::On if self.running && Instant::now() >= self.due => self.step(),
                Next::On => {}
            }
        }
    }

    /// Takes one command, if there is one; waits for one where there is nothing else to do.
    fn listen(&mut self) -> Next {
        let commands = &self.publisher.commands;
        let now = Instant::now();
        let received = if !self.running {
            commands.recv().map_err(|_| TryRecvError::Disconnected)
        } else if self.paced && self.due > now {
            commands.recv_timeout(self.due - now).map_err(|e| match e {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            })
        } else {
            commands.try_recv()
        };
        match received {
            Ok(command) => self.obey(&command),
            Err(TryRecvError::Empty) => Next::On,
            Err(TryRecvError::Disconnected) => Next::End,
        }
    }

    fn obey(&mut self, command: &Command) -> Next {
        match command {
            Command::Run(running) => {
                self.running = *running && self.failure.is_none();
                (self.due, self.last) = (Instant::now(), None);
                self.publish();
            }
            Command::Step => {
                self.running = false;
                return Next::Step;
            }
            Command::Reset => self.reset(),
            Command::Pace(paced) => {
                self.paced = *paced;
                self.due = Instant::now();
            }
            Command::Grasp(grip, stiffness) => self
                .changed(|s, hand, order| hand.grasp(s, order, grip, *stiffness).map_err(|e| e.to_string())),
            Command::Pull(to) => self.hand.pull(&mut self.simulation, *to),
            Command::LetGo => self.changed(|s, hand, _| hand.let_go(s).map_err(|e| e.to_string())),
            Command::Observe(on) => self.simulation.observe(*on),
            Command::ShowContacts(on) => {
                self.shows_contacts = *on;
                self.publish();
            }
            Command::SetDt(dt) => self.changed(|s, _, _| s.set_dt(*dt).map_err(|e| e.to_string())),
            Command::SetGravity(g) => self.changed(|s, _, _| s.set_gravity(*g).map_err(|e| e.to_string())),
        }
        Next::On
    }

    /// Changes the simulation between two steps, or says why it cannot be changed so.
    fn changed(&mut self, change: impl FnOnce(&mut Simulation, &mut Hand, &[StateId]) -> Result<(), String>) {
        self.refusal = change(&mut self.simulation, &mut self.hand, &self.order).err();
        self.publish();
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let begin = Instant::now();
        if let Err(failure) = self.simulation.step_into(&mut self.report) {
            self.failure = Some(failure.to_string());
            self.running = false;
            return self.publish();
        }
        let end = Instant::now();
        let wall = self.last.map_or(end - begin, |last| end - last);
        self.last = self.running.then_some(end);
        self.publisher.measured(Sample {
            step: self.simulation.step_index(),
            time: self.simulation.time(),
            seconds: (end - begin).as_secs_f64(),
            wall: wall.as_secs_f64(),
            contacts: self.report.contacts as u32,
            cg_iterations: self.report.cg_iterations.iter().copied().max().unwrap_or(0),
        });
        if let Some(record) = self.simulation.record() {
            self.publisher.observed(timeline(&record));
        }
        if self.paced {
            // Time that was lost is not made up for.
            let dt = Duration::try_from_secs_f64(self.simulation.dt()).unwrap_or_default();
            self.due = (self.due + dt).max(end);
        } else {
            self.due = end;
        }
        self.publish();
    }

    fn reset(&mut self) {
        match (self.make)() {
            Ok(simulation) => {
                self.simulation = simulation;
                self.hand = Hand::default();
                self.order = self.simulation.state_order();
                (self.failure, self.refusal) = (None, None);
                self.resets += 1;
            }
            Err(message) => {
                self.failure = Some(message);
                self.running = false;
            }
        }
        (self.due, self.last) = (Instant::now(), None);
        self.publish();
    }
}
