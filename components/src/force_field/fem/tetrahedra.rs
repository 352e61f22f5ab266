//! Linear tetrahedra in rotating frames: building the blocks, force, product with the tangent, assembly.
//!
//! With the rest shape X (edges from the first node, in the rest frame), the frame Q of the current shape and the gradients
//! g of the shape functions at rest: u = Q e − X for each current edge e, H = Σ u ⊗ g, f = −Qᵀ S(H) g. What is stored is
//! Qᵀ g, with which df = −κ S(Σ dx ⊗ Qᵀg) Qᵀg; the derivative of Q is left out.
//!
//! **Source:** as SOFA's `TetrahedronFEMForceField`; the frames of `polar` and `svd` are factors of the matrix of edges.

use sim_core::component::matrix::BlockSink;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame::{self, Method};
use super::lane_algebra::*;
use super::material::Material;
use super::patches::{self, Direct, Nodes, Order, Route, Slots};

/// Numbers that hold for all elements.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Number of tetrahedra.
    pub n_elements: usize,
    /// Whether some are in patches of several.
    pub patched: bool,
    /// How frames follow.
    pub method: Method,
    /// Whether strains are taken with the gradients of the deformed element.
    pub update_gradients: bool,
    /// Plastic yield, where there is any.
    pub plasticity: Plasticity,
}

/// When an element yields. Strains are multiplied by six times the element's volume here [m³], as SOFA has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plasticity {
    /// Largest norm of the plastic strain; 0 for none.
    pub max_threshold: f64,
    /// Norm of the elastic strain beyond which it creeps.
    pub yield_threshold: f64,
    /// Part of the elastic strain that becomes plastic at each evaluation.
    pub creep: f64,
}

/// Eight tetrahedra.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Points by node and element.
    pub nodes: Nodes<4>,
    /// First Lamé constant times volume [N m].
    pub lambda: Row,
    /// Shear modulus times volume [N m].
    pub mu: Row,
    /// Gradients of the last three nodes' shape functions, in the rest frame [1/m].
    gradients: MRow,
    /// Edges from the first node to the others, in the rest frame [m].
    rest: MRow,
    /// The rest frame, rows are axes.
    pub(super) rest_frame: MRow,
    /// Six times the volume, with its sign in the rest frame [m³].
    six_volume: Row,
}

/// What `add_force` leaves: gradients of the last three nodes in world axes [1/m].
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    /// By node, then axis.
    pub gradients: MRow,
}

/// The same with the plastic strain, which lasts.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct PlasticTangent {
    tangent: Tangent,
    strain: [Row; 6],
}

/// What a field of tetrahedra stores per block.
pub trait Stored: Copy + Send + Sync + 'static {
    /// Whether any of it lasts from one force to the next.
    const CARRIES_OVER: bool;
    /// Before the first force: rest gradients, nothing plastic.
    fn new(gradients: MRow) -> Self;
    /// The gradients in world axes.
    fn tangent(&self) -> &Tangent;
    /// The same, to write.
    fn tangent_mut(&mut self) -> &mut Tangent;
    /// Plastic strain times minus six volumes, where there is any.
    fn plastic_strain(&mut self) -> Option<&mut [Row; 6]>;
}

impl Stored for Tangent {
    const CARRIES_OVER: bool = false;
    fn new(gradients: MRow) -> Self {
        Self { gradients }
    }
    #[inline(always)]
    fn tangent(&self) -> &Tangent {
        self
    }
    #[inline(always)]
    fn tangent_mut(&mut self) -> &mut Tangent {
        self
    }
    #[inline(always)]
    fn plastic_strain(&mut self) -> Option<&mut [Row; 6]> {
        None
    }
}

impl Stored for PlasticTangent {
    const CARRIES_OVER: bool = true;
    fn new(gradients: MRow) -> Self {
        Self { tangent: Tangent { gradients }, strain: [Row::default(); 6] }
    }
    #[inline(always)]
    fn tangent(&self) -> &Tangent {
        &self.tangent
    }
    #[inline(always)]
    fn tangent_mut(&mut self) -> &mut Tangent {
        &mut self.tangent
    }
    #[inline(always)]
    fn plastic_strain(&mut self) -> Option<&mut [Row; 6]> {
        Some(&mut self.strain)
    }
}

