//! The simulation's loop: commands, a step, publish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use sim_core::scene::StateId;
use viewer::outline::Outline;
use viewer::snapshot::{Command, Publisher, Sample};
use viewer::surface::{Rows, Surface};
use viewer::viewed::{Viewed, with_gone};

use super::Beginning;
use super::analyst::Analyst;
use super::behind::Behind;
use super::execution::shown;
use super::hand::Hand;
use super::helm::Helm;
use super::meter::Meter;
use crate::simulation::{Simulation, StepReport};

/// Makes the simulation anew.
pub(super) type Make = Box<dyn FnMut() -> Result<Simulation, String> + Send>;

/// A running simulation and who looks at it.
pub(super) struct Session {
    pub(super) simulation: Simulation,
    pub(super) make: Make,
    /// What there was to see when it was begun last.
    pub(super) viewed: Arc<Viewed>,
    publisher: Publisher,
    /// Commands that were taken and not obeyed yet.
    inbox: VecDeque<Command>,
    pub(super) hand: Hand,
    pub(super) helm: Helm,
    pub(super) order: Vec<StateId>,
    pub(super) outline: Arc<Outline>,
    /// Surfaces that look otherwise than in the beginning.
    pub(super) changed: Arc<Vec<Arc<Surface>>>,
    /// The changes of topologies that are seen in them.
    pub(super) topology_changes: u64,
    report: StepReport,
    pub(super) running: bool,
    pub(super) paced: bool,
    pub(super) failure: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) resets: u64,
    pub(super) shows_contacts: bool,
    pub(super) observes: bool,
    pub(super) analyst: Analyst,
    pub(super) meter: Meter,
    behind: Behind,
    /// The last step in which something may have moved.
    moved: u64,
    /// When a state was published last.
    published: Instant,
    /// When the next step is due, where it is held to the clock.
    pub(super) due: Instant,
    /// When the last step ended.
    pub(super) last: Option<Instant>,
}

/// Between two states of what rests: where a processor draws, a picture is the work of a tenth of a second.
const AT_REST: Duration = Duration::from_secs(5);

/// What a command leaves to be done.
pub(super) enum Next {
    /// Obey what else was said before going on.
    Listen,
    /// There was no command: go on as before.
    On,
    /// Compute one step.
    Step,
    /// Nobody looks any more.
    End,
}

impl Session {
    pub(super) fn new(
        simulation: Simulation,
        viewed: Viewed,
        make: Make,
        (publisher, analyst): (Publisher, Analyst),
        beginning: Beginning,
    ) -> Self {
        Self {
            order: simulation.state_order(),
            outline: Arc::new(Outline::of(&simulation.world().scene)),
            changed: Arc::default(),
            topology_changes: simulation.topology_changes(),
            simulation,
            make,
            viewed: Arc::new(viewed),
            publisher,
            inbox: VecDeque::new(),
            hand: Hand::default(),
            helm: Helm::default(),
            report: StepReport::default(),
            running: beginning.running,
            paced: beginning.paced,
            failure: None,
            refusal: None,
            resets: 0,
            shows_contacts: false,
            observes: false,
            analyst,
            meter: Meter::new(),
            behind: Behind::new(),
            moved: 0,
            published: Instant::now(),
            due: Instant::now(),
            last: None,
        }
    }

    /// Makes all surfaces anew after elements went or came.
    pub(super) fn see_topology_changes(&mut self) {
        let changes = self.simulation.topology_changes();
        if std::mem::replace(&mut self.topology_changes, changes) != changes {
            let all = viewer::surface::surfaces(self.simulation.world(), &self.order);
            self.changed = Arc::new(with_gone(&self.viewed.surfaces, all));
        }
    }

    /// Makes the present state the newest.
    pub(super) fn publish(&mut self) {
        let Self {
            simulation,
            order,
            outline,
            viewed,
            changed,
            report,
            running,
            failure,
            refusal,
            meter,
            ..
        } = self;
        let (resets, shows_contacts) = (self.resets, self.shows_contacts);
        let (moved, busiest) = (self.moved, self.behind.busiest());
        self.published = Instant::now();
        self.publisher.publish(|s| {
            s.step = simulation.step_index();
            s.time = simulation.time();
            s.running = *running;
            s.failure.clone_from(failure);
            s.refusal.clone_from(refusal);
            (s.dt, s.gravity) = (simulation.dt(), simulation.gravity());
            s.resets = resets;
            s.viewed = Some(viewed.clone());
            s.moved = moved;
            s.rests = simulation.rests();
            s.busiest = busiest.cloned();
            s.outline.clone_from(outline);
            s.changed.clone_from(changed);
            s.execution = shown(simulation.execution());
            meter.without(report.contacts, &mut s.without_energy);
            s.contacts.clear();
            if shows_contacts {
                simulation.nearest_points(&mut s.contacts);
            }
            simulation.owners(&mut s.owners);
            simulation.sleepers(&mut s.asleep);
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
                Next::On | Next::Listen => {}
            }
        }
    }

    /// Takes one command, if there is one; waits for one where there is nothing else to do.
    fn listen(&mut self) -> Next {
        while let Ok(command) = self.publisher.commands.try_recv() {
            match self.inbox.back_mut() {
                Some(last) if command.supersedes(last) => *last = command,
                _ => self.inbox.push_back(command),
            }
        }
        if let Some(command) = self.inbox.pop_front() {
            return self.obey(command);
        }
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
            Ok(command) => self.obey(command),
            Err(TryRecvError::Empty) => Next::On,
            Err(TryRecvError::Disconnected) => Next::End,
        }
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let is_held = self.running && self.paced;
        let looks = !self.observes && self.behind.wants(is_held);
        if looks {
            self.simulation.observe(true);
        }
        let begin = Instant::now();
        if let Err(failure) = self.simulation.step_into(&mut self.report) {
            self.failure = Some(failure.to_string());
            self.running = false;
            return self.publish();
        }
        let end = Instant::now();
        self.see_topology_changes();
        log::trace!("step {} {} us", self.simulation.step_index(), (end - begin).as_micros());
        if looks {
            if let Some(record) = self.simulation.record() {
                self.behind.look(&record, &self.simulation.names());
            }
            self.simulation.observe(false);
        }
        self.behind.add((end - begin).as_secs_f64(), self.simulation.dt(), is_held);
        let rests = self.simulation.rests();
        if !rests {
            self.moved = self.simulation.step_index();
        }
        // Single steps have no pace.
        let wall = if self.running { end - self.last.unwrap_or(begin) } else { Duration::ZERO };
        self.last = self.running.then_some(end);
        self.publisher.measured(Sample {
            step: self.simulation.step_index(),
            time: self.simulation.time(),
            seconds: (end - begin).as_secs_f64(),
            wall: wall.as_secs_f64(),
            contacts: self.report.contacts as u32,
            cg_iterations: self.report.cg_iterations.iter().copied().max().unwrap_or(0),
            energy: self.meter.measure(&self.simulation, self.running),
        });
        if self.observes
            && self.analyst.wants()
            && let Some(record) = self.simulation.record()
        {
            self.analyst.take(record, self.running);
        }
        if self.paced {
            // Time that was lost is not made up for.
            let dt = Duration::try_from_secs_f64(self.simulation.dt()).unwrap_or_default();
            self.due = (self.due + dt).max(end);
        } else {
            self.due = end;
        }
        // Of what rests, a clock is all that is new.
        if !rests || !self.running || end - self.published >= AT_REST {
            self.publish();
        }
    }
}
