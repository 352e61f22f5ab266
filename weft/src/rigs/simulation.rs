//! A rig with an executor, evaluated frame by frame.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use animation::rig::{
    Backend, ControlId, Evaluator, Failure, LOOP_NS, NodeId, OutputId, Rig, RigError, Settings, Threading,
};
use partition::Accumulation;
use partition::control::lower;

use crate::execution::clock::{Clock, Stretch, since};
use crate::execution::hash::StateHash;
use crate::execution::observer::Observer;
use crate::execution::team::{executor, team};
use crate::execution::timed::{Noted, Timed};
use crate::execution::{AccumulateMode, FRAME_TIME, FrameFailure, FrameReport, SimulationOptions};

/// The control that follows the time of frames \[s\], if a rig has a number of this name.
pub const TIME: &str = "time";

/// How often the cost of each node is measured before the first frame.
const ROUNDS: usize = 3;

/// A running rig.
pub struct RigSimulation {
    pub(super) evaluator: Evaluator,
    /// The control that follows the time; none if the rig has none, or somebody has set it.
    time: Option<ControlId>,
    dt: f64,
    frames: u64,
    pub(super) clock: Clock,
    pub(super) observer: Option<Box<Observer>>,
    noted: Arc<Mutex<Noted>>,
    /// How often plans were loaded.
    pub(super) loads: u64,
    pub(super) notes: Vec<String>,
    pub(super) workers: usize,
    pub(super) threads: usize,
    nodes: usize,
    evaluated: u64,
    /// The outputs of the rig that are evaluated, ascending.
    wanted: Vec<OutputId>,
    /// Outputs of which was said that they are not finite.
    not_finite: BTreeSet<OutputId>,
}

impl RigSimulation {
    /// Of a rig; costs of its nodes are measured, so that cheap ones share tasks.
    ///
    /// # Errors
    /// All that is wrong with the rig.
    pub fn new(rig: Rig, options: &SimulationOptions) -> Result<Self, Vec<RigError>> {
        let threading = Threading { graph: true, nodes: false };
        Self::with(rig, options, Settings { threading, ..Settings::default() })
    }

    /// The same, evaluated as settings say: where threads are to be inside nodes, those that take long are divided.
    ///
    /// # Errors
    /// All that is wrong with the rig.
    pub fn with(rig: Rig, options: &SimulationOptions, settings: Settings) -> Result<Self, Vec<RigError>> {
        if settings.threading.nodes && rig.loops().is_empty() {
            let whole = Self::measured(rig, options, settings.clone())?;
            let divided = whole.rig().divided(LOOP_NS).map_err(|wrong| vec![wrong])?;
            return Self::measured(divided, options, settings);
        }
        Self::measured(rig, options, settings)
    }

    fn measured(rig: Rig, options: &SimulationOptions, settings: Settings) -> Result<Self, Vec<RigError>> {
        let mut made = Self::of(rig, options, settings)?;
        let begin = Instant::now();
        made.evaluator.measure(ROUNDS, &mut || since(begin))?;
        Ok(made)
    }

    /// The same with costs as kinds of nodes say: its tasks are the same each time.
    ///
    /// # Errors
    /// All that is wrong with the rig.
    pub fn unmeasured(rig: Rig, options: &SimulationOptions) -> Result<Self, Vec<RigError>> {
        Self::of(rig, options, Settings::default())
    }

    fn of(rig: Rig, options: &SimulationOptions, settings: Settings) -> Result<Self, Vec<RigError>> {
        let team = team(options);
        let (timed, noted) = Timed::new(executor(options.executor, &team));
        let accumulation = match options.accumulate {
            AccumulateMode::Auto => Accumulation::Auto,
            AccumulateMode::Mirror => Accumulation::Mirror,
            AccumulateMode::Reduce => Accumulation::Reduce,
        };
        let lower = Box::new(move |program: &_, placed: &_| lower(program, placed, accumulation));
        let backend = Backend { executor: Box::new(timed), lower, workers: team.workers };
        let evaluator = Evaluator::new(rig, backend, settings)?;
        let time = evaluator.rig().find_control(TIME).ok();
        let is_number = |c: &ControlId| evaluator.control(0, *c).len() == 1;
        Ok(Self {
            time: time.filter(is_number),
            wanted: super::outputs::all_outputs(evaluator.rig()),
            evaluator,
            dt: options.dt.unwrap_or(FRAME_TIME),
            frames: 0,
            clock: Clock::default(),
            observer: None,
            noted,
            loads: 0,
            notes: team.notice().into_iter().collect(),
            workers: team.workers as usize,
            threads: team.n_threads(),
            nodes: 0,
            evaluated: 0,
            not_finite: BTreeSet::new(),
        })
    }

    /// Sets a control, from the next evaluation on. One that is set no longer follows the time.
    ///
    /// # Errors
    /// If the value is not of the control's type.
    pub fn set(&mut self, control: ControlId, value: &[f64]) -> Result<(), RigError> {
        self.evaluator.set(control, value)?;
        self.time = self.time.filter(|time| *time != control);
        Ok(())
    }