/// Why elements cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// An element without volume.
    #[error("{kind} {element} (points {nodes:?}) has no volume at rest; remove it, or merge its points")]
    NoVolume {
        /// What it is.
        kind: &'static str,
        /// Its number.
        element: usize,
        /// Its points.
        nodes: Vec<u32>,
    },
    /// An element of points that do not exist.
    #[error("{kind} {element} names point {node}, but the mechanical object has {n_points} points")]
    NoSuchPoint {
        /// What it is.
        kind: &'static str,
        /// Its number.
        element: usize,
        /// The index that is wrong.
        node: u32,
        /// How many there are.
        n_points: usize,
    },
}

/// Checks that every node of every element exists.
pub(crate) fn check_nodes<const N: usize>(
    kind: &'static str,
    elements: &[[u32; N]],
    n_points: usize,
) -> Result<(), ElementError> {
    for (element, nodes) in elements.iter().enumerate() {
        if let Some(node) = nodes.iter().copied().find(|n| *n as usize >= n_points) {
            return Err(ElementError::NoSuchPoint { kind, element, node, n_points });
        }
    }
    Ok(())
}

/// Blocks of tetrahedra, what they store, and how many are inverted at rest.
pub struct Built<S> {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// What they store at first.
    pub stored: Vec<S>,
    /// Whether some elements are in patches of several.
    pub patched: bool,
    /// Number of elements of negative volume.
    pub n_inverted: usize,
}

/// What the product of a tetrahedron costs, relative to fetching and writing a node.
const WORK: f64 = 2.0;

/// Builds blocks from points at rest; `factors` of Young's modulus are spread evenly over the elements.
///
/// # Errors
/// An element without volume, or of points that do not exist.
pub fn build<S: Stored>(
    rest: &[Vec3],
    tetrahedra: &[[u32; 4]],
    material: &Material,
    factors: &[f64],
    method: Method,
    order: Order,
) -> Result<Built<S>, ElementError> {
    check_nodes("tetrahedron", tetrahedra, rest.len())?;
    let mut built = Built { blocks: Vec::new(), stored: Vec::new(), patched: false, n_inverted: 0 };
    for laid in patches::lay_out(tetrahedra, WORK, order) {
        let mut block = Block {
            nodes: laid.nodes,
            lambda: Row::default(),
            mu: Row::default(),
            gradients: ZERO_ROWS,
            rest: ZERO_ROWS,
            rest_frame: ZERO_ROWS,
            six_volume: Row::default(),
        };
        dispatch(RestFrames { block: &mut block, rest, method });
        for (slot, e) in laid.elements.iter().take(usize::from(laid.nodes.count)).enumerate() {
            let e = *e as usize;
            let p = tetrahedra[e].map(|n| rest[n as usize]);
            let (b, c, d) = (p[1] - p[0], p[2] - p[0], p[3] - p[0]);
            let signed = b.dot(&c.cross(&d));
            let flat = signed.abs() <= 1e-15 * b.norm() * c.norm() * d.norm();
            if flat || !signed.is_finite() {
                let nodes = tetrahedra[e].to_vec();
                return Err(ElementError::NoVolume { kind: "tetrahedron", element: e, nodes });
            }
            built.n_inverted += usize::from(signed < 0.0);
            let factor = match factors {
                [] => 1.0,
                list => list[e * list.len() / tetrahedra.len()],
            };
            let (lame, volume) = (material.lame(e, factor), block.six_volume.0[slot].abs() / 6.0);
            block.lambda.0[slot] = lame.lambda * volume;
            block.mu.0[slot] = lame.mu * volume;
        }
        built.patched |= !block.nodes.is_alone();
        built.stored.push(S::new(block.gradients));
        built.blocks.push(block);
    }
    Ok(built)
}

