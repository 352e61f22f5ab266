//! States that files give: `ReadState`.

use engine::exec::Sequential;
use engine::graph::Recorder;
use scenes::playback::{Frame, ReadingPlace, StateFile};
use sim_core::math::{Coord, Deriv, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::step::record_projection;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId, for_vectors};
use sim_core::visitor::visit::{At, Visit, tag_of};
use sim_core::visitor::world::World;

use super::{Simulation, StepFailure};

/// Components that give states what files hold, and how far each has come.
#[derive(Default)]
pub(super) struct Readers {
    all: Vec<(ComponentId, ReadingPlace)>,
    /// Whether they have read for the step to come.
    are_done: bool,
}

impl Readers {
    /// Those of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let is_reader = |c: &ComponentId| scene.component(*c).extension::<StateFile>().is_some();
        let all = scene.all_components().filter(|c| scene.has_component(*c)).filter(is_reader);
        Self { all: all.map(|c| (c, ReadingPlace::default())).collect(), are_done: false }
    }

    /// The states that they give.
    pub(super) fn states(&self, scene: &Scene) -> impl Iterator<Item = StateId> {
        let present = self.all.iter().filter(|(c, _)| scene.has_component(*c));
        present.filter_map(|(c, _)| Some(scene.component(*c).extension::<StateFile>()?.state))
    }

    /// Another step is to come.
    pub(super) fn expect_step(&mut self) {
        self.are_done = false;
    }
}

impl Simulation {
    /// Gives states what the scene's files hold for the present time, as [`Self::step`] does at its beginning; a second call before
    /// the step changes nothing. Constraints project what was read, and mappings follow it.
    ///
    /// # Errors
    /// A state that no longer has as many points as its file.
    pub fn read_states(&mut self) -> Result<(), StepFailure> {
        if self.readers.all.is_empty() || std::mem::replace(&mut self.readers.are_done, true) {
            return Ok(());
        }
        let time = due_time(self.time(), self.dt());
        for k in 0..self.readers.all.len() {
            let (component, mut place) = self.readers.all[k];
            if !self.world.scene.has_component(component) {
                continue;
            }
            let Some(file) = self.world.scene.component(component).extension::<StateFile>() else { continue };
            let state = file.state;
            let Some(frame) = file.due(&mut place, time).cloned() else { continue };
            self.give(state, &frame).map_err(|message| self.not_read(component, message))?;
            self.readers.all[k].1 = place;
        }
        Ok(())
    }

    /// Puts a frame into a state: constraints project it, and mappings follow.
    pub(crate) fn give(&mut self, state: StateId, frame: &Frame) -> Result<(), String> {
        self.wake_all().map_err(|e| e.to_string())?;
        let World { store, vectors, .. } = &mut self.world;
        for_vectors!(&vectors[state.0 as usize], S, v => {
            type Coords = <S as StateType>::Coord;
            type Derivs = <S as StateType>::Deriv;
            let x: &mut [Coords] = store.write(v.position());
            let n = x.len();
            check(frame.position.as_ref(), n * <Coords as Coord>::SIZE)?;
            check(frame.velocity.as_ref(), n * <Derivs as Deriv>::SIZE)?;
            if let Some(values) = &frame.position {
                put(x, values, <Coords as Coord>::SIZE, <Coords as Coord>::from_scalars);
            }
            if let Some(values) = &frame.velocity {
                let v: &mut [Derivs] = store.write(v.velocity());
                put(v, values, <Derivs as Deriv>::SIZE, <Derivs as Deriv>::from_scalars);
            }
        });
        let object = self.world.vectors[state.0 as usize].object();
        let recording = record_projection(&mut self.world, &[object]);
        let run = Sequential::run_once(&recording, &mut self.world.store);
        self.world.store.discard_states();
        run.map(drop).map_err(|e| e.to_string())
    }

    /// Has a state that no solver moves go from one frame to another in the step to come: what touches it feels that it moves.
    pub(crate) fn carry(&mut self, state: StateId, from: &Frame, to: &Frame) -> Result<(), String> {
        self.give(state, to)?;
        let World { scene, store, vectors, objects, parameters, .. } = &mut self.world;
        let object = vectors[state.0 as usize].object();
        let tag = tag_of(scene.component_of_state(state));
        let mut rec = Recorder::new(store);
        rec.sweep("free");
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        for &state in &objects[object.0 as usize].states {
            let at = At { tag, state, object };
            visit.x_copy(at, VecCoordId::FREE_POSITION, VecCoordId::POSITION);
            visit.v_copy(at, VecDerivId::FREE_VELOCITY, VecDerivId::VELOCITY);
        }
        let recording = rec.finish();
        let run = Sequential::run_once(&recording, &mut self.world.store);
        self.world.store.discard_states();
        run.map_err(|e| e.to_string())?;
        self.give(state, from)
    }

    fn not_read(&self, component: ComponentId, message: String) -> StepFailure {
        let location = &self.world.scene.component(component).location;
        StepFailure {
            step: self.step,
            task: "state of a file".to_owned(),
            component: self.world.scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            message,
        }
    }

    /// Warns of files whose states are overwritten at once.
    pub(super) fn check_readers(&self) {
        let scene = &self.world.scene;
        for (component, _) in &self.readers.all {
            let Some(file) = scene.component(*component).extension::<StateFile>() else { continue };
            if self.world.vectors[file.state.0 as usize].mapped() {
                let state = scene.path(scene.component_of_state(file.state));
                log::warn!("{}: a mapping moves {state}; what is read is lost", scene.path(*component));
            }
        }
    }
}

/// The time whose frames a step reads: one that rounding made a little too late for the file is meant nevertheless.
pub(crate) fn due_time(time: f64, dt: f64) -> f64 {
    time + 0.001 * dt
}

fn check(values: Option<&Vec<f64>>, wanted: usize) -> Result<(), String> {
    match values.map(Vec::len).filter(|n| *n != wanted) {
        Some(n) => Err(format!("there are {n} numbers for it; the state has {wanted}")),
        None => Ok(()),
    }
}

fn put<T>(to: &mut [T], values: &[f64], width: usize, read: impl Fn(&[f64]) -> Option<T>) {
    for (to, row) in to.iter_mut().zip(values.chunks_exact(width)) {
        if let Some(value) = read(row) {
            *to = value;
        }
    }
}
