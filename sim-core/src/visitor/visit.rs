//! What a recording component sees: the recorder, and the handles of the states' vectors.

use super::vectors::{StateVectors, VecCoordId, VecDerivId, VectorsAccess};
use crate::scene::{ComponentId, StateId};
use engine::data::{Data, ObjectId, StepParameter};
use engine::graph::{ComponentTag, Recorder};

/// Handles of the numbers that are constant within a step.
#[derive(Clone, Copy, Debug)]
pub struct StepParameters {
    /// Time step of an integration [s].
    pub dt: StepParameter<f64>,
    /// Time step of the scene, which an animation loop may divide into several integrations [s].
    pub whole_dt: StepParameter<f64>,
    /// Time at the beginning of the step [s].
    pub time: StepParameter<f64>,
    /// Gravity [m/s^2].
    pub gravity: [StepParameter<f64>; 3],
    /// Number of completed steps.
    pub step: StepParameter<u64>,
}

/// The identity that a component's tasks carry.
pub fn tag_of(component: ComponentId) -> ComponentTag {
    ComponentTag(component.0)
}

/// A walk that records.
pub struct Visit<'v, 's> {
    /// Takes the tasks.
    pub rec: &'v mut Recorder<'s>,
    /// The vectors of all states.
    pub vectors: &'v mut [StateVectors],
    /// Numbers that are constant within a step.
    pub parameters: StepParameters,
}

impl Visit<'_, '_> {
    /// The handle of a position-like vector of a state.
    ///
    /// # Panics
    /// Where the state is not of type `S`: the scene checks types when it takes a component in.
    pub fn coord<S: VectorsAccess>(&mut self, state: StateId, id: VecCoordId) -> Data<S::Coord> {
        let vectors =
            S::vectors_mut(&mut self.vectors[state.0 as usize]).expect("the scene checked the state's type");
        vectors.coord(self.rec.store(), id)
    }

    /// The handle of a velocity-like vector of a state.
    ///
    /// # Panics
    /// Where the state is not of type `S`: the scene checks types when it takes a component in.
    pub fn deriv<S: VectorsAccess>(&mut self, state: StateId, id: VecDerivId) -> Data<S::Deriv> {
        let vectors =
            S::vectors_mut(&mut self.vectors[state.0 as usize]).expect("the scene checked the state's type");
        vectors.deriv(self.rec.store(), id)
    }

    /// The object that a state belongs to.
    pub fn object(&self, state: StateId) -> ObjectId {
        self.vectors[state.0 as usize].object()
    }
}

/// A component's identity and the state it acts on, while it records.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Its identity in errors and traces.
    pub tag: ComponentTag,
    /// The state.
    pub state: StateId,
    /// The state's object.
    pub object: ObjectId,
}