/// Computes what a block holds of the rest shape, with the very operations of `add_force`: at rest its strain is exactly 0.
struct RestFrames<'a> {
    block: &'a mut Block,
    rest: &'a [Vec3],
    method: Method,
}

impl LaneKernel for RestFrames<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { block, rest, method } = self;
        let mut at = 0;
        while at < BLOCK {
            let edges = edges::<L>(&Direct.gather(&block.nodes, rest, at));
            let q = match method {
                Method::Small => frame::identity(),
                Method::Large => frame::from_two_edges(&edges[0], &edges[1]),
                Method::Polar | Method::Svd => frame::polar_factor(&edges),
            };
            let local = local_edges(&q, &edges, method);
            let (cofactors, six_volume) = cofactors(&local);
            let gradients = [
                [cofactors[0][0] / six_volume, cofactors[0][1] / six_volume, cofactors[0][2] / six_volume],
                [cofactors[1][0] / six_volume, cofactors[1][1] / six_volume, cofactors[1][2] / six_volume],
                [cofactors[2][0] / six_volume, cofactors[2][1] / six_volume, cofactors[2][2] / six_volume],
            ];
            store33(&q, &mut block.rest_frame, at);
            store33(&local, &mut block.rest, at);
            store33(&gradients, &mut block.gradients, at);
            six_volume.store(&mut block.six_volume, at);
            at += L::WIDTH;
        }
    }
}

/// The frame of a shape with these edges.
#[inline(always)]
pub(super) fn current_frame<L: Lane>(method: Method, block: &Block, edges: &M3<L>, at: usize) -> M3<L> {
    match method {
        Method::Small => frame::identity(),
        Method::Large => frame::from_two_edges(&edges[0], &edges[1]),
        Method::Polar => frame::polar_factor(edges),
        Method::Svd => svd_frame(block, edges, at),
    }
}

/// The edges from the first node to the others.
#[inline(always)]
pub(super) fn edges<L: Lane>([a, b, c, d]: &[V3<L>; 4]) -> M3<L> {
    [sub(b, a), sub(c, a), sub(d, a)]
}

/// The edges in the frame; in a frame of edges, what vanishes by construction is exactly zero.
#[inline(always)]
fn local_edges<L: Lane>(q: &M3<L>, edges: &M3<L>, method: Method) -> M3<L> {
    let mut local = match method {
        Method::Small => *edges,
        _ => [mul(q, &edges[0]), mul(q, &edges[1]), mul(q, &edges[2])],
    };
    if method == Method::Large {
        let zero = L::splat(0.0);
        (local[0][1], local[0][2], local[1][2]) = (zero, zero, zero);
    }
    local
}

/// Cofactors of three edges, and their determinant.
#[inline(always)]
fn cofactors<L: Lane>(e: &M3<L>) -> (M3<L>, L) {
    let c = [cross(&e[1], &e[2]), cross(&e[2], &e[0]), cross(&e[0], &e[1])];
    let det = dot(&e[0], &c[0]);
    (c, det)
}

/// The frame of `svd`: the polar factor of the edges, or the nearest rotation of the deformation where it is flat or inverted.
#[inline(always)]
fn svd_frame<L: Lane>(block: &Block, edges: &M3<L>, at: usize) -> M3<L> {
    let polar = frame::polar_factor(edges);
    // det(T) of T = A A₀⁻¹ with A₀ = X Q₀, where X has a positive determinant.
    let (_, det) = cofactors(edges);
    let rest_frame = load33::<L>(&block.rest_frame, at);
    let (_, det_frame) = cofactors(&rest_frame);
    let det_t = det / (L::load(&block.six_volume, at) * det_frame);
    let flat = L::splat(1e-6).gt(det_t);
    if !L::any(flat) {
        return polar;
    }
    let (mut rows, mut current, mut mask) = (ZERO_ROWS, ZERO_ROWS, Row::default());
    store33(edges, &mut current, at);
    store33(&polar, &mut rows, at);
    L::select(flat, L::splat(1.0), L::splat(0.0)).store(&mut mask, at);
    replace_flat_frames(block, &current, &mask, &mut rows);
    load33(&rows, at)
}

