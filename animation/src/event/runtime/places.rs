//! Which fields of a graph change: the ends of its routes, seen through aliases.

use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::{EventScene, Route};

/// A field of a node.
pub(super) type Field = (NodeId, FieldId);

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// A number for each field of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldTable {
    begins: Vec<u32>,
    values: Vec<u32>,
}

impl FieldTable {
    /// A table that says [`NONE`] of each field.
    pub fn of(scene: &EventScene) -> Self {
        let mut begins = Vec::with_capacity(scene.nodes.len() + 1);
        let mut end = 0;
        begins.push(0);
        for node in &scene.nodes {
            end += node.node_type.fields.len() as u32;
            begins.push(end);
        }
        Self { begins, values: vec![NONE; end as usize] }
    }

    /// The number of a field.
    pub fn get(&self, (node, field): Field) -> u32 {
        match self.begins.get(node.0 as usize..node.0 as usize + 2) {
            Some(&[begin, end]) if field.0 < end - begin => self.values[(begin + field.0) as usize],
            _ => NONE,
        }
    }

    /// Gives a field its number.
    pub fn set(&mut self, (node, field): Field, value: u32) {
        let at = self.begins[node.0 as usize] + field.0;
        self.values[at as usize] = value;
    }
}

/// The `IS` of a graph: which fields of bodies are a field of an instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    /// Sorted by the field of the instance.
    sorted: Vec<(Field, Field)>,
}

impl Aliases {
    pub fn of(scene: &EventScene) -> Self {
        let mut sorted: Vec<_> = scene.aliases.iter().map(|a| (a.outer, a.inner)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Self { sorted }
    }

    fn inner(&self, outer: Field) -> &[(Field, Field)] {
        let begin = self.sorted.partition_point(|a| a.0 < outer);
        let n = self.sorted[begin..].iter().take_while(|a| a.0 == outer).count();
        &self.sorted[begin..begin + n]
    }

    /// The fields that a field stands for, through as many borders as there are: itself if it has no `IS`. `wanted` says which count.
    pub fn leaves(&self, field: Field, wanted: impl Fn(Field) -> bool, leaves: &mut Vec<Field>) {
        leaves.clear();
        if self.inner(field).is_empty() {
            leaves.push(field);
            return;
        }
        let (mut open, mut seen) = (vec![field], vec![field]);
        while let Some(outer) = open.pop() {
            let inner = self.inner(outer);
            if inner.is_empty() && wanted(outer) {
                leaves.push(outer);
            }
            for &(_, inner) in inner.iter().rev() {
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
}

/// The ways of all routes, in the order of routes.
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
            ways.extend(targets.iter().filter(fits).map(|&to| Way { route: k, from, to }));
        }
    }
    ways
}
