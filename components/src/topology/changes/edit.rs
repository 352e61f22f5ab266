//! Removing and adding elements of a topology, with all topologies that mappings fill from it.
//!
//! **Source:** SOFA's `...SetTopologyModifier`. Elements are taken out in descending order of their numbers, and the last one
//! gets the number of each. Mappings are told before the lists change. Faces, then edges, then points that no element of the kind
//! has any more go next, in the same way. New elements come last, with those of their edges and faces that are missing.

use std::collections::BTreeMap;

use sim_core::renumbering::{ElementKind, PointOrigin};
use sim_core::scene::ComponentId;
use sim_core::topology::Topology;

use super::border::{Isolated, MappingKind};
use super::lists::{Key, Lists, key, part, parts_of};

/// One topology while it changes.
#[derive(Clone, Debug)]
struct Member {
    component: ComponentId,
    lists: Lists,
    /// Topologies that are filled from it.
    below: Vec<(usize, MappingKind)>,
}

/// A topology and those below it, while they change.
#[derive(Clone, Debug)]
pub struct Edit {
    members: Vec<Member>,
}

/// What has become of one topology.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its component.
    pub component: ComponentId,
    /// Its points and elements now.
    pub topology: Topology,
    /// For each point, where it comes from.
    pub points: Vec<PointOrigin>,
    /// For each element of each kind ([`ElementKind`]), the number that it had; [`sim_core::renumbering::NEW`] for a new one.
    pub elements: [Vec<u32>; 5],
}

impl Edit {
    /// Begins with a topology.
    pub fn new(component: ComponentId, topology: &Topology) -> Self {
        Self { members: vec![Member { component, lists: Lists::new(topology), below: Vec::new() }] }
    }

    /// Takes in a topology that a mapping fills from one that was taken in before; says whether it was.
    pub fn add_mapped(
        &mut self,
        input: ComponentId,
        kind: MappingKind,
        output: ComponentId,
        topology: &Topology,
    ) -> bool {
        let Some(above) = self.members.iter().position(|m| m.component == input) else { return false };
        // SOFA's mapping gives its output the points of the input, also where there is nothing to map yet.
        let mut topology = topology.clone();
        topology.n_points = topology.n_points.max(self.members[above].lists.points.len());
        let below = self.members.len();
        self.members.push(Member { component: output, lists: Lists::new(&topology), below: Vec::new() });
        self.members[above].below.push((below, kind));
        true
    }

