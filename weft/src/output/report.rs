//! The report: what was run, and how it went, as one JSON object.

use serde::Serialize;

use super::recorders::StateDifference;
use super::solver_report::SolverReport;
use super::statistics::{MeanMax, Spread, StepHistory};
use crate::simulation::{PlanChange, Simulation};

/// Milliseconds of the phases of a step, medians.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Phases {
    /// Bounds, broad phase, narrow phase.
    pub collision: f64,
    /// Making and updating plans.
    pub graph: f64,
    /// Running the integration.
    pub integrate: f64,
    /// The rest.
    pub other: f64,
}

impl Phases {
    /// Of the steps of a history.
    pub fn of(history: &StepHistory) -> Self {
        Self {
            collision: history.phase_ms(|s| s.collision_ns),
            graph: history.phase_ms(|s| s.graph_ns),
            integrate: history.phase_ms(|s| s.integrate_ns),
            other: history.phase_ms(|s| s.other_ns),
        }
    }
}

/// Tasks of the integration's plan, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tasks {
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
    #[serde(rename = "loop")]
    pub loops: usize,
}

/// What became of plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Plans {
    /// Plans of the integration built anew.
    pub built: usize,
    /// Steps whose plan was updated.
    pub updated: usize,
    /// Steps that replayed the plan of the step before.
    pub replayed: usize,
    /// Pairs of models in contact that came or went.
    pub pairs_changed: usize,
    /// Milliseconds of one build, median.
    pub build_ms: f64,
    /// Milliseconds of one step's update, median.
    pub update_ms: f64,
}

/// Contact points of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Contacts {
    /// Mean of a step.
    pub mean: f64,
    /// Greatest of a step.
    pub max: f64,
    /// Greatest penetration [m].
    pub max_penetration: f64,
}

/// One worker beside several, interleaved step by step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Median step of one worker, by that of all.
    pub speedup: f64,
    /// The same for the integration alone.
    pub speedup_integrate: f64,
    /// Milliseconds of a step of one worker.
    pub one_worker_step_ms: Spread,
    /// Milliseconds of its phases.
    pub one_worker_phase_ms: Phases,
    /// Whether both end with the same bits.
    pub same_state: bool,
}

/// What a constraint solver has left over the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConstraintSolverReport {
    /// Class and path.
    pub solver: String,
    /// The error after the last sweep of a step, as the solver measures it.
    pub remaining_error: MeanMax,
    /// The error below which sweeps end, of the last step.
    pub tolerance: f64,
    /// Steps in which there were as many sweeps as there may be, and the error was greater.
    pub steps_at_limit: usize,
}

impl ConstraintSolverReport {
    /// Of a simulation and its steps; nothing where no multipliers were looked for.
    pub fn of(simulation: &Simulation, history: &StepHistory) -> Option<Self> {
        let (remaining_error, steps_at_limit) = history.constraint_error()?;
        let last = history.chosen().iter().rev().find_map(|s| s.constraint_error)?;
        let solver = simulation.constraint_solver()?;
        Some(Self { solver, remaining_error, tolerance: last.tolerance, steps_at_limit })
    }
}

