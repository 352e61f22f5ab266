//! The elements of a topology in a form in which they can be changed: lists by kind, each element with where it came from.

use std::collections::BTreeMap;

use sim_core::renumbering::{ElementKind, NEW, PointOrigin};
use sim_core::topology::Topology;

use crate::topology::derive::{
    EDGES_IN_HEXAHEDRON, EDGES_IN_QUAD, EDGES_IN_TETRAHEDRON, EDGES_IN_TRIANGLE, FACES_OF_HEXAHEDRON,
    FACES_OF_TETRAHEDRON,
};

/// The nodes of an edge or face in ascending order, filled up: equal for elements on the same nodes.
pub(super) type Key = [u32; 4];

/// The elements of one kind.
#[derive(Clone, Debug)]
pub(super) struct List {
    width: usize,
    nodes: Vec<u32>,
    /// The number that each had before the change; [`NEW`] for a new one.
    pub(super) origins: Vec<u32>,
}

impl List {
    fn new<const N: usize>(elements: &[[u32; N]]) -> Self {
        let nodes = elements.as_flattened().to_vec();
        Self { width: N, nodes, origins: (0..elements.len() as u32).collect() }
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    /// The nodes of an element.
    pub(super) fn of(&self, element: u32) -> &[u32] {
        &self.nodes[element as usize * self.width..][..self.width]
    }

    /// All elements.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.nodes.chunks_exact(self.width)
    }

    /// A new one, the last.
    pub(super) fn push(&mut self, nodes: &[u32]) {
        self.nodes.extend_from_slice(nodes);
        self.origins.push(NEW);
    }

    /// Takes an element out, whose number the last one gets.
    pub(super) fn swap_remove(&mut self, element: u32) {
        let (at, last) = (element as usize, self.len() - 1);
        self.nodes.copy_within(last * self.width.., at * self.width);
        self.nodes.truncate(last * self.width);
        self.origins.swap_remove(at);
    }

    /// The first element of each set of nodes; of edges and faces.
    pub(super) fn by_nodes(&self) -> BTreeMap<Key, u32> {
        let mut found = BTreeMap::new();
        for (nodes, k) in self.each().zip(0..) {
            found.entry(key(nodes)).or_insert(k);
        }
        found
    }

    fn rows<const N: usize>(&self) -> Vec<[u32; N]> {
        self.nodes.as_chunks::<N>().0.to_vec()
    }
}

/// The set of nodes of an edge or face.
pub(super) fn key(nodes: &[u32]) -> Key {
    let mut key = [u32::MAX; 4];
    key[..nodes.len()].copy_from_slice(nodes);
    key.sort_unstable();
    key
}

/// The nodes of the edges or faces of an element, by local numbers, faces outward; none where it has none of the kind.
pub(super) fn parts_of(kind: ElementKind, part: ElementKind) -> Vec<&'static [usize]> {
    fn rows<const N: usize>(local: &'static [[usize; N]]) -> Vec<&'static [usize]> {
        local.iter().map(<[usize; N]>::as_slice).collect()
    }
    match (kind, part) {
        (ElementKind::Triangle, ElementKind::Edge) => rows(&EDGES_IN_TRIANGLE),
        (ElementKind::Quad, ElementKind::Edge) => rows(&EDGES_IN_QUAD),
        (ElementKind::Tetrahedron, ElementKind::Edge) => rows(&EDGES_IN_TETRAHEDRON),
        (ElementKind::Hexahedron, ElementKind::Edge) => rows(&EDGES_IN_HEXAHEDRON),
        (ElementKind::Tetrahedron, ElementKind::Triangle) => rows(&FACES_OF_TETRAHEDRON),
        (ElementKind::Hexahedron, ElementKind::Quad) => rows(&FACES_OF_HEXAHEDRON),
        _ => Vec::new(),
    }
}

/// The nodes of one part of an element.
pub(super) fn part(nodes: &[u32], local: &[usize]) -> Vec<u32> {
    local.iter().map(|k| nodes[*k]).collect()
}

/// The points and elements of one topology while it changes.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    before: Topology,
    lists: [List; 5],
    /// Where each point comes from.
    pub(super) points: Vec<PointOrigin>,
}

impl Lists {
    pub(super) fn new(topology: &Topology) -> Self {
        let t = topology;
        Self {
            lists: [
                List::new(&t.edges),
                List::new(&t.triangles),
                List::new(&t.quads),
                List::new(&t.tetrahedra),
                List::new(&t.hexahedra),
            ],
            points: (0..t.n_points as u32).map(PointOrigin::Kept).collect(),
            before: topology.clone(),
        }
    }

    /// The topology before the change.
    pub(super) fn before(&self) -> &Topology {
        &self.before
    }

    pub(super) fn of(&self, kind: ElementKind) -> &List {
        &self.lists[kind as usize]
    }

    pub(super) fn of_mut(&mut self, kind: ElementKind) -> &mut List {
        &mut self.lists[kind as usize]
    }

    /// Takes points out, one after the other: the last one gets the number of each.
    ///
    /// What still names one of them goes too: the diagonals of a grid's faces among the edges of its hexahedra.
    pub(super) fn remove_points(&mut self, descending: &[u32]) {
        let mut goes = vec![false; self.points.len()];
        descending.iter().for_each(|p| goes[*p as usize] = true);
        for list in &mut self.lists {
            for element in (0..list.len() as u32).rev() {
                if list.of(element).iter().any(|p| goes[*p as usize]) {
                    list.swap_remove(element);
                }
            }
        }
        let mut slots: Vec<u32> = (0..self.points.len() as u32).collect();
        for &point in descending {
            slots.swap_remove(point as usize);
            self.points.swap_remove(point as usize);
        }
        let mut now = vec![NEW; slots.len() + descending.len()];
        slots.iter().zip(0..).for_each(|(old, k)| now[*old as usize] = k);
        for list in &mut self.lists {
            list.nodes.iter_mut().for_each(|n| *n = now[*n as usize]);
        }
    }

    /// A point more, between others that are there.
    pub(super) fn add_point(&mut self, ancestors: &[(u32, f64)]) {
        let mut of: Vec<(u32, f64)> = Vec::new();
        for (ancestor, weight) in ancestors {
            match &self.points[*ancestor as usize] {
                PointOrigin::Kept(old) => of.push((*old, *weight)),
                PointOrigin::Mean(further) => of.extend(further.iter().map(|(old, w)| (*old, w * weight))),
            }
        }
        self.points.push(PointOrigin::Mean(of));
    }

    /// The topology after the change.
    pub(super) fn after(&self) -> Topology {
        let [edges, triangles, quads, tetrahedra, hexahedra] = &self.lists;
        let t = &self.before;
        let points = if t.points.is_empty() {
            Vec::new()
        } else {
            sim_core::renumbering::renumbered_coords(&self.points, &t.points)
        };
        Topology {
            n_points: self.points.len(),
            points,
            edges: edges.rows(),
            triangles: triangles.rows(),
            quads: quads.rows(),
            tetrahedra: tetrahedra.rows(),
            hexahedra: hexahedra.rows(),
            ..Topology::empty(t.kind)
        }
    }
}
