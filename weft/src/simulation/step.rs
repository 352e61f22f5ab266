//! One step: the stages that the animation loop declares.

use std::time::Instant;

use sim_core::component::animation_loop::StepStage;
use sim_core::component::collision::ContactStatistics;
use sim_core::visitor::world::World;

use super::links::Run;
use super::{Simulation, StepFailure, StepReport};
use crate::execution::clock::{Clock, since};

impl Simulation {
    /// Computes one time step.
    ///
    /// # Errors
    /// A kernel that panicked or a state that is not finite; the state before the step is kept
    /// (of a loop that integrates several times in a step, that before the failed one).
    pub fn step(&mut self) -> Result<StepReport, StepFailure> {
        let mut report = StepReport::default();
        self.step_into(&mut report)?;
        Ok(report)
    }

    /// Computes one time step and writes over `report`, whose lists keep their memory: a step that replays its plans allocates nothing.
    ///
    /// # Errors
    /// As [`Self::step`]; the report is then left as it was.
    pub fn step_into(&mut self, report: &mut StepReport) -> Result<(), StepFailure> {
        let done = self.step_through(report);
        if done.is_err() {
            self.undo_animation();
        }
        done
    }

    fn step_through(&mut self, report: &mut StepReport) -> Result<(), StepFailure> {
        let start = Instant::now();
        let (workers, marks) = (std::mem::take(&mut self.worker_times), std::mem::take(&mut self.marks));
        let mut clock = Clock { workers, marks, ..Clock::default() };
        clock.workers.clear();
        clock.marks.clear();
        self.check_time()?;
        self.read_states()?;
        self.follow_links(Run::Before, &mut clock)?;
        self.process_topological_changes(&mut clock)?;
        let (mut pairs_changed, mut plan) = (0, self.rebalance(&mut clock)?);
        self.animate(&mut clock)?;
        self.find_prescribed(&mut clock)?;
        self.project_controlled(&mut clock)?;
        // Contacts that came or went since the last integration.
        let mut not_planned = 0;
        let (dt, start_time) = (self.dt(), self.time());
        for k in 0..self.stages.len() {
            match self.stages[k] {
                StepStage::Collide => not_planned += self.collide(&mut clock)?,
                StepStage::Integrate(part) => {
                    self.set_present(dt * part.dt, None);
                    pairs_changed += not_planned;
                    let done = self.integrate(std::mem::take(&mut not_planned), &mut clock);
                    self.set_present(dt, done.is_ok().then_some(start_time + dt * part.time));
                    plan = plan.and(done?);
                }
                StepStage::FreeMotion(order) => {
                    self.set_present(dt, None);
                    pairs_changed += not_planned;
                    plan = plan.and(self.move_freely(order, std::mem::take(&mut not_planned), &mut clock)?);
                }
                StepStage::Correct(order) => {
                    if self.pushes_sleepers() {
                        // Who is pushed moves freely, too, or it would count as immovable and swallow the momentum of what hits it.
                        pairs_changed += not_planned;
                        plan = plan.and(self.move_freely_anew(
                            order,
                            std::mem::take(&mut not_planned),
                            &mut clock,
                        )?);
                        not_planned += self.collide(&mut clock)?;
                    }
                    plan = plan.and(self.correct(order, &mut clock)?);
                    self.set_present(dt, Some(start_time + dt));
                }
            }
        }

        self.step += 1;
        self.readers.expect_step();
        let World { store, parameters, .. } = &mut self.world;
        store.set_parameter(parameters.step, self.step);
        let contacts = self.contact_statistics();
        report.cg_iterations.clear();
        report.linear_iterations.clear();
        if let Some(integration) = self.integration {
            let number = |i| self.engine.scalar(integration, i);
            let solves = || self.groups.records().map(|r| &r.solve);
            report.cg_iterations.extend(solves().filter_map(|s| s.iterations).map(number));
            report.linear_iterations.extend(solves().filter_map(|s| s.linear_iterations).map(number));
        }
        report.constraint_sweeps = self.constraint_iterations();
        report.constraint_error = self.constraint_error();
        self.report_solvers(report);
        // What follows may be built again, and then no plan knows any more what it has counted.
        self.follow_links(Run::After, &mut clock)?;
        report.worker_busy.clear();
        report.worker_busy.extend(
            clock
                .workers
                .iter()
                .map(|(busy, wait)| if busy + wait == 0 { 0.0 } else { *busy as f64 / (busy + wait) as f64 }),
        );
        report.contacts = contacts.points;
        report.max_penetration = contacts.max_penetration;
        report.plan = plan;
        report.pairs_changed = pairs_changed;
        report.groups = self.groups.n_groups();
        report.asleep = self.n_asleep();
        report.collision_ns = clock.collision_ns;
        report.graph_ns = clock.graph_ns;
        report.integrate_ns = clock.integrate_ns;
        report.total_ns = since(start);
        report.other_ns =
            report.total_ns.saturating_sub(clock.collision_ns + clock.graph_ns + clock.integrate_ns);
        (self.worker_times, self.marks) = (clock.workers, clock.marks);
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, report.total_ns);
        }
        self.trash_what_is_outside()
    }

    /// Sets the time step that kernels read, and the time, if it advances.
    fn set_present(&mut self, dt: f64, time: Option<f64>) {
        let World { store, parameters, .. } = &mut self.world;
        store.set_parameter(parameters.dt, dt);
        if let Some(time) = time {
            store.set_parameter(parameters.time, time);
        }
    }

    fn contact_statistics(&self) -> ContactStatistics {
        self.collision.as_ref().map(|c| c.statistics(&self.world.store)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Simulation;
    use crate::simulation::{ExecutorKind, SimulationOptions};
    use engine::data::ObjectId;
    use scenes::load::{LoadOptions, load_text};

    /// A ball that slides on the floor and begins to roll; then it goes up, and what its contact was is forgotten.
    const SLIDING: &str = r#"<Node name="root" dt="0.005" gravity="0 -9.81 0">
        <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
        <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
        <CollisionResponse response="PenalityContactForceField" friction="0.3"/>
        <Node name="floor">
            <MeshTopology position="-90 0 -50  90 0 -50  0 0 150" triangles="0 2 1"/>
            <MechanicalObject position="-90 0 -50  90 0 -50  0 0 150"/>
            <TriangleCollisionModel simulated="0" moving="0" contactStiffness="30"/>
        </Node>
        <Node name="ball">
            <EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-12" threshold="0"/>
            <MechanicalObject template="Rigid3" position="0 0.34 0 0 0 0 1" velocity="3 0 0.5 0 0 0"/>
            <UniformMass vertexMass="1 1 0.036 0 0 0 0.036 0 0 0 0.036"/>
            <SphereCollisionModel radius="0.3" contactStiffness="30"/>
        </Node>
    </Node>"#;

    #[test]
    fn a_snapshot_holds_what_friction_remembers() {
        let scene = load_text(SLIDING, "test.scn", &LoadOptions::default()).expect("a scene").scene;
        let options = SimulationOptions { executor: ExecutorKind::Sequential, ..Default::default() };
        let mut s = Simulation::new(scene, options).expect("a simulation");
        let run = |s: &mut Simulation| -> Vec<Option<String>> {
            (0..30).map(|_| s.step().ok().and_then(|_| s.state_hash().ok())).collect()
        };
        run(&mut s);
        let snapshot = s.world.store.snapshot();
        let (first, _) = (run(&mut s), run(&mut s));
        s.world.store.restore(&snapshot);
        let all: Vec<ObjectId> = s.world.objects.iter().map(|o| o.id).collect();
        s.propagate(&all).expect("mapped states");
        assert!(run(&mut s) == first && first.iter().all(|hash| hash.is_some()));
    }
}
