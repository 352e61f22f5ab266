//! The solvers of a scene, each at its node.

use std::collections::BTreeMap;

use crate::component::constraint_solver::{ConstraintCorrection, ConstraintSolver};
use crate::component::solver::{LinearSolver, OdeSolver, SolverSetting};
use crate::scene::ids::{ComponentId, NodeId};

/// An ODE or linear solver at a node.
pub struct AtNode<T: ?Sized> {
    /// The component.
    pub component: ComponentId,
    /// The node it stands in.
    pub at: NodeId,
    /// What it does.
    pub node: Box<T>,
}

/// All solvers, each list in scene order once the scene is loaded.
#[derive(Default)]
pub struct Solvers {
    /// ODE solvers.
    pub ode: Vec<AtNode<dyn OdeSolver>>,
    /// Linear solvers.
    pub linear: Vec<AtNode<dyn LinearSolver>>,
    /// Constraint solvers.
    pub constraint: Vec<AtNode<dyn ConstraintSolver>>,
    /// Constraint corrections.
    pub corrections: Vec<AtNode<dyn ConstraintCorrection>>,
    /// The linear solver that an ODE solver names; one that names none finds its own.
    pub chosen: BTreeMap<ComponentId, ComponentId>,
    /// What components set for the solvers beside them.
    pub settings: BTreeMap<ComponentId, SolverSetting>,
}
