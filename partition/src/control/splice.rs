//! Updates of a recording and its schedule in proportion to what changes: the tasks of an object or pair come, go, or change
//! their group or worker; everything else keeps its worker, its place and its memory.

use std::collections::BTreeSet;

use super::ledger::Ledger;
use super::lower::{empty_stage, replicate};
use super::placement::{Accumulation, needs_logs, place};
use super::wiring::{unpublish, wire};
use engine::data::ObjectId;
use engine::graph::dependence::{Edge, Spot};
use engine::graph::schedule::{Item, PlanKind, Wait};
use engine::graph::splice::{Located, SpliceOp};
use engine::graph::turns::Turns;
use engine::graph::{Delta, GroupId, Place, Recording, Schedule};

/// The recording was changed as asked, but its schedule has to be made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change needs reducers or an order of groups, so the schedule must be made anew")]
pub struct NeedsLowering;

/// An update in progress.
pub struct Splice<'a> {
    recording: &'a mut Recording,
    schedule: &'a mut Schedule,
    /// None: only the recording follows.
    ledger: Option<&'a mut Ledger>,
    delta: &'a mut Delta,
    mode: Accumulation,
    changed: Vec<Edge>,
    needs_lowering: bool,
    instances: Vec<(u32, Item)>,
    /// Groups whose tasks came or went.
    touched: BTreeSet<GroupId>,
}

impl<'a> Splice<'a> {
    /// Begins an update; `delta` receives what changes, `mode` must be that of the schedule. Without a ledger only the
    /// recording follows, and the schedule must be made anew.
    pub fn new(
        recording: &'a mut Recording,
        schedule: &'a mut Schedule,
        ledger: Option<&'a mut Ledger>,
        delta: &'a mut Delta,
        mode: Accumulation,
    ) -> Self {
        // Groups that pass data on to each other are ordered by where they stand; that is not kept up to date here.
        let needs_lowering = schedule.in_order || ledger.is_none();
        let (changed, instances, touched) = (Vec::new(), Vec::new(), BTreeSet::new());
        Self { recording, schedule, ledger, delta, mode, changed, needs_lowering, instances, touched }
    }

    /// Puts objects that have no tasks yet on workers.
    pub fn assign(&mut self, placed: &[(ObjectId, u32)]) {
        placed.iter().for_each(|&(object, worker)| self.schedule.assignment.set(object, worker));
    }

    /// Does what a change of a recording asks for, one step after the other.
    pub fn apply(&mut self, ops: &[SpliceOp], parts: &Recording) {
        for op in ops {
            match *op {
                SpliceOp::Remove { group, place } => self.remove(group, place),
                SpliceOp::Adopt { group, place } => self.adopt(group, place, parts, group),
                SpliceOp::Transfer { from, to, place } => self.transfer(from, to, place),
                SpliceOp::AddGroup { group, order } => self.add_group(group, order, parts, group),
                SpliceOp::RemoveGroup { group } => self.remove_group(group),
                SpliceOp::Renew { group, order } => self.renew_group(group, order, parts, group),
            }
        }
    }

    /// Adds a group like one of another recording, without objects and pairs.
    pub fn add_group(&mut self, id: GroupId, order: u32, from: &Recording, like: GroupId) {
        self.recording.add_group(id, order, from, like);
        let Some(ledger) = &mut self.ledger else { return };
        self.schedule.order.insert(order, id);
        self.schedule.group_mut(id);
        ledger.open_group(id);
        self.delta.groups.insert(id);
    }

    /// Gives a group another name and place in the order of execution, and the replicated tasks of a group of another
    /// recording.
    pub fn renew_group(&mut self, id: GroupId, order: u32, from: &Recording, like: GroupId) {
        let name = from.program.group(like).name.clone();
        self.recording.rename_group(id, order, &name);
        let Some(ledger) = &mut self.ledger else {
            self.recording.remove(id, Place::Replicated);
            self.recording.adopt(id, Place::Replicated, from, like);
            return;
        };
        self.schedule.order.retain(|_, known| *known != id);
        self.schedule.order.insert(order, id);
        ledger.open_group(id);
        for worker in self.schedule.group(id).participants.clone() {
            self.withdraw(id, worker);
        }
        self.recording.remove(id, Place::Replicated);
        self.recording.adopt(id, Place::Replicated, from, like);
        for stage in self.recording.program.group(id).stages.iter().filter(|s| s.kind.is_replicated()) {
            let plan = self.schedule.group_mut(id);
            if let Ok(at) = plan.find(stage.position) {
                for worker in &mut plan.stages[at].workers {
                    let spot = Spot { group: id, position: stage.position, worker: worker.worker };
                    worker.chain = stage.tasks.map(|_, task| Item::task(task.0));
                    for (key, &item) in worker.chain.iter() {
                        self.delta.insert(spot, key, item);
                    }
                }
            }
        }
        self.delta.groups.insert(id);
    }