/// Element by element, since few elements are flat or inverted.
#[cold]
#[inline(never)]
fn replace_flat_frames(block: &Block, edges: &MRow, mask: &Row, frames: &mut MRow) {
    for e in (0..BLOCK).filter(|e| mask.0[*e] != 0.0) {
        let matrix = |rows: &MRow| Mat3::from_fn(|i, j| rows[i][j].0[e]);
        let rest_frame = matrix(&block.rest_frame);
        let Some(inverse) = (matrix(&block.rest) * rest_frame).try_inverse() else { continue };
        let q = frame::nearest_rotation(&(matrix(edges) * inverse)) * rest_frame;
        for (i, row) in frames.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                value.0[e] = q[(i, j)];
            }
        }
    }
}

/// f += F(x), frames and gradients refreshed.
pub fn add_force<S: Stored>(c: &Constants, blocks: &[Block], stored: &mut [S], f: &mut [Vec3], x: &[Vec3]) {
    dispatch(Force { c: *c, blocks, stored, f, x });
}

struct Force<'a, S> {
    c: Constants,
    blocks: &'a [Block],
    stored: &'a mut [S],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
}

impl<S: Stored> LaneKernel for Force<'_, S> {
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

impl<S: Stored> Force<'_, S> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { c, blocks, stored, f, x } = self;
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let e = edges::<L>(&route.gather(&block.nodes, x, at));
                let q = current_frame(c.method, block, &e, at);
                let local = local_edges(&q, &e, c.method);
                let mut g = load33::<L>(&block.gradients, at);
                if c.update_gradients {
                    let (cofactors, _) = cofactors(&local);
                    let six_volume = L::load(&block.six_volume, at);
                    g = [
                        [
                            cofactors[0][0] / six_volume,
                            cofactors[0][1] / six_volume,
                            cofactors[0][2] / six_volume,
                        ],
                        [
                            cofactors[1][0] / six_volume,
                            cofactors[1][1] / six_volume,
                            cofactors[1][2] / six_volume,
                        ],
                        [
                            cofactors[2][0] / six_volume,
                            cofactors[2][1] / six_volume,
                            cofactors[2][2] / six_volume,
                        ],
                    ];
                }
                let rest = load33::<L>(&block.rest, at);
                let u = [sub(&local[0], &rest[0]), sub(&local[1], &rest[1]), sub(&local[2], &rest[2])];
                let mut h = gradient(&u, &g);
                if let Some(strain) = stored.plastic_strain() {
                    h = without_plastic_strain(&c.plasticity, &h, L::load(&block.six_volume, at), strain, at);
                }
                let s = stress(&h, L::load(&block.lambda, at), L::load(&block.mu, at));
                let world = if c.method == Method::Small {
                    g
                } else {
                    [mul_transposed(&q, &g[0]), mul_transposed(&q, &g[1]), mul_transposed(&q, &g[2])]
                };
                store33(&world, &mut stored.tangent_mut().gradients, at);
                let mut forces = nodal_forces(&s, &g);
                if c.method != Method::Small {
                    let mut n = 0;
                    while n < 4 {
                        forces[n] = mul_transposed(&q, &forces[n]);
                        n += 1;
                    }
                }
                route.add(&block.nodes, f, &forces, at);
                at += L::WIDTH;
            }
            route.finish::<L, 4>(&block.nodes, f);
        }
    }
}

/// H = Σ u ⊗ g over the last three nodes; the first has displacement 0.
#[inline(always)]
fn gradient<L: Lane>(u: &M3<L>, g: &M3<L>) -> M3<L> {
    add_outer(&add_outer(&outer(&u[0], &g[0]), &u[1], &g[1]), &u[2], &g[2])
}

/// −S g for the four nodes; the first balances the others.
#[inline(always)]
fn nodal_forces<L: Lane>(s: &Symmetric<L>, g: &M3<L>) -> [V3<L>; 4] {
    let (b, c, d) = (mul_symmetric(s, &g[0]), mul_symmetric(s, &g[1]), mul_symmetric(s, &g[2]));
    [add(&add(&b, &c), &d), neg(&b), neg(&c), neg(&d)]
}

