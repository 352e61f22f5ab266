//! The collision pipeline at work: bounds as tasks of each object, the broad phase between two graphs, the narrow phase as
//! one task per pair of models, and the contacts that it leaves to the integration.
//!
//! Pairs and contacts are kept sorted by the models' ranks, so that history does not show: a pair that goes and comes back
//! is as if it had never been away. Buffers of a pair that went are kept for the next one.

mod assemble;
mod model;
mod narrow_task;
mod penalty_node;

use std::collections::BTreeMap;

use sim_core::component::collision::{CollisionPipeline, Contact, ContactStatistics};
use sim_core::data::Store;
use sim_core::scene::NodeId;
use sim_core::visitor::vectors::StateVectors;
use sim_core::visitor::visit::{Visit, tag_of};

pub use assemble::assemble;
use model::RunningModel;
use narrow_task::PairBuffers;

use super::Aabb;
use super::broad_phase::{BruteForceBroadPhase, ModelPair};
use super::narrow_phase::{IntersectionMethod, Order};
use super::response::{CollisionResponse, ResponseClass, attachment};

/// A pipeline with brute-force broad phase, BVH narrow phase and penalty response.
pub(super) struct PenaltyPipeline {
    node: NodeId,
    depth: usize,
    models: Vec<RunningModel>,
    broad_phase: BruteForceBroadPhase,
    method: IntersectionMethod,
    response: CollisionResponse,
    merges_groups: bool,
    roots: Vec<Aabb>,
    /// Pairs that are near and have a test, with their buffers.
    pairs: BTreeMap<ModelPair, PairBuffers>,
    /// Buffers of pairs that went, by the rank of the model that owns them.
    spare: BTreeMap<u32, Vec<PairBuffers>>,
    present: Vec<ModelPair>,
    /// The memory in which the next step's `present` is collected.
    touching: Vec<ModelPair>,
    contacts: Vec<Contact>,
}

impl PenaltyPipeline {
    /// The models of a pair in the order of their test, if there is a test and a response.
    fn ordered(&self, pair: ModelPair) -> Option<(u32, u32)> {
        let (later, earlier) = (&self.models[pair.later as usize], &self.models[pair.earlier as usize]);
        let (first, second) = match self.method.order(later.kind, earlier.kind) {
            Order::LaterFirst => (pair.later, pair.earlier),
            Order::EarlierFirst => (pair.earlier, pair.later),
            Order::Ignored => return None,
        };
        let name = self
            .response
            .class_name(&later.attributes.contact_response, &earlier.attributes.contact_response)?;
        let class = ResponseClass::from_name(name)?;
        let kinds = (self.models[first as usize].kind, self.models[second as usize].kind);
        (class == ResponseClass::Penalty && class.supports(kinds.0, kinds.1)).then_some((first, second))
    }

    /// The model whose object carries the work of a pair: the later one, unless it is an obstacle.
    fn owner(&self, pair: ModelPair) -> u32 {
        if self.models[pair.later as usize].attributes.simulated { pair.later } else { pair.earlier }
    }

    fn contact(&self, pair: ModelPair, buffers: &PairBuffers) -> Contact {
        let (first, second) = (&self.models[buffers.first as usize], &self.models[buffers.second as usize]);
        Contact {
            tag: tag_of(self.models[pair.later as usize].component),
            first: first.state,
            second: second.state,
            attachment: attachment(first.attributes.simulated, second.attributes.simulated),
            node: penalty_node::node(buffers.points, first, second),
        }
    }
}

impl CollisionPipeline for PenaltyPipeline {
    fn freeze(&mut self, store: &mut Store, vectors: &[StateVectors]) {
        for m in &mut self.models {
            m.freeze(store, &vectors[m.state.0 as usize], self.depth);
        }
    }

    fn record_bounds(&self, visit: &mut Visit<'_, '_>) {
        visit.rec.sweep("bounds");
        for m in self.models.iter().filter(|m| m.attributes.moving) {
            m.record_bounds(visit);
        }
    }

    fn broad_phase(&mut self, store: &Store) -> usize {
        self.roots.clear();
        self.roots.extend(self.models.iter().map(|m| m.root(store)));
        let changes = self.broad_phase.update(&self.roots);
        changes.added.len() + changes.removed.len()
    }

    fn record_narrow_phase(&mut self, visit: &mut Visit<'_, '_>) {
        visit.rec.sweep("narrow_phase");
        let near: Vec<ModelPair> = self.broad_phase.changes().pairs.to_vec();
        let gone: Vec<ModelPair> =
            self.pairs.keys().copied().filter(|p| near.binary_search(p).is_err()).collect();
        for pair in gone {
            if let Some(buffers) = self.pairs.remove(&pair) {
                buffers.clear(visit.rec.store());
                let owner = self.owner(pair);
                self.spare.entry(owner).or_default().push(buffers);
            }
        }
        for pair in near {
            let Some((first, second)) = self.ordered(pair) else { continue };
            let owner = self.owner(pair);
            let buffers = match self.pairs.get(&pair) {
                Some(b) => *b,
                None => {
                    let spare = self.spare.get_mut(&owner).and_then(Vec::pop);
                    let object = self.models[owner as usize].object;
                    let mut fresh = spare.unwrap_or_else(|| PairBuffers::new(visit.rec.store(), object));
                    (fresh.first, fresh.second) = (first, second);
                    self.pairs.insert(pair, fresh);
                    fresh
                }
            };
            let (first, second) = (&self.models[first as usize], &self.models[second as usize]);
            let object = self.models[owner as usize].object;
            narrow_task::record(visit, object, self.method, first, second, &buffers);
        }
    }

    fn update_contacts(&mut self, store: &Store) -> usize {
        let touch = |b: &PairBuffers| store.len(b.points) > 0;
        self.touching.clear();
        self.touching.extend(self.pairs.iter().filter(|(_, b)| touch(b)).map(|(p, _)| *p));
        if self.touching == self.present {
            return 0;
        }
        std::mem::swap(&mut self.touching, &mut self.present);
        let (now, before) = (&self.present, &self.touching);
        let came = now.iter().filter(|p| before.binary_search(p).is_err()).count();
        let went = before.iter().filter(|p| now.binary_search(p).is_err()).count();
        self.contacts = now.iter().map(|p| self.contact(*p, &self.pairs[p])).collect();
        came + went
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn merges_groups(&self) -> bool {
        self.merges_groups
    }

    fn statistics(&self, store: &Store) -> ContactStatistics {
        let mut all = ContactStatistics::default();
        for p in &self.present {
            if let Some(b) = self.pairs.get(p) {
                all.points += store.len(b.points);
                all.max_penetration = all.max_penetration.max(store.read(b.penetration)[0]);
            }
        }
        all
    }

    fn node(&self) -> NodeId {
        self.node
    }
}
