//! Bodies of finite elements.
//!
//! An element whose points are all of one piece acts on the state of that piece. Those that reach into another piece act on a state that gathers
//! their points: few, so that little is copied.

use partition::{CutError, cut_mesh};

use super::assemble::assemble;
use super::deal::{Deal, local};
use super::part::{Body, Part};
use crate::element::{Element, numbers};

/// The body with its elements dealt out; they are neighbors if they have `common` points in common, and `kind` is what a topology
/// calls them.
pub(super) fn cut_elements<const N: usize>(
    body: &Body<'_>,
    parts: &[Part],
    (kind, elements, common): (&str, &[[u32; N]], usize),
    n: usize,
) -> Result<Element, CutError> {
    let pieces = cut_mesh(elements, body.state.position.len(), common, n)?;
    let deal = Deal::new(pieces.of_point, n);
    let fields = || {
        let all = body.node.children.iter().zip(parts);
        all.filter(|(_, p)| matches!(p, Part::PerElement(_))).map(|(e, _)| local(e))
    };
    // The elements of each piece: those within it, and those that reach out of it.
    let mut dealt: Vec<[Vec<&[u32; N]>; 2]> = vec![Default::default(); n];
    for (element, owner) in elements.iter().zip(&pieces.of_element) {
        let reaches_out = element.iter().any(|p| deal.of_point[*p as usize] != *owner);
        dealt[*owner as usize][usize::from(reaches_out)].push(element);
    }
    Ok(assemble(body, parts, &deal, |piece, node| {
        let [within, out] = &dealt[piece as usize];
        let listed = |elements: &[&[u32; N]], place: &dyn Fn(u32) -> usize| {
            numbers(elements.iter().copied().flatten().map(|p| place(*p)))
        };
        if !within.is_empty() {
            let places = listed(within, &|p| deal.place[p as usize] as usize);
            node.push(deal.own_topology(body, piece as usize).with(kind, places));
            node.children.extend(fields());
        }
        if !out.is_empty() {
            let gathered = deal.gather(body, piece, out.iter().copied().flatten().copied().collect());
            let places = listed(out, &|p| gathered.place(p));
            let mut seam =
                Element::node("seam").child(gathered.topology(body).with(kind, places)).child(gathered.state);
            seam.children.extend(fields());
            node.push(seam.child(gathered.mapping));
        }
    }))
}
