//! The integration of a step, and what changes of it when contacts come and go.

use std::collections::{BTreeMap, BTreeSet};

use super::contacts::{Acts, Rules, place_of};
use super::former_groups::FormerGroups;
use super::grouping::{Grouping, Regrouping};
use super::groups::{are_equal, linear, ode};
use super::scope::{GroupScope, Scope, Setting, place_of_interaction, record};
use crate::component::collision::{Contact, ContactChange};
use crate::component::solver::{LinearSolver, SolveRecord};
use crate::scene::{NodeId, StateId};
use crate::visitor::corrections::are_prepared;
use crate::visitor::interaction_node::Sides;
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::splice::SpliceOp;
use engine::graph::{GroupId, Place, Program, RecorderMemory, Recording, Sums};

/// What a recorded group tells the driver to read.
#[derive(Clone, Debug)]
pub struct GroupRecord {
    /// Its number in the program.
    pub group: GroupId,
    /// Its solvers.
    pub solvers: Vec<usize>,
    /// The scalars of its linear solver.
    pub solve: SolveRecord,
}

/// The change cannot be made in parts: the integration must be recorded anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the integration must be recorded anew")]
pub struct NeedsRecording;

/// A change of the integration's program: operations on groups, objects and pairs, and the recording of the parts that come.
pub struct IntegrationUpdate {
    /// What to do, in this order.
    pub ops: Vec<SpliceOp>,
    /// Where new parts are taken from; its groups have the numbers that they have in the program.
    pub parts: Recording,
}

/// Whether an interaction force field below a solver has an end that another solver moves.
pub(super) fn other_ends(world: &World) -> bool {
    let interactions = &world.scene.parts.interactions;
    world.solvers.iter().enumerate().any(|(s, solver)| {
        let is_other = |state: StateId| world.object_of(state).solver.is_some_and(|o| o != s);
        solver
            .interactions
            .iter()
            .any(|(k, _)| [interactions[*k].first, interactions[*k].second].into_iter().any(is_other))
    })
}

/// Whether a solver's linear solver records objects as the joints beside them are, those with what it does not move included.
fn depends_on_joints(world: &World, solver: usize) -> bool {
    linear(world, solver).is_some_and(LinearSolver::depends_on_joints)
}

/// Whether a solver's linear solver, or a constraint correction, records a system of all that moves together.
fn is_of_whole_group(world: &World, solver: usize) -> bool {
    let is_prepared = || {
        let of_solver = |o: ObjectId| world.objects[o.0 as usize].solver == Some(solver);
        are_prepared(&world.scene, |state| world.object_of(state).id, of_solver)
    };
    linear(world, solver).is_some_and(LinearSolver::is_of_whole_group) || is_prepared()
}

/// Which solvers move together, and what acts on them.
pub struct Integration {
    rules: Rules,
    sums: Sums,
    pub(super) grouping: Grouping,
    /// What the driver reads of each group, in the order of execution.
    records: BTreeMap<u32, GroupRecord>,
    /// Per state, how many external forces there are.
    pub(super) external: Vec<u32>,
    /// Keys of the present contacts of each unit, ascending.
    pub(super) contacts_of: BTreeMap<Place, Vec<(u32, u32)>>,
    /// Units of contacts that each object is in.
    pub(super) units_of: Vec<BTreeSet<Place>>,
    /// Some mapping takes in several objects, so that an object's own part is not recorded by its own solver's walk alone.
    pub(super) is_entangled: bool,
    /// Some interaction force field below a solver has an end that another solver moves: where it stands depends on the order
    /// of groups.
    pub(super) has_other_ends: bool,
    /// Contacts attached to one side whose other side a solver moves too: likewise.
    n_attached: usize,
    /// Units that are to be recorded anew, each with a solver of its group (none: outside all solvers).
    pub(super) renewed: BTreeSet<(Option<usize>, Place)>,
    /// Units of objects that have gone, with their groups.
    pub(super) gone: BTreeSet<(GroupId, Place)>,
    /// Groups of solvers that came, and of those that have gone.
    pub(super) new_groups: BTreeSet<GroupId>,
    pub(super) gone_groups: BTreeSet<GroupId>,
    /// Groups at rest, which are in no program.
    pub(super) asleep: BTreeSet<GroupId>,
    /// A solver has changed: nothing can be done in parts.
    pub(super) must_record: bool,
    memory: RecorderMemory,
}

