//! Which points each piece has.

use sim_core::math::Vec3;

use super::part::Body;
use crate::element::{Element, numbers};

/// What the states of pieces are called.
const STATE: &str = "points";

/// The points of a body, dealt out to its pieces.
pub(super) struct Deal {
    /// Number of pieces.
    pub n: usize,
    /// The piece of each point.
    pub of_point: Vec<u32>,
    /// The points of each piece, ascending.
    pub members: Vec<Vec<u32>>,
    /// The place of each point in its piece.
    pub place: Vec<u32>,
}

/// A state that gathers points from the pieces that own them.
pub(super) struct Gathered {
    /// Its points, and where each stands, sorted by point.
    places: Vec<(u32, usize)>,
    /// Its points in their order.
    points: Vec<u32>,
    /// The state, and the mapping from the pieces.
    pub state: Element,
    /// See there.
    pub mapping: Element,
}

impl Deal {
    /// From the piece of each point.
    pub fn new(of_point: Vec<u32>, n: usize) -> Self {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut place = Vec::with_capacity(of_point.len());
        for (point, piece) in of_point.iter().enumerate() {
            let list = &mut members[*piece as usize];
            place.push(list.len() as u32);
            list.push(point as u32);
        }
        Self { n, of_point, members, place }
    }

    /// The state of a piece.
    pub fn own_state(&self, body: &Body<'_>, piece: usize) -> Element {
        state(body, STATE, &self.members[piece])
    }

    /// A topology of a piece's points, without elements.
    pub fn own_topology(&self, body: &Body<'_>, piece: usize) -> Element {
        topology(body, &self.members[piece])
    }

    /// The mapping by which the body keeps its whole state.
    pub fn whole(&self) -> Element {
        let links: Vec<String> = (0..self.n).map(|p| format!("@piece{p}/{STATE}")).collect();
        let pairs = self.of_point.iter().zip(&self.place).flat_map(|(piece, place)| [*piece, *place]);
        mapping(links, numbers(pairs))
    }

    /// Some points, in the node of which `piece` is the parent.
    pub fn gather(&self, body: &Body<'_>, piece: u32, mut points: Vec<u32>) -> Gathered {
        let owner = |p: &u32| self.of_point[*p as usize];
        // The piece itself first: what is gathered belongs to its object. Its points follow each other as in its own state,
        // so that they are copied in one go.
        points.sort_unstable_by_key(|p| (owner(p) != piece, owner(p), *p));
        points.dedup();
        let mut places: Vec<(u32, usize)> = points.iter().enumerate().map(|(place, p)| (*p, place)).collect();
        places.sort_unstable();
        let mut inputs: Vec<u32> = [piece].into_iter().chain(points.iter().map(owner)).collect();
        inputs.dedup();
        let input = |p: u32| inputs.iter().position(|i| *i == p).unwrap_or(0);
        let links = inputs.iter().map(|p| format!("@../../piece{p}/{STATE}")).collect();
        let pairs = points.iter().flat_map(|p| [input(owner(p)), self.place[*p as usize] as usize]);
        let mapping = mapping(links, numbers(pairs));
        Gathered { places, state: state(body, "gathered", &points), mapping, points }
    }
}

impl Gathered {
    /// Where a point stands.
    pub fn place(&self, point: u32) -> usize {
        self.places.binary_search_by_key(&point, |known| known.0).map_or(0, |k| self.places[k].1)
    }

    /// A topology of these points, without elements.
    pub fn topology(&self, body: &Body<'_>) -> Element {
        topology(body, &self.points)
    }
}

/// A topology of some of the body's points, without elements.
fn topology(body: &Body<'_>, points: &[u32]) -> Element {
    let position = state(body, "", points);
    Element::new("MeshTopology")
        .with("name", "mesh")
        .with("position", position.get("position").unwrap_or_default())
}

/// A component without links to what the body as a whole has.
pub(super) fn local(e: &Element) -> Element {
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

fn mapping(inputs: Vec<String>, pairs: String) -> Element {
    Element::new("SubsetMultiMapping")
        .with("input", inputs.join(" "))
        .with("indexPairs", pairs)
        .with("applyRestPosition", 1)
}
