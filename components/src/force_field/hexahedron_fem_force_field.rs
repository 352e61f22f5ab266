//! `HexahedronFEMForceField`: linear elasticity on hexahedra, with frames that follow each element. The file is long since equal boxes,
//! parallelepipeds and other hexahedra have kernels of their own.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::boxes::{self, Boxes};
use super::fem::bricks::{self, Bricks};
use super::fem::frame::Method;
use super::fem::gauss_points::{self, General};
use super::fem::hexahedra::{self, Constants, RestShapes};
use super::fem::hexahedron_loops::{self, Hexahedra};
use super::fem::material::Material;
use super::fem::patches::Order;
use super::tetrahedron_fem_force_field::{rest_positions, topology, warn_of_inverted};

/// Linear elasticity on trilinear hexahedra: small displacements, or frames by `large` or `polar`.
///
/// `H` is how elements are computed: [`Boxes`] where all are equal boxes at rest, [`Bricks`] where all are parallelepipeds, else
/// [`General`].
///
/// In the frame Q of the mean edges (`large`), their polar factor (`polar`) or none (`small`, Q = I), Q₀ at rest: u = Q x − Q₀ X, f = −Qᵀ
/// K u, with K = Σ Bᵀ C B det J over 2 x 2 x 2 Gauss points at rest, B from displacements to strains, C by λ = E ν/((1 + ν)(1 − 2ν)) and
/// μ = E/(2 (1 + ν)). The energy is ½ uᵀ K u, the tangent −Qᵀ K Q.
///
/// **Source:** as SOFA's `HexahedronFEMForceField`, where parallelepipeds (but for 1e-3 of an edge) have one J for all points. Of its
/// tangent, the derivative of the frames is left out.
pub struct HexahedronFEMForceField<H>(PhantomData<H>);

/// Hexahedra as the fastest way that their shapes allow wants them.
pub enum HexahedronParts<A: ForceField, B: ForceField, C: ForceField> {
    /// Equal boxes.
    Boxes(ForceFieldParts<A>),
    /// Parallelepipeds.
    Bricks(ForceFieldParts<B>),
    /// Any hexahedra.
    General(ForceFieldParts<C>),
}

/// Chooses how elements are computed: [`Boxes`] and [`Bricks`] where all have the shape; as the mesh lists them, not by [`Boxes`].
pub(super) fn choose<A, B, C>(shapes: &RestShapes, method: Method) -> HexahedronParts<A, B, C>
where
    A: ForceField<Constants = boxes::Constants, Element = boxes::Block, Stored = hexahedra::Tangent>,
    B: ForceField<Constants = Constants, Element = bricks::Block, Stored = bricks::Tangent>,
    C: ForceField<Constants = Constants, Element = gauss_points::Block, Stored = hexahedra::Tangent>,
{
    let constants = shapes.constants(method);
    if shapes.order == Order::Fastest
        && let Some((constants, elements, stored)) = boxes::build(shapes, constants)
    {
        return HexahedronParts::Boxes(ForceFieldParts::new(constants, elements, stored));
    }
    if shapes.all_bricks {
        let (elements, stored) = bricks::build(&shapes.blocks);
        HexahedronParts::Bricks(ForceFieldParts::new(constants, elements, stored))
    } else {
        let (elements, stored) = gauss_points::build(&shapes.blocks);
        HexahedronParts::General(ForceFieldParts::new(constants, elements, stored))
    }
}

impl HexahedronFEMForceField<Boxes> {
    /// The force field of equal boxes at rest; none where the elements are something else.
    pub fn parts(shapes: &RestShapes, method: Method) -> Option<ForceFieldParts<Self>> {
        let (constants, elements, stored) = boxes::build(shapes, shapes.constants(method))?;
        Some(ForceFieldParts::new(constants, elements, stored))
    }
}

impl HexahedronFEMForceField<Bricks> {
    /// The force field of parallelepipeds at rest.
    pub fn parts(shapes: &RestShapes, method: Method) -> ForceFieldParts<Self> {
        let (elements, stored) = bricks::build(&shapes.blocks);
        ForceFieldParts::new(shapes.constants(method), elements, stored)
    }
}

impl HexahedronFEMForceField<General> {
    /// The force field of elements at rest.
    pub fn parts(shapes: &RestShapes, method: Method) -> ForceFieldParts<Self> {
        let (elements, stored) = gauss_points::build(&shapes.blocks);
        ForceFieldParts::new(shapes.constants(method), elements, stored)
    }
}

impl<H: Hexahedra> ForceField for HexahedronFEMForceField<H> {
    type State = Vec3Type;
    type Constants = H::Constants;
    type Element = H::Block;
    type Stored = H::Tangent;
    const NAME: &'static str = "HexahedronFEMForceField";

