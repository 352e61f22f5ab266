//! Topologies that change while a simulation runs: elements go and come, and all that depends on them follows.

mod rebuild;

use std::collections::BTreeSet;
use std::sync::Arc;

use components::topology::changes::script::Command;
use components::topology::changes::{AppliedChange, ChangePlan, DueChanges, TopologicalChanges};
use scenes::visual::VisualModel;
use sim_core::renumbering::{ElementKind, NEW, renumbered_coords};
use sim_core::scene::{ComponentId, Scene};
use sim_core::visitor::world::World;

use super::links::Run;
use super::{ChangeError, Simulation, StepFailure};
use crate::execution::clock::Clock;
use rebuild::{Before, Built, PointsOf, rebuild};

impl Simulation {
    /// Takes elements out of a topology; from the next step on they are not there. Points that no element has any more go with them,
    /// and so do parts of the topologies that mappings fill from it. What depends on it (state, masses, force fields, projective
    /// constraints, collision models) follows, and so does what is mapped from it by an `IdentityMapping`, `SubsetMapping` or
    /// `BarycentricMapping`.
    ///
    /// The element of the highest number gets the number of each that goes, and so it is with points. Numbers that no element
    /// has are left out. Contacts of the object are found anew: what friction remembered of them is forgotten.
    ///
    /// # Errors
    /// A topology without a `...SetTopologyModifier` for these elements; something that depends on it and cannot follow; nothing
    /// would be left. All is then as it was.
    pub fn remove_elements(
        &mut self,
        topology: ComponentId,
        kind: ElementKind,
        elements: &[u32],
    ) -> Result<(), ChangeError> {
        self.change_topology(topology, &[(Some(kind), Command::Remove(elements.to_vec()))])
    }

    /// Puts elements into a topology, each a row of points that are there, after those that it has.
    ///
    /// # Errors
    /// As [`Self::remove_elements`]; rows of another width, or with a point that there is not.
    pub fn add_elements(
        &mut self,
        topology: ComponentId,
        kind: ElementKind,
        elements: &[Vec<u32>],
    ) -> Result<(), ChangeError> {
        if let Some(row) = elements.iter().find(|row| row.len() != kind.nodes()) {
            return Err(ChangeError::ElementWidth {
                kind: kind.plural(),
                wanted: kind.nodes(),
                n: row.len(),
            });
        }
        self.change_topology(topology, &[(Some(kind), Command::Add(kind, elements.to_vec()))])
    }

    /// Carries out what the scene's processors have for the beginning of a step.
    pub(super) fn process_topological_changes(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        if self.due_changes.is_empty() {
            return Ok(());
        }
        let time = self.time();
        for k in 0..self.due_changes.len() {
            let due = &mut self.due_changes[k];
            let (component, topology) = (due.component, due.changes.topology);
            if !self.world.scene.has_component(component) {
                continue;
            }
            let commands = due.take(time);
            if commands.is_empty() {
                continue;
            }
            let changed = self.change_topology(topology, &commands);
            changed.map_err(|e| self.change_failed(component, &e))?;
            // A list of the next one may be linked to what has changed.
            self.follow_links(Run::Before, clock)?;
        }
        Ok(())
    }

    /// A component that changes topologies was built again.
    pub(super) fn renew_processor(&mut self, component: ComponentId) {
        let changes = self.world.scene.component(component).extension::<TopologicalChanges>();
        let due = self.due_changes.iter_mut().find(|due| due.component == component);
        if let (Some(due), Some(changes)) = (due, changes) {
            due.renew(changes);
        }
    }

    /// A step that fails since a topology cannot change.
    pub(super) fn change_failed(&self, component: ComponentId, e: &ChangeError) -> StepFailure {
        let location = &self.world.scene.component(component).location;
        StepFailure {
            step: self.step,
            task: "change of topology".to_owned(),
            component: self.world.scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            message: e.to_string(),
        }
    }

