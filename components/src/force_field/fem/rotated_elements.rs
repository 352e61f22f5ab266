//! Elements of any number of nodes in rotations of their own, with a full stiffness matrix each.
//!
//! With the rotation R of the current shape, both shapes taken from their centers: u = Rᵀ (p − p̄) − (X − X̄), f = −R K u. What is stored
//! is R, with which df = −κ R K Rᵀ dx.

use sim_core::component::matrix::BlockSink;
use sim_core::math::{Mat3, Vec3};

use super::dense_hexahedra;
use super::frame::{self, Method};

/// How the rotation of an element is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// None: small displacements.
    Identity,
    /// The proper rotation nearest to Σ (p − p̄) (X − X̄)ᵀ.
    StablePolar,
    /// The polar factor of the same matrix, a reflection where an element is inverted.
    Polar,
    /// From the frame of the first three nodes.
    Triangle,
    /// From the frame of the mean edges of a hexahedron.
    Hexahedron,
}

/// An element with `N` nodes.
#[derive(Clone, Copy, Debug)]
pub struct Element<const N: usize> {
    /// Its points.
    pub nodes: [u32; N],
    /// The points at rest, from their center [m].
    rest: [Vec3; N],
    /// What the frame of the current shape is multiplied by, from the right: the frame at rest.
    frame: Mat3,
    /// Its stiffness [N/m].
    stiffness: [[Mat3; N]; N],
}

/// The points from their center.
fn centered<const N: usize>(points: &[Vec3; N]) -> [Vec3; N] {
    let center = points.iter().sum::<Vec3>() / N as f64;
    points.map(|p| p - center)
}

/// The frame of a shape, whose rows are axes, for the rotations that come from frames.
fn frame_of<const N: usize>(rotation: Rotation, p: &[Vec3; N]) -> Mat3 {
    if rotation == Rotation::Hexahedron {
        // As many nodes as a hexahedron has, or else the first ones.
        let corners = std::array::from_fn(|n| p[n.min(N - 1)]);
        return dense_hexahedra::frames(Method::Large, &[corners])[0];
    }
    let x = (p[1] - p[0]).normalize();
    let z = x.cross(&(p[2.min(N - 1)] - p[0])).normalize();
    Mat3::from_rows(&[x.transpose(), z.cross(&x).transpose(), z.transpose()])
}

impl<const N: usize> Element<N> {
    /// One with these points at rest; where `turned_twice`, its frame at rest does not count, as if it were that of the axes.
    pub fn new(
        rotation: Rotation,
        nodes: [u32; N],
        rest: &[Vec3; N],
        stiffness: [[Mat3; N]; N],
        turned_twice: bool,
    ) -> Self {
        let frame = match rotation {
            Rotation::Triangle | Rotation::Hexahedron if !turned_twice => frame_of(rotation, rest),
            _ => Mat3::identity(),
        };
        Self { nodes, rest: centered(rest), frame, stiffness }
    }

    fn gather(&self, from: &[Vec3]) -> [Vec3; N] {
        self.nodes.map(|n| from[n as usize])
    }

    /// The rotation of a shape whose points are given from their center.
    fn rotation(&self, rotation: Rotation, p: &[Vec3; N]) -> Mat3 {
        let product = || p.iter().zip(&self.rest).map(|(p, x)| p * x.transpose()).sum::<Mat3>();
        match rotation {
            Rotation::Identity => Mat3::identity(),
            Rotation::StablePolar => frame::nearest_rotation(&product()),
            Rotation::Polar => frame::polar_rotation(&product()),
            Rotation::Triangle | Rotation::Hexahedron => frame_of(rotation, p).tr_mul(&self.frame),
        }
    }

    /// K u.
    fn product(&self, u: &[Vec3; N]) -> [Vec3; N] {
        self.stiffness.each_ref().map(|row| row.iter().zip(u).map(|(k, u)| k * u).sum())
    }

    /// The displacement of a shape in its rotation, and the rotation.
    fn displacement(&self, rotation: Rotation, x: &[Vec3]) -> ([Vec3; N], Mat3) {
        let p = centered(&self.gather(x));
        let r = self.rotation(rotation, &p);
        (std::array::from_fn(|n| r.tr_mul(&p[n]) - self.rest[n]), r)
    }
}

/// f += F(x), rotations refreshed.
pub fn add_force<const N: usize>(
    rotation: Rotation,
    elements: &[Element<N>],
    stored: &mut [Mat3],
    f: &mut [Vec3],
    x: &[Vec3],
) {
    for (e, stored) in elements.iter().zip(stored) {
        let (u, r) = e.displacement(rotation, x);
        *stored = r;
        for (n, force) in e.nodes.iter().zip(e.product(&u)) {
            f[*n as usize] -= r * force;
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force<const N: usize>(
    factor: f64,
    elements: &[Element<N>],
    stored: &[Mat3],
    df: &mut [Vec3],
    dx: &[Vec3],
) {
    for (e, r) in elements.iter().zip(stored) {
        let u = e.gather(dx).map(|d| r.tr_mul(&d));
        for (n, force) in e.nodes.iter().zip(e.product(&u)) {
            df[*n as usize] -= r * force * factor;
        }
    }
}

/// Adds the blocks of κ ∂f/∂x.
pub fn add_k_to_matrix<const N: usize>(
    factor: f64,
    elements: &[Element<N>],
    stored: &[Mat3],
    matrix: &mut dyn BlockSink,
) {
    for (e, r) in elements.iter().zip(stored) {
        for (i, row) in e.stiffness.iter().enumerate() {
            for (j, k) in row.iter().enumerate() {
                matrix.add_block(e.nodes[i], e.nodes[j], &(r * k * r.transpose() * -factor));
            }
        }
    }
}

/// Elastic energy ½ Σ uᵀ K u [J].
pub fn potential_energy<const N: usize>(rotation: Rotation, elements: &[Element<N>], x: &[Vec3]) -> f64 {
    let energy = |e: &Element<N>| {
        let u = e.displacement(rotation, x).0;
        0.5 * u.iter().zip(e.product(&u)).map(|(u, f)| u.dot(&f)).sum::<f64>()
    };
    elements.iter().map(energy).sum()
}