impl Integration {
    /// For a scene without contacts; `pipeline` is the node of its collision pipeline.
    pub fn new(world: &World, pipeline: Option<NodeId>, merge: bool, sums: Sums) -> Self {
        let mut integration = Self {
            rules: Rules::new(world, pipeline, merge),
            sums,
            grouping: Grouping::new(world.solvers.len()),
            records: BTreeMap::new(),
            external: vec![0; world.vectors.len()],
            contacts_of: BTreeMap::new(),
            units_of: vec![BTreeSet::new(); world.objects.len()],
            is_entangled: world.scene.parts.mappings.iter().any(|m| {
                world.vectors[m.first.0 as usize].object() != world.vectors[m.second.0 as usize].object()
            }),
            has_other_ends: other_ends(world),
            n_attached: 0,
            renewed: BTreeSet::new(),
            gone: BTreeSet::new(),
            new_groups: BTreeSet::new(),
            gone_groups: BTreeSet::new(),
            asleep: BTreeSet::new(),
            must_record: false,
            memory: RecorderMemory::default(),
        };
        if world.free_motion.is_some() {
            // As in SOFA, whose free motion leaves out what stands above all solvers.
            return integration;
        }
        let parts = &world.scene.parts;
        for (k, _) in &world.external {
            let i = &parts.interactions[*k];
            integration.external[i.first.0 as usize] += 1;
            integration.external[i.second.0 as usize] += 1;
        }
        for k in world.objects.iter().flat_map(|o| &o.external_forces) {
            integration.external[parts.force_fields[*k].state.0 as usize] += 1;
        }
        integration
    }

    /// A collision pipeline has come to a scene that had none.
    pub fn set_pipeline(&mut self, world: &World, pipeline: NodeId, merge: bool) {
        self.rules = Rules::new(world, Some(pipeline), merge);
    }

    /// What the driver reads of each group, in the order of execution.
    pub fn records(&self) -> impl Iterator<Item = &GroupRecord> {
        self.records.values()
    }

    /// Number of groups.
    pub fn n_groups(&self) -> usize {
        self.grouping.n_groups()
    }

    /// Records all of it, for the present contacts, of which `changes` came or went since the last time.
    pub fn record(
        &mut self,
        world: &mut World,
        contacts: &[Contact],
        changes: &[ContactChange],
    ) -> Recording {
        self.book(world, changes);
        self.grouping.settle();
        self.record_present(world, contacts)
    }

    /// Records all of it, after [`Self::update`] has refused.
    pub fn record_present(&mut self, world: &mut World, contacts: &[Contact]) -> Recording {
        let scope = self.whole(world, contacts);
        let (recording, records) = self.record_scope(world, &scope, contacts);
        self.forget_changes();
        self.records.clear();
        self.keep_records(records);
        recording
    }

    /// Records all of it for the present contacts, beside the recording that is in use.
    pub fn record_anew(&mut self, world: &mut World, contacts: &[Contact]) -> Recording {
        let scope = self.whole(world, contacts);
        self.record_scope(world, &scope, contacts).0
    }

