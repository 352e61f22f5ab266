//! Evaluation: from edited controls to what is dirty and needed, to a recording that is kept and replayed.

mod dirts;
mod flat;
mod frames;
mod key;
mod memo;
mod over;
mod part;
mod path;
mod place;
mod plan;
mod rebuild;
mod record;
mod report;
mod resolve;
mod run;
mod serial;
mod state;
#[cfg(test)]
mod tests;
mod validate;
mod watch;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::data::Store;
use engine::exec::PlanCache;

use super::bits::BitSet;
use super::error::RigError;
use super::rig::{Control, ControlId, OutputId, Rig};
use super::structure::{Fusion, Structure, Threading};
pub use crate::backend::Backend;
use dirts::Dirts;
pub use frames::{Cancel, InFlight};
use key::Key;
pub use part::{PartLayout, RigPart, ValuePlace};
use plan::Plans;
pub use rebuild::Rebuild;
pub use report::{Evaluated, Failure, Report};
pub use serial::Serial;
use state::State;
pub use validate::Lie;

/// How a rig is evaluated.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How nodes are put together into tasks; none: so that each worker has several tasks of each level, if that is worth it.
    pub fusion: Option<Fusion>,
    /// What runs on several workers.
    pub threading: Threading,
    /// Number of frames in flight; one at least.
    pub frames: usize,
    /// How several frames share the workers.
    pub in_flight: InFlight,
    /// Number of recordings that are kept.
    pub plans: usize,
    /// Whether to count nodes that ran though nothing read what they computed.
    pub count_reads: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let in_flight = InFlight::Throughput;
        let threading = Threading::default();
        Self { fusion: None, threading, frames: 1, in_flight, plans: 128, count_reads: false }
    }
}

/// Evaluates a rig.
///
/// ```
/// use weft_animation::rig::{Backend, Evaluator, Rig, Settings, expression::Expression};
///
/// let mut rig = Rig::new("two");
/// let angle = rig.scalar_control("angle").unwrap();
/// let sine = rig.node("sine", Expression::new("sin(angle)").unwrap()).unwrap();
/// rig.bind_control(angle, sine, 0).unwrap();
/// let out = rig.output("out", sine, 0).unwrap();
/// let mut evaluator = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
/// evaluator.set(angle, &[0.5]).unwrap();
/// let report = evaluator.evaluate().unwrap();
/// assert_eq!(report.nodes, 1);
/// assert_eq!(evaluator.value(out), [0.5_f64.sin()]);
/// assert_eq!(evaluator.evaluate().unwrap().nodes, 0);
/// ```
pub struct Evaluator {
    rig: Rig,
    structure: Arc<Structure>,
    backend: Backend,
    settings: Settings,
    store: Store,
    states: Vec<State>,
    /// The attributes that are asked for, and their number among all lists that were asked for.
    requested: Vec<u32>,
    request: u32,
    requests: Vec<Vec<u32>>,
    dirts: Dirts,
    cache: PlanCache<Key>,
    plans: Plans,
    key: Key,
    version: u64,
    rebuilds: Vec<Rebuild>,
    /// Which way switches stood when something was recorded last.
    stood: Vec<u32>,
}

impl Evaluator {
    /// Checks a rig and lays it out. All outputs are requested, all is dirty.
    ///
    /// # Errors
    /// All that is wrong with the rig.
    pub fn new(rig: Rig, backend: Backend, settings: Settings) -> Result<Self, Vec<RigError>> {
        let settings = Settings { frames: settings.frames.max(1), plans: settings.plans.max(4), ..settings };
        let structure = Arc::new(Structure::new(&rig, settings.fusion, backend.workers, settings.threading)?);
        let requested = structure.outputs.clone();
        let mut evaluator = Self {
            cache: PlanCache::new(settings.plans),
            rig,
            backend,
            store: Store::new(),
            states: Vec::new(),
            requests: vec![requested.clone()],
            requested,
            request: 0,
            dirts: Dirts::new(structure.n_attributes()),
            plans: Plans::default(),
            key: Key::new(settings.frames, &structure),
            version: 0,
            rebuilds: Vec::new(),
            stood: Vec::new(),
            structure,
            settings,
        };
        evaluator.lay_down();
        evaluator.note(Rebuild::First);
        Ok(evaluator)
    }

    /// Sets a control of the first frame.
    ///
    /// # Errors
    /// If the value is not of the control's type.
    pub fn set(&mut self, control: ControlId, value: &[f64]) -> Result<(), RigError> {
        self.set_in(0, control, value)
    }

