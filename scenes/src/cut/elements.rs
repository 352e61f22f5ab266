//! Bodies of finite elements.

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
    let components = || body.node.children.iter().zip(parts);
    Ok(assemble(body, parts, &deal, |piece, node| {
        let own = elements.iter().zip(&pieces.of_element).filter(|(_, p)| **p == piece);
        let own: Vec<&[u32; N]> = own.map(|(e, _)| e).collect();
        let gathered = deal.gather(body, piece, own.iter().copied().flatten().copied().collect());
        let places = own.iter().copied().flatten().map(|p| gathered.place(*p));
        let mut child = Element::node("elements")
            .child(gathered.topology(body).with(kind, numbers(places)))
            .child(gathered.state);
        let fields = components().filter(|(_, p)| matches!(p, Part::PerElement(_)));
        child.children.extend(fields.map(|(e, _)| local(e)));
        node.push(child.child(gathered.mapping));
    }))
}
