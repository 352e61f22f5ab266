//! A rig as a part of somebody else's program: each run evaluates what its outputs need and other inputs reach, in tasks among others.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, Store, Workspace};
use engine::graph::{ComponentTag, Recorder};

use super::frames::InFlight;
use super::memo::Memo;
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
/// Tasks of others write its controls, so that each of its tasks looks by itself whether what it reads has changed since it ran last, and does
/// nothing where it has not. Nodes of all branches of switches are looked at.
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
        let object = |block: usize| ObjectId(first.0 + block as u32);
        let mut state = State::at(s, store, object, false);
        let guards = Guards::at(s, store, first, 1);
        let mut dirty = BitSet::new(s.n_attributes());
        for k in 0..s.n_attributes() {
            dirty.insert(k);
        }
        let needed = s.need(&s.outputs, &state.branches, dirty);
        let (work, tasks) = tasks(s, &[needed.work]);
        let memo = Memo::of(s, &work, tasks.iter().map(|(task, _)| task.begin as usize..task.end as usize));
        for (k, (_, block)) in (0..).zip(&tasks) {
            let block = *block as usize;
            state.reads[block] = store.create("seen", object(block), Role::Scratch, vec![0; memo.len(k)]);
        }
        let code = PlanCode { memo: Some(memo), ..plan_code(s, std::slice::from_ref(&state), work, &tasks) };
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use engine::exec::Sequential;

    use super::*;
    use crate::rig::node::{NodeKind, PortList, Safety};
    use crate::rig::ports::Ports;
    use crate::rig::value::PortType;

    /// Adds two numbers, counts how often it does, and fails at 13.
    struct Sum(Arc<AtomicUsize>);

    impl NodeKind for Sum {
        fn kind(&self) -> &'static str {
            "sum"
        }
        fn ports(&self) -> PortList {
            let of = PortType::Scalar;
            PortList::new().required("a", of).input("b", of).output("value", of)
        }
        fn evaluate(&self, p: &mut Ports<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
            let sum = p.scalar(0) + p.scalar(1);
            if sum == 13.0 {
                p.fail("thirteen");
            }
            p.output(0)[0] = sum;
        }
        fn safety(&self) -> Option<Safety> {
            Some(Safety::Reentrant)
        }
        fn cost_ns(&self) -> f64 {
            // Dear enough to be a task of its own.
            1e6
        }
    }

    #[test]
    fn tasks_whose_inputs_are_the_same_do_not_run() {
        let counts: [Arc<AtomicUsize>; 3] = Default::default();
        let mut rig = Rig::new("part");
        let [a, b] = ["a", "b"].map(|name| rig.scalar_control(name).expect("a control"));
        let [left, right, both] =
            [0, 1, 2].map(|k| rig.node(format!("n{k}"), Sum(counts[k].clone())).expect("a node"));
        rig.bind_control(a, left, 0).expect("binds");
        rig.bind_control(b, right, 0).expect("binds");
        rig.bind(left, 0, both, 0).expect("binds");
        rig.bind(right, 0, both, 1).expect("binds");
        let out = rig.output("out", both, 0).expect("an output");
        let mut store = Store::new();
        let part = PartLayout::new(rig).expect("is sound").settle(&mut store, ObjectId(3));
        let mut rec = Recorder::new(&mut store);
        part.emit(&mut rec, ComponentTag(0));
        let recording = rec.finish();
        let mut run = |set: &[(ControlId, f64)]| {
            for (control, value) in set {
                let at = part.control(*control);
                store.write(at.data)[at.begin] = *value;
            }
            counts.iter().for_each(|n| n.store(0, Ordering::Relaxed));
            Sequential::run_once(&recording, &mut store).expect("runs");
            let failure = part.failure(&mut store).map(|f| f.0);
            let at = part.output(out);
            let ran = counts.each_ref().map(|n| n.load(Ordering::Relaxed));
            (ran, store.read(at.data)[at.begin], failure)
        };
        assert_eq!(run(&[(a, 1.0), (b, 2.0)]), ([1, 1, 1], 3.0, None));
        assert_eq!(run(&[]), ([0, 0, 0], 3.0, None));
        assert_eq!(run(&[(a, 5.0)]), ([1, 0, 1], 7.0, None));
        assert_eq!(run(&[(a, 5.0), (b, 2.0)]), ([0, 0, 0], 7.0, None));
        // Zeros of two signs are two numbers.
        assert_eq!(run(&[(b, 0.0)]), ([0, 1, 1], 5.0, None));
        assert_eq!(run(&[(b, -0.0)]).0[1], 1);
        // One that fails runs until it does not.
        assert_eq!(run(&[(b, 13.0)]).2.as_deref(), Some("n1"));
        let (ran, _, failure) = run(&[]);
        assert_eq!((ran[1], failure.as_deref()), (1, Some("n1")));
        assert_eq!(run(&[(b, 1.0)]), ([0, 1, 1], 6.0, None));
        assert_eq!(run(&[]), ([0, 0, 0], 6.0, None));
    }
}
