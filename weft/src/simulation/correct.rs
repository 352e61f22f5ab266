//! The stages of a step with Lagrangian constraints: a free motion, and its correction.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use engine::data::Store;
use engine::exec::PlanId;
use sim_core::component::constraint_solver::ConstraintSolver;
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::solver::SolveRecord;
use sim_core::step::{ConstraintStage, Corrected, record_ahead};
use sim_core::visitor::object::Object;
use solvers::constraint::SweepingConstraintSolver;

use super::report::{ConstraintError, Multipliers};
use super::{PlanChange, Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

/// The correction of free motions.
#[derive(Default)]
pub(super) struct Correction {
    stage: ConstraintStage,
    plan: Option<PlanId>,
    /// What the plan leaves to be read.
    solve: SolveRecord,
    /// The plan is not that of what is there now.
    is_stale: bool,
    /// How what no solver moves goes on in the step, where the detection looks ahead.
    ahead: Option<PlanId>,
}

impl Correction {
    /// Something comes or goes: the correction is to be recorded anew.
    pub(super) fn outdate(&mut self) {
        self.is_stale = true;
    }

    /// Objects go: what was recorded must not run again, and its buffers are given back.
    pub(super) fn free(&mut self, store: &mut Store) {
        self.stage.free(store);
        self.is_stale = true;
    }

    /// The graphs have gone with their executor.
    pub(super) fn forget_plan(&mut self) {
        (self.plan, self.ahead) = (None, None);
    }
}

impl Simulation {
    /// Moves free copies of all states by the present time step.
    pub(super) fn move_freely(
        &mut self,
        order: ConstraintOrder,
        pairs_changed: usize,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        let change = self.settle_plan(pairs_changed, clock)?;
        self.correction.is_stale |= change != PlanChange::Replayed;
        self.run_integration(clock)?;
        self.go_ahead(order, clock)?;
        Ok(change)
    }

    /// Whether something that moves begins to touch something that sleeps, so that the free motion of both is to be found. What an
    /// integrator keeps of its own would go on twice: there, who is pushed wakes with the next step.
    pub(super) fn pushes_sleepers(&self) -> bool {
        let Some(sleep) = self.sleep.as_ref().filter(|s| !s.asleep().is_empty()) else { return false };
        let Some(collision) = &self.collision else { return false };
        let world = &self.world;
        let begins = collision.constraint_contacts().0.iter().any(|c| {
            let [a, b] = [c.first, c.second].map(|s| world.object_of(s));
            let moves = |o: &Object| o.solver.is_some() && !sleep.asleep().contains(&o.id);
            let sleeps = |o: &Object| o.solver.is_some() && sleep.asleep().contains(&o.id);
            moves(a) && sleeps(b) || moves(b) && sleeps(a)
        });
        let mut solvers = world.scene.present(&world.scene.solvers.ode);
        begins && sleep.is_of_ours() && !solvers.any(|s| s.node.keeps_history())
    }

    /// The free motion once more, from where the step begins, after who is touched has woken.
    pub(super) fn move_freely_anew(
        &mut self,
        order: ConstraintOrder,
        pairs_changed: usize,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        if let Some(sleep) = &mut self.sleep {
            sleep.goes_on_in_step();
        }
        self.move_freely(order, pairs_changed, clock)
    }

    /// Moves the free copies of what no solver moves, where the detection that follows looks at them.
    fn go_ahead(&mut self, order: ConstraintOrder, clock: &mut Clock) -> Result<(), StepFailure> {
        if !self.collision.as_ref().is_some_and(|c| c.looks_ahead()) {
            return Ok(());
        }
        let begin = Instant::now();
        let replaced = self.correction.ahead;
        let plan = match replaced.filter(|_| !self.correction.is_stale) {
            Some(plan) => plan,
            None => {
                let unsolved = self.unsolved();
                let recording = Arc::new(record_ahead(&mut self.world, &unsolved, order));
                let loaded = self.engine.load(Phase::Integration, replaced, recording, &mut self.world.store);
                let plan = loaded.map_err(|e| self.not_loaded(&e))?;
                self.correction.ahead = Some(plan);
                plan
            }
        };
        let run = self.engine.run(plan, &mut self.world.store);
        let run = run.map_err(|f| self.blame(plan, Some(f)))?;
        clock.add_run(plan, begin, run, self.engine.workers());
        clock.integrate_ns += since(begin);
        Ok(())
    }

    /// Corrects the free motion; what comes of it is the state.
    pub(super) fn correct(
        &mut self,
        order: ConstraintOrder,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        let mut begin = Instant::now();
        let (contacts, changed) = match &self.collision {
            Some(c) => c.constraint_contacts(),
            None => (&[][..], false),
        };
        let mut change = PlanChange::Replayed;
        if self.correction.plan.is_none() || changed || self.correction.is_stale {
            let fallback = SweepingConstraintSolver::default();
            let (unsolved, nobody) = (self.unsolved(), BTreeSet::new());
            let asleep = self.sleep.as_ref().map_or(&nobody, |s| s.asleep());
            let corrected = Corrected { contacts, unsolved: &unsolved, asleep };
            let stage = &mut self.correction.stage;
            let (recording, solve) = stage.record(&mut self.world, &corrected, order, &fallback);
            let replaced = self.correction.plan;
            let store = &mut self.world.store;
            let loaded = self.engine.load(Phase::Integration, replaced, Arc::new(recording), store);
            self.correction.plan = Some(loaded.map_err(|e| self.not_loaded(&e))?);
            self.correction.solve = solve;
            self.correction.is_stale = false;
            change = PlanChange::Built;
            clock.add_plan(begin);
            begin = Instant::now();
        }
        let plan = self.correction.plan.expect("recorded just above");
        let run = self.engine.run(plan, &mut self.world.store);
        let run = run.map_err(|f| self.blame(plan, Some(f)))?;
        clock.add_run(plan, begin, run, self.engine.workers());
        if !self.are_states_finite() {
            return Err(self.blame_growth(plan));
        }
        clock.integrate_ns += since(begin);
        self.move_prescribed(clock)?;
        self.world.store.swap_states();
        Ok(change)
    }

    /// The multipliers of the scene's constraints after the last step, constraint by constraint in the order of rows.
    ///
    /// They are λ as SOFA's constraint solvers have it, A Δv = Jᵀ λ with the matrix A of the integrator: with an implicit Euler
    /// method, λ / dt is the force that a constraint exerts along its rows [N].
    pub fn multipliers(&self) -> Vec<Multipliers> {
        let of = |(component, lambda)| Multipliers { path: self.world.scene.path(component), lambda };
        self.correction.stage.multipliers(&self.world.store).into_iter().map(of).collect()
    }

    /// Sweeps that the multipliers of the last step took.
    pub(super) fn constraint_iterations(&self) -> Option<u32> {
        let (plan, iterations) = self.correction.plan.zip(self.correction.solve.iterations)?;
        Some(self.engine.scalar(plan, iterations))
    }

    /// What these sweeps have left.
    pub(super) fn constraint_error(&self) -> Option<ConstraintError> {
        let remaining = self.correction.plan.and(self.correction.solve.remaining)?;
        let [remaining, tolerance, is_reached] = *self.world.store.read(remaining) else { return None };
        Some(ConstraintError { remaining, tolerance, is_reached: is_reached != 0.0 })
    }

    /// The constraint solver that finds the multipliers, by class and path; the one that a scene without any has is said to be
    /// none of its components. Nothing without a `FreeMotionAnimationLoop`.
    pub fn constraint_solver(&self) -> Option<String> {
        self.world.free_motion.as_ref()?;
        let scene = &self.world.scene;
        let of_scene = scene.present(&scene.solvers.constraint).next();
        Some(match of_scene {
            Some(s) => format!("{} {}", s.node.class(), scene.path(s.component)),
            None => format!("{} (the scene has none)", SweepingConstraintSolver::default().class()),
        })
    }
}