    /// The change of the program that follows when `changes` came or went and components changed; `program` is the one before.
    ///
    /// # Errors
    /// If it must be recorded anew: by [`Self::record_present`].
    pub fn update(
        &mut self,
        world: &mut World,
        contacts: &[Contact],
        changes: &[ContactChange],
        program: &Program,
    ) -> Result<IntegrationUpdate, NeedsRecording> {
        let mut affected = self.book(world, changes);
        affected.append(&mut self.renewed);
        let regroupings = self.grouping.settle();
        let before = FormerGroups::new(&self.grouping, &regroupings);
        self.follow_ends(world, &before, &mut affected);
        let units = |group_of: &dyn Fn(usize) -> GroupId| -> BTreeSet<(GroupId, Place)> {
            affected.iter().map(|&(solver, place)| (solver.map_or(GroupId(0), group_of), place)).collect()
        };
        let (had, have) = (units(&|s| before.group_of(s)), units(&|s| self.grouping.group_of(s)));
        let removed = had.into_iter().filter(|(group, _)| !self.new_groups.contains(group));
        let mut ops: Vec<SpliceOp> = removed
            .chain(self.gone.iter().copied())
            .map(|(group, place)| SpliceOp::Remove { group, place })
            .collect();
        let comes_or_goes = !(regroupings.is_empty()
            && self.gone.is_empty()
            && self.new_groups.is_empty()
            && self.gone_groups.is_empty());
        let needs_all = |s: usize| is_of_whole_group(world, s) || depends_on_joints(world, s);
        let has_own_parts = have.iter().any(|(_, place)| matches!(place, Place::Own(_)));
        if self.must_record
            || self.sums == Sums::Sofa
            || self.has_other_ends
            || self.n_attached > 0
            || affected.iter().any(|(solver, _)| solver.is_some_and(needs_all))
            || (comes_or_goes && (0..world.solvers.len()).any(needs_all))
            || (self.is_entangled && has_own_parts)
        {
            return Err(NeedsRecording);
        }
        let mut renewed = BTreeSet::new();
        for change in &regroupings {
            let (from, to, _) = change.parts();
            renewed.extend([from, to]);
        }
        renewed.retain(|g| !self.grouping.members(*g).is_empty());
        if renewed.iter().any(|g| !are_equal(world, &self.grouping.members(*g))) {
            // Tasks that were recorded for one solver's numbers do not do for another's.
            return Err(NeedsRecording);
        }
        let unlike = |change: &Regrouping| {
            let (from, to, _) = change.parts();
            let groups = program.find_group(from).zip(program.find_group(to));
            groups.is_some_and(|(from, to)| !from.is_like(to))
        };
        if regroupings.iter().any(unlike) {
            // One solver divides by masses where the other one solves for them: tasks of one do not fit the other's loops.
            return Err(NeedsRecording);
        }
        let mut scope = self.part(world, contacts, &have);
        let stays = |g: &GroupId| self.grouping.contains(*g) && !self.gone_groups.contains(g);
        let left = self.gone.iter().map(|(group, _)| *group).filter(stays);
        for group in renewed.iter().copied().chain(left) {
            scope.groups.entry(group).or_default();
        }
        for (&group, of_group) in &mut scope.groups {
            of_group.objects.extend(self.samples(world, group));
            of_group.objects.sort_unstable();
            of_group.objects.dedup();
        }
        self.new_groups.iter().for_each(|g| {
            scope.groups.entry(*g).or_default();
        });
        let (parts, records) = self.record_scope(world, &scope, contacts);
        for &group in scope.groups.keys().filter(|g| !self.new_groups.contains(g)) {
            let like = match regroupings
                .iter()
                .find(|r| matches!(r, Regrouping::Split { new, .. } if *new == group))
            {
                Some(Regrouping::Split { from, .. }) => *from,
                _ => group,
            };
            let (new, old) = (parts.program.group(group), program.find_group(like).ok_or(NeedsRecording)?);
            if !new.is_like(old) {
                return Err(NeedsRecording);
            }
        }
        self.regroup(world, regroupings, &mut ops);
        for &group in &renewed {
            ops.push(SpliceOp::Renew { group, order: self.grouping.order(group) });
        }
        ops.extend(self.gone_groups.iter().map(|&group| SpliceOp::RemoveGroup { group }));
        for &group in &self.new_groups {
            ops.push(SpliceOp::AddGroup { group, order: self.grouping.order(group) });
        }
        ops.extend(have.into_iter().map(|(group, place)| SpliceOp::Adopt { group, place }));
        if !renewed.is_empty() || !self.gone_groups.is_empty() {
            let (grouping, asleep) = (&self.grouping, &self.asleep);
            self.records.retain(|_, r| {
                !renewed.contains(&r.group) && grouping.contains(r.group) && !asleep.contains(&r.group)
            });
        }
        renewed.append(&mut self.new_groups);
        self.forget_changes();
        self.keep_records(records.into_iter().filter(|(g, _)| renewed.contains(g)).collect());
        Ok(IntegrationUpdate { ops, parts })
    }

    /// Takes back the parts of an update that was made: the next ones are recorded in their memory.
    pub fn take_back(&mut self, parts: Recording) {
        self.memory.take_back(parts);
    }

