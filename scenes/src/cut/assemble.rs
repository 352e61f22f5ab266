//! The element tree of a body that is cut.

use partition::{CutError, MeshPieces, cut_mesh};
use sim_core::math::Vec3;

use super::part::{Body, Part};
use crate::element::{Element, numbers};

/// What the states of pieces are called.
const STATE: &str = "points";

/// A mesh and its pieces.
pub(super) struct Cut<'a, const N: usize> {
    /// What a topology calls the elements.
    kind: &'static str,
    elements: &'a [[u32; N]],
    pieces: MeshPieces,
    /// The points of each piece, ascending.
    members: Vec<Vec<u32>>,
    /// The place of each point in its piece.
    place: Vec<u32>,
}

impl<'a, const N: usize> Cut<'a, N> {
    /// Cuts a mesh of so many points, whose elements are neighbors if they have `common` of them in common.
    pub fn new(
        kind: &'static str,
        elements: &'a [[u32; N]],
        common: usize,
        points: usize,
        n: usize,
    ) -> Result<Self, CutError> {
        let pieces = cut_mesh(elements, points, common, n)?;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut place = Vec::with_capacity(points);
        for (point, piece) in pieces.of_point.iter().enumerate() {
            let list = &mut members[*piece as usize];
            place.push(list.len() as u32);
            list.push(point as u32);
        }
        Ok(Self { kind, elements, pieces, members, place })
    }
}

/// The node of the body with a child per piece, and with the whole state, mapped from the pieces, where it is needed.
pub(super) fn assemble<const N: usize>(body: &Body<'_>, parts: &[Part], cut: &Cut<'_, N>) -> Element {
    let components = || body.node.children.iter().zip(parts);
    let whole = body.named_elsewhere || parts.iter().any(|p| matches!(p, Part::NeedsWhole));
    let mut node = Element { children: Vec::new(), ..body.node.clone() };
    let stays = |p: &Part| match p {
        Part::Stays => true,
        Part::WithWhole | Part::NeedsWhole => whole,
        Part::PerPoint | Part::Indexed(_) | Part::PerElement(_) => false,
    };
    node.children.extend(components().filter(|(_, p)| stays(p)).map(|(e, _)| e.clone()));
    if whole {
        let links: Vec<String> = (0..cut.pieces.n).map(|p| format!("@piece{p}/{STATE}")).collect();
        let pairs = cut.pieces.of_point.iter().zip(&cut.place).flat_map(|(piece, place)| [*piece, *place]);
        node.push(gather(links, numbers(pairs)));
    }
    for (piece, points) in cut.members.iter().enumerate() {
        let mut child = Element::node(&format!("piece{piece}")).child(state(body, STATE, points));
        for (e, part) in components() {
            match part {
                Part::PerPoint => child.push(share_of_mass(e, body.state.position.len())),
                Part::Indexed(indices) => {
                    let own = indices.iter().filter(|i| cut.pieces.of_point[**i as usize] as usize == piece);
                    let own: Vec<u32> = own.map(|i| cut.place[*i as usize]).collect();
                    if !own.is_empty() {
                        child.push(local(e).with("indices", numbers(own)));
                    }
                }
                _ => {}
            }
        }
        let fields: Vec<Element> =
            components().filter(|(_, p)| matches!(p, Part::PerElement(_))).map(|(e, _)| local(e)).collect();
        child.push(elements(body, cut, piece as u32, fields));
        node.push(child);
    }
    node
}

/// A component without links to what the body as a whole has.
fn local(e: &Element) -> Element {
    let mut e = e.clone();
    e.attributes.retain(|a| a.name != "topology");
    e
}

/// A state of some of the body's points.
fn state(body: &Body<'_>, name: &str, points: &[u32]) -> Element {
    let list = |all: &[Vec3]| numbers(points.iter().flat_map(|p| all[*p as usize].data.0[0]));
    let s = body.state;
    let mut e = Element::new("MechanicalObject").with("name", name).with("position", list(&s.position));
    if s.rest_position != s.position {
        e = e.with("rest_position", list(&s.rest_position));
    }
    if s.velocity.iter().any(|v| *v != Vec3::zeros()) {
        e = e.with("velocity", list(&s.velocity));
    }
    e
}

/// The mass of each point, where that of all together is given; one kilogram, where nothing is.
fn share_of_mass(e: &Element, n_points: usize) -> Element {
    let mut e = local(e);
    let total: Option<f64> = e.get("totalMass").and_then(|t| t.trim().parse().ok());
    if let Some(total) = total.or(e.get("vertexMass").is_none().then_some(1.0)) {
        e.attributes.retain(|a| a.name != "totalMass");
        e = e.with("vertexMass", total / n_points as f64);
    }
    e
}

fn gather(inputs: Vec<String>, pairs: String) -> Element {
    Element::new("SubsetMultiMapping")
        .with("input", inputs.join(" "))
        .with("indexPairs", pairs)
        .with("applyRestPosition", 1)
}

/// The node of a piece's elements, on a state that gathers their points.
fn elements<const N: usize>(body: &Body<'_>, cut: &Cut<'_, N>, piece: u32, fields: Vec<Element>) -> Element {
    let own = cut.elements.iter().zip(&cut.pieces.of_element).filter(|(_, p)| **p == piece);
    let own: Vec<&[u32; N]> = own.map(|(e, _)| e).collect();
    let mut points: Vec<u32> = own.iter().copied().flatten().copied().collect();
    let owner = |p: &u32| cut.pieces.of_point[*p as usize];
    // The piece itself first: what is gathered belongs to its object. Its points follow each other as in its own state,
    // so that they are copied in one go.
    points.sort_unstable_by_key(|p| (owner(p) != piece, owner(p), *p));
    points.dedup();
    let mut places: Vec<(u32, usize)> = points.iter().enumerate().map(|(place, p)| (*p, place)).collect();
    places.sort_unstable();
    let place = |p: &u32| places.binary_search_by_key(p, |known| known.0).map_or(0, |k| places[k].1);
    let mut inputs: Vec<u32> = [piece].into_iter().chain(points.iter().map(owner)).collect();
    inputs.dedup();
    let input = |p: u32| inputs.iter().position(|i| *i == p).unwrap_or(0);
    let links = inputs.iter().map(|p| format!("@../../piece{p}/{STATE}")).collect();
    let pairs = points.iter().flat_map(|p| [input(owner(p)), cut.place[*p as usize] as usize]);
    let mut node = Element::node("elements")
        .child(
            Element::new("MeshTopology")
                .with("name", "mesh")
                .with("position", state(body, "", &points).get("position").unwrap_or_default())
                .with(cut.kind, numbers(own.iter().copied().flatten().map(place))),
        )
        .child(state(body, "gathered", &points));
    node.children.extend(fields);
    node.child(gather(links, numbers(pairs)))
}
