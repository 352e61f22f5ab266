//! What was delivered in a frame.

use super::chunk::{Chunk, SELF};
use super::fill::Filled;
use super::layout::Layout;
use crate::event::field::Value;
use crate::graph::NodeKey;

/// One delivery of an event along one route.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// Number of the route: its place among the graph's routes, those that came later behind.
    pub route: u32,
    /// What was delivered.
    pub value: Value,
}

/// The deliveries of a frame, in an order that is the same for every mode, executor, number of workers and fusion: by the node that
/// receives (producers before consumers, then by number), then by route; inside a loop as its cascade ran. What follows after a node has
/// changed the graph in the middle of the frame stands behind what came before.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    /// Number of the frame; the first is 1.
    pub frame: u32,
    /// Its time stamp \[s\].
    pub time: f64,
    /// What was delivered; nothing if the log is off.
    pub deliveries: Vec<Delivery>,
}

/// Calls `visit` with place in the order, route, chunk that sends, and link, for each delivery of a frame that was not noted when it happened.
pub(super) fn unnoted(
    layout: &Layout,
    filled: &Filled,
    chunks: &[&Chunk],
    frame: u32,
    mut visit: impl FnMut(u32, &super::chunk::Link, &Chunk),
) {
    for component in 0..layout.structure.n_components() as u32 {
        for &v in layout.structure.members(component) {
            let home = filled.homes[v as usize];
            let chunk = chunks[home.chunk as usize];
            if chunk.done != frame || chunk.late == frame {
                continue;
            }
            let links = chunk.vertices[home.local as usize].links.clone();
            for link in &chunk.links[links.start as usize..links.end as usize] {
                let from = sender(filled, chunks, home.chunk, link.producer);
                if from.ports.sent(link.slot) == frame {
                    visit(component, link, from);
                }
            }
        }
    }
}

/// The chunk behind a link's producer.
pub(super) fn sender<'a>(filled: &Filled, chunks: &[&'a Chunk], own: u32, producer: u32) -> &'a Chunk {
    let chunk = if producer == SELF { own } else { filled.producers[own as usize][producer as usize] };
    chunks[chunk as usize]
}

/// Appends what was delivered since the last call, in order.
pub(super) fn collect(
    layout: &Layout,
    filled: &Filled,
    chunks: &[&Chunk],
    frame: u32,
    into: &mut Vec<Delivery>,
) {
    debug_assert!(layout.structure.n_components() == 0 || layout.structure.component(NodeKey(0)) < u32::MAX);
    if chunks.iter().all(|chunk| chunk.noted.is_empty()) {
        unnoted(layout, filled, chunks, frame, |_, link, from| {
            let value = from.ports.value(link.slot, link.field_type);
            into.push(Delivery { route: link.route, value });
        });
        return;
    }
    let mut found: Vec<(u32, Delivery)> = Vec::new();
    unnoted(layout, filled, chunks, frame, |order, link, from| {
        let value = from.ports.value(link.slot, link.field_type);
        found.push((order, Delivery { route: link.route, value }));
    });
    for chunk in chunks {
        let noted = chunk.noted.iter();
        found.extend(noted.map(|n| (n.order, Delivery { route: n.route, value: n.value.clone() })));
    }
    // What a loop noted follows what entered it.
    found.sort_by_key(|(order, _)| *order);
    into.extend(found.into_iter().map(|(_, delivery)| delivery));
}
