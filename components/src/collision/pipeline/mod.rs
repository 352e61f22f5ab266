//! The collision pipeline at work: bounds as tasks of each object, the broad phase between two graphs, the narrow phase as
//! one task per pair of models, and the contacts that it leaves to the integration.
//!
//! Pairs and contacts are kept sorted by the models' ranks, so that history does not show: a pair that goes and comes back
//! is as if it had never been away. Only the order in which multipliers are swept follows from who touched whom before, as SOFA's does
//! (`history`). Buffers of a pair that went are kept for the next one.

mod assemble;
mod change;
mod contact_direct;
mod contact_node;
mod continuous_task;
mod friction_buffers;
mod friction_task;
mod history;
mod loaded_points;
mod model;
mod multiplier_contact;
mod multiplier_direct;
mod narrow_task;
mod pair_buffers;
mod ray_task;

use std::collections::{BTreeMap, BTreeSet};

use engine::data::{ObjectId, Store};
use sim_core::component::collision::{
    Attachment, CollisionPipeline, ConstraintContact, Contact, ContactChange, ContactStatistics,
    FormerContact, NearElements,
};
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, NodeId, Scene, StateId};
use sim_core::visitor::lagrangian_node::RowBuffers;
use sim_core::visitor::vectors::StateVectors;
use sim_core::visitor::visit::{Visit, tag_of};
use sim_core::visitor::world::FreezeError;

pub use assemble::assemble;
use history::History;
use loaded_points::LoadedStates;
use model::RunningModel;
use pair_buffers::PairBuffers;

use super::broad_phase::{BruteForceBroadPhase, ModelPair};
use super::component::NarrowPhase;
use super::narrow_phase::{DetectionOutput, IntersectionMethod, Order};
use super::response::{AskingModel, CollisionResponse, MultiplierLaw, ResponseClass, attachment};
use super::{Aabb, ModelKind};

/// A pipeline, or one of those of a composite one: models of different parts never meet.
pub(super) struct Part {
    depth: usize,
    /// Of all models; those of other parts have empty boxes here.
    broad_phase: BruteForceBroadPhase,
    narrow: NarrowPhase,
    method: IntersectionMethod,
    response: CollisionResponse,
}

/// A pipeline with brute-force broad phase, BVH narrow phase, and contacts with penalties or with multipliers.
pub(super) struct ContactPipeline {
    node: NodeId,
    parts: Vec<Part>,
    /// Whether models that come to the scene belong to it.
    takes_in: bool,
    models: Vec<RunningModel>,
    merges_groups: bool,
    roots: Vec<Aabb>,
    /// Scratch: the pairs of all parts that went and came in this step.
    gone: Vec<ModelPair>,
    come: Vec<ModelPair>,
    /// Pairs that are near and have a test, with their buffers.
    pairs: BTreeMap<ModelPair, PairBuffers>,
    /// The same pairs, by the object that carries their work.
    pairs_of: BTreeMap<ObjectId, BTreeSet<ModelPair>>,
    /// The mapped states under models, whose points in contact are listed.
    loaded: LoadedStates,
    /// Buffers of pairs that went, by the rank of the model that owns them.
    spare: BTreeMap<u32, Vec<PairBuffers>>,
    present: Vec<ModelPair>,
    /// The memory in which the next step's `present` is collected.
    touching: Vec<ModelPair>,
    contacts: Vec<Contact>,
    /// Pairs that touch and have multipliers, and their constraints.
    constrained: Vec<ModelPair>,
    constraint_contacts: Vec<ConstraintContact>,
    constraints_changed: bool,
    /// What the constraints are ordered by, of each part, and the pairs in this order.
    histories: Vec<History>,
    in_order: Vec<ModelPair>,
    /// Scratch: the order that is to be.
    order: Vec<ModelPair>,
    /// Objects at rest, and those with what no solver moves.
    asleep: BTreeSet<ObjectId>,
    still: BTreeSet<ObjectId>,
    contact_changes: Vec<ContactChange>,
    narrow_phase_changes: Vec<ObjectId>,
}