    /// The topologies, the changed one first.
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        self.members.iter().map(|m| m.component)
    }

    /// Number of elements of the topology that is changed.
    pub fn n_elements(&self, kind: ElementKind) -> usize {
        self.members[0].lists.of(kind).len()
    }

    /// Number of its points.
    pub fn n_points(&self) -> usize {
        self.members[0].lists.points.len()
    }

    /// The nodes of one of its elements.
    pub fn element(&self, kind: ElementKind, element: u32) -> &[u32] {
        self.members[0].lists.of(kind).of(element)
    }

    /// Removes elements, in any order, with all that is isolated thereby; points only where it says so.
    ///
    /// # Errors
    /// The first number that no element has.
    pub fn remove(&mut self, kind: ElementKind, elements: &[u32], isolated_points: bool) -> Result<(), u32> {
        let n = self.n_elements(kind);
        if let Some(wrong) = elements.iter().find(|e| **e as usize >= n) {
            return Err(*wrong);
        }
        let mut descending = elements.to_vec();
        descending.sort_unstable_by(|a, b| b.cmp(a));
        descending.dedup();
        self.remove_from(0, kind, &descending, Isolated { parts: true, points: isolated_points });
        Ok(())
    }

    /// Removes points, in any order, with the elements that have them; numbers that no point has are left out.
    pub fn remove_points(&mut self, points: &[u32]) {
        let n = self.n_points();
        let mut descending: Vec<u32> = points.iter().copied().filter(|p| (*p as usize) < n).collect();
        descending.sort_unstable_by(|a, b| b.cmp(a));
        descending.dedup();
        self.remove_points_from(0, &descending);
    }

    /// Adds elements, each a row of nodes.
    ///
    /// # Errors
    /// The first node that is no point.
    pub fn add(&mut self, kind: ElementKind, elements: &[Vec<u32>]) -> Result<(), u32> {
        let n = self.n_points();
        if let Some(wrong) = elements.iter().flatten().find(|p| **p as usize >= n) {
            return Err(*wrong);
        }
        self.add_to(0, kind, elements);
        Ok(())
    }

    /// Adds a point at the weighted mean of others.
    ///
    /// # Errors
    /// The first ancestor that is no point.
    pub fn add_point(&mut self, ancestors: &[(u32, f64)]) -> Result<(), u32> {
        let n = self.n_points();
        if let Some((wrong, _)) = ancestors.iter().find(|(p, _)| *p as usize >= n) {
            return Err(*wrong);
        }
        self.members.iter_mut().for_each(|m| m.lists.add_point(ancestors));
        Ok(())
    }

    /// What has become of all topologies.
    pub fn finish(&self) -> Vec<Changed> {
        let changed = |m: &Member| Changed {
            component: m.component,
            topology: m.lists.after(),
            points: m.lists.points.clone(),
            elements: ElementKind::ALL.map(|kind| m.lists.of(kind).origins.clone()),
        };
        self.members.iter().map(changed).collect()
    }

    /// The topologies as they were.
    pub fn before(&self) -> impl Iterator<Item = (ComponentId, &Topology)> {
        self.members.iter().map(|m| (m.component, m.lists.before()))
    }

    pub(super) fn lists(&self, member: usize) -> &Lists {
        &self.members[member].lists
    }

    fn below(&self, member: usize) -> Vec<(usize, MappingKind)> {
        self.members[member].below.clone()
    }

    /// Removes elements of a member whose numbers descend.
    pub(super) fn remove_from(
        &mut self,
        member: usize,
        kind: ElementKind,
        descending: &[u32],
        isolated: Isolated,
    ) {
        if descending.is_empty() {
            return;
        }
        for (below, mapping) in self.below(member) {
            self.before_removal(member, below, mapping, kind, descending);
        }
        let lists = &self.members[member].lists;
        let mut parts = Vec::new();
        for part_kind in [ElementKind::Triangle, ElementKind::Quad, ElementKind::Edge] {
            let found =
                if isolated.parts { left_alone(lists, kind, part_kind, descending) } else { Vec::new() };
            if !found.is_empty() {
                parts.push((part_kind, found));
            }
        }
        let points = if isolated.points { lonely_points(lists, kind, descending) } else { Vec::new() };
        let list = self.members[member].lists.of_mut(kind);
        descending.iter().for_each(|e| list.swap_remove(*e));
        // Mappings hear of all parts before the first of their lists changes.
        for (below, mapping) in self.below(member) {
            for (part_kind, found) in &parts {
                self.before_removal(member, below, mapping, *part_kind, found);
            }
        }
        for (part_kind, found) in parts {
            let list = self.members[member].lists.of_mut(part_kind);
            found.iter().for_each(|e| list.swap_remove(*e));
        }
        if !points.is_empty() {
            self.remove_points_from(member, &points);
        }
    }

    fn remove_points_from(&mut self, member: usize, descending: &[u32]) {
        for (below, _) in self.below(member) {
            self.remove_points_from(below, descending);
        }
        self.members[member].lists.remove_points(descending);
    }

    /// Adds elements to a member, with their missing faces and edges.
    pub(super) fn add_to(&mut self, member: usize, kind: ElementKind, elements: &[Vec<u32>]) {
        if elements.is_empty() {
            return;
        }
        let lists = &mut self.members[member].lists;
        for part_kind in [ElementKind::Triangle, ElementKind::Quad, ElementKind::Edge] {
            let local = parts_of(kind, part_kind);
            if local.is_empty() {
                continue;
            }
            let mut known: BTreeMap<Key, u32> = lists.of(part_kind).by_nodes();
            for nodes in elements {
                for local in &local {
                    let nodes = part(nodes, local);
                    let n = lists.of(part_kind).len() as u32;
                    known.entry(key(&nodes)).or_insert_with(|| {
                        lists.of_mut(part_kind).push(&nodes);
                        n
                    });
                }
            }
        }
        let first = lists.of(kind).len() as u32;
        elements.iter().for_each(|nodes| lists.of_mut(kind).push(nodes));
        let added: Vec<u32> = (first..first + elements.len() as u32).collect();
        for (below, mapping) in self.below(member) {
            self.after_addition(member, below, mapping, kind, &added);
        }
    }
}

/// The edges or faces that no element of a kind has any more when some go, descending.
fn left_alone(lists: &Lists, kind: ElementKind, part_kind: ElementKind, goes: &[u32]) -> Vec<u32> {
    let local = parts_of(kind, part_kind);
    let parts = lists.of(part_kind);
    if local.is_empty() || parts.len() == 0 {
        return Vec::new();
    }
    let numbers = parts.by_nodes();
    let mut around = vec![0_u32; parts.len()];
    let number = |nodes: &[u32], local: &[usize]| numbers.get(&key(&part(nodes, local))).copied();
    for nodes in lists.of(kind).each() {
        local.iter().filter_map(|l| number(nodes, l)).for_each(|k| around[k as usize] += 1);
    }
    let mut alone = Vec::new();
    for &element in goes {
        for k in local.iter().filter_map(|l| number(lists.of(kind).of(element), l)) {
            around[k as usize] -= 1;
            if around[k as usize] == 0 {
                alone.push(k);
            }
        }
    }
    alone.sort_unstable_by(|a, b| b.cmp(a));
    alone
}

/// The points that no element, but for edges and faces of those of the kind, has any more when some go, descending.
fn lonely_points(lists: &Lists, kind: ElementKind, goes: &[u32]) -> Vec<u32> {
    let mut around = vec![0_u32; lists.points.len()];
    for other in ElementKind::ALL {
        let is_part = !parts_of(kind, other).is_empty() || (other == ElementKind::Edge && other != kind);
        if !is_part {
            lists.of(other).each().flatten().for_each(|p| around[*p as usize] += 1);
        }
    }
    let mut alone = Vec::new();
    for &element in goes {
        for p in lists.of(kind).of(element) {
            around[*p as usize] -= 1;
            if around[*p as usize] == 0 {
                alone.push(*p);
            }
        }
    }
    alone.sort_unstable_by(|a, b| b.cmp(a));
    alone
}
