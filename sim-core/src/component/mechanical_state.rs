//! Mechanical states: the degrees of freedom of one object, or of something mapped from it.

use crate::math::{Rigid3Type, StateType, Vec3, Vec3Type};

/// The vectors of a state before the simulation begins, as SOFA's MechanicalObject leaves them after its own initialisation.
#[derive(Clone, Debug)]
pub struct InitialState<S: StateType> {
    /// Positions [m].
    pub position: Vec<S::Coord>,
    /// Velocities [m/s], one per position.
    pub velocity: Vec<S::Deriv>,
    /// Rest positions [m], one per position.
    pub rest_position: Vec<S::Coord>,
}

impl<S: StateType> InitialState<S> {
    /// A state at rest at these positions.
    pub fn at_rest(position: Vec<S::Coord>) -> Self {
        Self {
            velocity: vec![S::Deriv::default(); position.len()],
            rest_position: position.clone(),
            position,
        }
    }
    /// Changes the number of points, as a mapping does to its output.
    pub fn resize(&mut self, n: usize) {
        self.position.resize(n, S::Coord::default());
        self.velocity.resize(n, S::Deriv::default());
        self.rest_position.resize(n, S::Coord::default());
    }
}

/// A mechanical state of either type.
#[derive(Clone, Debug)]
pub enum AnyInitialState {
    /// Points in space.
    Vec3(InitialState<Vec3Type>),
    /// Rigid frames.
    Rigid3(InitialState<Rigid3Type>),
}

impl AnyInitialState {
    /// Number of degrees of freedom (points or frames).
    pub fn len(&self) -> usize {
        match self {
            Self::Vec3(s) => s.position.len(),
            Self::Rigid3(s) => s.position.len(),
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// SOFA's template name.
    pub fn template(&self) -> &'static str {
        match self {
            Self::Vec3(_) => Vec3Type::NAME,
            Self::Rigid3(_) => Rigid3Type::NAME,
        }
    }
    /// The points it is at.
    pub fn centers(&self) -> Vec<Vec3> {
        match self {
            Self::Vec3(s) => s.position.clone(),
            Self::Rigid3(s) => s.position.iter().map(|c| c.center).collect(),
        }
    }
}

/// Picks the initial state of one type out of [`AnyInitialState`].
pub trait StateAccess: StateType {
    /// The state, if it is of this type.
    fn of(state: &AnyInitialState) -> Option<&InitialState<Self>>;
    /// The same, to change it.
    fn of_mut(state: &mut AnyInitialState) -> Option<&mut InitialState<Self>>;
    /// Wraps one.
    fn wrap(state: InitialState<Self>) -> AnyInitialState;
}

impl StateAccess for Vec3Type {
    fn of(state: &AnyInitialState) -> Option<&InitialState<Self>> {
        if let AnyInitialState::Vec3(s) = state { Some(s) } else { None }
    }
    fn of_mut(state: &mut AnyInitialState) -> Option<&mut InitialState<Self>> {
        if let AnyInitialState::Vec3(s) = state { Some(s) } else { None }
    }
    fn wrap(state: InitialState<Self>) -> AnyInitialState {
        AnyInitialState::Vec3(state)
    }
}

impl StateAccess for Rigid3Type {
    fn of(state: &AnyInitialState) -> Option<&InitialState<Self>> {
        if let AnyInitialState::Rigid3(s) = state { Some(s) } else { None }
    }
    fn of_mut(state: &mut AnyInitialState) -> Option<&mut InitialState<Self>> {
        if let AnyInitialState::Rigid3(s) = state { Some(s) } else { None }
    }
    fn wrap(state: InitialState<Self>) -> AnyInitialState {
        AnyInitialState::Rigid3(state)
    }
}
