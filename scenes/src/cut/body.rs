//! One body, from its node to the node with its pieces.

use super::elements::cut_elements;
use super::part::{Body, NotCut, Part, Shape, part};
use super::pays::pays;
use super::springs::cut_springs;
use crate::element::Element;
use crate::pieces::Pieces;
use crate::registry::Registry;

/// The node of a body, cut.
///
/// # Errors
/// Where it cannot be cut, or need not be.
pub(super) fn cut_body(body: &Body<'_>, registry: &Registry, pieces: Pieces) -> Result<Element, NotCut> {
    let parts: Vec<Result<Part, NotCut>> =
        body.node.children.iter().enumerate().map(|(k, c)| part((k, c), registry, body)).collect();
    let any = |what: fn(&Part) -> bool| parts.iter().flatten().any(what);
    let elements = any(|p| matches!(p, Part::PerElement(_)));
    if !elements && !any(|p| matches!(p, Part::Springs(_))) {
        return Err(NotCut::NoElements);
    }
    let mut parts: Vec<Part> = parts.into_iter().collect::<Result<_, _>>()?;
    if elements {
        // Where elements say what belongs together, springs act on the whole.
        parts.iter_mut().filter(|p| matches!(p, Part::Springs(_))).for_each(|p| *p = Part::NeedsWhole);
    }
    let points = body.state.position.len();
    let n = if elements { pieces.count(points) } else { pieces.count_of_springs(points) };
    if n == 1 || pieces == Pieces::WherePays && !pays(body, &parts, registry) {
        return Err(NotCut::Small);
    }
    let mut shapes = parts.iter().filter_map(|p| if let Part::PerElement(s) = p { Some(*s) } else { None });
    let Some(shape) = shapes.next() else { return Ok(cut_springs(body, &parts, n)?) };
    if shapes.any(|s| s != shape) {
        return Err(NotCut::Component {
            component: "the force fields".to_owned(),
            reason: "their elements are of two kinds",
        });
    }
    let t = body.topology.ok_or(NotCut::NoElements)?;
    Ok(match shape {
        Shape::Tetrahedra => cut_elements(body, &parts, ("tetrahedra", &t.tetrahedra, 3), n)?,
        Shape::Hexahedra => cut_elements(body, &parts, ("hexahedra", &t.hexahedra, 4), n)?,
    })
}