/// Lets the plastic strain creep, and takes it off a displacement gradient (which becomes symmetric).
#[inline(always)]
fn without_plastic_strain<L: Lane>(
    p: &Plasticity,
    h: &M3<L>,
    six_volume: L,
    plastic: &mut [Row; 6],
    at: usize,
) -> M3<L> {
    let total = [
        -(six_volume * h[0][0]),
        -(six_volume * h[1][1]),
        -(six_volume * h[2][2]),
        -(six_volume * (h[0][1] + h[1][0])),
        -(six_volume * (h[1][2] + h[2][1])),
        -(six_volume * (h[2][0] + h[0][2])),
    ];
    let mut s = [L::splat(0.0); 6];
    let mut elastic = s;
    let (mut squares, mut i) = (L::splat(0.0), 0);
    while i < 6 {
        s[i] = L::load(&plastic[i], at);
        elastic[i] = total[i] - s[i];
        squares = squares + elastic[i] * elastic[i];
        i += 1;
    }
    let yields = squares.sqrt().gt(L::splat(p.yield_threshold));
    squares = L::splat(0.0);
    i = 0;
    while i < 6 {
        s[i] = L::select(yields, s[i] + L::splat(p.creep) * elastic[i], s[i]);
        squares = squares + s[i] * s[i];
        i += 1;
    }
    let norm = squares.sqrt();
    let shrink =
        L::select(norm.gt(L::splat(p.max_threshold)), L::splat(p.max_threshold) / norm, L::splat(1.0));
    let mut strain = s;
    i = 0;
    while i < 6 {
        s[i] = s[i] * shrink;
        s[i].store(&mut plastic[i], at);
        strain[i] = (s[i] - total[i]) / six_volume;
        i += 1;
    }
    let half = L::splat(0.5);
    let (xy, yz, zx) = (strain[3] * half, strain[4] * half, strain[5] * half);
    [[strain[0], xy, zx], [xy, strain[1], yz], [zx, yz, strain[2]]]
}

/// df += κ ∂f/∂x dx
pub fn add_d_force<S: Stored>(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[S],
    df: &mut [Vec3],
    dx: &[Vec3],
) {
    dispatch(DForce { patched: c.patched, factor, blocks, stored, df, dx });
}

struct DForce<'a, S> {
    patched: bool,
    factor: f64,
    blocks: &'a [Block],
    stored: &'a [S],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl<S: Stored> LaneKernel for DForce<'_, S> {
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

impl<S: Stored> DForce<'_, S> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { factor, blocks, stored, df, dx, .. } = self;
        let factor = L::splat(factor);
        for (block, stored) in blocks.iter().zip(stored) {
            let mut at = 0;
            while at < BLOCK {
                let u = edges::<L>(&route.gather(&block.nodes, dx, at));
                let g = load33::<L>(&stored.tangent().gradients, at);
                let h = gradient(&u, &g);
                let s = stress(&h, factor * L::load(&block.lambda, at), factor * L::load(&block.mu, at));
                route.add(&block.nodes, df, &nodal_forces(&s, &g), at);
                at += L::WIDTH;
            }
            route.finish::<L, 4>(&block.nodes, df);
        }
    }
}

/// Adds the blocks of κ ∂f/∂x of each element.
pub fn add_k_to_matrix<S: Stored>(
    c: &Constants,
    factor: f64,
    blocks: &[Block],
    stored: &[S],
    matrix: &mut dyn BlockSink,
) {
    for e in 0..c.n_elements {
        let (b, slot) = patches::place(|b| &blocks[b].nodes, e);
        let (block, tangent) = (&blocks[b], stored[b].tangent());
        let gradient = |n: usize| Vec3::from_fn(|i, _| tangent.gradients[n][i].0[slot]);
        let (b, c, d) = (gradient(0), gradient(1), gradient(2));
        let gradients = [-(b + c + d), b, c, d];
        let nodes = block.nodes.points.map(|row| row[slot]);
        let (lambda, mu) = (-factor * block.lambda.0[slot], -factor * block.mu.0[slot]);
        for (i, g) in gradients.iter().enumerate() {
            for (j, h) in gradients.iter().enumerate() {
                matrix.add_block(nodes[i], nodes[j], &isotropic_block(g, h, lambda, mu));
            }
        }
    }
}