/// The choices of a run, as the command line calls them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Choices {
    /// Who executes.
    pub executor: String,
    /// Who places.
    pub partitioner: String,
    /// How joint forces are added.
    pub accumulate: String,
    /// How dot products are summed.
    pub sums: String,
}

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of Weft.
    pub version: &'static str,
    /// The scene as it was named.
    pub scene: String,
    /// Completed steps.
    pub steps: u64,
    /// Time step [s].
    pub dt: f64,
    /// Workers.
    pub threads: usize,
    /// Operating system threads that compute, the caller's included.
    pub os_threads: usize,
    /// Executor, partitioner and the like.
    #[serde(flatten)]
    pub choices: Choices,
    /// Objects that a solver moves.
    pub objects: usize,
    /// Scalars of their velocities.
    pub dofs: usize,
    /// Objects that slept at the end; nothing where the scene lets none sleep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asleep: Option<usize>,
    /// Objects by mechanical model.
    pub models: std::collections::BTreeMap<String, usize>,
    /// Statistics are of the steps from this one on.
    pub report_from: u64,
    /// Milliseconds of a step.
    pub step_ms: Spread,
    /// Milliseconds of its phases.
    pub phase_ms: Phases,
    /// Tasks of the plan.
    pub tasks: Tasks,
    /// What became of plans.
    pub graph: Plans,
    /// Iterations of linear solvers a step, over all of them; zero where none iterates.
    pub cg_iterations: MeanMax,
    /// Iterations of Newton's method a step, over all solvers; nothing where none uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newton_iterations: Option<MeanMax>,
    /// How each solver that iterates has converged, in the order of the scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub solvers: Vec<SolverReport>,
    /// Iterations of the linear system of a step that took most; nothing where no solver solves several of them by iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear_iterations: Option<MeanMax>,
    /// Sweeps that multipliers of constraints took; nothing without such constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint_sweeps: Option<MeanMax>,
    /// Who found them, and what it has left; nothing without such constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint_solver: Option<ConstraintSolverReport>,
    /// The multipliers of the scene's constraints after the last step, by path; see [`Simulation::multipliers`].
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub multipliers: std::collections::BTreeMap<String, Vec<f64>>,
    /// How far states were from what files say; nothing without a `CompareState`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared_states: Vec<StateDifference>,
    /// Contacts.
    pub contacts: Contacts,
    /// Share of the time that each worker was busy.
    pub worker_busy: Vec<f64>,
    /// Simulated seconds by measured seconds, of the median step.
    pub real_time_factor: f64,
    /// Wall time of all steps, exports included [s].
    pub seconds: f64,
    /// Hash of the exact bits of all positions and velocities; nothing, if they are not finite.
    pub state_hash: Option<String>,
    /// One worker beside all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Comparison>,
    /// Whether the run was ended early.
    pub interrupted: bool,
    /// Why the simulation failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Report {
    /// Of a simulation and its steps.
    pub fn new(scene: &str, simulation: &Simulation, history: &StepHistory, choices: Choices) -> Self {
        let census = simulation.census();
        let counts = simulation.plan_counts();
        let step_ms = history.step_ms();
        let dt = simulation.dt();
        let contacts = history.contacts();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.to_owned(),
            steps: simulation.step_index(),
            dt,
            threads: simulation.workers(),
            os_threads: simulation.threads_started(),
            choices,
            objects: census.n_objects,
            dofs: census.n_dofs,
            asleep: simulation.world().scene.sleeping().map(|_| simulation.n_asleep()),
            models: census.models.into_iter().collect(),
            report_from: 0,
            step_ms,
            phase_ms: Phases::of(history),
            tasks: Tasks {
                compute: counts.compute,
                mirrored: counts.mirrored,
                signal: counts.signal,
                wait: counts.wait,
                reducer: counts.reducer,
                loops: counts.loops,
            },
            graph: Plans {
                built: history.n_plans(PlanChange::Built),
                updated: history.n_plans(PlanChange::Updated),
                replayed: history.n_plans(PlanChange::Replayed),
                pairs_changed: history.pairs_changed(),
                build_ms: history.plan_ms(PlanChange::Built),
                update_ms: history.plan_ms(PlanChange::Updated),
            },
            cg_iterations: history.solvers().linear_iterations().unwrap_or_default(),
            newton_iterations: history.solvers().newton_iterations(),
            solvers: history.solvers().reports(simulation),
            linear_iterations: history.linear_iterations(),
            constraint_sweeps: history.constraint_sweeps(),
            constraint_solver: ConstraintSolverReport::of(simulation, history),
            multipliers: simulation.multipliers().into_iter().map(|m| (m.path, m.lambda)).collect(),
            compared_states: Vec::new(),
            contacts: Contacts {
                mean: contacts.mean,
                max: contacts.max,
                max_penetration: history.max_penetration(),
            },
            worker_busy: history.worker_busy(),
            real_time_factor: ratio(dt * 1e3, step_ms.median),
            seconds: 0.0,
            state_hash: simulation.state_hash().ok(),
            compare: None,
            interrupted: false,
            failure: None,
        }
    }

    /// Adds the comparison with one worker.
    pub fn compare_with(&mut self, one: &Simulation, history: &StepHistory) {
        let (step, phases) = (history.step_ms(), Phases::of(history));
        self.compare = Some(Comparison {
            speedup: ratio(step.median, self.step_ms.median),
            speedup_integrate: ratio(phases.integrate, self.phase_ms.integrate),
            one_worker_step_ms: step,
            one_worker_phase_ms: phases,
            same_state: self.state_hash.is_some() && one.state_hash().ok() == self.state_hash,
        });
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
