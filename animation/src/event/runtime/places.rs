//! Which fields of a graph change: the ends of its routes, seen through aliases.

use std::collections::BTreeSet;

use super::slot::Slot;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::{EventScene, Route};

/// A field of a node.
pub(super) type Field = (NodeId, FieldId);

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// Where a component stands in the order of deliveries: its level, and its smallest vertex's node and field.
pub(super) type Place = (u32, u32, u32);

/// A vertex: its part, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub part: u32,
    pub vertex: u32,
}

/// Where a vertex is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    pub chunk: u32,
    /// Its number among the chunk's vertices.
    pub local: u32,
    /// Its value, or the first of its node's fields.
    pub slot: Slot,
}

/// The vertex of each field of a graph that has one.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldTable {
    begins: Vec<u32>,
    spots: Vec<Spot>,
}

const NOWHERE: Spot = Spot { part: NONE, vertex: NONE };

impl FieldTable {
    /// Makes room for nodes that have come.
    pub fn grow(&mut self, scene: &EventScene) {
        if self.begins.is_empty() {
            self.begins.push(0);
        }
        let known = self.begins.len() - 1;
        let mut end = self.spots.len() as u32;
        for node in &scene.nodes[known..] {
            end += node.node_type.fields.len() as u32;
            self.begins.push(end);
        }
        self.spots.resize(end as usize, NOWHERE);
    }

    /// The vertex of a field.
    pub fn get(&self, (node, field): Field) -> Option<Spot> {
        match self.begins.get(node.0 as usize..node.0 as usize + 2) {
            Some(&[begin, end]) if field.0 < end - begin => {
                Some(self.spots[(begin + field.0) as usize]).filter(|spot| *spot != NOWHERE)
            }
            _ => None,
        }
    }

    /// Gives a field its vertex, or none.
    pub fn set(&mut self, (node, field): Field, spot: Option<Spot>) {
        let at = self.begins[node.0 as usize] + field.0;
        self.spots[at as usize] = spot.unwrap_or(NOWHERE);
    }
}

/// The `IS` of a graph: which fields of bodies are a field of an instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    /// By the field of the instance.
    pairs: BTreeSet<(Field, Field)>,
    /// How many of the graph's are among them.
    known: usize,
}

impl Aliases {
    /// Takes in those that have come.
    pub fn grow(&mut self, scene: &EventScene) {
        self.pairs.extend(scene.aliases[self.known..].iter().map(|a| (a.outer, a.inner)));
        self.known = scene.aliases.len();
    }

    fn inner(&self, outer: Field) -> impl DoubleEndedIterator<Item = Field> + '_ {
        const LEAST: Field = (NodeId(0), FieldId(0));
        const MOST: Field = (NodeId(u32::MAX), FieldId(u32::MAX));
        self.pairs.range((outer, LEAST)..=(outer, MOST)).map(|pair| pair.1)
    }

    /// The fields that a field stands for, through as many borders as there are: itself if it has no `IS`. `wanted` says which count.
    pub fn leaves(&self, field: Field, wanted: impl Fn(Field) -> bool, leaves: &mut Vec<Field>) {
        leaves.clear();
        if self.inner(field).next().is_none() {
            leaves.push(field);
            return;
        }
        let (mut open, mut seen) = (vec![field], vec![field]);
        while let Some(outer) = open.pop() {
            if self.inner(outer).next().is_none() && wanted(outer) {
                leaves.push(outer);
            }
            for inner in self.inner(outer).rev() {
                // A border that leads back to itself is a mistake of the file; it ends here.
                if !seen.contains(&inner) {
                    seen.push(inner);
                    open.push(inner);
                }
            }
        }
    }

    /// The field whose value is that of a field.
    pub fn first(&self, field: Field) -> Field {
        let mut leaves = Vec::new();
        self.leaves(field, |_| true, &mut leaves);
        leaves.first().copied().unwrap_or(field)
    }
}

/// A route between two fields that are nobody's border.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub route: u32,
    pub from: Field,
    pub to: Field,
    /// The vertices of its ends, by number in their region or part.
    pub sender: u32,
    pub receiver: u32,
}

/// The ways of some routes, in the order of routes.
pub(super) fn ways<'a>(
    scene: &EventScene,
    routes: impl Iterator<Item = (u32, &'a Route)>,
    aliases: &Aliases,
    is_there: impl Fn(NodeId) -> bool,
) -> Vec<Way> {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    let mut ways = Vec::new();
    for (k, route) in routes {
        aliases.leaves(route.from, |f| is_there(f.0) && scene.field(f).access.sends(), &mut sources);
        aliases.leaves(route.to, |f| is_there(f.0) && scene.field(f).access.receives(), &mut targets);
        for &from in &sources {
            // A prototype may say that a field is one of another type; no value could travel.
            let fits = |to: &&Field| scene.field(**to).field_type == scene.field(from).field_type;
            ways.extend(targets.iter().filter(fits).map(|&to| Way {
                route: k,
                from,
                to,
                sender: NONE,
                receiver: NONE,
            }));
        }
    }
    ways
}