    /// The control that follows the time.
    pub fn time_control(&self) -> Option<ControlId> {
        self.time
    }

    /// Asks for some outputs of the rig only: what none of them needs is not evaluated from now on, and cannot fail.
    ///
    /// # Errors
    /// If an output is not there.
    pub fn request(&mut self, outputs: impl IntoIterator<Item = OutputId>) -> Result<(), RigError> {
        let wanted: BTreeSet<OutputId> = outputs.into_iter().collect();
        self.wanted = wanted.into_iter().collect();
        self.evaluator.request(&self.wanted)
    }

    /// Asks for outputs of nodes beside those of the rig.
    ///
    /// # Errors
    /// If an output is not there.
    pub fn watch(&mut self, ports: &[(NodeId, usize)]) -> Result<(), RigError> {
        self.evaluator.request_with(&self.wanted, ports)
    }

    /// Evaluates the next frame: what its time and the controls that were set have made out of date.
    ///
    /// # Errors
    /// A node fails, by its name. The rig stays usable.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.frames, self.time());
        let failed = |message: String| FrameFailure { frame, time, message };
        if let Some(control) = self.time {
            self.evaluator.set(control, &[time]).map_err(|e| failed(e.to_string()))?;
        }
        let evaluated = self.evaluate();
        let total_ns = since(start);
        evaluated.map_err(failed)?;
        self.frames += 1;
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, total_ns);
        }
        let runs = self.clock.marks.iter().filter(|m| m.run.is_some());
        let run_ns = runs.map(|m| m.duration_ns).sum();
        Ok(FrameReport { frame, time, total_ns, run_ns, plan_ns: self.clock.graph_ns })
    }

    /// Evaluates what is out of date now, without going on to the next frame.
    ///
    /// # Errors
    /// A node fails, by its name.
    pub fn evaluate(&mut self) -> Result<(), String> {
        let start = Instant::now();
        self.clock.marks.clear();
        self.clock.graph_ns = 0;
        let report = self.evaluator.evaluate();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let has_loaded = std::mem::replace(&mut self.loads, noted.loads) != noted.loads;
        if let (true, Some(observer)) = (has_loaded, &mut self.observer) {
            observer.forget();
        }
        let run_ns: u64 = noted.runs.iter().map(|r| r.duration_ns).sum();
        if has_loaded {
            // What was not spent in tasks was recording, placing and loading: before the last run, for each of the others as well.
            let duration_ns = since(start).saturating_sub(run_ns);
            self.clock.marks.push(Stretch { run: None, start, duration_ns });
            self.clock.graph_ns = duration_ns;
        }
        self.clock.marks.append(&mut noted.runs);
        drop(noted);
        let report = report.map_err(|failure| said(&failure))?;
        self.nodes = report.nodes + report.index_nodes;
        self.evaluated += self.nodes as u64;
        Ok(())
    }

    /// What is said of outputs that are not finite now and have been until now; of each once.
    pub fn take_not_finite(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for output in &self.wanted {
            let value = self.evaluator.value(*output);
            if value.iter().all(|v| v.is_finite()) || !self.not_finite.insert(*output) {
                continue;
            }
            let name = self.evaluator.rig().outputs().nth(output.0 as usize).unwrap_or_default();
            let what = if value.iter().any(|v| v.is_nan()) { "not a number" } else { "infinite" };
            let (node, _) = self.evaluator.rig().output_port(*output);
            let place =
                self.evaluator.rig().place_of(node).map_or_else(String::new, |place| format!("{place}: "));
            lines.push(format!("{place}output `{name}` is {what}"));
        }
        lines
    }

    /// Nodes that ran in the last evaluation, and in all of them.
    pub fn evaluated(&self) -> (usize, u64) {
        (self.nodes, self.evaluated)
    }

    /// How often something was recorded, the first time included.
    pub fn n_recorded(&self) -> u64 {
        self.loads
    }

    /// Number of frames that were evaluated.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The time of the next frame \[s\].
    pub fn time(&self) -> f64 {
        self.frames as f64 * self.dt
    }

    /// Time from frame to frame \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The rig.
    pub fn rig(&self) -> &Rig {
        self.evaluator.rig()
    }

    /// The evaluator, for values, reasons and costs.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Number of workers.
    pub fn n_workers(&self) -> usize {
        self.workers
    }

    /// A hash of the exact bits of all outputs that are evaluated.
    pub fn state_hash(&self) -> String {
        let mut hash = StateHash::new();
        for output in &self.wanted {
            self.evaluator.value(*output).iter().for_each(|x| hash.add(x.to_bits()));
        }
        hash.text()
    }
}

fn said(failure: &Failure) -> String {
    match failure.node {
        Some(_) => {
            let place = failure.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
            format!("{place}node `{}` ({}): {}", failure.name, failure.kind, failure.message)
        }
        None => failure.message.clone(),
    }
}