impl ContactPipeline {
    /// The models of a pair in the order of their test, if there is a test and a response.
    fn ordered(&self, pair: ModelPair) -> Option<(u32, u32, ResponseClass, Option<MultiplierLaw>)> {
        let (later, earlier) = (&self.models[pair.later as usize], &self.models[pair.earlier as usize]);
        let Part { narrow, method, response, .. } = &self.parts[later.part];
        let order = match narrow {
            NarrowPhase::Trees | NarrowPhase::Sweep => method.order(later.kind, earlier.kind),
            // SOFA's rays within one surface would push its sides apart.
            NarrowPhase::Rays if pair.later == pair.earlier => Order::Ignored,
            NarrowPhase::Rays if [later, earlier].iter().all(|m| m.kind == ModelKind::TriangleOctree) => {
                Order::LaterFirst
            }
            NarrowPhase::Rays => Order::Ignored,
        };
        let (first, second) = match order {
            Order::LaterFirst => (pair.later, pair.earlier),
            Order::EarlierFirst => (pair.earlier, pair.later),
            Order::Ignored => return None,
        };
        let models = [first, second].map(|k| &self.models[k as usize]);
        let asking = models.map(|model| AskingModel {
            name: &model.name,
            group: &model.attributes.group,
            response: model.attributes.contact_response.as_ref(),
        });
        let (class, params) = response.choose([&asking[0], &asking[1]])?;
        // A push at an end that the free motion has turned away from where a solid touches would turn it on.
        let is_solid = models.iter().any(|m| m.kind.is_solid());
        let law = CollisionResponse::law(class, params).ok().flatten();
        let law = law.map(|law| MultiplierLaw { on_surfaces: law.on_surfaces || is_solid, ..law });
        let has_response = class.is_force_field() || law.is_some();
        (has_response && class.supports(models[0].kind, models[1].kind))
            .then_some((first, second, class, law))
    }

    /// The constraint of a pair that touches or has touched, and the node that it is attached to.
    fn constraint(&self, pair: ModelPair, buffers: &PairBuffers) -> Option<ConstraintContact> {
        let (first, second) = (&self.models[buffers.first as usize], &self.models[buffers.second as usize]);
        let at = match attachment(first.attributes.simulated, second.attributes.simulated) {
            Attachment::First => first.at,
            Attachment::Second => second.at,
            Attachment::Both => self.node,
        };
        Some(ConstraintContact {
            tag: tag_of(self.models[pair.later as usize].component),
            at,
            first: first.state,
            second: second.state,
            node: multiplier_contact::node(buffers, first, second)?,
        })
    }

    /// Compares the pairs that touch, or have touched since they are near, and have multipliers with those of before. What does not
    /// touch for a while is a constraint without rows: contacts of a heap come and go, and the graph of the correction stays.
    fn update_constraints(&mut self, store: &Store) {
        self.constraints_changed = false;
        if !self.may_have_multipliers() {
            return;
        }
        let Self { pairs, touching, constrained, models, histories, order, .. } = self;
        histories.resize_with(self.parts.len(), History::default);
        let mut is_renumbered = false;
        for (k, history) in histories.iter_mut().enumerate() {
            let here = pairs.values().filter(|b| models[b.first as usize].part == k);
            is_renumbered |= history.step(here.map(|b| ([b.first, b.second], store.len(b.points) > 0)));
        }
        let touched = |pair: &ModelPair, b: &PairBuffers| {
            b.law.is_some() && (store.len(b.points) > 0 || constrained.binary_search(pair).is_ok())
        };
        touching.clear();
        touching.extend(pairs.iter().filter(|(p, b)| touched(p, b)).map(|(p, _)| *p));
        if !is_renumbered && touching == constrained {
            return;
        }
        std::mem::swap(touching, constrained);
        order.clone_from(constrained);
        order.sort_by_cached_key(|pair| {
            let models_of = pairs.get(pair).map(|b| [b.first, b.second]);
            let key = models_of.map(|m| {
                let part = models[m[0] as usize].part;
                (part, histories[part].key(m))
            });
            (key, *pair)
        });
        self.constraints_changed = self.order != self.in_order;
        if self.constraints_changed {
            std::mem::swap(&mut self.order, &mut self.in_order);
            let all = self.in_order.iter().filter_map(|pair| self.constraint(*pair, self.pairs.get(pair)?));
            self.constraint_contacts = all.collect();
        }
    }

