//! A rig as a part of somebody else's program: each run evaluates all that its outputs need, in tasks among others.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Store, Workspace};
use engine::graph::{ComponentTag, Recorder};

use super::frames::InFlight;
use super::place::{Placed, place};
use super::record::{Places, emit_tasks, plan_code, tasks};
use super::run::{PlanCode, TaskWork};
use super::state::{Guards, State};
use crate::rig::bits::BitSet;
use crate::rig::error::RigError;
use crate::rig::rig::{ControlId, OutputId, Rig};
use crate::rig::structure::{Structure, Threading};

/// Workers for whom nodes are put together into tasks: a fixed number, so that programs are the same for any number.
const CUT_FOR: u32 = 4;

/// A rig that is laid out, and no part of a program yet.
pub struct PartLayout {
    rig: Rig,
    structure: Arc<Structure>,
}

/// A rig among the tasks of a program.
///
/// Nothing is skipped, since tasks of others write its controls: nodes of all branches of switches run.
pub struct RigPart {
    rig: Rig,
    structure: Arc<Structure>,
    state: State,
    guards: Guards,
    code: Workspace<PlanCode>,
    tasks: Vec<(TaskWork, u32)>,
    placed: Placed,
    first_object: u32,
}

/// Where a value lies: so many numbers of a buffer, from this one on.
#[derive(Clone, Copy, Debug)]
pub struct ValuePlace {
    /// The buffer.
    pub data: Data<f64>,
    /// The first of its numbers.
    pub begin: usize,
    /// How many there are.
    pub len: usize,
}

impl PartLayout {
    /// Checks a rig and lays it out.
    ///
    /// # Errors
    /// All that is wrong with the rig.
    pub fn new(rig: Rig) -> Result<Self, Vec<RigError>> {
        let structure = Arc::new(Structure::new(&rig, None, CUT_FOR, Threading::default())?);
        Ok(Self { rig, structure })
    }

    /// How many objects its tasks are of.
    pub fn n_objects(&self) -> u32 {
        self.structure.blocks.len().max(1) as u32
    }

    /// Puts its values into a store. Objects from `first` on are its own.
    pub fn settle(self, store: &mut Store, first: ObjectId) -> RigPart {
        let Self { rig, structure } = self;
        let s = &*structure;
        let state = State::at(s, store, |block| ObjectId(first.0 + block as u32), false);
        let guards = Guards::at(s, store, first, 1);
        let mut dirty = BitSet::new(s.n_attributes());
        for k in 0..s.n_attributes() {
            dirty.insert(k);
        }
        let needed = s.need(&s.outputs, &state.branches, dirty);
        let (work, tasks) = tasks(s, &[needed.work]);
        let code = plan_code(s, std::slice::from_ref(&state), work, &tasks);
        let code = store.workspace("rig", first, code);
        // Who plans the whole program places its tasks, too: here is an order only.
        let placed = place(s, &tasks, &vec![1.0; tasks.len()], 1, (1, InFlight::Latency));
        RigPart { rig, structure, state, guards, code, tasks, placed, first_object: first.0 }
    }
}

impl RigPart {
    /// Where a control's value lies: tasks before those of the rig may write it.
    ///
    /// # Panics
    /// If the rig has no such control.
    pub fn control(&self, control: ControlId) -> ValuePlace {
        let k = control.0 as usize;
        let (begin, len) = (self.structure.control_at[k] as usize, self.rig.controls[k].of.len());
        ValuePlace { data: self.state.fixed, begin, len }
    }

    /// Where an output's value lies: tasks after those of the rig may read it.
    ///
    /// # Panics
    /// If the rig has no such output.
    pub fn output(&self, output: OutputId) -> ValuePlace {
        let (block, range) = self.structure.place_of(self.structure.outputs[output.0 as usize]);
        ValuePlace { data: self.state.values[block as usize], begin: range.start, len: range.len() }
    }

    /// The first of its objects; controls are of it.
    pub fn object(&self) -> ObjectId {
        ObjectId(self.first_object)
    }

    /// Records its tasks among others, as tasks of a component.
    pub fn emit(&self, rec: &mut Recorder<'_>, tag: ComponentTag) {
        let states = std::slice::from_ref(&self.state);
        let places = Places { first_object: self.first_object, tag: Some(tag), groups: false };
        emit_tasks(
            rec,
            &self.structure,
            states,
            (&self.guards, self.code),
            (&self.tasks, &self.placed),
            places,
        );
    }

    /// What its tasks are called: by object, after the first node of each.
    pub fn task_names(&self) -> Vec<String> {
        let s = &self.structure;
        let name = |begin: u32| self.rig.name_of(s.node_of[begin as usize]).to_owned();
        s.blocks.iter().map(|b| name(b.steps.start)).collect()
    }

    /// The first node that failed in the last run, with what it says.
    pub fn failure(&self, store: &mut Store) -> Option<(String, String)> {
        let failed = store.workspace_mut(self.code).failed.get_mut();
        let failed = failed.unwrap_or_else(std::sync::PoisonError::into_inner);
        // Workers fail in any order; the first in the order of evaluation is named.
        let first = failed.iter().min_by_key(|f| f.step)?;
        let name = self.rig.name_of(self.structure.node_of[first.step as usize]).to_owned();
        let found = (name, first.message.clone());
        failed.clear();
        Some(found)
    }
}
