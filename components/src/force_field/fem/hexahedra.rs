//! Hexahedra of any shape: rest shapes, frames, and the kernels that visit all eight Gauss points.
//!
//! In the frame Q of the current shape, with rest shape X in the rest frame: u = Q p − X, f = −Qᵀ K u. What is stored is Q, with
//! which df = −κ Qᵀ K Q dx; the derivative of Q is left out. K u is summed over the points: H = Σ_k ∂u/∂ξ_k ⊗ ∇ξ_k,
//! S = λ tr(H) 1 + μ (H + Hᵀ), and back, in the [`modes`] of the element.
//!
//! **Source:** as SOFA's `HexahedronFEMForceField`, with its rule for which elements take one Jacobian at all points.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame::{self, Method};
use super::lane_algebra::*;
use super::material::{Lame, Material};
use super::modes::{self, ModeRows, Modes, ZERO_MODES};
use super::patches::{self, Direct, Nodes, Order, Route, Slots};
use super::tetrahedra::{ElementError, check_nodes, isotropic_block};

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
const GAUSS: f64 = 0.577_350_269_189_625_8;

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

/// One Gauss point of eight elements.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Point {
    gradients: MRow,
    lambda: Row,
    mu: Row,
}

/// Eight hexahedra.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Points by node and element.
    pub nodes: Nodes<8>,
    rest: ModeRows,
    points: [Point; 8],
}

/// What `add_force` leaves: the frame, rows are axes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    /// By axis, then component.
    pub frame: MRow,
}

/// Blocks from rest shapes, and what they store at first.
pub fn build(shapes: &[RestBlock]) -> (Vec<Block>, Vec<Tangent>) {
    let empty = Point { gradients: ZERO_ROWS, lambda: Row::default(), mu: Row::default() };
    let mut blocks = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let mut block = Block { nodes: shape.nodes, rest: shape.modes, points: [empty; 8] };
        for (slot, element) in shape.elements.iter().enumerate() {
            for (point, rest) in block.points.iter_mut().zip(&element.points) {
                put(&rest.gradients, &mut point.gradients, slot);
                // Both u = ⅛ Σ φ U and the forces have a factor ⅛.
                point.lambda.0[slot] = element.lame.lambda * rest.det / 64.0;
                point.mu.0[slot] = element.lame.mu * rest.det / 64.0;
            }
        }
        blocks.push(block);
    }
    (blocks, vec![Tangent::at_first(); shapes.len()])
}

impl Tangent {
    /// No rotation.
    pub(super) fn at_first() -> Self {
        let mut frame = ZERO_ROWS;
        (0..3).for_each(|i| frame[i][i] = Row::splat(1.0));
        Self { frame }
    }
}

/// The elastic modes −Fₘ of displacement modes, factors times the material.
#[inline(always)]
fn elastic<L: Lane>(u: &Modes<L>, points: &[Point; 8], factor: L, at: usize) -> Modes<L> {
    let zero = [L::splat(0.0); 3];
    let mut f = [zero; 7];
    let (a, a_a) = (L::splat(GAUSS), L::splat(1.0 / 3.0));
    // ξη, ηζ, ζξ and ξηζ in terms of coordinates that are ±1 at the Gauss points.
    let (xy, yz, zx, xyz) = (scale(&u[3], a), scale(&u[4], a), scale(&u[5], a), scale(&u[6], a_a));
    let mut q = 0;
    while q < 8 {
        let point = &points[q];
        let s = &SIGNS[q];
        let (x, y, z) = (L::splat(s[0]), L::splat(s[1]), L::splat(s[2]));
        let d = [
            add(&add(&u[0], &scale(&xy, y)), &scale(&add(&zx, &scale(&xyz, y)), z)),
            add(&add(&u[1], &scale(&yz, z)), &scale(&add(&xy, &scale(&xyz, z)), x)),
            add(&add(&u[2], &scale(&zx, x)), &scale(&add(&yz, &scale(&xyz, x)), y)),
        ];
        let g = load33::<L>(&point.gradients, at);
        let h = add_outer(&add_outer(&outer(&d[0], &g[0]), &d[1], &g[1]), &d[2], &g[2]);
        let s = stress(&h, factor * L::load(&point.lambda, at), factor * L::load(&point.mu, at));
        let p = [mul_symmetric(&s, &g[0]), mul_symmetric(&s, &g[1]), mul_symmetric(&s, &g[2])];
        f[0] = add(&f[0], &p[0]);
        f[1] = add(&f[1], &p[1]);
        f[2] = add(&f[2], &p[2]);
        f[3] = add(&f[3], &add(&scale(&p[0], y), &scale(&p[1], x)));
        f[4] = add(&f[4], &add(&scale(&p[1], z), &scale(&p[2], y)));
        f[5] = add(&f[5], &add(&scale(&p[2], x), &scale(&p[0], z)));
        f[6] = add(&f[6], &add(&add(&scale(&p[0], y * z), &scale(&p[1], z * x)), &scale(&p[2], x * y)));
        q += 1;
    }
    f[3] = scale(&f[3], a);
    f[4] = scale(&f[4], a);
    f[5] = scale(&f[5], a);
    f[6] = scale(&f[6], a_a);
    f
}

/// f += F(x), frames refreshed.
pub fn add_force(c: &Constants, blocks: &[Block], stored: &mut [Tangent], f: &mut [Vec3], x: &[Vec3]) {
    dispatch(Force { c: *c, blocks, stored, f, x });
}

struct Force<'a> {
    c: Constants,
    blocks: &'a [Block],
    stored: &'a mut [Tangent],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
}