    /// Books contacts that came or went; gives back the units that change, each with a solver of its group (none: outside
    /// all solvers).
    pub(super) fn book(
        &mut self,
        world: &World,
        changes: &[ContactChange],
    ) -> BTreeSet<(Option<usize>, Place)> {
        let mut affected = BTreeSet::new();
        for change in changes {
            let (first, second) = (world.object_of(change.first).id, world.object_of(change.second).id);
            let acts = self.rules.of(world, change.first, change.second, change.attachment);
            let (solver, place) = match acts {
                Acts::Nowhere => continue,
                Acts::Attached { solver, .. } => {
                    self.n_attached =
                        if change.came { self.n_attached + 1 } else { self.n_attached.saturating_sub(1) };
                    (Some(solver), Place::Joint(first, second))
                }
                Acts::Implicitly { solver, joins, sides } => {
                    match joins {
                        Some(other) if change.came => self.grouping.link(solver, other),
                        Some(other) => self.grouping.unlink(solver, other),
                        None => {}
                    }
                    (Some(solver), place_of(first, second, sides))
                }
                Acts::Explicitly => {
                    for state in [change.first, change.second] {
                        self.book_external(world, state, change.came, &mut affected);
                    }
                    (None, place_of(first, second, Sides { first: true, second: true }))
                }
            };
            affected.insert((solver, place));
            let keys = self.contacts_of.entry(place).or_default();
            match (keys.binary_search(&change.key), change.came) {
                (Err(at), true) => keys.insert(at, change.key),
                (Ok(at), false) => {
                    keys.remove(at);
                }
                _ => {}
            }
            let is_gone = keys.is_empty();
            if is_gone {
                self.contacts_of.remove(&place);
            }
            for object in [first, second] {
                let units = &mut self.units_of[object.0 as usize];
                if is_gone {
                    units.remove(&place)
                } else {
                    units.insert(place)
                };
            }
        }
        affected
    }

    /// A state whose external forces begin or end gets them added, or not, in its group.
    pub(super) fn book_external(
        &mut self,
        world: &World,
        state: StateId,
        came: bool,
        affected: &mut BTreeSet<(Option<usize>, Place)>,
    ) {
        if world.free_motion.is_some() {
            // A free motion evaluates nothing above the solvers.
            return;
        }
        let count = &mut self.external[state.0 as usize];
        let before = *count;
        *count = if came { before + 1 } else { before.saturating_sub(1) };
        if (before == 0) != (*count == 0) {
            let object = world.object_of(state);
            affected.insert((None, Place::Own(object.id)));
            if object.solver.is_some() {
                affected.insert((object.solver, Place::Own(object.id)));
            }
        }
    }

    /// The moves of solvers between groups.
    fn regroup(&self, world: &World, regroupings: Vec<Regrouping>, ops: &mut Vec<SpliceOp>) {
        // Places in the order of execution are given at the end, when all groups are what they will be.
        for (k, change) in regroupings.into_iter().enumerate() {
            let (from, to, moved) = change.parts();
            if matches!(change, Regrouping::Split { .. }) {
                ops.push(SpliceOp::AddGroup { group: to, order: u32::MAX - k as u32 });
            }
            let units: BTreeSet<Place> = moved.iter().flat_map(|&s| self.units_of_solver(world, s)).collect();
            ops.extend(units.into_iter().map(|place| SpliceOp::Transfer { from, to, place }));
            if matches!(change, Regrouping::Merge { .. }) {
                ops.push(SpliceOp::RemoveGroup { group: from });
            }
        }
    }

    /// The parts of all objects and pairs.
    fn whole(&self, world: &World, contacts: &[Contact]) -> Scope {
        let above = if world.free_motion.is_some() { Vec::new() } else { world.external.clone() };
        let mut scope = Scope { above, ..Scope::default() };
        scope.external = (0..self.external.len() as u32)
            .map(StateId)
            .filter(|s| self.external[s.0 as usize] > 0)
            .collect();
        for group in self.grouping.groups().into_iter().filter(|g| !self.asleep.contains(g)) {
            let mut of_group = GroupScope::default();
            for s in self.grouping.members(group) {
                of_group.objects.extend(&world.solvers[s].objects);
                of_group.interactions.extend(&world.solvers[s].interactions);
            }
            of_group.objects.sort_unstable();
            scope.groups.insert(group, of_group);
        }
        for (k, contact) in contacts.iter().enumerate() {
            self.add_contact(world, k, contact, &mut scope);
        }
        scope
    }