/// λ g hᵀ + μ h gᵀ + μ (g·h) 1: the stiffness between two shape functions of gradients g and h.
pub(crate) fn isotropic_block(g: &Vec3, h: &Vec3, lambda: f64, mu: f64) -> Mat3 {
    g * h.transpose() * lambda + h * g.transpose() * mu + Mat3::from_diagonal_element(mu * g.dot(h))
}

/// Elastic energy of small displacements, ½ Σ V (λ tr(ε)² + 2 μ ε:ε) [J].
pub fn small_strain_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> f64 {
    let mut energy = 0.0;
    for e in 0..c.n_elements {
        let (b, slot) = patches::place(|b| &blocks[b].nodes, e);
        let block = &blocks[b];
        let p = block.nodes.points.map(|row| x[row[slot] as usize]);
        let mut h = Mat3::zeros();
        for n in 0..3 {
            let rest = Vec3::from_fn(|i, _| block.rest[n][i].0[slot]);
            let g = Vec3::from_fn(|i, _| block.gradients[n][i].0[slot]);
            h += (p[n + 1] - p[0] - rest) * g.transpose();
        }
        let strain = (h + h.transpose()) * 0.5;
        energy += 0.5 * block.lambda.0[slot] * strain.trace() * strain.trace()
            + block.mu.0[slot] * strain.norm_squared();
    }
    energy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::{bar, deformed};
    use crate::topology::{HexaCut, cut_hexahedra};
    use sim_core::math::lane::{Instructions, dispatch_with};

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        let (rest, hexahedra) = bar([3, 2, 1]);
        let tetrahedra = &cut_hexahedra(&hexahedra, None, HexaCut::Mirrored)[..29]; // an incomplete last block
        same_bits(rest, tetrahedra, false);
        let (rest, hexahedra) = bar([3, 3, 3]);
        let tetrahedra = cut_hexahedra(&hexahedra, None, HexaCut::Plain);
        same_bits(rest, &tetrahedra[..tetrahedra.len() - 2], true); // some are in patches, some alone
    }

    fn same_bits(rest: Vec<Vec3>, tetrahedra: &[[u32; 4]], patched: bool) {
        let mut x = deformed(&rest, 0.2, 1);
        x[5].z = -4.0; // some are inverted
        let plasticity = Plasticity { max_threshold: 0.1, yield_threshold: 1e-3, creep: 0.3 };
        for method in [Method::Small, Method::Large, Method::Polar, Method::Svd] {
            let material = Material::uniform(1000.0, 0.3);
            let built: Built<PlasticTangent> =
                build(&rest, tetrahedra, &material, &[1.0, 2.0], method, Order::Fastest).unwrap();
            let update_gradients = method == Method::Polar;
            assert_eq!(built.patched, patched);
            let c = Constants { n_elements: tetrahedra.len(), patched, method, update_gradients, plasticity };
            let mut results = Vec::new();
            for instructions in Instructions::available() {
                let (mut f, mut df, mut stored) = (rest.clone(), rest.clone(), built.stored.clone());
                let blocks = &built.blocks[..];
                dispatch_with(instructions, Force { c, blocks, stored: &mut stored, f: &mut f, x: &x });
                let (patched, stored) = (c.patched, &stored[..]);
                dispatch_with(
                    instructions,
                    DForce { patched, factor: -0.3, blocks, stored, df: &mut df, dx: &x },
                );
                assert!(f.iter().chain(&df).all(|f| f.norm() > 0.0 && f.norm() < 1e6));
                results.push((f, df));
            }
            assert!(results.windows(2).all(|w| w[0] == w[1]), "{method:?}");
        }
    }
}