    /// Forgets a group whose objects and pairs have all gone.
    pub fn remove_group(&mut self, id: GroupId) {
        let Some(ledger) = &mut self.ledger else {
            self.recording.remove_group(id);
            return;
        };
        ledger.remove_group(id, &mut self.changed);
        self.forget_waits(id);
        for worker in self.schedule.group(id).participants.clone() {
            self.withdraw(id, worker);
        }
        self.recording.remove_group(id);
        self.schedule.order.retain(|_, known| *known != id);
        self.schedule.groups[id.0 as usize] = None;
        self.delta.groups.insert(id);
    }

    /// Nobody publishes any more for a group that goes.
    fn forget_waits(&mut self, id: GroupId) {
        let stages = &self.schedule.group(id).stages;
        let waits: Vec<Wait> =
            stages.iter().flat_map(|s| &s.workers).flat_map(|w| &w.waits).copied().collect();
        for wait in waits.into_iter().filter(|w| w.group != id) {
            let spot = Spot { group: wait.group, position: wait.position, worker: wait.worker };
            unpublish(self.schedule, spot, wait.count);
            self.delta.stages.push(spot);
        }
    }

    /// Notes that the replicated tasks of a group go from a worker.
    fn withdraw(&mut self, group: GroupId, worker: u32) {
        for stage in &self.schedule.group(group).stages {
            let PlanKind::Recorded(kind) = stage.kind else { continue };
            let Some(of_worker) = stage.of(worker).filter(|_| kind.is_replicated()) else { continue };
            let spot = Spot { group, position: stage.position, worker };
            self.delta.stages.push(spot);
            for (key, item) in of_worker.chain.iter() {
                self.delta.remove(spot, key, self.recording.table.layout(item.index as usize));
            }
        }
    }

    /// Forgets all tasks of an object or pair.
    pub fn remove(&mut self, group: GroupId, place: Place) {
        self.detach(group, place);
        self.recording.remove(group, place);
        self.touched.insert(group);
    }

    /// Takes over all tasks of an object or pair from another recording.
    pub fn adopt(&mut self, group: GroupId, place: Place, from: &Recording, like: GroupId) {
        self.recording.adopt(group, place, from, like);
        self.attach(group, place);
        self.touched.insert(group);
    }

    /// Moves all tasks of an object or pair to another group of the same outline.
    pub fn transfer(&mut self, from: GroupId, to: GroupId, place: Place) {
        self.detach(from, place);
        self.recording.transfer(from, to, place);
        self.attach(to, place);
        self.touched.extend([from, to]);
    }

    /// Puts tasks that ask for resources, and what depends on them, where they stand among those that are there now.
    fn take_turns(&mut self) {
        let mut turns = Turns::default();
        for group in std::mem::take(&mut self.touched) {
            let found = turns.find(&self.recording.program, group);
            let places: BTreeSet<Place> = found.iter().map(|turn| turn.place).collect();
            places.iter().for_each(|place| self.detach(group, *place));
            self.recording.take_turns(group, found);
            places.iter().for_each(|place| self.attach(group, *place));
        }
    }

    /// Moves objects to other workers; `affected` are these and all pairs that they are in, with their groups.
    pub fn reassign(&mut self, moves: &[(ObjectId, u32)], affected: &[(GroupId, Place)]) {
        affected.iter().for_each(|&(group, place)| self.detach(group, place));
        moves.iter().for_each(|&(object, worker)| self.schedule.assignment.set(object, worker));
        affected.iter().for_each(|&(group, place)| self.attach(group, place));
    }

