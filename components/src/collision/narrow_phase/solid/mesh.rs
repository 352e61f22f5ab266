//! Triangles and lines against solids.
//!
//! A solid's corner that several triangles find has one contact, the nearest, by its id; so has a vertex of the mesh. A triangle that
//! meets a solid with an edge or a vertex does so only if the surface bends away from the solid there: else the triangle beyond is nearer.

use sim_core::math::Vec3;

use super::between::RIM;
use super::distinct::Distinct;
use super::patch::{Corner, Patch};
use super::separation::{extent, separation};
use super::support::{Facet, facet};
use super::{Solids, surface};
use crate::collision::narrow_phase::DetectionOutput;
use crate::collision::narrow_phase::elements::{line, triangle};
use crate::collision::solids::{Core, Solid};
use crate::collision::{Element, List, ModelKind, ModelView};

/// How many ids a solid has against meshes: of up to eight facets with eight corners each.
const IDS: u32 = 64;
/// By how much a surface must be bent at an edge, as the sine of an angle, for solids to meet the edge where they lie on the faces beside.
const BENT: f64 = 0.1;
/// What is farther along a direction by less than this share of its distance is as far.
const LEVEL: f64 = 1e-6;

/// Who reports what touches an edge or a corner.
#[derive(Clone, Copy, PartialEq)]
enum Reported {
    /// This element, by a number.
    By(u32),
    /// The element that owns the edge.
    ByOther,
    /// Nobody: the edge is flat.
    Nowhere,
}

impl Reported {
    fn map(self, number: impl FnOnce(u32) -> u32) -> Self {
        if let Self::By(n) = self { Self::By(number(n)) } else { self }
    }
}

/// Which part of an element faces a solid.
enum Facing {
    Face,
    /// Its vertices, by their numbers in the state.
    Edge([u32; 2]),
    Vertex(u32),
}

impl<L: List<DetectionOutput>> Solids<'_, L> {
    /// A triangle or a line and a solid.
    pub(super) fn mesh(&mut self, i: u32, j: u32) {
        let [first, second] = self.models;
        let x = first.positions.points();
        let is_line = first.kind == ModelKind::Line;
        let core =
            if is_line { Core::Segment(line(first, x, i)) } else { Core::Triangle(triangle(first, x, i)) };
        let b = second.solid(j);
        let Some(apart) = separation(&core, &b.core, self.distances.alarm + b.rounding) else { return };
        let mut mesh = Mesh { model: first, x, n: apart.normal, is_line };
        let mut facing = mesh.facing(i);
        let outermost = mesh.is_outermost(i, &facing);
        if !outermost {
            // The solid is nearest, or overlaps least, over the triangle beyond. What of it is over this one, this one pushes.
            let (Core::Triangle(t), false) = (&core, is_line) else { return };
            let normal = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
            let toward = b.core.center() - t[0];
            mesh.n = if normal.dot(&toward) < 0.0 { -normal } else { normal };
            facing = Facing::Face;
        }
        let n = mesh.n;
        let (mine, vertices) = mesh.facet(i, &core, &facing);
        let others = facet(&b.core, &-n);
        let patch = Patch::new(&mine, &others, n, true);
        let ids = Ids::new(j, second.len(), x.len() as u32);
        let size = extent(&core) + extent(&b.core);
        let mut distinct = Distinct::new(size, [&mine, &others]);
        let mut least = f64::INFINITY;
        for spot in patch.spots() {
            let reported = match spot.corner {
                Corner::OfFirst(k) => Reported::By(ids.of_vertex(vertices[k])),
                Corner::OfSecond(k) => Reported::By(ids.of_corner(others.face, k)),
                Corner::Crossing(e, f) => {
                    let ends = [vertices[e], vertices[(e + 1) % mine.len]];
                    mesh.edge(i, ends).map(|edge| ids.of_crossing(i, edge, f))
                }
            };
            if let Reported::By(id) = reported {
                distinct.add(id, *spot);
            }
            // Over a face that is level, what crosses its seams touches the faces beyond as well.
            if reported != Reported::Nowhere || matches!(facing, Facing::Face) {
                least = least.min(spot.gap);
            }
        }
        // The nearest points lie between the corners that stand for a rim, or over an edge that is too flat to count.
        let beside = outermost
            && least > apart.distance + RIM * size
            && !distinct.deepen(apart.points, apart.distance);
        for (id, spot) in distinct.spots() {
            self.push_spot([i, j], id, spot.points, &b, n, spot.gap);
        }
        if beside {
            let id = match facing {
                // Both triangles at an edge report it: of two outputs with one id the nearer stays.
                Facing::Vertex(v) => ids.of_vertex(v),
                Facing::Edge([a, b]) => ids.of_vertex(a.min(b)),
                Facing::Face => ids.of_crossing(i, 0, 0),
            };
            self.push_spot([i, j], id, apart.points, &b, n, apart.distance);
        }
    }

    fn push_spot(
        &mut self,
        elements: [u32; 2],
        id: u32,
        [p, q]: [Vec3; 2],
        solid: &Solid,
        n: Vec3,
        gap: f64,
    ) {
        let q = surface(self.models[1].kind, solid, q, -n);
        self.push(elements, id, [p, q], n, gap - solid.rounding);
    }
}