    fn add_force(c: &H::Constants, at: AddForce<'_, Self>) {
        hexahedron_loops::add_force::<H>(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &H::Constants, at: AddDForce<'_, Self>) {
        hexahedron_loops::add_d_force::<H>(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &H::Constants, at: AddKToMatrix<'_, Self>) {
        hexahedron_loops::add_k_to_matrix::<H>(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    fn potential_energy(c: &H::Constants, blocks: &[H::Block], x: &[Vec3]) -> Option<Real> {
        Some(hexahedron_loops::potential_energy::<H>(c, blocks, x))
    }
}

/// The methods that this class has, in SOFA's order.
#[derive(Word, Clone, Copy)]
#[word(of = Method)]
pub(super) enum HexahedronMethod {
    Large,
    Polar,
    Small,
}

/// What all fields of elastic hexahedra have.
#[derive(Attributes)]
#[attributes(ignored("initialPoints", "stiffnessMatrices", "drawing", "drawPercentageOffset"))]
pub(super) struct HexahedronAttributes {
    /// how frames follow the elements
    #[attribute(default = "large")]
    method: HexahedronMethod,
    /// whether stiffness is that of the deformed elements; only false is supported
    update_stiffness_matrix: bool,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

/// Linear elasticity on hexahedra, with frames that follow each element.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    hexahedra: HexahedronAttributes,
}

/// The class `HexahedronFEMForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "HexahedronFEMForceField", build)
        .old_names(&["ParallelHexahedronFEMForceField"])
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("hexahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar' rayleighStiffness='0.01'")
                .elements("hexahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='small'").elements("hexahedra"),
        ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let settings = Settings::read(b)?.hexahedra;
    let elements = topology(b)?.hexahedra.clone();
    add(b, settings, &elements)
}

/// Puts elastic hexahedra into the scene.
pub(super) fn add(
    b: &mut Builder<'_>,
    settings: HexahedronAttributes,
    elements: &[[u32; 8]],
) -> Result<(), BuildError> {
    let method = settings.method.into();
    if settings.update_stiffness_matrix {
        return Err(BuildError::attribute(
            "updateStiffnessMatrix",
            "`updateStiffnessMatrix` is not supported: remove it, or use tetrahedra",
        ));
    }
    // Cells that a body fills in part are softer, as in SOFA.
    let filled = topology(b)?.sparse.as_ref().map(|cells| cells.stiffness.clone());
    let state = b.state()?;
    let mut material = Material::from_attributes(b, settings.elastic, elements.len());
    if let Some(filled) = filled {
        material = material.scaled(&filled);
    }
    if elements.is_empty() {
        b.warn(None, "the topology has no hexahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let shapes = hexahedra::rest_shapes(&rest, elements, &material, method, Order::of(&b.scene))
        .map_err(|e| BuildError::new(e.to_string()))?;
    warn_of_inverted(b, shapes.n_inverted, elements.len(), "hexahedra");
    match choose(&shapes, method) {
        HexahedronParts::Boxes(parts) => b.add_force_field::<HexahedronFEMForceField<Boxes>>(state, parts),
        HexahedronParts::Bricks(parts) => b.add_force_field::<HexahedronFEMForceField<Bricks>>(state, parts),
        HexahedronParts::General(parts) => {
            b.add_force_field::<HexahedronFEMForceField<General>>(state, parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::lane_algebra::MRow;
    use crate::force_field::fem::oracle;
    use crate::force_field::fem::oracle::{bar, deformed, force, rotation};
    use crate::test_support::TestScene;
    use crate::topology;
    use approx::assert_relative_eq;
    use sim_core::math::{quat_from_euler_degrees, quat_to_matrix};
    use sim_core::testing::{ForceFieldCheck, Random};

    const METHODS: [Method; 3] = [Method::Small, Method::Large, Method::Polar];
    const YOUNG: f64 = 1000.0;
    const POISSON: f64 = 0.3;
    const CELLS: [u32; 3] = [3, 2, 2];

    /// Sheared bricks: parallelepipeds, but no boxes.
    fn sheared() -> Vec<Vec3> {
        bar(CELLS)
            .0
            .iter()
            .map(|p| Vec3::new(1.2 * p.x + 0.3 * p.y, 0.8 * p.y - 0.2 * p.z, p.z + 0.1 * p.x))
            .collect()
    }

    /// Elements of no special shape.
    fn distorted() -> Vec<Vec3> {
        Random::new(8).moved(&sheared(), 0.1)
    }

    fn shapes(rest: &[Vec3], method: Method) -> RestShapes {
        let material = Material::uniform(YOUNG, POISSON);
        hexahedra::rest_shapes(rest, &bar(CELLS).1, &material, method, Order::Fastest).unwrap()
    }

    fn conform<H: Hexahedra>(
        rest: &[Vec3],
        constant: bool,
        parts: fn(&RestShapes, Method) -> ForceFieldParts<HexahedronFEMForceField<H>>,
        rows: fn(&H::Tangent) -> &MRow,
    ) {
        let (_, elements) = bar(CELLS);
        let matrices: Vec<oracle::Dense> = elements
            .iter()
            .map(|h| oracle::hexahedron(&h.map(|n| rest[n as usize]), YOUNG, POISSON, constant))
            .collect();
        for method in METHODS {
            let parts = parts(&shapes(rest, method), method);
            let (_, at_rest) = force(&parts, rest);
            let x = deformed(rest, 0.1, 9);
            let v = vec![Vec3::zeros(); x.len()];
            let mut check = ForceFieldCheck::new(&parts, x, v)
                .seed(2)
                .symmetric()
                .assembled()
                // The textbook forces in the rotations that are stored.
                .frozen(|_, _, stored, f, x, _| {
                    for (e, nodes) in elements.iter().enumerate() {
                        let r = rotation(rows(&stored[e / 8]), rows(&at_rest[e / 8]), e % 8);
                        let u = nodes.map(|n| r.transpose() * x[n as usize] - rest[n as usize]);
                        for (n, ku) in nodes.iter().zip(matrices[e].product(&u)) {
                            f[*n as usize] -= r * ku;
                        }
                    }
                });
            if method == Method::Small {
                check = check.conservative();
            }
            check.run();
        }
    }

    #[test]
    fn bricks_conform() {
        let parts = HexahedronFEMForceField::<Bricks>::parts;
        conform::<Bricks>(&sheared(), true, parts, |t| &t.gradients);
        conform::<Bricks>(&bar(CELLS).0, true, parts, |t| &t.gradients);
    }

    /// Boxes of three different edges.
    fn boxes() -> Vec<Vec3> {
        bar(CELLS).0.iter().map(|p| p.component_mul(&Vec3::new(1.2, 0.7, 1.0))).collect()
    }

    #[test]
    fn boxes_conform() {
        let parts = |s: &RestShapes, m| HexahedronFEMForceField::<Boxes>::parts(s, m).unwrap();
        conform::<Boxes>(&boxes(), true, parts, |t| &t.frame);
    }

    #[test]
    fn what_is_no_box_or_not_equal_is_computed_otherwise() {
        let boxes = |rest: &[Vec3]| {
            HexahedronFEMForceField::<Boxes>::parts(&shapes(rest, Method::Small), Method::Small)
        };
        assert!(boxes(&bar(CELLS).0).is_some() && boxes(&self::boxes()).is_some());
        assert!(boxes(&sheared()).is_none() && boxes(&distorted()).is_none());
        let uneven: Vec<Vec3> = bar(CELLS).0.iter().map(|p| Vec3::new(p.x * p.x, p.y, p.z)).collect();
        assert!(boxes(&uneven).is_none());
        // A box that no axis is along is one in a frame of its edges only.
        let r = quat_to_matrix(&quat_from_euler_degrees(Vec3::new(140.0, -50.0, 75.0)));
        let turned: Vec<Vec3> = bar(CELLS).0.iter().map(|p| r * p).collect();
        assert!(boxes(&turned).is_none());
        let (s, m) = (shapes(&turned, Method::Large), Method::Large);
        assert!(HexahedronFEMForceField::<Boxes>::parts(&s, m).is_some());
        // Elements of two materials are no equal boxes.
        let material = Material::per_element(vec![1.0, 2.0], vec![0.3]);
        let s = hexahedra::rest_shapes(&bar(CELLS).0, &bar(CELLS).1, &material, m, Order::Fastest).unwrap();
        assert!(HexahedronFEMForceField::<Boxes>::parts(&s, m).is_none());
    }

    #[test]
    fn general_elements_conform() {
        let parts = HexahedronFEMForceField::<General>::parts;
        conform::<General>(&distorted(), false, parts, |t| &t.frame);
    }

    #[test]
    fn bricks_are_a_case_of_general_elements() {
        let rest = sheared();
        for method in METHODS {
            let shapes = shapes(&rest, method);
            assert!(shapes.all_bricks);
            let bricks = HexahedronFEMForceField::<Bricks>::parts(&shapes, method);
            let general = HexahedronFEMForceField::<General>::parts(&shapes, method);
            let x = deformed(&rest, 0.2, 10);
            let ((f, s), (g, t)) = (force(&bricks, &x), force(&general, &x));
            let scale = f.iter().map(|f| f.norm()).fold(0.0, f64::max);
            f.iter().zip(&g).for_each(|(f, g)| assert!((f - g).norm() < 1e-12 * scale));
            let dx: Vec<Vec3> = Random::new(11).derivs(x.len());
            let (mut df, mut dg) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
            hexahedron_loops::add_d_force::<Bricks>(
                &bricks.constants,
                -0.3,
                &bricks.elements,
                &s,
                &mut df,
                &dx,
            );
            hexahedron_loops::add_d_force::<General>(
                &general.constants,
                -0.3,
                &general.elements,
                &t,
                &mut dg,
                &dx,
            );
            df.iter().zip(&dg).for_each(|(f, g)| assert!((f - g).norm() < 1e-11 * scale));
            let energy = |e: Option<f64>| e.unwrap();
            assert_relative_eq!(
                energy(HexahedronFEMForceField::<Bricks>::potential_energy(
                    &bricks.constants,
                    &bricks.elements,
                    &x
                )),
                energy(HexahedronFEMForceField::<General>::potential_energy(
                    &general.constants,
                    &general.elements,
                    &x
                )),
                max_relative = 1e-12
            );
        }
    }

    #[test]
    fn a_rigid_motion_gives_no_force() {
        let r = quat_to_matrix(&quat_from_euler_degrees(Vec3::new(140.0, -50.0, 75.0)));
        for (rest, method) in [sheared(), distorted()].iter().flat_map(|r| METHODS.map(|m| (r, m))) {
            let parts = HexahedronFEMForceField::<General>::parts(&shapes(rest, method), method);
            let (f, _) = force(&parts, rest);
            assert!(f.iter().all(|f| *f == Vec3::zeros()), "{method:?} is not exactly zero at rest");
            let x: Vec<Vec3> = rest.iter().map(|p| r * p + Vec3::new(3.0, -2.0, 5.0)).collect();
            let (f, _) = force(&parts, &x);
            let largest = f.iter().map(|f| f.norm()).fold(0.0, f64::max);
            assert_eq!(largest < 1e-9, method != Method::Small, "{method:?}: {largest:e}");
            assert!(f.iter().sum::<Vec3>().norm() < 1e-8);
        }
    }

    #[test]
    fn a_stretched_bar_pulls_back_by_hookes_law() {
        let rest = bar(CELLS).0;
        let strain = 1e-4;
        let expected = -strain * YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) * 4.0;
        let x: Vec<Vec3> = rest.iter().map(|p| Vec3::new(p.x * (1.0 + strain), p.y, p.z)).collect();
        for method in METHODS {
            let (f, _) = force(&HexahedronFEMForceField::<Bricks>::parts(&shapes(&rest, method), method), &x);
            let pull: f64 = rest.iter().zip(&f).filter(|(p, _)| p.x == 3.0).map(|(_, f)| f.x).sum();
            assert_relative_eq!(pull, expected, max_relative = 1e-9);
        }
    }

    fn built(
        attributes: &[(&'static str, &str)],
        grid: &[(&'static str, &str)],
    ) -> (TestScene, Result<(), BuildError>) {
        let mut s = TestScene::new();
        let root = s.root();
        let class = topology::all().into_iter().find(|d| d.class == "RegularGridTopology").unwrap();
        s.add(&class, root, grid).unwrap();
        s.add(&crate::state::mechanical_object::DESCRIPTION, root, &[]).unwrap();
        let outcome = s.add(&DESCRIPTION, root, attributes).map(|_| ());
        (s, outcome)
    }

    #[test]
    fn builds_from_a_grid() {
        let grid = [("n", "3 2 2"), ("min", "0 0 0"), ("max", "2 1 1")];
        let (s, outcome) = built(&[("method", "polar"), ("youngModulus", "4000")], &grid);
        outcome.unwrap();
        assert!(s.warnings.is_empty(), "{:?}", s.warnings);
        assert_eq!(s.scene.parts.force_fields.len(), 1);
    }

    #[test]
    fn says_what_is_wrong() {
        let flat = [("n", "3 2 2"), ("min", "0 0 0"), ("max", "2 1 0")];
        let error = built(&[], &flat).1.unwrap_err();
        assert!(error.message.contains("hexahedron 0") && error.message.contains("no volume"), "{error}");
        let grid = [("n", "3 2 2"), ("min", "0 0 0"), ("max", "2 1 1")];
        let error = built(&[("method", "svd")], &grid).1.unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("method"));
        let error = built(&[("updateStiffnessMatrix", "true")], &grid).1.unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("updateStiffnessMatrix"));
    }
}
