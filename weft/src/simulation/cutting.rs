//! Removing what is at a place, such as the element that whoever looks at a body points at, and what has left a place.

use components::topology::changes::script::Command;
use components::topology::changes::{BoundingTrasher, Modifier};
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
            Some((distance(kind, &corners?, at), k))
        });
        let (_, element) = distances.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        Some((topology, kind, element))
    }
}

/// How far a place is from an element [m]; zero within a volume.
fn distance(kind: ElementKind, corners: &[Vec3], p: &Vec3) -> f64 {
    // Around a diagonal, from the first corner to the one across.
    const OF_HEXAHEDRON: [&[usize]; 6] =
        [&[0, 6, 1, 2], &[0, 6, 2, 3], &[0, 6, 3, 7], &[0, 6, 7, 4], &[0, 6, 4, 5], &[0, 6, 5, 1]];
    let parts: &[&[usize]] = match kind {
        ElementKind::Edge => &[&[0, 1]],
        ElementKind::Triangle => &[&[0, 1, 2]],
        ElementKind::Quad => &[&[0, 1, 2], &[0, 2, 3]],
        ElementKind::Tetrahedron => &[&[0, 1, 2, 3]],
        ElementKind::Hexahedron => &OF_HEXAHEDRON,
    };
    let part = |part: &&[usize]| match **part {
        [a, b] => to_segment([corners[a], corners[b]], p),
        [a, b, c] => to_triangle([corners[a], corners[b], corners[c]], p),
        [a, b, c, d] => to_tetrahedron([corners[a], corners[b], corners[c], corners[d]], p),
        _ => f64::INFINITY,
    };
    parts.iter().map(part).fold(f64::INFINITY, f64::min)
}

fn to_segment([a, b]: [Vec3; 2], p: &Vec3) -> f64 {
    let (along, to) = (b - a, p - a);
    let share = to.dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    (to - along * share.clamp(0.0, 1.0)).norm()
}

fn to_triangle(t: [Vec3; 3], p: &Vec3) -> f64 {
    let [a, b, c] = t;
    let normal = (b - a).cross(&(c - a));
    let sides = [[a, b], [b, c], [c, a]];
    let is_above = |[from, to]: &[Vec3; 2]| normal.dot(&(to - from).cross(&(p - from))) >= 0.0;
    if normal.norm_squared() > 0.0 && sides.iter().all(is_above) {
        return (p - a).dot(&normal).abs() / normal.norm();
    }
    sides.into_iter().map(|side| to_segment(side, p)).fold(f64::INFINITY, f64::min)
}

fn to_tetrahedron([a, b, c, d]: [Vec3; 4], p: &Vec3) -> f64 {
    // Each side with the corner across it.
    let sides = [([a, b, c], d), ([a, b, d], c), ([a, c, d], b), ([b, c, d], a)];
    let is_within = |([a, b, c], across): &([Vec3; 3], Vec3)| {
        let normal = (b - a).cross(&(c - a));
        let (place, inward) = (normal.dot(&(p - a)), normal.dot(&(across - a)));
        inward != 0.0 && place * inward >= 0.0
    };
    if sides.iter().all(is_within) {
        return 0.0;
    }
    sides.into_iter().map(|(side, _)| to_triangle(side, p)).fold(f64::INFINITY, f64::min)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_as_far_from_an_element_as_from_its_nearest_part() {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let low = [at(0.0, 0.0, 0.0), at(2.0, 0.0, 0.0), at(2.0, 2.0, 0.0), at(0.0, 2.0, 0.0)];
        let cube: Vec<Vec3> = low.into_iter().chain(low.map(|p| p + Vec3::z() * 2.0)).collect();
        let corner = [cube[0], cube[1], cube[3], cube[4]];
        for (kind, corners, p, expected) in [
            (ElementKind::Edge, &low[..2], at(1.0, 3.0, 0.0), 3.0),
            (ElementKind::Edge, &low[..2], at(-4.0, 3.0, 0.0), 5.0),
            (ElementKind::Triangle, &low[..3], at(1.5, 0.5, -0.7), 0.7),
            (ElementKind::Triangle, &low[..3], at(0.0, 2.0, 0.0), 2.0_f64.sqrt()),
            (ElementKind::Quad, &low[..], at(0.1, 1.9, 0.0), 0.0),
            (ElementKind::Tetrahedron, &corner[..], at(0.5, 0.5, 0.5), 0.0),
            (ElementKind::Tetrahedron, &corner[..], at(0.5, 0.5, -0.5), 0.5),
            (ElementKind::Hexahedron, &cube[..], at(1.7, 0.2, 1.9), 0.0),
            (ElementKind::Hexahedron, &cube[..], at(0.3, 1.8, 0.4), 0.0),
            (ElementKind::Hexahedron, &cube[..], at(5.0, 6.0, 1.0), 5.0),
        ] {
            let found = distance(kind, corners, &p);
            assert!((found - expected).abs() < 1e-12, "{kind:?} {p}: {found}");
        }
    }
}