    /// The parts of some units, with the objects that must be recorded beside them.
    fn part(&self, world: &World, contacts: &[Contact], units: &BTreeSet<(GroupId, Place)>) -> Scope {
        let pairs_only = !units.iter().any(|(_, place)| matches!(place, Place::Own(_)));
        let mut scope = Scope { pairs_only, ..Scope::default() };
        for &(group, place) in units {
            let keys = self.contacts_of.get(&place).map_or(&[][..], |k| k);
            let found = keys.iter().filter_map(|key| contacts.binary_search_by_key(key, |c| c.key).ok());
            let ends = match place {
                Place::Own(a) => [a, a],
                Place::Joint(a, b) => [a, b],
                Place::Replicated => continue,
            };
            if group == GroupId(0) {
                if let Place::Own(object) = place {
                    let states = world.objects[object.0 as usize].states.iter().copied();
                    scope.external.extend(states.filter(|s| self.external[s.0 as usize] > 0));
                }
                for &(k, sides) in &world.external {
                    let is_known = scope.above.iter().any(|known| known.0 == k);
                    if place_of_interaction(world, k, sides) == place && !is_known {
                        scope.above.push((k, sides));
                    }
                }
                found.for_each(|k| self.add_contact(world, k, &contacts[k], &mut scope));
                continue;
            }
            let of_group = scope.groups.entry(group).or_default();
            // In the order in which all of the group is recorded: its solvers ascending.
            let mut solvers = BTreeSet::new();
            for object in ends {
                let moved = world.objects[object.0 as usize].solver;
                if let Some(s) = moved.filter(|s| self.grouping.group_of(*s) == group) {
                    of_group.objects.push(object);
                    solvers.insert(s);
                }
            }
            for s in solvers {
                for &(k, sides) in &world.solvers[s].interactions {
                    let known = of_group.interactions.iter().any(|i| i.0 == k);
                    if place_of_interaction(world, k, sides) == place && !known {
                        of_group.interactions.push((k, sides));
                    }
                }
            }
            found.for_each(|k| self.add_contact(world, k, &contacts[k], &mut scope));
        }
        for of_group in scope.groups.values_mut() {
            of_group.contacts.sort_unstable_by_key(|c| c.0);
            of_group.contacts.dedup();
        }
        scope.external.sort_unstable();
        scope.external.dedup();
        scope.above.sort_unstable_by_key(|above| above.0);
        scope.explicit.sort_unstable();
        scope.explicit.dedup();
        scope
    }

    /// Objects of a group that show what its solver records for any: one, and one for which it may choose another way.
    fn samples(&self, world: &World, group: GroupId) -> Vec<ObjectId> {
        let members = self.grouping.members(group);
        let mut objects = members.iter().flat_map(|&s| world.solvers[s].objects.iter().copied());
        let first = objects.clone().next();
        let looks_at_masses = members.first().is_some_and(|&s| {
            let ode = ode(world, s);
            ode.needs_linear_solver(true) != ode.needs_linear_solver(false)
        });
        let other = if looks_at_masses { objects.find(|o| !world.has_diagonal_masses(*o)) } else { None };
        first.into_iter().chain(other).collect()
    }

    fn add_contact(&self, world: &World, k: usize, contact: &Contact, scope: &mut Scope) {
        let (solver, sides) = match self.rules.of(world, contact.first, contact.second, contact.attachment) {
            Acts::Nowhere => return,
            Acts::Explicitly => {
                scope.explicit.push(k);
                return;
            }
            Acts::Implicitly { solver, sides, .. } => (solver, sides),
            Acts::Attached { solver, other, to_first } => {
                let together = self.grouping.group_of(solver) == self.grouping.group_of(other);
                (solver, Sides { first: to_first || together, second: !to_first || together })
            }
        };
        let group = self.grouping.group_of(solver);
        if self.asleep.contains(&group) {
            return;
        }
        scope.groups.entry(group).or_default().contacts.push((k, sides));
    }

    fn record_scope(
        &mut self,
        world: &mut World,
        scope: &Scope,
        contacts: &[Contact],
    ) -> (Recording, BTreeMap<GroupId, SolveRecord>) {
        let setting =
            Setting { grouping: &self.grouping, contacts, external: &self.external, sums: self.sums };
        let memory = std::mem::take(&mut self.memory);
        let (recording, memory, records) = record(world, scope, &setting, memory);
        self.memory = memory;
        (recording, records)
    }

    fn keep_records(&mut self, records: BTreeMap<GroupId, SolveRecord>) {
        for (group, solve) in records {
            let solvers = self.grouping.members(group);
            self.records.insert(self.grouping.order(group), GroupRecord { group, solvers, solve });
        }
    }
}
