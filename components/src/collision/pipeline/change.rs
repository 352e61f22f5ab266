//! Models that come to a pipeline at work and leave it. Ranks are never given twice, so that pairs keep their order.

use std::collections::BTreeSet;

use engine::data::{ObjectId, Store};
use sim_core::scene::{ComponentId, NodeId, Scene};
use sim_core::visitor::vectors::StateVectors;
use sim_core::visitor::visit::tag_of;
use sim_core::visitor::world::FreezeError;

use super::assemble::{broad_model, running_model};
use super::{ContactPipeline, Part, change, key_of, owner, states_of};
use crate::collision::broad_phase::ModelPair;

impl ContactPipeline {
    /// Takes in the models of new nodes; gives back their objects.
    pub(super) fn take_in(
        &mut self,
        scene: &Scene,
        nodes: &[NodeId],
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError> {
        if !self.takes_in {
            return Ok(Vec::new());
        }
        let is_below = |n: &NodeId| scene.node(*n).active && scene.upward(*n).any(|m| m == self.node);
        let components = nodes.iter().filter(|n| is_below(n)).flat_map(|n| scene.components_of(*n));
        let models = components.map(|c| running_model(scene, c, scene.component(c)));
        let models: Vec<_> = models.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let mut objects = Vec::new();
        for mut model in models {
            let vectors = &vectors[model.state.0 as usize];
            let Part { depth, method, .. } = &self.parts[model.part];
            model.freeze(store, vectors, *depth, method.alarm_distance());
            self.loaded.take_in(model.state, tag_of(model.component), vectors, store);
            objects.push(model.object);
            self.parts.iter_mut().for_each(|part| part.broad_phase.add(broad_model(&model)));
            self.models.push(model);
        }
        objects.sort_unstable();
        objects.dedup();
        Ok(objects)
    }

    /// Puts models that were let go back to their places, as they are now; gives back their objects.
    pub(super) fn take_back(
        &mut self,
        scene: &Scene,
        components: &BTreeSet<ComponentId>,
        store: &mut Store,
        vectors: &[StateVectors],
    ) -> Result<Vec<ObjectId>, FreezeError> {
        let mut renewed = Vec::new();
        for (k, gone) in self.models.iter().enumerate() {
            if gone.is_gone && components.contains(&gone.component) && scene.has_component(gone.component) {
                let model = running_model(scene, gone.component, scene.component(gone.component))?;
                renewed.extend(model.map(|m| (k, m.in_part(gone.part))));
            }
        }
        let mut objects = Vec::new();
        for (k, mut model) in renewed {
            let vectors = &vectors[model.state.0 as usize];
            let Part { depth, method, .. } = &self.parts[model.part];
            model.freeze(store, vectors, *depth, method.alarm_distance());
            self.loaded.take_in(model.state, tag_of(model.component), vectors, store);
            objects.push(model.object);
            self.models[k] = model;
        }
        objects.sort_unstable();
        objects.dedup();
        Ok(objects)
    }

    /// Lets models go, with their pairs and contacts; gives back their objects.
    pub(super) fn let_go(&mut self, components: &BTreeSet<ComponentId>, store: &mut Store) -> Vec<ObjectId> {
        let goes: Vec<u32> = (0..self.models.len() as u32)
            .filter(|&k| {
                let model = &self.models[k as usize];
                !model.is_gone && components.contains(&model.component)
            })
            .collect();
        let is_in = |pair: &ModelPair| {
            goes.binary_search(&pair.later).is_ok() || goes.binary_search(&pair.earlier).is_ok()
        };
        (self.narrow_phase_changes, self.contact_changes) = (Vec::new(), Vec::new());
        for pair in self.pairs.keys().copied().filter(is_in).collect::<Vec<_>>() {
            if let Some(buffers) = self.pairs.remove(&pair) {
                let states = states_of(&self.models, &buffers);
                self.loaded.note(pair, states, false, store, &mut self.narrow_phase_changes);
                buffers.free(store);
            }
            let object = self.models[owner(&self.models, pair) as usize].object;
            if let Some(pairs) = self.pairs_of.get_mut(&object) {
                pairs.remove(&pair);
            }
            self.narrow_phase_changes.push(object);
        }
        self.narrow_phase_changes.sort_unstable();
        self.narrow_phase_changes.dedup();
        let gone_keys: BTreeSet<(u32, u32)> =
            self.present.iter().filter(|p| is_in(p)).map(|p| key_of(*p)).collect();
        self.present.retain(|p| !is_in(p));
        // The constraints are compared anew in the next step.
        self.constrained.clear();
        self.in_order.clear();
        self.constraint_contacts.clear();
        for contact in self.contacts.extract_if(.., |c| gone_keys.contains(&c.key)) {
            self.contact_changes.push(change(&contact, false));
        }
        let mut objects = Vec::new();
        for k in goes {
            self.parts.iter_mut().for_each(|part| part.broad_phase.forget(k));
            for buffers in self.spare.remove(&k).into_iter().flatten() {
                buffers.free(store);
            }
            let model = &mut self.models[k as usize];
            model.free(store);
            let (state, object) = (model.state, model.object);
            if self.models.iter().all(|m| m.is_gone || m.state != state) {
                self.loaded.let_go(state, store);
            }
            objects.push(object);
        }
        objects.sort_unstable();
        objects.dedup();
        objects
    }
}
