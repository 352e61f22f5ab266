//! Models that come and go while a crowd runs: their tasks are put into the others' plan, or taken out of it.

use engine::data::ObjectId;
use engine::graph::splice::SpliceOp;
use engine::graph::{Change, GroupId, Place};

use super::model::{Model, record};
use super::place::Load;
use super::work::Work;
use super::{Crowd, CrowdError};

/// All tasks of a crowd are in one group.
const GROUP: GroupId = GroupId(0);

/// Where a model's tasks are.
fn places(model: &Model) -> impl Iterator<Item = Place> {
    model.costs.iter().map(|(object, _)| Place::Own(*object))
}

impl Crowd {
    /// Adds a model that is at a time of its clips at time zero \[s\], behind all others; its number. It is animated in the next frame. The
    /// others keep their tasks, their workers and their bits.
    ///
    /// # Errors
    /// A start that is no time, or an executor that cannot take the tasks.
    ///
    /// # Cost
    /// That of its own data and tasks, where the backend keeps schedules up to date; else all tasks are recorded anew.
    pub fn add(&mut self, start: f64) -> Result<usize, CrowdError> {
        if !start.is_finite() {
            return Err(CrowdError::Start { start });
        }
        let number = self.models.len();
        let work = self.desk.here();
        let (model, shown) = Model::new(&mut work.store, &self.kind, start, &mut self.next_object);
        let placed = self.load.add(&model);
        self.models.push(model);
        self.shown.models.push(shown);
        self.turns.add();
        let ops: Vec<SpliceOp> =
            places(&self.models[number]).map(|place| SpliceOp::Adopt { group: GROUP, place }).collect();
        self.splice(&placed, &ops, number)?;
        Ok(number)
    }

    /// Removes a model; those after it have the number before theirs from here on, and keep their bits.
    ///
    /// # Errors
    /// There is no such model, or the executor cannot take the tasks of the others.
    ///
    /// # Cost
    /// That of its own tasks, where the backend keeps schedules up to date, and of moving the numbers of those after it. When so many have gone
    /// that a worker has much more to do than another, all are placed anew.
    pub fn remove(&mut self, model: usize) -> Result<(), CrowdError> {
        let n = self.models.len();
        if model >= n {
            return Err(CrowdError::Model { model, n });
        }
        let gone = self.models.remove(model);
        self.shown.models.remove(model);
        self.turns.remove(model);
        self.load.remove(&gone);
        let ops: Vec<SpliceOp> =
            places(&gone).map(|place| SpliceOp::Remove { group: GROUP, place }).collect();
        let cost: f64 = gone.costs.iter().map(|(_, cost)| cost).sum();
        if self.models.is_empty() || self.load.is_uneven(cost) {
            self.load_anew()?;
        } else {
            self.splice(&[], &ops, self.models.len())?;
        }
        let work = self.desk.here();
        gone.costs.iter().for_each(|(object, _)| work.store.free_object(*object));
        Ok(())
    }

    /// Changes the plan; models from `came` on are new.
    fn splice(
        &mut self,
        placed: &[(ObjectId, u32)],
        ops: &[SpliceOp],
        came: usize,
    ) -> Result<(), CrowdError> {
        let Work { store, backend, plan, .. } = self.desk.here();
        let Some(plan) = *plan else { return self.load_anew() };
        let parts = record(store, self.clock, &self.models[came..]);
        let change = Change { placed, ops, parts: &parts };
        let (lower, mut is_spliced) = (&mut backend.lower, false);
        let mut edit = |recording: &mut _, schedule: &mut _, delta: &mut _| {
            is_spliced = lower.splice(change, recording, schedule, delta);
        };
        backend.executor.update_plan(plan, store, &mut edit)?;
        self.version += 1;
        if is_spliced { Ok(()) } else { self.load_anew() }
    }

    /// Places all models, and records their tasks anew.
    pub(super) fn load_anew(&mut self) -> Result<(), CrowdError> {
        let Work { store, backend, plan, .. } = self.desk.here();
        self.version += 1;
        if self.models.is_empty() {
            plan.take().into_iter().for_each(|plan| backend.executor.unload(plan));
            return Ok(());
        }
        let recording = record(store, self.clock, &self.models);
        self.load = Load::of(&self.models, backend.workers);
        let schedule = backend.lower.lower(&recording.program, self.load.placed());
        *plan = Some(backend.executor.load_plan(*plan, recording.into(), schedule.into(), store)?);
        Ok(())
    }
}