/// Up to which slope, as the cosine of its angle with the normal, a triangle counts as its edge or vertex that is outermost: seen along
/// the normal it is a line.
const STEEP: f64 = 0.3;

/// The first model; a solid is in direction `n` of it.
struct Mesh<'a> {
    model: &'a ModelView<'a>,
    x: &'a [Vec3],
    n: Vec3,
    is_line: bool,
}

impl Mesh<'_> {
    fn vertices(&self, i: u32) -> [u32; 3] {
        self.model.elements[i as usize].vertices
    }

    /// How much farther toward the solid one vertex is than another, and how far they are from each other [m].
    fn beyond(&self, v: u32, from: u32) -> (f64, f64) {
        let way = self.x[v as usize] - self.x[from as usize];
        (way.dot(&self.n), way.norm())
    }

    fn facing(&self, i: u32) -> Facing {
        let vertices = self.vertices(i);
        let all = if self.is_line { &vertices[..2] } else { &vertices[..] };
        let top = all.iter().fold(all[0], |top, v| if self.beyond(*v, top).0 > 0.0 { *v } else { top });
        let level = |v: &u32| {
            let (up, length) = self.beyond(*v, top);
            up >= -LEVEL * length
        };
        let other = all.iter().find(|v| **v != top && level(v));
        match (all.iter().filter(|v| level(v)).count(), other) {
            (3, _) => Facing::Face,
            (2, Some(other)) => Facing::Edge([top, *other]),
            _ => Facing::Vertex(top),
        }
    }

    /// Whether the surface around what faces the solid bends away from it.
    fn is_outermost(&self, i: u32, facing: &Facing) -> bool {
        if self.is_line {
            // A line between two triangles is theirs, but where they are bent.
            let Some(sides) = self.model.surroundings.sides(i) else { return true };
            let [a, b, _] = self.vertices(i);
            return matches!(facing, Facing::Edge(_)) && self.is_bent(a, b, &mut sides.into_iter());
        }
        match facing {
            Facing::Face => true,
            Facing::Edge([a, b]) => {
                let around = self.model.surroundings.triangles(*a).filter(|t| t.contains(b));
                around.flatten().all(|o| o == *a || o == *b || self.is_below(o, *a))
            }
            Facing::Vertex(v) => {
                self.model.surroundings.triangles(*v).flatten().all(|o| o == *v || self.is_below(o, *v))
            }
        }
    }

    fn is_below(&self, v: u32, from: u32) -> bool {
        let (up, length) = self.beyond(v, from);
        up <= LEVEL * length
    }

    /// Whether an edge between two triangles is bent, and neither leads toward the solid; true of an edge with one.
    fn is_bent(&self, a: u32, b: u32, around: &mut dyn Iterator<Item = [u32; 3]>) -> bool {
        let (mut number, mut bent, mut below) = (0, false, true);
        for t in around {
            number += 1;
            for o in t.into_iter().filter(|o| *o != a && *o != b) {
                let (up, length) = self.beyond(o, a);
                bent |= up < -BENT * length;
                below &= up <= LEVEL * length;
            }
        }
        below && (bent || number < 2)
    }

    /// The facet of an element, and its corners' numbers in the state.
    fn facet(&self, i: u32, core: &Core, facing: &Facing) -> (Facet, [u32; 3]) {
        let (vertices, mut whole) = (self.vertices(i), facet(core, &self.n));
        if whole.len < 3 || whole.normal.dot(&self.n) > STEEP {
            return (whole, vertices);
        }
        let outermost = match *facing {
            Facing::Vertex(v) => [v; 3],
            Facing::Edge([a, b]) => [a, b, b],
            Facing::Face => return (whole, vertices),
        };
        whole.len = if outermost[0] == outermost[1] { 1 } else { 2 };
        for (corner, v) in whole.corners.iter_mut().zip(outermost) {
            *corner = self.x[v as usize];
        }
        (whole, outermost)
    }

    /// The number of an edge of an element by its ends, if what crosses it is reported by this element.
    fn edge(&self, i: u32, ends: [u32; 2]) -> Reported {
        if self.is_line {
            return Reported::By(0);
        }
        const OWNED: [u32; 3] = [Element::EDGE_12, Element::EDGE_23, Element::EDGE_31];
        let (element, [a, b]) = (&self.model.elements[i as usize], ends);
        let is_it = |e: &usize| !ends.contains(&element.vertices[(e + 2) % 3]);
        let Some(e) = (0..3).find(is_it) else { return Reported::Nowhere };
        let mut around = self.model.surroundings.triangles(a).filter(|t| t.contains(&b));
        if self.is_flat(a, b, &mut around) {
            return Reported::Nowhere;
        }
        // Of halves of quadrangles nobody knows who owns what; their diagonals are flat, or nearly.
        let owns = element.has(OWNED[e]) || element.flags & (Element::QUAD_FIRST | Element::QUAD_SECOND) != 0;
        if owns { Reported::By(e as u32) } else { Reported::ByOther }
    }

    /// Whether an edge lies between two triangles that are level: then what is over it is over one of them.
    fn is_flat(&self, a: u32, b: u32, around: &mut dyn Iterator<Item = [u32; 3]>) -> bool {
        let (mut number, mut level) = (0, true);
        for t in around {
            number += 1;
            for o in t.into_iter().filter(|o| *o != a && *o != b) {
                let (up, length) = self.beyond(o, a);
                level &= up.abs() <= BENT * length;
            }
        }
        level && number > 1
    }
}

/// The ids of contacts between a mesh and a solid, which wrap where there are very many.
struct Ids {
    solid: u32,
    solids: u32,
    /// Where those of vertices begin.
    vertices: u32,
    /// Where those of edges begin.
    edges: u32,
}

impl Ids {
    fn new(solid: u32, solids: u32, n_vertices: u32) -> Self {
        let vertices = solids.wrapping_mul(IDS);
        Self { solid, solids, vertices, edges: vertices.wrapping_add(n_vertices.wrapping_mul(solids)) }
    }

    fn of_corner(&self, face: u32, corner: usize) -> u32 {
        self.solid.wrapping_mul(IDS).wrapping_add(face * 8 + corner as u32)
    }

    fn of_vertex(&self, v: u32) -> u32 {
        self.vertices.wrapping_add(v.wrapping_mul(self.solids)).wrapping_add(self.solid)
    }

    /// Of an edge of an element over the edge of a solid's facet with some number.
    fn of_crossing(&self, i: u32, edge: u32, over: usize) -> u32 {
        let edge = i.wrapping_mul(3).wrapping_add(edge).wrapping_mul(self.solids).wrapping_add(self.solid);
        self.edges.wrapping_add(edge.wrapping_mul(8)).wrapping_add(over as u32)
    }
}
