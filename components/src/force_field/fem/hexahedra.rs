//! Hexahedra at rest, and the frames that follow them.
//!
//! In the frame Q of the current shape, with rest shape X in the rest frame: u = Q p − X, f = −Qᵀ K u and df = −κ Qᵀ K Q dx; the
//! derivative of Q is left out.
//!
//! **Source:** as SOFA's `HexahedronFEMForceField`, with its rule for which elements take one Jacobian at all points.

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame::{self, Method};
use super::lane_algebra::*;
use super::material::{Lame, Material};
use super::modes::{self, ModeRows, Modes, ZERO_MODES};
use super::patches::{self, Direct, Nodes, Order, Route};
use super::tetrahedra::{ElementError, check_nodes};

/// Signs of ξ, η, ζ at the nodes, and of the Gauss points (at ±1/√3).
pub(crate) const SIGNS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
/// Where the Gauss points are.
pub(super) const GAUSS: f64 = 0.577_350_269_189_625_8;

/// Numbers that hold for all elements.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Number of hexahedra.
    pub n_elements: usize,
    /// Whether some are in patches of several.
    pub patched: bool,
    /// How frames follow.
    pub method: Method,
}

/// One Gauss point of one element.
#[derive(Clone, Copy, Debug)]
pub struct RestPoint {
    /// Gradients of ξ, η, ζ as rows [1/m].
    pub gradients: Mat3,
    /// Determinant of the Jacobian [m³].
    pub det: f64,
}

/// One element at rest.
#[derive(Clone, Copy, Debug)]
pub struct RestElement {
    /// Its material.
    pub lame: Lame,
    /// Its Gauss points.
    pub points: [RestPoint; 8],
}

/// Eight elements at rest.
pub struct RestBlock {
    /// Points by node and element.
    pub nodes: Nodes<8>,
    /// Modes of the positions in the rest frame [m].
    pub modes: ModeRows,
    /// The elements, fewer than eight in the last block.
    pub elements: Vec<RestElement>,
}

/// All elements at rest.
pub struct RestShapes {
    /// In blocks of eight.
    pub blocks: Vec<RestBlock>,
    /// Whether every element is a parallelepiped, so that one Jacobian holds in each.
    pub all_bricks: bool,
    /// Number of elements of negative volume.
    pub n_inverted: usize,
    /// How they were put into blocks.
    pub order: Order,
}

impl RestShapes {
    /// Numbers that hold for all elements.
    pub fn constants(&self, method: Method) -> Constants {
        Constants {
            n_elements: self.blocks.iter().map(|b| b.elements.len()).sum(),
            patched: self.blocks.iter().any(|b| !b.nodes.is_alone()),
            method,
        }
    }
}

/// What the product of a hexahedron costs, relative to fetching and writing a node.
const WORK: f64 = 7.0;

/// The frames of elements with these modes of positions: mean edges are modes over four, and frames do not see the factor.
#[inline(always)]
pub(super) fn frame<L: Lane>(method: Method, positions: &Modes<L>) -> M3<L> {
    match method {
        Method::Small => frame::identity(),
        Method::Large => frame::from_two_edges(&positions[0], &positions[1]),
        Method::Polar | Method::Svd => frame::polar_factor(&[positions[0], positions[1], positions[2]]),
    }
}

