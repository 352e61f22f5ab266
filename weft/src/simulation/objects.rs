//! Objects that come to a running scene and go again: nodes with all below them.

use std::collections::BTreeSet;

use engine::data::ObjectId;
use engine::exec::LoadError;
use engine::graph::Recorder;
use scenes::LoadOptions;
use scenes::diagnostics::Diagnostic;
use scenes::element::Element;
use scenes::load::load_below;
use sim_core::component::collision::CollisionPipeline;
use sim_core::scene::{ComponentId, NodeId, SceneMark};
use sim_core::visitor::admit::Arrival;
use sim_core::visitor::visit::Visit;
use sim_core::visitor::world::World;

use super::{ChangeError, Simulation};

/// What came to a scene.
#[derive(Clone, Debug)]
pub struct AddedObject {
    /// Its node.
    pub node: NodeId,
    /// Notes and warnings about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Simulation {
    /// Puts a node with all below it into the running scene, as the last child of `parent`; it moves, and is felt, from the
    /// next step on. Its tasks are recorded and planned, its objects go to the least loaded workers; nothing else changes.
    ///
    /// Its links may lead to what is there, and its force fields may act on it or join it with what comes; mappings may not.
    ///
    /// # Errors
    /// No such parent; a node that does not load, or does not fit the scene. The scene is then as it was.
    pub fn add_object(
        &mut self,
        parent: NodeId,
        element: Element,
        options: &LoadOptions,
    ) -> Result<AddedObject, ChangeError> {
        if !self.world.scene.has_node(parent) {
            return Err(ChangeError::NoSuchNode(parent.0));
        }
        self.wake_all()?;
        let mark = self.world.scene.mark();
        let (node, diagnostics) = load_below(&mut self.world.scene, parent, element, options)?;
        let arrival = match self.world.admit(&mark, node) {
            Ok(arrival) => arrival,
            Err(e) => {
                self.world.scene.rewind(&mark);
                return Err(e.into());
            }
        };
        let admitted = self.admit(node, &mark, &arrival);
        if let Err(e) = admitted {
            self.remove_object(node)?;
            return Err(e);
        }
        Ok(AddedObject { node, diagnostics })
    }

    /// Brings plans and collision detection up to date with what came.
    fn admit(&mut self, node: NodeId, mark: &SceneMark, arrival: &Arrival) -> Result<(), ChangeError> {
        self.groups.admit(&self.world, arrival);
        self.world.check_solvers()?;
        self.propagate(&arrival.objects)?;
        let nodes: Vec<NodeId> =
            (mark.nodes as u32..self.world.scene.mark().nodes as u32).map(NodeId).collect();
        debug_assert_eq!(nodes.first(), Some(&node));
        self.correction.outdate();
        self.prescribed.outdate();
        self.controlled.outdate();
        match self.collision.take() {
            Some(mut collision) => {
                let World { scene, store, vectors, .. } = &mut self.world;
                let added = collision.add_models(scene, &nodes, store, vectors);
                let updated = added.map(|objects| self.update_bounds(&*collision, &objects));
                self.collision = Some(collision);
                updated??;
            }
            None => self.find_pipeline()?,
        }
        self.update_integration(false)?;
        self.is_changed = true;
        self.links.renew(&self.world);
        Ok(())
    }

    /// The pipeline of a scene that had none, or had none with models.
    fn find_pipeline(&mut self) -> Result<(), ChangeError> {
        let Some(mut collision) = components::collision::pipeline(&self.world.scene)? else { return Ok(()) };
        collision.freeze(&mut self.world.store, &self.world.vectors);
        self.groups.set_pipeline(&self.world, collision.node(), collision.merges_groups());
        self.collision = Some(collision);
        Ok(())
    }

    /// Takes a node with all below it out of the running scene, with its contacts; from the next step on it is not there.
    /// Numbers of what was there are not given again.
    ///
    /// # Errors
    /// No such node, the root, a node that holds the collision pipeline, or one whose states something that stays acts on.
    pub fn remove_object(&mut self, node: NodeId) -> Result<(), ChangeError> {
        let scene = &self.world.scene;
        if !scene.has_node(node) {
            return Err(ChangeError::NoSuchNode(node.0));
        }
        if node == scene.root() {
            return Err(ChangeError::Root);
        }
        let subtree = self.world.subtree(node);
        self.world.check_departure(&subtree)?;
        if let Some(collision) = &self.collision {
            if subtree.nodes.contains(&collision.node()) {
                return Err(ChangeError::HoldsPipeline(scene.node_path(node)));
            }
            let stays = |m: &(_, _)| subtree.states.contains(&m.1) && !subtree.components.contains(&m.0);
            if let Some((component, state)) = collision.models().into_iter().find(stays) {
                let state = scene.path(scene.component_of_state(state));
                return Err(ChangeError::StillNeeded(sim_core::visitor::depart::StillNeeded {
                    component: scene.path(component),
                    state,
                }));
            }
        }
        self.wake_all()?;
        self.let_models_go(&subtree.components)?;
        self.correction.free(&mut self.world.store);
        self.prescribed.outdate();
        self.controlled.outdate();
        let departure = self.world.depart(node, &subtree);
        self.groups.depart(&self.world, &departure);
        self.update_integration(false)?;
        for (object, _) in departure.objects {
            self.world.store.free_object(object);
            self.engine.forget(object);
        }
        self.is_changed = true;
        self.links.renew(&self.world);
        Ok(())
    }

    /// Lets collision models go, with their pairs and contacts.
    pub(super) fn let_models_go(&mut self, models: &BTreeSet<ComponentId>) -> Result<(), ChangeError> {
        let Some(mut collision) = self.collision.take() else { return Ok(()) };
        let objects = collision.remove_models(models, &mut self.world.store);
        let updated = self.update_bounds(&*collision, &objects).and_then(|()| {
            let changed = collision.narrow_phase_changes();
            match self.narrow {
                Some(plan) if !changed.is_empty() => self.update_narrow_phase(plan, &*collision, changed),
                _ => Ok(()),
            }
        });
        let lost_contacts = !collision.contact_changes().is_empty();
        self.collision = Some(collision);
        updated?;
        if lost_contacts {
            // Groups split first, so that a solver that goes is one by itself.
            self.update_integration(true)?;
        }
        Ok(())
    }

    /// Records the bounds of some objects anew, if they were recorded before.
    pub(super) fn update_bounds(
        &mut self,
        collision: &dyn CollisionPipeline,
        objects: &[ObjectId],
    ) -> Result<(), LoadError> {
        let Some(plan) = self.bounds.filter(|_| !objects.is_empty()) else { return Ok(()) };
        if self.animated.joins_detection() {
            // Parts of an object there are not its bounds alone.
            return self.load_bounds(Some(plan), collision).map(drop);
        }
        self.have_ends(collision);
        let World { store, vectors, parameters, .. } = &mut self.world;
        let mut rec = Recorder::new(store);
        collision
            .record_bounds(&mut Visit { rec: &mut rec, vectors, parameters: *parameters }, Some(objects));
        let parts = rec.finish();
        self.replace_parts(plan, objects, &parts)
    }
}