    /// Whether some class of contacts that is asked for has multipliers.
    fn may_have_multipliers(&self) -> bool {
        let mut by_models = self.models.iter().filter_map(|m| m.attributes.contact_response.as_ref());
        self.parts.iter().any(|part| part.response.asks_for_multipliers())
            || by_models.any(|asked| asked.class.has_multipliers())
    }

    /// Whether nothing of a pair of models moves.
    fn rests(&self, pair: &PairBuffers) -> bool {
        !self.asleep.is_empty()
            && [pair.first, pair.second].iter().all(|k| self.still.contains(&self.models[*k as usize].object))
    }

    fn contact(&self, pair: ModelPair, buffers: &PairBuffers) -> Contact {
        let (first, second) = (&self.models[buffers.first as usize], &self.models[buffers.second as usize]);
        Contact {
            key: key_of(pair),
            tag: tag_of(self.models[pair.later as usize].component),
            first: first.state,
            second: second.state,
            attachment: attachment(first.attributes.simulated, second.attributes.simulated),
            node: contact_node::node(buffers, self.parts[first.part].response.friction, first, second),
        }
    }
}

fn change(c: &Contact, came: bool) -> ContactChange {
    ContactChange { key: c.key, first: c.first, second: c.second, attachment: c.attachment, came }
}

/// The model whose object carries the work of a pair: the later one, unless it is an obstacle.
fn owner(models: &[RunningModel], pair: ModelPair) -> u32 {
    if models[pair.later as usize].attributes.simulated { pair.later } else { pair.earlier }
}

/// The states under the models of a pair.
fn states_of(models: &[RunningModel], pair: &PairBuffers) -> [StateId; 2] {
    [pair.first, pair.second].map(|rank| models[rank as usize].state)
}

/// The place of a pair's contact among all: that of the pair among all pairs.
fn key_of(pair: ModelPair) -> (u32, u32) {
    (pair.later, if pair.later == pair.earlier { 0 } else { pair.earlier + 1 })
}

impl CollisionPipeline for ContactPipeline {
    fn freeze(&mut self, store: &mut Store, vectors: &[StateVectors]) {
        for m in &mut self.models {
            let vectors = &vectors[m.state.0 as usize];
            let Part { depth, method, .. } = &self.parts[m.part];
            m.freeze(store, vectors, *depth, method.alarm_distance());
            self.loaded.take_in(m.state, tag_of(m.component), vectors, store);
        }
    }

