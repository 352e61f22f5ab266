//! What was delivered in a frame.

use super::chunk::{Chunk, Link, SELF};
pub use super::delivery::Delivery;
use super::layout::Layout;
use super::places::Place;

/// The deliveries of a frame, in an order that is the same for every mode, executor, number of workers and fusion: by the node that
/// receives (producers before consumers, then by number), then by route; inside a loop as its cascade ran. What follows after a node has
/// changed the graph in the middle of the frame stands behind what came before.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    /// Number of the frame; the first is 1.
    pub frame: u32,
    /// Its time stamp \[s\].
    pub time: f64,
    /// How many of the deliveries come before the frame: of what nodes sent when they began.
    pub n_before: usize,
    /// What was delivered; nothing if the log is off.
    pub deliveries: Vec<Delivery>,
}

/// Calls `visit` with place in the order, link, and chunk that sends, for each delivery of a frame that was not noted when it happened: those to one
/// place in the order of routes.
pub(super) fn unnoted(
    layout: &Layout,
    chunks: &[&Chunk],
    frame: u32,
    mut visit: impl FnMut(Place, &Link, &Chunk),
) {
    for (_, part) in layout.parts() {
        for home in &part.homes {
            let chunk = chunks[home.chunk as usize];
            if chunk.done != frame || chunk.late == frame {
                continue;
            }
            let vertex = &chunk.vertices[home.local as usize];
            let links = vertex.links.clone();
            for link in &chunk.links[links.start as usize..links.end as usize] {
                let from = sender(layout, chunks, home.chunk, link.producer);
                if from.ports.sent(link.slot) == frame {
                    visit(vertex.order, link, from);
                }
            }
        }
    }
}

/// The chunk behind a link's producer.
pub(super) fn sender<'a>(layout: &Layout, chunks: &[&'a Chunk], own: u32, producer: u32) -> &'a Chunk {
    let chunk = if producer == SELF { own } else { layout.producers[own as usize][producer as usize] };
    chunks[chunk as usize]
}

/// Appends what was delivered since the last call, in order.
pub(super) fn collect(layout: &Layout, chunks: &[&Chunk], frame: u32, into: &mut Vec<Delivery>) {
    let mut found: Vec<(Place, Delivery)> = Vec::new();
    unnoted(layout, chunks, frame, |order, link, from| {
        let value = from.ports.value(link.slot, link.field_type);
        found.push((order, Delivery { route: link.route, value, is_dropped: false }));
    });
    for chunk in chunks {
        found.extend(chunk.noted.iter().map(|n| (n.order, n.delivery.clone())));
    }
    // What a loop noted follows what entered it.
    found.sort_by_key(|(order, _)| *order);
    into.extend(found.into_iter().map(|(_, delivery)| delivery));
}