    /// Ends the update: finds who waits for whom now.
    ///
    /// # Errors
    /// If the schedule must be made anew for the recording as it is now.
    pub fn finish(mut self) -> Result<(), NeedsLowering> {
        self.take_turns();
        let mut groups = BTreeSet::new();
        let Some(ledger) = self.ledger.take().filter(|_| !self.needs_lowering) else {
            return Err(NeedsLowering);
        };
        ledger.close(&self.recording.program, &mut self.changed, &mut groups);
        if ledger.is_in_order() {
            return Err(NeedsLowering);
        }
        for &id in &groups {
            let before = self.schedule.group(id).participants.clone();
            let participants = ledger.participants(id).to_vec();
            for &worker in before.iter().filter(|w| !participants.contains(w)) {
                self.withdraw(id, worker);
            }
            let (info, mut came) = (self.recording.program.group(id), Vec::new());
            replicate(info, id, self.schedule, &participants, |spot| came.push(spot));
            for spot in came {
                let chain = self.schedule.group(id).stage(spot.position).and_then(|s| s.of(spot.worker));
                for (key, &item) in chain.iter().flat_map(|w| w.chain.iter()) {
                    self.delta.insert(spot, key, item);
                }
                self.delta.stages.push(spot);
            }
        }
        self.delta.groups.extend(groups);
        let stages = &mut self.delta.stages;
        wire(self.schedule, ledger, &mut self.changed, |spot| {
            stages.push(spot);
        });
        self.delta.close();
        self.prune();
        Ok(())
    }

    /// Takes away stages of workers that have nothing left to do.
    fn prune(&mut self) {
        for spot in &self.delta.stages {
            let Some(plan) = self.schedule.groups[spot.group.0 as usize].as_mut() else { continue };
            let Ok(at) = plan.find(spot.position) else { continue };
            let stage = &mut plan.stages[at];
            let stays = match stage.kind {
                PlanKind::Recorded(kind) if kind.is_replicated() => plan.participants.contains(&spot.worker),
                _ => stage.of(spot.worker).is_some_and(|w| !w.chain.is_empty()),
            };
            if !stays {
                stage.workers.retain(|w| w.worker != spot.worker);
                if stage.workers.is_empty() {
                    plan.stages.remove(at);
                }
            }
        }
    }

    /// Takes the instances of an object's or pair's tasks out of the schedule.
    fn detach(&mut self, group: GroupId, of: Place) {
        let Some(ledger) = &mut self.ledger else { return };
        if matches!(of, Place::Own(_)) {
            self.delta.groups.insert(group);
        }
        let program = &self.recording.program;
        let info = program.group(group);
        for Located { position, key, task } in info.tasks_of(of) {
            let Some(stage) = info.stage(position) else { continue };
            let layout = self.recording.table.layout(task.0 as usize);
            self.instances.clear();
            place(program, task, &self.schedule.assignment, self.mode, &mut self.instances);
            let plan = self.schedule.group_mut(group);
            for &(worker, item) in &self.instances {
                ledger.book_instance(program, group, stage, (worker, item), 0, -1);
                let spot = Spot { group, position, worker };
                if let Ok(at) = plan.find(position)
                    && plan.stages[at].of_mut(worker).chain.remove(key).is_some()
                {
                    self.delta.remove(spot, key, layout);
                }
            }
        }
    }

    /// Puts the instances of an object's or pair's tasks into the schedule.
    fn attach(&mut self, group: GroupId, of: Place) {
        let Some(ledger) = &mut self.ledger else { return };
        if matches!(of, Place::Own(_)) {
            self.delta.groups.insert(group);
        }
        let program = &self.recording.program;
        let info = program.group(group);
        for Located { position, key, task } in info.tasks_of(of) {
            let Some(stage) = info.stage(position) else { continue };
            self.instances.clear();
            place(program, task, &self.schedule.assignment, self.mode, &mut self.instances);
            self.needs_lowering |= needs_logs(program, task, &self.schedule.assignment, &self.instances);
            let plan = self.schedule.group_mut(group);
            let at = match plan.find(position) {
                Ok(at) => at,
                Err(at) => {
                    plan.stages.insert(at, empty_stage(info, stage));
                    at
                }
            };
            for &(worker, item) in &self.instances {
                ledger.book_instance(program, group, stage, (worker, item), 0, 1);
                plan.stages[at].of_mut(worker).chain.insert(key, item);
                let spot = Spot { group, position, worker };
                self.delta.insert(spot, key, item);
            }
        }
    }
}