    fn add_models(
        &mut self,
        scene: &Scene,
        nodes: &[NodeId],
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError> {
        self.take_in(scene, nodes, store, vectors)
    }

    fn remove_models(&mut self, components: &BTreeSet<ComponentId>, store: &mut Store) -> Vec<ObjectId> {
        self.let_go(components, store)
    }

    fn renew_models(
        &mut self,
        scene: &Scene,
        components: &BTreeSet<ComponentId>,
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError> {
        self.take_back(scene, components, store, vectors)
    }

    fn models(&self) -> Vec<(ComponentId, StateId)> {
        self.models.iter().filter(|m| !m.is_gone).map(|m| (m.component, m.state)).collect()
    }

    fn record_bounds(&self, visit: &mut Visit<'_, '_>, objects: Option<&[ObjectId]>) {
        visit.rec.sweep("bounds");
        // Those that are not to move, too: their boxes stay, but lists for their points do not if these move all the same.
        let is_wanted = |m: &&RunningModel| {
            !m.is_gone && !self.asleep.contains(&m.object) && objects.is_none_or(|o| o.contains(&m.object))
        };
        let sweep = |m: &RunningModel| self.parts[m.part].method.continuous().map(|c| c.sweep);
        self.models.iter().filter(is_wanted).for_each(|m| m.record_bounds(visit, sweep(m)));
    }

    fn broad_phase(&mut self, store: &mut Store) -> usize {
        self.narrow_phase_changes.clear();
        self.gone.clear();
        self.come.clear();
        for (k, part) in self.parts.iter_mut().enumerate() {
            self.roots.clear();
            let root = |m: &RunningModel| if m.part == k { m.root(store) } else { Aabb::EMPTY };
            self.roots.extend(self.models.iter().map(root));
            let changes = part.broad_phase.update(&self.roots);
            self.gone.extend_from_slice(changes.removed);
            self.come.extend_from_slice(changes.added);
        }
        let (gone, come) = (std::mem::take(&mut self.gone), std::mem::take(&mut self.come));
        for pair in &gone {
            if let Some(buffers) = self.pairs.remove(pair) {
                buffers.clear(store);
                let states = states_of(&self.models, &buffers);
                self.loaded.note(*pair, states, false, store, &mut self.narrow_phase_changes);
                let owner = owner(&self.models, *pair);
                let object = self.models[owner as usize].object;
                self.narrow_phase_changes.push(object);
                if let Some(pairs) = self.pairs_of.get_mut(&object) {
                    pairs.remove(pair);
                }
                self.spare.entry(owner).or_default().push(buffers);
            }
        }
        for &pair in &come {
            let Some((first, second, class, law)) = self.ordered(pair) else { continue };
            let owner = owner(&self.models, pair);
            let object = self.models[owner as usize].object;
            let spare = self.spare.get_mut(&owner).and_then(Vec::pop);
            let Part { response, method, .. } = &self.parts[self.models[first as usize].part];
            let (has_friction, looks_ahead) = (response.friction.is_some(), method.continuous().is_some());
            let mut buffers =
                spare.unwrap_or_else(|| PairBuffers::new(store, object, has_friction, looks_ahead));
            (buffers.first, buffers.second, buffers.law) = (first, second, law);
            buffers.sticks = class == ResponseClass::StickForce;
            if law.is_some() && buffers.rows.is_none() {
                let (now, next) = store.create_state("constraint.former", object, Vec::new());
                buffers.rows = Some((RowBuffers::new(store, object), [now, next]));
            }
            let states = states_of(&self.models, &buffers);
            self.loaded.note(pair, states, true, store, &mut self.narrow_phase_changes);
            buffers.forget_candidates(store);
            self.pairs.insert(pair, buffers);
            self.pairs_of.entry(object).or_default().insert(pair);
            self.narrow_phase_changes.push(object);
        }
        self.narrow_phase_changes.sort_unstable();
        self.narrow_phase_changes.dedup();
        let n = come.len() + gone.len();
        (self.gone, self.come) = (gone, come);
        n
    }

    fn record_narrow_phase(&self, visit: &mut Visit<'_, '_>, objects: Option<&[ObjectId]>) {
        visit.rec.sweep("narrow_phase");
        let mut record = |pair: &ModelPair, object: ObjectId| {
            let Some(buffers) = self.pairs.get(pair) else { return };
            if self.rests(buffers) {
                return;
            }
            let first = &self.models[buffers.first as usize];
            let second = &self.models[buffers.second as usize];
            let part = &self.parts[first.part];
            match part.narrow {
                NarrowPhase::Trees | NarrowPhase::Sweep if part.method.continuous().is_some() => {
                    continuous_task::record(visit, object, part.method, first, second, buffers)
                }
                NarrowPhase::Trees | NarrowPhase::Sweep => {
                    narrow_task::record(visit, object, part.method, first, second, buffers)
                }
                NarrowPhase::Rays => ray_task::record(visit, object, part.method, first, second, buffers),
            }
            if let Some(parameters) = part.response.friction {
                friction_task::record(visit, object, parameters, first, second, buffers);
            }
        };
        match objects {
            None => self.pairs_of.iter().for_each(|(o, pairs)| pairs.iter().for_each(|p| record(p, *o))),
            Some(objects) => {
                for o in objects {
                    self.pairs_of.get(o).into_iter().flatten().for_each(|p| record(p, *o));
                }
            }
        }
        let states_of = |buffers: &PairBuffers| states_of(&self.models, buffers);
        let rests = |buffers: &PairBuffers| self.rests(buffers);
        let act_elsewhere = |buffers: &PairBuffers| {
            [buffers.first, buffers.second].iter().any(|rank| self.models[*rank as usize].moves_unsimulated)
        };
        self.loaded.record(visit, objects, &self.pairs, states_of, rests, act_elsewhere);
    }

    fn narrow_phase_changes(&self) -> &[ObjectId] {
        &self.narrow_phase_changes
    }

    fn let_rest(&mut self, asleep: &BTreeSet<ObjectId>, still: &BTreeSet<ObjectId>) -> Vec<ObjectId> {
        let rested: Vec<ModelPair> =
            self.pairs.iter().filter(|(_, b)| self.rests(b)).map(|(p, _)| *p).collect();
        self.asleep.clone_from(asleep);
        self.still.clone_from(still);
        let mut changed = Vec::new();
        for (pair, buffers) in &self.pairs {
            if self.rests(buffers) != rested.binary_search(pair).is_ok() {
                changed.push(self.models[owner(&self.models, *pair) as usize].object);
                self.loaded.objects_of(states_of(&self.models, buffers), &mut changed);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    fn recall(&self, store: &mut Store, states: [StateId; 2], contacts: &[FormerContact]) {
        let between = self.pairs.values().filter(|b| states_of(&self.models, b) == states);
        between.filter_map(|b| b.friction).for_each(|friction| friction.recall(store, contacts));
    }

    fn update_contacts(&mut self, store: &mut Store) -> usize {
        self.update_constraints(store);
        let touch = |b: &PairBuffers| b.law.is_none() && store.len(b.points) > 0;
        self.touching.clear();
        self.touching.extend(self.pairs.iter().filter(|(_, b)| touch(b)).map(|(p, _)| *p));
        self.contact_changes.clear();
        if self.touching == self.present {
            return 0;
        }
        std::mem::swap(&mut self.touching, &mut self.present);
        let mut before = std::mem::take(&mut self.contacts).into_iter().peekable();
        let mut now = Vec::with_capacity(self.present.len());
        for pair in &self.present {
            while let Some(gone) = before.next_if(|c| c.key < key_of(*pair)) {
                self.contact_changes.push(change(&gone, false));
            }
            match before.next_if(|c| c.key == key_of(*pair)) {
                Some(stays) => now.push(stays),
                None => {
                    let contact = self.contact(*pair, &self.pairs[pair]);
                    self.contact_changes.push(change(&contact, true));
                    now.push(contact);
                }
            }
        }
        self.contact_changes.extend(before.map(|gone| change(&gone, false)));
        self.contacts = now;
        self.contact_changes.len()
    }

    fn contact_changes(&self) -> &[ContactChange] {
        &self.contact_changes
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn constraint_contacts(&self) -> (&[ConstraintContact], bool) {
        (&self.constraint_contacts, self.constraints_changed)
    }

    fn merges_groups(&self) -> bool {
        self.merges_groups
    }

    fn looks_ahead(&self) -> bool {
        self.parts.iter().any(|part| part.method.continuous().is_some())
    }

    fn statistics(&self, store: &Store) -> ContactStatistics {
        let mut all = ContactStatistics::default();
        for p in self.present.iter().chain(&self.constrained) {
            if let Some(b) = self.pairs.get(p) {
                all.points += store.len(b.points);
                all.max_penetration = all.max_penetration.max(store.read(b.penetration)[0]);
            }
        }
        all
    }

    fn nearest_points(&self, store: &Store, out: &mut Vec<[Vec3; 2]>) {
        out.clear();
        for b in self.pairs.values().filter(|b| store.len(b.points) > 0) {
            out.extend(store.read(b.outputs).iter().map(|o| o.points));
        }
    }

    fn near_elements(&self, store: &Store, out: &mut Vec<NearElements>) {
        for b in self.pairs.values().filter(|b| store.len(b.points) > 0) {
            let sides = [b.first, b.second].map(|k| &self.models[k as usize]);
            let near = |o: &DetectionOutput| NearElements {
                models: sides.map(|m| m.component),
                points: std::array::from_fn(|k| {
                    let outward = if k == 0 { o.normal } else { -o.normal };
                    sides[k].on_surface(store, o.elements[k], o.points[k], outward)
                }),
                normal: o.normal,
                distance: o.value,
            };
            out.extend(store.read(b.outputs).iter().map(near));
        }
    }

    fn node(&self) -> NodeId {
        self.node
    }
}
