//! Tests that products with the tangent are those of dense element matrices, whatever order elements are computed in.

use proptest::prelude::*;
use sim_core::component::force_field::{AddDForce, AddKToMatrix, ForceField, ForceFieldParts};
use sim_core::component::matrix::BlockSink;
use sim_core::math::{Mat3, Vec3, Vec3Type};
use sim_core::testing::Random;

use super::boxes::Boxes;
use super::bricks::Bricks;
use super::frame::Method;
use super::gauss_points::General;
use super::hexahedra::{RestShapes, rest_shapes};
use super::lane_algebra::MRow;
use super::material::Material;
use super::oracle::{self, Dense, bar, deformed, force, rotation};
use super::patches::{Nodes, Order, place};
use super::tetrahedra::Tangent;
use crate::force_field::hexahedron_fem_force_field::HexahedronFEMForceField;
use crate::force_field::tetrahedron_fem_force_field::{TetrahedronFEMForceField, TetrahedronOptions};
use crate::topology::{HexaCut, cut_hexahedra};

type Tetrahedra = TetrahedronFEMForceField<Tangent>;
const METHODS: [Method; 4] = [Method::Small, Method::Large, Method::Polar, Method::Svd];
const FACTOR: f64 = 0.7;

/// A body: its points at rest and its elements.
struct Body<const N: usize> {
    rest: Vec<Vec3>,
    elements: Vec<[u32; N]>,
}

impl<const N: usize> Body<N> {
    /// The largest difference of a product from that of dense matrices in the rotations that are stored, relative to the largest of its entries.
    fn difference<F: ForceField<State = Vec3Type>>(
        &self,
        parts: &ForceFieldParts<F>,
        seed: u64,
        nodes: fn(&F::Element) -> &Nodes<N>,
        rows: fn(&F::Stored) -> &MRow,
        dense: impl Fn(&[Vec3; N]) -> Dense,
    ) -> f64 {
        let x = deformed(&self.rest, 0.1, seed);
        let dx = Random::new(seed + 1).derivs::<Vec3>(x.len());
        let ((_, at_rest), (_, stored)) = (force(parts, &self.rest), force(parts, &x));
        let mut df = vec![Vec3::zeros(); x.len()];
        let (k_factor, elements) = (FACTOR, &parts.elements);
        let at = AddDForce { k_factor, b_factor: 0.0, elements, stored: &stored, df: &mut df, dx: &dx };
        F::add_d_force(&parts.constants, at);
        let mut expected = vec![Vec3::zeros(); x.len()];
        for (e, points) in self.elements.iter().enumerate() {
            let (b, lane) = place(|b| nodes(&elements[b]), e);
            let r = rotation(rows(&stored[b]), rows(&at_rest[b]), lane);
            let u = points.map(|n| r.transpose() * dx[n as usize]);
            let ku = dense(&points.map(|n| self.rest[n as usize])).product(&u);
            for (n, ku) in points.iter().zip(ku) {
                expected[*n as usize] -= r * ku * FACTOR;
            }
        }
        let scale = expected.iter().map(|f| f.norm()).fold(0.0, f64::max);
        df.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / scale
    }

    /// Puts elements into another order.
    fn shuffle(&mut self, seed: u64) {
        let n = self.elements.len();
        (0..n).for_each(|i| self.elements.swap(i, (i * 7 + seed as usize) % n));
    }
}

/// A bar of cells with these edges, after a linear map.
fn cells(n: [u32; 3], map: Mat3) -> Body<8> {
    let (points, elements) = bar(n);
    Body { rest: points.iter().map(|p| map * p).collect(), elements }
}

fn cut(cells: &Body<8>, cut: HexaCut) -> Body<4> {
    Body { rest: cells.rest.clone(), elements: cut_hexahedra(&cells.elements, None, cut) }
}

