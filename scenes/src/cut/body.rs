//! One body, from its node to the node with its pieces.

use super::assemble::{Cut, assemble};
use super::part::{Body, NotCut, Part, Shape, part};
use crate::element::Element;
use crate::pieces::Pieces;
use crate::registry::Registry;

/// The node of a body, cut.
///
/// # Errors
/// Where it cannot be cut, or need not be.
pub(super) fn cut_body(body: &Body<'_>, registry: &Registry, pieces: Pieces) -> Result<Element, NotCut> {
    let parts: Vec<Result<Part, NotCut>> =
        body.node.children.iter().map(|c| part(c, registry, body)).collect();
    if !parts.iter().any(|p| matches!(p, Ok(Part::PerElement(_)))) {
        return Err(NotCut::NoElements);
    }
    let parts: Vec<Part> = parts.into_iter().collect::<Result<_, _>>()?;
    let shapes = || parts.iter().filter_map(|p| if let Part::PerElement(s) = p { Some(*s) } else { None });
    let shape = shapes().next().ok_or(NotCut::NoElements)?;
    if shapes().any(|s| s != shape) {
        return Err(NotCut::Component {
            component: "the force fields".to_owned(),
            reason: "their elements are of two kinds",
        });
    }
    let points = body.state.position.len();
    let n = pieces.count(points);
    if n == 1 {
        return Err(NotCut::Small);
    }
    let t = body.topology;
    match shape {
        Shape::Tetrahedra => {
            Ok(assemble(body, &parts, &Cut::new("tetrahedra", &t.tetrahedra, 3, points, n)?))
        }
        Shape::Hexahedra => Ok(assemble(body, &parts, &Cut::new("hexahedra", &t.hexahedra, 4, points, n)?)),
    }
}