    /// Sets a control of a frame. One that has the value already is not edited.
    ///
    /// # Errors
    /// If the control or frame is not there, or the value is not of the control's type.
    pub fn set_in(&mut self, frame: usize, control: ControlId, value: &[f64]) -> Result<(), RigError> {
        let unknown =
            |what, k: usize| RigError::Unknown { what, name: k.to_string(), of: None, suggestion: None };
        let at = control.0 as usize;
        let Some(Control { name, of, .. }) = self.rig.controls.get(at) else {
            return Err(unknown("control", at));
        };
        if value.len() != of.len() {
            return Err(RigError::Length { to: name.clone(), wants: *of, given: value.len() });
        }
        let Some(state) = self.states.get_mut(frame) else { return Err(unknown("frame", frame)) };
        let begin = self.structure.control_at[at] as usize;
        let kept = &mut self.store.write(state.fixed)[begin..begin + value.len()];
        if kept.iter().zip(value).any(|(a, b)| a.to_bits() != b.to_bits()) {
            kept.copy_from_slice(value);
            state.edited.insert(at);
        }
        Ok(())
    }

    /// A control's value in a frame.
    pub fn control(&self, frame: usize, control: ControlId) -> &[f64] {
        let begin = self.structure.control_at[control.0 as usize] as usize;
        let len = self.rig.controls[control.0 as usize].of.len();
        &self.store.read(self.states[frame].fixed)[begin..begin + len]
    }

    /// Makes everything dirty, so that the next evaluation is a full one.
    pub fn touch_all(&mut self) {
        for state in &mut self.states {
            state.dirt = Dirts::ALL;
        }
    }

    /// Evaluates what is dirty and needed for what is requested, in all frames.
    ///
    /// # Errors
    /// If a node fails. The values of frames without failure are there; those of others stay dirty, and are evaluated again next
    /// time.
    pub fn evaluate(&mut self) -> Result<Report, Box<Failure>> {
        let mut index_nodes = 0;
        for frame in 0..self.states.len() {
            index_nodes += self.resolve(frame)?;
        }
        self.key.fill(key::What::All, self.request, self.version, &self.states);
        let plan = self.plan()?;
        self.plans.last = Some(plan);
        let report = Report { index_nodes, ..self.run(plan)? };
        let Self { plans, states, .. } = self;
        let Some(info) = plans.get(plan) else { return Ok(report) };
        for (frame, state) in states.iter_mut().enumerate() {
            if !state.cancel.load(Ordering::Relaxed) {
                state.dirt = info.after[frame];
                state.edited.clear();
            }
        }
        Ok(report)
    }

    /// The value of an output of the first frame, as it was evaluated last.
    pub fn value(&self, output: OutputId) -> &[f64] {
        self.value_in(0, output)
    }

    /// The value of an output of a frame, as it was evaluated last.
    pub fn value_in(&self, frame: usize, output: OutputId) -> &[f64] {
        self.attribute(frame, self.structure.outputs[output.0 as usize])
    }

    /// Whether the value of an output of a frame is up to date.
    pub fn is_clean(&self, frame: usize, output: OutputId) -> bool {
        let state = &self.states[frame];
        let attribute = self.structure.outputs[output.0 as usize];
        let mut dirty = self.dirts.get(state.dirt).clone();
        self.structure.mark(&state.edited, &state.branches, &mut dirty);
        !dirty.contains(attribute as usize)
    }

    /// The rig.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// The present version of the rig, laid out.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Numbers that all frames hold, in bytes.
    pub fn state_bytes(&self) -> usize {
        8 * self.structure.n_values() * self.states.len()
    }

    /// Number of recordings that are kept.
    pub fn n_plans(&self) -> usize {
        self.cache.len()
    }

    /// The executor, to look at.
    pub fn executor(&self) -> &dyn engine::exec::Executor {
        &*self.backend.executor
    }

    /// The executor, to look at or to observe.
    pub fn backend(&mut self) -> &mut Backend {
        &mut self.backend
    }

    fn attribute(&self, frame: usize, attribute: u32) -> &[f64] {
        let (block, range) = self.structure.place_of(attribute);
        &self.store.read(self.states[frame].values[block as usize])[range]
    }

    /// Makes the buffers of all frames anew.
    fn lay_down(&mut self) {
        let count_reads = self.settings.count_reads;
        self.store = Store::new();
        self.states = (0..self.settings.frames)
            .map(|k| State::new(&self.structure, &mut self.store, k, count_reads))
            .collect();
    }
}

/// The empty set of controls.
fn no_edits(rig: &Rig) -> BitSet {
    BitSet::new(rig.controls.len())
}