const SHEAR: Mat3 = Mat3::new(1.0, 0.2, 0.0, 0.0, 0.9, 0.1, -0.1, 0.0, 1.1);

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn tetrahedra(
        n in [1..5u32, 1..5u32, 1..5u32],
        edges in [0.3..3.0f64, 0.3..3.0f64, 0.3..3.0f64],
        (young, poisson) in (10.0..1e6f64, 0.0..0.45f64),
        (seed, method) in (0..1000u64, 0..4usize),
        (mirrored, shuffled) in (any::<bool>(), any::<bool>()),
    ) {
        let how = if mirrored { HexaCut::Mirrored } else { HexaCut::Plain };
        let mut body = cut(&cells(n, SHEAR * Mat3::from_diagonal(&Vec3::from(edges))), how);
        if shuffled {
            body.shuffle(seed);
        }
        let material = Material::uniform(young, poisson);
        for order in [Order::Fastest, Order::OfMesh] {
            let options = TetrahedronOptions { order, ..TetrahedronOptions::new(METHODS[method]) };
            let parts = Tetrahedra::parts(&body.rest, &body.elements, &material, &options).unwrap();
            let dense = |p: &[Vec3; 4]| oracle::tetrahedron(p, young, poisson);
            let difference = body.difference(&parts, seed, |b| &b.nodes, |t| &t.gradients, dense);
            prop_assert!(difference < 1e-12, "{difference:e} {order:?}");
        }
    }

    #[test]
    fn boxes_and_what_is_none(
        n in [1..5u32, 1..5u32, 1..5u32],
        edges in [0.3..3.0f64, 0.3..3.0f64, 0.3..3.0f64],
        (young, poisson) in (10.0..1e6f64, 0.0..0.45f64),
        (seed, method) in (0..1000u64, 0..3usize),
        (skewed, shuffled) in (any::<bool>(), any::<bool>()),
    ) {
        let edges = Mat3::from_diagonal(&Vec3::from(edges));
        let mut body = cells(n, if skewed { SHEAR * edges } else { edges });
        if shuffled {
            body.shuffle(seed);
        }
        let (material, method) = (Material::uniform(young, poisson), METHODS[method]);
        let dense = |p: &[Vec3; 8]| oracle::hexahedron(p, young, poisson, true);
        for order in [Order::Fastest, Order::OfMesh] {
            let shapes: RestShapes = rest_shapes(&body.rest, &body.elements, &material, method, order).unwrap();
            let boxes = HexahedronFEMForceField::<Boxes>::parts(&shapes, method);
            prop_assert_eq!(boxes.is_none(), skewed);
            if let Some(parts) = boxes {
                let difference = body.difference(&parts, seed, |b| &b.nodes, |t| &t.frame, dense);
                prop_assert!(difference < 1e-12, "boxes {difference:e} {order:?}");
            }
            let parts = HexahedronFEMForceField::<Bricks>::parts(&shapes, method);
            let difference = body.difference(&parts, seed, |b| &b.nodes, |t| &t.gradients, dense);
            prop_assert!(difference < 1e-12, "bricks {difference:e} {order:?}");
            let parts = HexahedronFEMForceField::<General>::parts(&shapes, method);
            let difference = body.difference(&parts, seed, |b| &b.nodes, |t| &t.frame, dense);
            prop_assert!(difference < 1e-12, "general {difference:e} {order:?}");
        }
    }
}

/// Lists blocks as they come.
struct List(Vec<(u32, u32, Mat3)>);

impl BlockSink for List {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        self.0.push((row, column, *block));
    }
}

#[test]
fn a_cut_grid_is_computed_in_patches_and_its_matrix_is_assembled_in_the_order_of_the_mesh() {
    let body = cut(&cells([3, 3, 4], SHEAR), HexaCut::Plain);
    let (material, x) = (Material::uniform(1000.0, 0.3), deformed(&body.rest, 0.1, 5));
    let of = |order| {
        let options = TetrahedronOptions { order, ..TetrahedronOptions::new(Method::Large) };
        let parts = Tetrahedra::parts(&body.rest, &body.elements, &material, &options).unwrap();
        let (f, stored) = force(&parts, &x);
        let (mut matrix, elements) = (List(Vec::new()), &parts.elements);
        let at =
            AddKToMatrix { k_factor: -0.3, b_factor: 0.0, elements, stored: &stored, matrix: &mut matrix };
        Tetrahedra::add_k_to_matrix(&parts.constants, at);
        (parts.constants.patched, f, matrix.0)
    };
    let (fast, plain) = (of(Order::Fastest), of(Order::OfMesh));
    assert!(fast.0 && !plain.0);
    assert!(fast.2 == plain.2, "the same blocks in the same order");
    let scale = plain.1.iter().map(|f| f.norm()).fold(0.0, f64::max);
    fast.1.iter().zip(&plain.1).for_each(|(a, b)| assert!((a - b).norm() < 1e-13 * scale));
}
