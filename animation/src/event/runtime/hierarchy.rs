//! The hierarchy of MCEE: instances of prototypes and inlined files have event flow vectors of their own.
//!
//! A context (the main file, an instance, an inlined file) has an element for each of its levels: its own nodes in a parallel batch, then the
//! contexts in it at that level, one after the other, each with all workers. A context is evaluated at once, so it is where it stands as
//! one node would be. Where the graph around it runs through it in a circle, that would lose events: such a context is looked through, and its
//! nodes are those of the context around it. Gates end a segment of the whole graph, and contexts are cut there.
//!
//! **Source:** *MCEE*, Web3D 2013, sections 3.4 and 4: adjacent and enclosed animation contexts, the hierarchical batch.

use std::collections::BTreeMap;

use super::places::NONE;
use super::vertex::Vertex;
use crate::event::ids::ContextId;
use crate::event::scene::EventScene;
use crate::graph::{Graph, NodeKey, Port, Structure};

/// By component: the number of its batch; a batch waits for those of smaller numbers only.
pub(super) fn ranks(
    order: &Structure,
    vertices: &[Vertex],
    scene: &EventScene,
    segments: &[u32],
    reaches: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let n = order.n_components() as u32;
    let mut hierarchy = Hierarchy { order, ranks: vec![NONE; n as usize], next: 0 };
    let mut of_segment: BTreeMap<u32, (Vec<Member>, Vec<u32>)> = BTreeMap::new();
    for c in 0..n {
        let (members, gates) = of_segment.entry(segments[c as usize]).or_default();
        if reaches(c) {
            gates.push(c);
        } else {
            let contexts =
                order.members(c).iter().map(|&v| path(scene, scene.node(vertices[v as usize].node).context));
            let path = contexts.reduce(|a, b| common(&a, &b)).unwrap_or_default();
            members.push(Member { component: c, path });
        }
    }
    for (members, gates) in of_segment.into_values() {
        hierarchy.context(members);
        for &gate in &gates {
            hierarchy.ranks[gate as usize] = hierarchy.next;
        }
        hierarchy.next += u32::from(!gates.is_empty());
    }
    hierarchy.ranks
}

/// A component, and the contexts that it stands in below the present one, the innermost last.
struct Member {
    component: u32,
    path: Vec<u32>,
}

/// The contexts around a context and itself, from outside, without the main file.
fn path(scene: &EventScene, context: ContextId) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = Some(context);
    while let Some(context) = at {
        at = scene.contexts.get(context.0 as usize).and_then(|c| c.parent);
        if at.is_some() {
            path.push(context.0);
        }
    }
    path.reverse();
    path
}

/// What two paths have in common: a circle across a border belongs to the context around it.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().zip(b).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

struct Hierarchy<'a> {
    order: &'a Structure,
    ranks: Vec<u32>,
    next: u32,
}

impl Hierarchy<'_> {
    /// Numbers the batches of a context, and of those in it.
    fn context(&mut self, members: Vec<Member>) {
        // Files nest as deep as they like: no recursion.
        let mut open = vec![members];
        while let Some(members) = open.pop() {
            let mut elements = self.elements(members);
            if let [element] = &mut elements[..]
                && element.inner.is_empty()
            {
                self.batch(&element.own);
                continue;
            }
            // The last that is put is the first that is taken.
            for element in elements.into_iter().rev() {
                open.extend(element.inner.into_iter().rev());
                if !element.own.is_empty() {
                    let own = element.own.into_iter();
                    open.push(own.map(|component| Member { component, path: Vec::new() }).collect());
                }
            }
        }
    }

    fn batch(&mut self, components: &[u32]) {
        for &c in components {
            self.ranks[c as usize] = self.next;
        }
        self.next += u32::from(!components.is_empty());
    }

    /// The event flow vector of a context.
    fn elements(&self, mut members: Vec<Member>) -> Vec<Element> {
        loop {
            // Units: components of the context itself, and contexts in it.
            let mut graph = Graph::new();
            let mut unit_of: BTreeMap<u32, NodeKey> = BTreeMap::new();
            let mut contexts: BTreeMap<u32, NodeKey> = BTreeMap::new();
            for member in &members {
                let unit = match member.path.first() {
                    Some(&context) => *contexts.entry(context).or_insert_with(|| graph.add_node()),
                    None => graph.add_node(),
                };
                unit_of.insert(member.component, unit);
            }
            for member in &members {
                let to = unit_of[&member.component];
                for from in self.order.before(member.component).iter().filter_map(|b| unit_of.get(b)) {
                    if *from != to {
                        graph.connect(Port { node: *from, port: 0 }, Port { node: to, port: 0 });
                    }
                }
            }
            let levels = Structure::of(&graph);
            let is_circle = |unit: NodeKey| levels.is_cycle(levels.component(unit));
            if levels.cycles().next().is_some() {
                // Components alone have no circles: a context is in each.
                for member in &mut members {
                    if !member.path.is_empty() && is_circle(unit_of[&member.component]) {
                        member.path.remove(0);
                    }
                }
                continue;
            }
            let mut elements: Vec<Element> = (0..levels.n_levels()).map(|_| Element::default()).collect();
            let mut inner: BTreeMap<u32, (u32, Vec<Member>)> = BTreeMap::new();
            for mut member in members {
                let level = levels.level(levels.component(unit_of[&member.component]));
                if member.path.is_empty() {
                    elements[level as usize].own.push(member.component);
                } else {
                    let context = member.path.remove(0);
                    inner.entry(context).or_insert((level, Vec::new())).1.push(member);
                }
            }
            for (level, members) in inner.into_values() {
                elements[level as usize].inner.push(members);
            }
            return elements;
        }
    }
}

/// An element of an event flow vector.
#[derive(Default)]
struct Element {
    /// Its parallel batch.
    own: Vec<u32>,
    /// Its hierarchical batch: what stands in each context.
    inner: Vec<Vec<Member>>,
}
