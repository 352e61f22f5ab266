//! The stage of integration: one graph of all solvers, which follows the contacts.

use std::time::Instant;

use engine::exec::PlanId;
use sim_core::visitor::world::World;
use std::sync::Arc;

use super::{PlanChange, REBALANCE_AT, REBALANCE_EVERY, Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

impl Simulation {
    /// Moves all states by the present time step.
    pub(super) fn integrate(
        &mut self,
        pairs_changed: usize,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        let change = self.settle_plan(pairs_changed, clock)?;
        self.run_integration(clock)?;
        self.move_prescribed(clock)?;
        self.world.store.swap_states();
        Ok(change)
    }

    /// Brings the plan up to date with who wakes, with the contacts, and with who falls asleep.
    pub(super) fn settle_plan(
        &mut self,
        pairs_changed: usize,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        let tired = self.settle_sleep(clock)?;
        let change = self.plan(pairs_changed, clock)?;
        if !self.lay_down(&tired, clock)? {
            return Ok(change);
        }
        // It is said of this step.
        self.is_changed = false;
        Ok(change.and(PlanChange::Updated))
    }

    /// Runs the integration, which is planned.
    pub(super) fn run_integration(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        let begin = Instant::now();
        let integration = self.integration.expect("planned before");
        let run = self.engine.run(integration, &mut self.world.store);
        let run = run.map_err(|f| self.blame(integration, Some(f)))?;
        clock.add_run(integration, begin, run, self.engine.workers());
        self.check_finite(integration)?;
        clock.integrate_ns += since(begin);
        Ok(())
    }

    /// Brings the integration's plan up to date with the contacts.
    pub(super) fn plan(
        &mut self,
        pairs_changed: usize,
        clock: &mut Clock,
    ) -> Result<PlanChange, StepFailure> {
        if self.integration.is_some() && pairs_changed == 0 {
            let is_changed = std::mem::take(&mut self.is_changed);
            return Ok(if is_changed { PlanChange::Updated } else { PlanChange::Replayed });
        }
        self.is_changed = false;
        let begin = Instant::now();
        let change = if self.integration.is_some() {
            self.update_integration(true).map_err(|e| self.not_loaded(&e))?;
            PlanChange::Updated
        } else {
            let (contacts, changes) = match &self.collision {
                Some(c) => (c.contacts(), c.contact_changes()),
                None => (&[][..], &[][..]),
            };
            let recording = Arc::new(self.groups.record(&mut self.world, contacts, changes));
            let store = &mut self.world.store;
            let loaded = self.engine.load(Phase::Integration, None, recording, store);
            self.integration = Some(loaded.map_err(|e| self.not_loaded(&e))?);
            PlanChange::Built
        };
        clock.add_plan(begin);
        Ok(change)
    }

    /// Now and then, before anything of the step has run, moves objects between workers as measured costs say.
    pub(super) fn rebalance(&mut self, clock: &mut Clock) -> Result<PlanChange, StepFailure> {
        if self.integration.is_none() || self.step % REBALANCE_EVERY != REBALANCE_AT {
            return Ok(PlanChange::Replayed);
        }
        let begin = Instant::now();
        let mut moved = false;
        let plans = [(Phase::Collision, self.narrow), (Phase::Integration, self.integration)];
        for (phase, plan) in plans {
            if let Some(plan) = plan {
                let result = self.engine.rebalance(phase, plan, &mut self.world.store);
                moved |= result.map_err(|e| self.not_loaded(&e))?;
            }
        }
        clock.add_plan(begin);
        Ok(if moved { PlanChange::Updated } else { PlanChange::Replayed })
    }

    /// Whether the positions and velocities that the last graph has left are finite.
    pub(super) fn are_states_finite(&self) -> bool {
        let World { store, vectors, objects, .. } = &self.world;
        let mut moved = objects.iter().filter(|o| o.solver.is_some());
        moved.all(|o| store.read(vectors[o.root.0 as usize].finite())[0] == 1)
    }

    pub(super) fn check_finite(&mut self, integration: PlanId) -> Result<(), StepFailure> {
        let has_failed = |f| self.engine.scalar(integration, f);
        let failed = self.groups.records().map(|r| r.solve).find(|r| r.failed.is_some_and(has_failed));
        if failed.is_none() && self.are_states_finite() {
            return Ok(());
        }
        // The search for who is to blame runs the step again.
        let course = failed.and_then(|solve| self.course(&solve));
        // Where the first residual of Newton's method is not finite, no system was solved.
        let solved = failed.filter(|r| {
            r.newton.is_none() || r.iterations.is_none_or(|n| self.engine.scalar(integration, n) > 0)
        });
        let mut blamed = match solved.and_then(|r| r.reason) {
            None => self.blame_growth(integration),
            Some(reason) => {
                let mut blamed = self.blame(integration, None);
                blamed.message = format!("{reason} ({})", blamed.message);
                blamed
            }
        };
        if let Some(course) = course {
            blamed.message.push_str(&format!("; {course}"));
        }
        Err(blamed)
    }
}