/// The rest shapes of hexahedra on points at rest.
///
/// # Errors
/// An element without volume at one of its points, or of points that do not exist.
pub fn rest_shapes(
    rest: &[Vec3],
    hexahedra: &[[u32; 8]],
    material: &Material,
    method: Method,
    order: Order,
) -> Result<RestShapes, ElementError> {
    check_nodes("hexahedron", hexahedra, rest.len())?;
    let mut shapes = RestShapes { blocks: Vec::new(), all_bricks: true, n_inverted: 0, order };
    for laid in patches::lay_out(hexahedra, WORK, order) {
        let elements = Vec::with_capacity(BLOCK);
        let mut block = RestBlock { nodes: laid.nodes, modes: ZERO_MODES, elements };
        let mut frames = ZERO_ROWS;
        dispatch(RestFrames { block: &mut block, frames: &mut frames, rest, method });
        for (slot, e) in laid.elements.iter().take(usize::from(laid.nodes.count)).enumerate() {
            let e = *e as usize;
            let corners = &hexahedra[e];
            let q = Mat3::from_fn(|i, j| frames[i][j].0[slot]);
            let local = corners.map(|n| q * rest[n as usize]);
            let brick = is_brick(&local);
            let points = SIGNS.map(|s| point(&local, &s, brick));
            // Compared with the cube of the longest diagonal, which has the size of the element whatever its shape.
            let size = (0..4).map(|i| (local[i] - local[(i + 2) % 4 + 4]).norm()).fold(0.0, f64::max);
            if points.iter().any(|p| p.det.abs() <= 1e-15 * size.powi(3) || !p.det.is_finite()) {
                let nodes = corners.to_vec();
                return Err(ElementError::NoVolume { kind: "hexahedron", element: e, nodes });
            }
            shapes.all_bricks &= brick;
            shapes.n_inverted += usize::from(points.iter().any(|p| p.det < 0.0) && q.determinant() > 0.0);
            block.elements.push(RestElement { lame: material.lame(e, 1.0), points });
        }
        shapes.blocks.push(block);
    }
    Ok(shapes)
}

/// SOFA's test for a parallelepiped, within a thousandth.
fn is_brick(p: &[Vec3; 8]) -> bool {
    let (x, z) = (p[1] - p[0], p[4] - p[0]);
    (p[3] + x - p[2]).norm() < 1e-3 * x.norm()
        && (1..4).all(|i| (p[i + 4] - p[i] - z).norm() < 1e-3 * z.norm())
}

/// The Jacobian's determinant and the gradients of ξ, η, ζ at a Gauss point; those of the edges at node 0 for a brick.
fn point(p: &[Vec3; 8], signs: &[f64; 3], brick: bool) -> RestPoint {
    let jacobian = if brick {
        Mat3::from_columns(&[p[1] - p[0], p[3] - p[0], p[4] - p[0]]) * 0.5
    } else {
        let mut j = Mat3::zeros();
        for (p, s) in p.iter().zip(&SIGNS) {
            let t = [0, 1, 2].map(|k| 1.0 + s[k] * signs[k] * GAUSS);
            let derivative = Vec3::new(s[0] * t[1] * t[2], s[1] * t[0] * t[2], s[2] * t[0] * t[1]) / 8.0;
            j += p * derivative.transpose();
        }
        j
    };
    let gradients = jacobian.try_inverse().unwrap_or_else(Mat3::zeros);
    RestPoint { gradients, det: jacobian.determinant() }
}

/// Computes rest frames and modes with the very operations of `add_force`: at rest the displacement is exactly 0.
struct RestFrames<'a> {
    block: &'a mut RestBlock,
    frames: &'a mut MRow,
    rest: &'a [Vec3],
    method: Method,
}

impl LaneKernel for RestFrames<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { block, frames, rest, method } = self;
        let mut at = 0;
        while at < BLOCK {
            let positions = modes::of_nodes::<L>(&Direct.gather(&block.nodes, rest, at));
            let q = frame(method, &positions);
            modes::store(&modes::rotated(&q, &positions), &mut block.modes, at);
            store33(&q, frames, at);
            at += L::WIDTH;
        }
    }
}

/// Writes a matrix into its rows.
pub(super) fn put(m: &Mat3, rows: &mut MRow, slot: usize) {
    for (i, row) in rows.iter_mut().enumerate() {
        for (j, row) in row.iter_mut().enumerate() {
            row.0[slot] = m[(i, j)];
        }
    }
}

/// What `add_force` leaves: the frame, rows are axes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    /// By axis, then component.
    pub frame: MRow,
}

impl Tangent {
    /// No rotation.
    pub(super) fn at_first() -> Self {
        let mut frame = ZERO_ROWS;
        (0..3).for_each(|i| frame[i][i] = Row::splat(1.0));
        Self { frame }
    }
}
