//! Removing what is at a place, such as the element that whoever looks at a body points at, and what has left a place.

use components::topology::changes::script::Command;
use components::topology::changes::{BoundingTrasher, Modifier};
use components::topology::distance::distance;
use sim_core::math::{Vec3, Vec3Type};
use sim_core::renumbering::ElementKind;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::Topology;
use sim_core::visitor::vectors::VectorsAccess;

use super::{ChangeError, Simulation, StepFailure};

impl Simulation {
    /// Removes what has left the boxes of the scene's `TopologyBoundingTrasher`s, at the end of a step.
    pub(super) fn trash_what_is_outside(&mut self) -> Result<(), StepFailure> {
        for k in 0..self.trashers.len() {
            let (component, trasher) = self.trashers[k];
            let scene = &self.world.scene;
            if !scene.has_component(component) || !scene.has_component(trasher.topology) {
                continue;
            }
            let state = scene.state_in(scene.component(trasher.topology).node);
            let vectors = state.and_then(|s| Vec3Type::vectors(&self.world.vectors[s.0 as usize]));
            let (Some(topology), Some(vectors)) = (scene.topology(trasher.topology), vectors) else {
                continue;
            };
            let x = self.world.store.read(vectors.position());
            trasher.find_outside(topology, x, &mut self.outside);
            if self.outside.is_empty() {
                continue;
            }
            let outside = std::mem::take(&mut self.outside);
            let changed =
                self.change_topology(trasher.topology, &[(Some(trasher.kind), Command::Remove(outside))]);
            changed.map_err(|e| self.change_failed(component, &e))?;
        }
        Ok(())
    }

    /// Removes the element at a place on a body: of those around one of its points, the one in which `at` [m] is, or that is nearest to it.
    /// Gives back what it was: the topology, the kind and the number of the element.
    ///
    /// # Errors
    /// No element that may go has the point; otherwise as [`Self::remove_elements`].
    pub fn remove_element_at(
        &mut self,
        state: StateId,
        point: u32,
        at: &Vec3,
    ) -> Result<(ComponentId, ElementKind, u32), ChangeError> {
        let found = self.element_at(state, point, at).ok_or(ChangeError::NothingToRemove)?;
        let (topology, kind, element) = found;
        self.remove_elements(topology, kind, &[element])?;
        Ok(found)
    }

    fn element_at(&self, state: StateId, point: u32, at: &Vec3) -> Option<(ComponentId, ElementKind, u32)> {
        let scene = &self.world.scene;
        let vectors = self.world.vectors.get(state.0 as usize).and_then(Vec3Type::vectors)?;
        let node = scene.component(scene.component_of_state(state)).node;
        let kind = Modifier::find(scene, node)?.kind?;
        let x = self.world.store.read(vectors.position());
        let topologies =
            || scene.components_of(node).filter(|c| scene.topology(*c).is_some_and(|t| t.n_points > 0));
        // A grid beside a container is where that has its elements from.
        let is_container = |c: &ComponentId| scene.component(*c).class.ends_with("SetTopologyContainer");
        let topology = topologies().find(is_container).or_else(|| topologies().next())?;
        let around = elements(scene.topology(topology)?, kind).zip(0..).filter(|(n, _)| n.contains(&point));
        let distances = around.filter_map(|(nodes, k)| {
            let corners: Option<Vec<Vec3>> = nodes.iter().map(|n| x.get(*n as usize).copied()).collect();
            Some((distance(kind, &corners?, at)?, k))
        });
        let (_, element) = distances.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        Some((topology, kind, element))
    }
}

/// The components of a scene that remove what leaves a box.
pub(super) fn trashers(scene: &Scene) -> Vec<(ComponentId, BoundingTrasher)> {
    let components = scene.depth_first().into_iter().filter(|n| scene.node(*n).active);
    let components = components.flat_map(|n| scene.components_of(n));
    components.filter_map(|c| Some((c, *scene.component(c).extension::<BoundingTrasher>()?))).collect()
}

/// The elements of a kind.
fn elements(t: &Topology, kind: ElementKind) -> Box<dyn Iterator<Item = &[u32]> + '_> {
    match kind {
        ElementKind::Edge => Box::new(t.edges.iter().map(<[u32; 2]>::as_slice)),
        ElementKind::Triangle => Box::new(t.triangles.iter().map(<[u32; 3]>::as_slice)),
        ElementKind::Quad => Box::new(t.quads.iter().map(<[u32; 4]>::as_slice)),
        ElementKind::Tetrahedron => Box::new(t.tetrahedra.iter().map(<[u32; 4]>::as_slice)),
        ElementKind::Hexahedron => Box::new(t.hexahedra.iter().map(<[u32; 8]>::as_slice)),
    }
}
