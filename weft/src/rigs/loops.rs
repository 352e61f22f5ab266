//! The loops inside nodes that were divided, as a table.

use std::fmt::Write;

use animation::rig::{Loop, Rig};

/// Loops that are listed at most.
const LISTED: usize = 30;

/// A line for each loop, the longest first, with the place of its node; none where no node was divided.
pub(super) fn table(rig: &Rig) -> Option<String> {
    let loops = rig.loops();
    if loops.is_empty() {
        return None;
    }
    let us = |ns: f64| ns / 1000.0;
    let mut text = format!(
        "loops inside nodes: {} nodes in {} parts",
        loops.len(),
        loops.iter().map(|l| l.parts).sum::<usize>()
    );
    let _ =
        write!(text, "\n{:>9} {:>6} {:>12} {:>13}  node", "points", "parts", "in all (us)", "longest (us)");
    for Loop { node, kind, points, parts, cost_ns, longest_ns } in loops.iter().take(LISTED) {
        let place = rig.place_of(*node).map_or_else(String::new, |place| format!(", {place}"));
        let (all, longest) = (us(*cost_ns), us(*longest_ns));
        let name = rig.name_of(*node);
        let _ = write!(text, "\n{points:>9} {parts:>6} {all:>12.1} {longest:>13.1}  {name} ({kind}{place})");
    }
    if loops.len() > LISTED {
        let _ = write!(text, "\nand {} more", loops.len() - LISTED);
    }
    Some(text)
}
