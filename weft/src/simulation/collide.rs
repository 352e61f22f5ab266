//! The stage of collision detection: bounds and narrow phase are graphs, between them lists are compared.

use std::time::Instant;

use engine::data::ObjectId;
use engine::exec::{LoadError, PlanId};
use engine::graph::splice::SpliceOp;
use engine::graph::{GroupId, Place, Recorder, Recording};
use sim_core::component::collision::CollisionPipeline;
use sim_core::step::make_free_vectors;
use sim_core::visitor::visit::Visit;
use sim_core::visitor::world::World;
use std::sync::Arc;

use super::{Simulation, StepFailure};
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;

impl Simulation {
    /// Bounds, broad phase, narrow phase; returns how many contacts came or went.
    pub(super) fn collide(&mut self, clock: &mut Clock) -> Result<usize, StepFailure> {
        let Some(mut collision) = self.collision.take() else { return Ok(0) };
        let result = self.collide_with(&mut *collision, clock);
        self.collision = Some(collision);
        result
    }

    pub(super) fn collide_with(
        &mut self,
        collision: &mut dyn CollisionPipeline,
        clock: &mut Clock,
    ) -> Result<usize, StepFailure> {
        if self.sleep.is_some() {
            let begin = Instant::now();
            self.settle_detection(collision).map_err(|e| self.not_loaded(&e))?;
            clock.add_plan(begin);
        }
        let mut begin;
        loop {
            let bounds = match self.bounds {
                Some(plan) if !self.animated.has_changed() => plan,
                before => {
                    let begin = Instant::now();
                    let plan = self.load_bounds(before, collision).map_err(|e| self.not_loaded(&e))?;
                    clock.add_plan(begin);
                    plan
                }
            };
            begin = Instant::now();
            let run = self.engine.run(bounds, &mut self.world.store);
            let run = run.map_err(|f| self.blame(bounds, Some(f)))?;
            clock.add_run(bounds, begin, run, self.engine.workers());
            if !self.animated.joins_detection() || self.proceed_animation()? {
                break;
            }
        }
        collision.broad_phase(&mut self.world.store);
        clock.collision_ns += since(begin);
        begin = Instant::now();
        let changed = collision.narrow_phase_changes();
        let is_new = self.narrow.is_none();
        match self.narrow {
            None => {
                self.narrow = Some(self.load(None, |visit| collision.record_narrow_phase(visit, None))?);
            }
            Some(plan) if !changed.is_empty() => {
                let updated = self.update_narrow_phase(plan, collision, changed);
                updated.map_err(|e| self.not_loaded(&e))?;
            }
            Some(_) => {}
        }
        if is_new || !changed.is_empty() {
            clock.add_plan(begin);
            begin = Instant::now();
        }
        if let Some(narrow) = self.narrow {
            let run = self.engine.run(narrow, &mut self.world.store);
            let run = run.map_err(|f| self.blame(narrow, Some(f)))?;
            clock.add_run(narrow, begin, run, self.engine.workers());
        }
        let changed = collision.update_contacts(&mut self.world.store);
        clock.collision_ns += since(begin);
        Ok(changed)
    }

    /// Records and loads the bounds of all models, and before them what moves some of these.
    pub(super) fn load_bounds(
        &mut self,
        replaced: Option<PlanId>,
        collision: &dyn CollisionPipeline,
    ) -> Result<PlanId, LoadError> {
        self.have_ends(collision);
        let World { scene, store, vectors, objects, parameters, .. } = &mut self.world;
        let mut rec = Recorder::new(store);
        if self.animated.joins_detection() {
            self.animated.emit(&mut rec, scene, vectors, objects, *parameters);
        }
        collision.record_bounds(&mut Visit { rec: &mut rec, vectors, parameters: *parameters }, None);
        let recording = Arc::new(rec.finish());
        let plan = self.engine.load(Phase::Collision, replaced, recording, &mut self.world.store)?;
        self.bounds = Some(plan);
        Ok(plan)
    }

    /// Gives all states the vectors of a free motion, where the detection looks at them and none has been recorded yet.
    pub(super) fn have_ends(&mut self, collision: &dyn CollisionPipeline) {
        if collision.looks_ahead() && self.world.free_motion.is_some() {
            make_free_vectors(&mut self.world);
        }
    }

    /// Records and loads a program.
    pub(super) fn load(
        &mut self,
        replaced: Option<PlanId>,
        record: impl FnOnce(&mut Visit<'_, '_>),
    ) -> Result<PlanId, StepFailure> {
        let World { store, vectors, parameters, .. } = &mut self.world;
        let mut rec = Recorder::new(store);
        record(&mut Visit { rec: &mut rec, vectors, parameters: *parameters });
        let recording = Arc::new(rec.finish());
        let loaded = self.engine.load(Phase::Collision, replaced, recording, &mut self.world.store);
        loaded.map_err(|e| self.not_loaded(&e))
    }

    /// Records the narrow phase of some objects anew.
    pub(super) fn update_narrow_phase(
        &mut self,
        plan: PlanId,
        collision: &dyn CollisionPipeline,
        changed: &[ObjectId],
    ) -> Result<(), LoadError> {
        let World { store, vectors, parameters, .. } = &mut self.world;
        let mut rec = Recorder::with_memory(store, std::mem::take(&mut self.recorder_memory));
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        collision.record_narrow_phase(&mut visit, Some(changed));
        let (parts, memory) = rec.finish_with_memory();
        self.recorder_memory = memory;
        let updated = self.replace_parts(plan, changed, &parts);
        self.recorder_memory.take_back(parts);
        updated
    }

    /// Takes over the parts of some objects in a graph of the collision detection.
    pub(super) fn replace_parts(
        &mut self,
        plan: PlanId,
        objects: &[ObjectId],
        parts: &Recording,
    ) -> Result<(), LoadError> {
        let group = GroupId(0);
        let places = || objects.iter().map(|&o| Place::Own(o));
        let ops: Vec<SpliceOp> = places()
            .map(|place| SpliceOp::Remove { group, place })
            .chain(places().map(|place| SpliceOp::Adopt { group, place }))
            .collect();
        self.engine.update(Phase::Collision, plan, &ops, parts, &mut self.world.store)
    }
}