    pub(super) fn change_topology(
        &mut self,
        topology: ComponentId,
        commands: &[(Option<ElementKind>, Command)],
    ) -> Result<(), ChangeError> {
        let scene = &self.world.scene;
        if !scene.has_component(topology) {
            return Err(ChangeError::NoSuchComponent(topology.0));
        }
        let mut plan = ChangePlan::new(scene, topology)?;
        for (kind, command) in commands {
            plan.apply(scene, *kind, command)?;
        }
        self.wake_all()?;
        let change = plan.finish();
        let before = Before::of(&self.world.scene, &change);
        let mark = self.world.scene.mark();
        let built: Vec<ComponentId> = change.built().collect();
        let rebuilt = rebuild(&mut self.world.scene, &change, &before).map_err(ChangeError::from);
        let rebuilt =
            rebuilt.and_then(|r| self.world.check_exchange(&built, &mark).map(|()| r).map_err(Into::into));
        let Built { recipes, points } = match rebuilt {
            Ok(built) => built,
            Err(e) => {
                self.world.scene.rewind(&mark);
                before.restore(&mut self.world.scene, &change);
                return Err(e);
            }
        };
        let models: BTreeSet<ComponentId> = change.models.iter().copied().collect();
        if !models.is_empty() {
            self.let_models_go(&models)?;
        }
        self.correction.free(&mut self.world.store);
        self.prescribed.outdate();
        self.controlled.outdate();
        let rebuilt = self.world.exchange(&built, &mark);
        for (component, recipe) in recipes {
            self.world.scene.component_mut(component).recipe = Some(Arc::new(recipe));
        }
        self.renew(&rebuilt);
        for of_state in &points {
            follow_with_looks(&mut self.world.scene, &change, &before, of_state);
            match self.world.change_points(of_state.state, &of_state.origins) {
                Some(object) if change.joints.is_empty() => self.groups.renew(&self.world, object),
                _ => self.groups.renew_all(),
            }
        }
        if let Some(mut collision) = self.collision.take() {
            let World { scene, store, vectors, .. } = &mut self.world;
            let renewed = collision.renew_models(scene, &models, store, vectors);
            let updated = renewed.map(|objects| self.update_bounds(&*collision, &objects));
            self.collision = Some(collision);
            updated??;
        }
        self.update_integration(false)?;
        if !change.mappings.is_empty() {
            // Points that lay in what has gone lie elsewhere from now on.
            let object = self.world.vectors[change.state.0 as usize].object();
            self.propagate(&[object])?;
        }
        self.is_changed = true;
        self.topology_changes += 1;
        self.links.topologies_changed();
        Ok(())
    }

    /// How many times topologies have changed: who keeps what they look like compares it.
    pub fn topology_changes(&self) -> u64 {
        self.topology_changes
    }
}

/// The processors of a scene, none of which has done anything.
pub(super) fn processors(scene: &Scene) -> Vec<DueChanges> {
    let components = scene.depth_first().into_iter().filter(|n| scene.node(*n).active);
    let components = components.flat_map(|n| scene.components_of(n));
    let due = |c| {
        let changes = scene.component(c).extension::<TopologicalChanges>()?;
        Some(DueChanges::new(c, changes))
    };
    components.filter_map(due).collect()
}

/// Visual models on the points of a state have its points now, and the faces of the topology that theirs were those of; of others,
/// the faces that have all their points.
fn follow_with_looks(scene: &mut Scene, change: &AppliedChange, before: &Before, points: &PointsOf) {
    let all: Vec<ComponentId> = scene.all_components().collect();
    for c in all {
        let Some(model) = scene.component(c).extension::<VisualModel>() else { continue };
        let follows = model.follows.is_some_and(|f| f.state == points.state && f.class == "IdentityMapping");
        if !follows || model.points.len() != points.now.len() {
            continue;
        }
        let mut model = model.clone();
        model.points = renumbered_coords(&points.origins, &model.points);
        // Texture coordinates and parts name points and faces by their former numbers.
        (model.tex_coords, model.parts) = (Vec::new(), Vec::new());
        let was = change.topologies.iter().zip(&before.topologies).find(|(_, t)| {
            t.as_ref().is_some_and(|t| t.triangles == model.triangles && t.quads == model.quads)
        });
        match was {
            Some((changed, _)) => {
                model.triangles.clone_from(&changed.topology.triangles);
                model.quads.clone_from(&changed.topology.quads);
            }
            None => {
                renumber_faces(&mut model.triangles, &points.now);
                renumber_faces(&mut model.quads, &points.now);
            }
        }
        scene.component_mut(c).extension = Some(Arc::new(model));
    }
}

fn renumber_faces<const N: usize>(faces: &mut Vec<[u32; N]>, points: &[u32]) {
    faces.iter_mut().for_each(|f| *f = f.map(|p| points.get(p as usize).copied().unwrap_or(NEW)));
    faces.retain(|f| !f.contains(&NEW));
}