impl LaneKernel for Force<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if self.c.patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl Force<'_> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { c, blocks, stored, f, x } = self;
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&route.gather(&block.nodes, x, at));
                let q = frame(c.method, &positions);
                store33(&q, &mut stored.frame, at);
                let u = modes::local_displacement(&q, &positions, &block.rest, at);
                let local = elastic(&u, &block.points, L::splat(-1.0), at);
                let forces = modes::to_nodes(&modes::rotated_back(&q, &local));
                route.add(&block.nodes, f, &forces, at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(&block.nodes, f);
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[Tangent],
    df: &mut [Vec3],
    dx: &[Vec3],
) {
    dispatch(DForce { patched: c.patched, factor, blocks, stored, df, dx });
}

struct DForce<'a> {
    patched: bool,
    factor: f64,
    blocks: &'a [Block],
    stored: &'a [Tangent],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl LaneKernel for DForce<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if self.patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl DForce<'_> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { factor, blocks, stored, df, dx, .. } = self;
        let factor = L::splat(-factor);
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let q = load33::<L>(&stored.frame, at);
                let u = modes::rotated(&q, &modes::of_nodes::<L>(&route.gather(&block.nodes, dx, at)));
                let local = elastic(&u, &block.points, factor, at);
                let forces = modes::to_nodes(&modes::rotated_back(&q, &local));
                route.add(&block.nodes, df, &forces, at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(&block.nodes, df);
        }
    }
}

/// Elastic energy ½ Σ uᵀ K u [J].
pub fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> f64 {
    dispatch(Energy { c: *c, blocks, x })
}

struct Energy<'a> {
    c: Constants,
    blocks: &'a [Block],
    x: &'a [Vec3],
}

impl LaneKernel for Energy<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let Self { c, blocks, x } = self;
        let mut energy = 0.0;
        for block in blocks {
            let (mut at, mut row) = (0, Row::default());
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&Direct.gather(&block.nodes, x, at));
                let q = frame(c.method, &positions);
                let u = modes::local_displacement(&q, &positions, &block.rest, at);
                let f = elastic(&u, &block.points, L::splat(1.0), at);
                modes::work(&u, &f).store(&mut row, at);
                at += L::WIDTH;
            }
            for e in row.0.iter().take(usize::from(block.nodes.count)) {
                energy += 0.5 * e;
            }
        }
        energy
    }
}

/// Adds the blocks of κ ∂f/∂x of each element.
pub fn add_k_to_matrix(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[Tangent],
    matrix: &mut dyn BlockSink,
) {
    for e in 0..c.n_elements {
        let (b, slot) = patches::place(|b| &blocks[b].nodes, e);
        let block = &blocks[b];
        let q = Mat3::from_fn(|i, j| stored[b].frame[i][j].0[slot]);
        let gradients = [0, 1, 2, 3, 4, 5, 6, 7].map(|p| {
            let point = &block.points[p];
            let g = [0, 1, 2].map(|k| q.transpose() * Vec3::from_fn(|i, _| point.gradients[k][i].0[slot]));
            SIGNS.map(|s| node_gradient(&s, &SIGNS[p], &g))
        });
        for i in 0..8 {
            for j in 0..8 {
                let mut k = Mat3::zeros();
                for (point, gradients) in block.points.iter().zip(&gradients) {
                    let (lambda, mu) = (-factor * point.lambda.0[slot], -factor * point.mu.0[slot]);
                    k += isotropic_block(&gradients[i], &gradients[j], lambda, mu);
                }
                matrix.add_block(block.nodes.points[i][slot], block.nodes.points[j][slot], &k);
            }
        }
    }
}

/// Eight times the gradient of a node's shape function at a Gauss point.
fn node_gradient(node: &[f64; 3], point: &[f64; 3], g: &[Vec3; 3]) -> Vec3 {
    let t = [0, 1, 2].map(|k| 1.0 + node[k] * point[k] * GAUSS);
    g[0] * (node[0] * t[1] * t[2]) + g[1] * (node[1] * t[0] * t[2]) + g[2] * (node[2] * t[0] * t[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::{bar, deformed};
    use sim_core::math::lane::{Instructions, dispatch_with};

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        for (cells, patched) in [([3, 3, 1], false), ([3, 4, 5], true)] {
            let (rest, elements) = bar(cells); // the last block is incomplete
            same_bits(&rest, &elements, patched);
        }
    }

    fn same_bits(rest: &[Vec3], elements: &[[u32; 8]], patched: bool) {
        let x = deformed(rest, 0.1, 1);
        for method in [Method::Small, Method::Large, Method::Polar] {
            let material = Material::uniform(1000.0, 0.3);
            let shapes = rest_shapes(rest, elements, &material, method, Order::Fastest).unwrap();
            let (blocks, at_first) = build(&shapes.blocks);
            let c = shapes.constants(method);
            assert_eq!(c.patched, patched);
            let mut results = Vec::new();
            for instructions in Instructions::available() {
                let (mut f, mut df, mut stored) = (rest.to_vec(), rest.to_vec(), at_first.clone());
                let blocks = &blocks[..];
                dispatch_with(instructions, Force { c, blocks, stored: &mut stored, f: &mut f, x: &x });
                let product = DForce { patched, factor: -0.3, blocks, stored: &stored, df: &mut df, dx: &x };
                dispatch_with(instructions, product);
                results.push((f, df, dispatch_with(instructions, Energy { c, blocks, x: &x })));
            }
            assert!(results.windows(2).all(|w| w[0] == w[1]), "{method:?}");
        }
    }
}
