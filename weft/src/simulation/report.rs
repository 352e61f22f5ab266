//! What a simulation tells of itself: steps, states, census, failures.

use scenes::diagnostics::{Diagnostic, Location, Severity};
use sim_core::scene::ComponentId;
use sim_core::visitor::world::FreezeError;

/// What happened to the plan of the integration in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanChange {
    /// Made for the first time.
    #[default]
    Built,
    /// Changed because contacts or components came or went, or objects moved between workers.
    Updated,
    /// Replayed as it was.
    Replayed,
}

impl PlanChange {
    /// What happened where both did.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Built, _) | (_, Self::Built) => Self::Built,
            (Self::Updated, _) | (_, Self::Updated) => Self::Updated,
            (Self::Replayed, Self::Replayed) => Self::Replayed,
        }
    }
}

/// One step.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// The whole step [ns].
    pub total_ns: u64,
    /// Bounds, broad phase, narrow phase, comparison of contacts [ns].
    pub collision_ns: u64,
    /// Recording, partitioning and lowering [ns].
    pub graph_ns: u64,
    /// Running the integration [ns].
    pub integrate_ns: u64,
    /// The rest [ns].
    pub other_ns: u64,
    /// Iterations of each solver group's conjugate gradient, or of Newton's method around it.
    pub cg_iterations: Vec<u32>,
    /// Of each solver group that solves several linear systems a step by iterations (Newton's method, say): the most that one of them took.
    pub linear_iterations: Vec<u32>,
    /// Sweeps that the multipliers of constraints took; none without such constraints.
    pub constraint_sweeps: Option<u32>,
    /// What these sweeps have left; see [`super::Simulation::constraint_solver`] for the solver's name.
    pub constraint_error: Option<ConstraintError>,
    /// Of each solver group that uses Newton's method, the norms of its residuals: the first, then one after each iteration.
    pub residuals: Vec<Vec<f64>>,
    /// How each solver group that iterates has ended.
    pub solvers: Vec<SolverEnd>,
    /// Number of contact points.
    pub contacts: usize,
    /// Greatest penetration below the contact distance [m].
    pub max_penetration: f64,
    /// What happened to the plan.
    pub plan: PlanChange,
    /// Pairs of models in contact that came or went.
    pub pairs_changed: usize,
    /// Share of the step's graph runs that each worker spent in kernels and control.
    pub worker_busy: Vec<f64>,
    /// Number of solver groups.
    pub groups: usize,
    /// Number of objects that sleep.
    pub asleep: usize,
}

/// How the solvers of a group have ended in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverEnd {
    /// The integrator; of several that move together, the first.
    pub solver: ComponentId,
    /// Newton's method, or what else solves several linear systems a step.
    pub newton: Option<NewtonEnd>,
    /// The linear solver, if it iterates and has solved a system.
    pub linear: Option<LinearEnd>,
}

/// How Newton's method has ended in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewtonEnd {
    /// Iterations.
    pub iterations: u32,
    /// As many as there may be.
    pub limit: u32,
    /// Whether there were as many, and no threshold was reached.
    pub is_at_limit: bool,
    /// Line searches that have not lessened the residual.
    pub failed_line_searches: u32,
    /// Which of [`StepReport::residuals`] are its.
    pub history: Option<usize>,
}

/// How a linear solver that iterates has ended in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearEnd {
    /// The linear solver.
    pub component: ComponentId,
    /// Iterations; of several systems, of that which took most.
    pub iterations: u32,
    /// As many as there may be.
    pub limit: u32,
    /// What the last system has left of its residual, as the solver compares it with its tolerance.
    pub residual_ratio: f64,
    /// The ratio at which it ends.
    pub tolerance: f64,
    /// Whether the last system took as many iterations as there may be, and the ratio was greater.
    pub is_at_limit: bool,
}

/// What the sweeps of a constraint solver have left in a step, as this solver measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintError {
    /// The error that the last sweep has left: a sum over rows, in the units of their violations.
    pub remaining: f64,
    /// The error below which sweeps end.
    pub tolerance: f64,
    /// Whether they ended there, and not because there were as many as there may be.
    pub is_reached: bool,
}

/// What a constraint exerts.
#[derive(Clone, Debug, PartialEq)]
pub struct Multipliers {
    /// Path of the component.
    pub path: String,
    /// One number for each of its rows; see [`super::Simulation::multipliers`].
    pub lambda: Vec<f64>,
}

/// One mechanical object's present state.
#[derive(Clone, Debug)]
pub struct StateView {
    /// Path of the component.
    pub path: String,
    /// SOFA's template name.
    pub template: &'static str,
    /// Whether an ODE solver stands in its node or above.
    pub simulated: bool,
    /// Whether a mapping moves it.
    pub mapped: bool,
    /// Rows of coordinates.
    pub position: Vec<Vec<f64>>,
    /// Rows of velocities.
    pub velocity: Vec<Vec<f64>>,
}

/// What is in the scene.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Number of objects by mechanical model, sorted by name.
    pub models: Vec<(String, usize)>,
    /// Number of objects that a solver moves.
    pub n_objects: usize,
    /// Scalars of their velocities.
    pub n_dofs: usize,
}

/// A step that failed; the state before it is still there.
#[derive(Clone, Debug, thiserror::Error)]
#[error("step {step} failed in {component} ({task}){}: {message}", place(.file, .line))]
pub struct StepFailure {
    /// Number of the step, from 0.
    pub step: u64,
    /// Name of the task.
    pub task: String,
    /// Path of the component.
    pub component: String,
    /// The scene file, if the scene came from one.
    pub file: String,
    /// The line in it; 0 where unknown.
    pub line: u32,
    /// What happened.
    pub message: String,
}

/// Where something stands in a file, after a comma; nothing where it came from none.
pub(super) fn place(file: &str, line: &u32) -> String {
    if file.is_empty() { String::new() } else { format!(", {file}:{line}") }
}

/// A scene that cannot be simulated.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene lacks something.
    #[error("{0}")]
    Scene(String),
    /// A component lacks something, or does not go with others.
    #[error("{0}")]
    Component(Box<Diagnostic>),
    /// An option is out of its range.
    #[error("{0}")]
    Option(String),
}

impl SimulationError {
    /// What was found when a scene was taken in whose components stand at these places.
    pub(super) fn found(error: &FreezeError, places: &[Location]) -> Self {
        let place = error.id.and_then(|id| places.get(id.0 as usize)).filter(|place| place.line > 0);
        let Some(place) = place else { return Self::Scene(error.to_string()) };
        let found = Diagnostic::new(Severity::Error, place, error.message.clone());
        Self::Component(Box::new(found.component(error.component.clone())))
    }
}

/// Tasks of a plan, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanCounts {
    /// Kernels, each counted once.
    pub compute: usize,
    /// Further copies of joint kernels that several workers compute.
    pub mirrored: usize,
    /// Announcements to other workers.
    pub signal: usize,
    /// Waits for other workers.
    pub wait: usize,
    /// Replays of logged additions.
    pub reducer: usize,
    /// Loop control: begin, break, end.
    pub loops: usize,
}
