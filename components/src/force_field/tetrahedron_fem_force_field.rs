//! `TetrahedronFEMForceField`: linear elasticity on tetrahedra, with frames that follow each element. The file is long for plastic
//! elements, and since other fields of tetrahedra are built here.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::fem::attributes::TetrahedraAttributes;
use super::fem::frame::Method;
use super::fem::material::Material;
use super::fem::patches::Order;
use super::fem::point_rotations;
use super::fem::tetrahedra::{
    self, Block, Constants, ElementError, PlasticTangent, Plasticity, Stored, Tangent,
};
use crate::topology::{HexaCut, cut_hexahedra};

/// Linear elasticity on tetrahedra: small displacements, or frames by `large`, `polar` or `svd`; optionally plastic.
///
/// A topology with hexahedra and no tetrahedra is cut, six for each, every second cell of a grid mirrored. `S` is what is
/// stored for each block: [`Tangent`], or [`PlasticTangent`] with the plastic strain.
///
/// With a tetrahedron's volume V, the gradients g of its shape functions at rest in the rest frame Q₀, and the frame Q of its present
/// shape: u = Q (x − x₀) − Q₀ (X − X₀) from its first node, f = −Qᵀ K u with the blocks `Kᵢⱼ = V (λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I)`,
/// λ = E ν/((1 + ν)(1 − 2ν)), μ = E/(2 (1 + ν)). The tangent is −Qᵀ K Q. Q is I (`small`), the frame of the first two edges (`large`), or
/// the polar factor of the matrix whose rows are the three edges (`polar`; `svd` takes a proper rotation where an element is flat or
/// turned inside out).
///
/// Plastic: with the strain s = −6 V B u, e = s − s_p for the plastic strain s_p. Where |e| > `plasticYieldThreshold`, s_p grows by
/// `plasticCreep` e, and is brought to the length `plasticMaxThreshold` where it is longer; the force is that of s − s_p.
///
/// **Source:** as SOFA's `TetrahedronFEMForceField`. Of its tangent, the derivative of the frames and of the plastic strain is left out.
pub struct TetrahedronFEMForceField<S>(PhantomData<S>);

/// The attributes of a field of tetrahedra besides its elements and material.
#[derive(Clone, Debug)]
pub struct TetrahedronOptions {
    /// How frames follow.
    pub method: Method,
    /// Whether strains are taken with the gradients of the deformed elements.
    pub update_stiffness_matrix: bool,
    /// Factors of Young's modulus, spread evenly over the elements; empty for none.
    pub local_stiffness_factor: Vec<f64>,
    /// When elements yield; only for [`PlasticTangent`].
    pub plasticity: Plasticity,
    /// How elements may be put into blocks.
    pub order: Order,
}

impl TetrahedronOptions {
    /// The defaults, with the given method.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            update_stiffness_matrix: false,
            local_stiffness_factor: Vec::new(),
            plasticity: Plasticity::default(),
            order: Order::Fastest,
        }
    }
}

impl<S: Stored> TetrahedronFEMForceField<S> {
    /// The force field of tetrahedra on points at rest.
    ///
    /// # Errors
    /// An element without volume, or of points that do not exist.
    pub fn parts(
        rest: &[Vec3],
        tetrahedra: &[[u32; 4]],
        material: &Material,
        options: &TetrahedronOptions,
    ) -> Result<ForceFieldParts<Self>, ElementError> {
        let (constants, built) = assemble(rest, tetrahedra, material, options)?;
        Ok(ForceFieldParts::new(constants, built.blocks, built.stored))
    }
}

/// Constants and blocks, for both fields of tetrahedra.
pub(super) fn assemble<S: Stored>(
    rest: &[Vec3],
    elements: &[[u32; 4]],
    material: &Material,
    options: &TetrahedronOptions,
) -> Result<(Constants, tetrahedra::Built<S>), ElementError> {
    let factors = &options.local_stiffness_factor;
    let built = tetrahedra::build(rest, elements, material, factors, options.method, options.order)?;
    let constants = Constants {
        n_elements: elements.len(),
        patched: built.patched,
        method: options.method,
        update_gradients: options.update_stiffness_matrix,
        plasticity: options.plasticity,
    };
    Ok((constants, built))
}

impl<S: Stored> ForceField for TetrahedronFEMForceField<S> {
    type State = Vec3Type;
    type Constants = Constants;
    type Element = Block;
    type Stored = S;
    const NAME: &'static str = "TetrahedronFEMForceField";
    const CARRIES_OVER: bool = S::CARRIES_OVER;
    const HAS_ROTATIONS: bool = true;

    fn add_force(c: &Constants, at: AddForce<'_, Self>) {
        tetrahedra::add_force(c, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(c: &Constants, at: AddDForce<'_, Self>) {
        tetrahedra::add_d_force(c, at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(c: &Constants, at: AddKToMatrix<'_, Self>) {
        tetrahedra::add_k_to_matrix(c, at.k_factor, at.elements, at.stored, at.matrix);
    }

    /// **Source:** as SOFA's getRotation: the rotation nearest to the mean of those of the elements around the point.
    fn rotations(c: &Constants, blocks: &[Block], x: &[Vec3], rotations: &mut [Mat3]) {
        point_rotations::of_points(c, blocks, x, rotations);
    }

    /// Only for the method `small`, as SOFA's.
    fn potential_energy(c: &Constants, blocks: &[Block], x: &[Vec3]) -> Option<Real> {
        (c.method == Method::Small).then(|| tetrahedra::small_strain_energy(c, blocks, x))
    }
}

/// Linear elasticity on tetrahedra, with frames that follow each element.
#[derive(Attributes)]
#[attributes(ignored("initialPoints", "gatherPt", "gatherBsize", "updateStiffness"))]
struct Settings {
    /// how frames follow the elements
    #[attribute(default = "large", or_default)]
    method: Method,
    /// largest plastic strain times six volumes; 0: elastic [m^3]
    #[attribute(default = "0")]
    plastic_max_threshold: f64,
    /// elastic strain times six volumes beyond which an element creeps [m^3]
    #[attribute(default = "0.00009999999747378752")]
    plastic_yield_threshold: f64,
    /// part of the elastic strain that becomes plastic at each step
    #[attribute(default = "0.8999999761581421")]
    plastic_creep: f64,
    #[attribute(flatten)]
    tetrahedra: TetrahedraAttributes,
}

/// The class `TetrahedronFEMForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TetrahedronFEMForceField", build)
        .old_names(&["ParallelTetrahedronFEMForceField"])
        .follows(Following::PLAIN.prepared(&[], without_memory))
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='large'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='polar'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='small'").elements("tetrahedra"),
            Sample::new("youngModulus='3000' poissonRatio='0.3' method='svd'").elements("tetrahedra"),
            Sample::new(
                "youngModulus='3000' poissonRatio='0.3' method='large' plasticMaxThreshold='0.1' plasticYieldThreshold='0.001' plasticCreep='0.3'",
            )
            .elements("tetrahedra"),
        ]);

/// The attributes of a field that can follow changes: elastic, of tetrahedra that the topology has.
///
/// **Source:** as SOFA's, which computes all elements anew from the points at rest.
fn without_memory(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    if Settings::read(b)?.plastic_max_threshold > 0.0 {
        let text = "plastic strain does not follow changes of the topology";
        return Err(BuildError::attribute("plasticMaxThreshold", text));
    }
    if topology(b)?.tetrahedra.is_empty() {
        return Err(BuildError::new("tetrahedra that are cut from hexahedra do not follow their changes"));
    }
    Ok(b.attributes.clone())
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let settings = Settings::read(b)?;
    if b.topology(TopologySearch::Last).is_none() {
        b.warn(None, "there is no topology in this node or above it, so there will be no force, as in SOFA");
        return Ok(());
    }
    let elements = elements(b)?;
    let method = settings.method;
    let mut options = TetrahedronOptions::new(method);
    options.plasticity = Plasticity {
        max_threshold: settings.plastic_max_threshold,
        yield_threshold: settings.plastic_yield_threshold,
        creep: settings.plastic_creep,
    };
    let tetrahedra = settings.tetrahedra;
    warn_of_global_matrix(b, &tetrahedra, method);
    if method == Method::Large && tetrahedra.update_stiffness_matrix {
        // SOFA refreshes only half of the entries here, so that the result is no strain of anything.
        return Err(BuildError::attribute(
            "updateStiffnessMatrix",
            "`updateStiffnessMatrix` with the method `large` is not supported; use TetrahedralCorotationalFEMForceField, or another method",
        ));
    }
    if options.plasticity.max_threshold > 0.0 {
        add::<TetrahedronFEMForceField<PlasticTangent>, _>(b, &elements, tetrahedra, options)
    } else {
        add::<TetrahedronFEMForceField<Tangent>, _>(b, &elements, tetrahedra, options)
    }
}

/// The tetrahedra of the topology, or those that its hexahedra are cut into.
fn elements(b: &Builder<'_>) -> Result<Vec<[u32; 4]>, BuildError> {
    let topology = topology(b)?;
    if topology.tetrahedra.is_empty() && !topology.hexahedra.is_empty() {
        let cut = HexaCut::MirroredUnoriented;
        return Ok(cut_hexahedra(&topology.hexahedra, topology.counts, cut));
    }
    Ok(topology.tetrahedra.clone())
}

/// The topology that a finite element field takes its elements from.
pub(super) fn topology<'a>(b: &'a Builder<'_>) -> Result<&'a Topology, BuildError> {
    b.topology(TopologySearch::Last).ok_or_else(|| {
        BuildError::new(
            "there is no topology in this node or above it; put one with the elements before this component",
        )
    })
}

/// SOFA's methods `polar` and `svd` have no force where a matrix of the whole body is asked for.
pub(super) fn warn_of_global_matrix(b: &mut Builder<'_>, given: &TetrahedraAttributes, method: Method) {
    if given.compute_global_matrix && matches!(method, Method::Polar | Method::Svd) {
        b.warn(
            Some("computeGlobalMatrix"),
            "SOFA computes no force at all for `polar` and `svd` with `computeGlobalMatrix`; here it has no effect",
        );
    }
}

/// Puts a field of tetrahedra into the scene; reads what both fields have in common.
pub(super) fn add<F, S>(
    b: &mut Builder<'_>,
    elements: &[[u32; 4]],
    given: TetrahedraAttributes,
    mut options: TetrahedronOptions,
) -> Result<(), BuildError>
where
    F: ForceField<State = Vec3Type, Constants = Constants, Element = Block, Stored = S>,
    S: Stored,
{
    let state = b.state()?;
    let material = Material::from_attributes(b, given.elastic, elements.len());
    options.update_stiffness_matrix = given.update_stiffness_matrix;
    options.local_stiffness_factor = given.local_stiffness_factor;
    options.order = Order::of(&b.scene);
    if elements.is_empty() {
        b.warn(None, "the topology has no tetrahedra, so there will be no force");
    }
    let rest = rest_positions(b, state)?;
    let (constants, built) =
        assemble::<S>(&rest, elements, &material, &options).map_err(|e| BuildError::new(e.to_string()))?;
    warn_of_inverted(b, built.n_inverted, elements.len(), "tetrahedra");
    b.add_force_field::<F>(state, ForceFieldParts::new(constants, built.blocks, built.stored))
}

/// The rest positions of a state of points.
pub(super) fn rest_positions(b: &Builder<'_>, state: StateId) -> Result<Vec<Vec3>, BuildError> {
    let initial = b.scene.initial_as::<Vec3Type>(state).ok_or_else(|| {
        let found = b.scene.initial(state).template();
        BuildError::new(format!("the elements need a MechanicalObject of points (Vec3), but it is {found}"))
    })?;
    Ok(initial.rest_position.clone())
}

/// Says how many elements have negative volumes at rest.
pub(super) fn warn_of_inverted(b: &mut Builder<'_>, n: usize, of: usize, kind: &str) {
    if n > 0 {
        b.warn(
            None,
            format!(
                "{n} of {of} {kind} are inverted at rest (their nodes are in the order of a mirror image)"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle;
    use crate::force_field::fem::oracle::{bar, deformed, force, rotation};
    use crate::test_support::TestScene;
    use crate::topology;
    use approx::assert_relative_eq;
    use sim_core::math::{quat_from_euler_degrees, quat_to_matrix};
    use sim_core::testing::ForceFieldCheck;

    type Elastic = TetrahedronFEMForceField<Tangent>;
    type Plastic = TetrahedronFEMForceField<PlasticTangent>;
    const METHODS: [Method; 4] = [Method::Small, Method::Large, Method::Polar, Method::Svd];
    const YOUNG: f64 = 1000.0;
    const POISSON: f64 = 0.3;

    fn mesh() -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let (points, hexahedra) = bar([2, 2, 1]);
        (points, cut_hexahedra(&hexahedra, None, HexaCut::Mirrored))
    }

    fn field<S: Stored>(method: Method) -> ForceFieldParts<TetrahedronFEMForceField<S>> {
        let (rest, tetrahedra) = mesh();
        let material = Material::uniform(YOUNG, POISSON);
        TetrahedronFEMForceField::parts(&rest, &tetrahedra, &material, &TetrahedronOptions::new(method))
            .unwrap()
    }

    /// Textbook forces in the rotations that are stored.
    fn frozen(
        rest: &[Vec3],
        tetrahedra: &[[u32; 4]],
        at_rest: &[Tangent],
        stored: &[Tangent],
        f: &mut [Vec3],
        x: &[Vec3],
    ) {
        for (e, nodes) in tetrahedra.iter().enumerate() {
            let r = rotation(&stored[e / 8].gradients, &at_rest[e / 8].gradients, e % 8);
            let p0 = nodes.map(|n| rest[n as usize]);
            let u = nodes.map(|n| r.transpose() * x[n as usize] - rest[n as usize]);
            for (n, ku) in nodes.iter().zip(oracle::tetrahedron(&p0, YOUNG, POISSON).product(&u)) {
                f[*n as usize] -= r * ku;
            }
        }
    }

    fn check(method: Method, x: Vec<Vec3>) {
        let (rest, tetrahedra) = mesh();
        let parts = field::<Tangent>(method);
        let (_, at_rest) = force(&parts, &rest);
        let v = vec![Vec3::zeros(); x.len()];
        let mut check = ForceFieldCheck::new(&parts, x, v).seed(1).symmetric().assembled();
        if method == Method::Small {
            check = check.conservative();
        } else {
            check = check.frozen(|_, _, stored, f, x, _| frozen(&rest, &tetrahedra, &at_rest, stored, f, x));
        }
        check.run();
    }

    #[test]
    fn conforms() {
        let (rest, _) = mesh();
        for method in METHODS {
            check(method, deformed(&rest, 0.1, 2));
        }
    }

    #[test]
    fn conforms_where_elements_are_inverted() {
        let (rest, _) = mesh();
        let mirrored: Vec<Vec3> =
            deformed(&rest, 0.1, 3).iter().map(|p| Vec3::new(p.x, -0.3 * p.y, p.z)).collect();
        for method in [Method::Polar, Method::Svd] {
            check(method, mirrored.clone());
        }
    }

    #[test]
    fn forces_sum_to_zero() {
        let (rest, _) = mesh();
        for method in METHODS {
            let (f, _) = force(&field::<Tangent>(method), &deformed(&rest, 0.2, 4));
            assert!(f.iter().sum::<Vec3>().norm() < 1e-9, "{method:?}");
        }
    }

    #[test]
    fn torques_vanish_to_second_order() {
        // The frames are not those of the deformed shape, so torques balance only for small strains.
        let (rest, _) = mesh();
        let imbalance = |method, size| {
            let x = deformed(&rest, size, 4);
            let (f, _) = force(&field::<Tangent>(method), &x);
            let torque: Vec3 = x.iter().zip(&f).map(|(x, f)| x.cross(f)).sum();
            torque.norm() / f.iter().map(|f| f.norm()).sum::<f64>()
        };
        for method in [Method::Large, Method::Polar, Method::Svd] {
            assert!(imbalance(method, 1e-2) < 0.02, "{method:?}");
            assert!(imbalance(method, 1e-4) < 0.0002, "{method:?}");
        }
    }

    #[test]
    fn a_rigid_motion_gives_no_force() {
        let (rest, _) = mesh();
        let r = quat_to_matrix(&quat_from_euler_degrees(Vec3::new(140.0, -50.0, 75.0)));
        let x: Vec<Vec3> = rest.iter().map(|p| r * p + Vec3::new(3.0, -2.0, 5.0)).collect();
        for method in METHODS {
            let parts = field::<Tangent>(method);
            let (f, _) = force(&parts, &rest);
            assert!(f.iter().all(|f| *f == Vec3::zeros()), "{method:?} is not exactly zero at rest");
            let (f, _) = force(&parts, &x);
            let largest = f.iter().map(|f| f.norm()).fold(0.0, f64::max);
            assert_eq!(largest < 1e-9, method != Method::Small, "{method:?}: {largest:e}");
        }
    }

    #[test]
    fn a_stretched_bar_pulls_back_by_hookes_law() {
        let (rest, _) = mesh();
        let strain = 1e-4;
        // Uniaxial strain: sigma = (lambda + 2 mu) strain on the faces of area 2 x 1 at x = 2.
        let expected = -strain * YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) * 2.0;
        let x: Vec<Vec3> = rest.iter().map(|p| Vec3::new(p.x * (1.0 + strain), p.y, p.z)).collect();
        for method in METHODS {
            let (f, _) = force(&field::<Tangent>(method), &x);
            let pull: f64 = rest.iter().zip(&f).filter(|(p, _)| p.x == 2.0).map(|(_, f)| f.x).sum();
            // The rotating frames turn with shear only to second order.
            assert_relative_eq!(pull, expected, max_relative = 1e-3);
        }
    }

    #[test]
    fn a_stretched_soft_element_yields_and_pulls_less() {
        let (rest, tetrahedra) = mesh();
        let x: Vec<Vec3> = rest.iter().map(|p| Vec3::new(p.x * 1.1, p.y, p.z)).collect();
        let pull = |max_threshold: f64, yield_threshold: f64, evaluations: usize| {
            let mut options = TetrahedronOptions::new(Method::Polar);
            options.plasticity = Plasticity { max_threshold, yield_threshold, creep: 0.5 };
            let material = Material::uniform(YOUNG, POISSON);
            let mut parts = Plastic::parts(&rest, &tetrahedra, &material, &options).unwrap();
            let mut f = Vec::new();
            for _ in 0..evaluations {
                (f, parts.stored) = force(&parts, &x);
            }
            -rest.iter().zip(&f).filter(|(p, _)| p.x == 2.0).map(|(_, f)| f.x).sum::<f64>()
        };
        let (elastic, _) = force(&field::<Tangent>(Method::Polar), &x);
        let elastic: f64 =
            -rest.iter().zip(&elastic).filter(|(p, _)| p.x == 2.0).map(|(_, f)| f.x).sum::<f64>();
        assert_relative_eq!(pull(1.0, 10.0, 1), elastic, max_relative = 1e-12); // never yields
        assert!(pull(1.0, 1e-4, 1) < 0.6 * elastic); // half of the strain has crept
        assert!(pull(1.0, 1e-4, 5) < pull(1.0, 1e-4, 1));
        assert!(pull(0.001, 1e-4, 50) > 0.9 * elastic); // capped
    }

    fn scene(topology: &ComponentDescription, attributes: &[(&'static str, &str)]) -> TestScene {
        let mut scene = TestScene::new();
        let root = scene.root();
        scene.add(topology, root, attributes).unwrap();
        scene.add(&crate::state::mechanical_object::DESCRIPTION, root, &[]).unwrap();
        scene
    }

    fn class(name: &str) -> ComponentDescription {
        topology::all().into_iter().find(|d| d.class == name).unwrap()
    }

    const POINTS: &str = "0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1";

    #[test]
    fn builds_from_tetrahedra_and_warns_of_what_is_odd() {
        let mesh = class("MeshTopology");
        let mut s = scene(&mesh, &[("position", POINTS), ("tetrahedra", "0 1 2 3 0 1 2 4")]);
        let root = s.root();
        let attributes = [
            ("poissonRatio", "0.5"),
            ("youngModulus", "-3"),
            ("localStiffnessFactor", "1 2"),
            ("rayleighStiffness", "0.5"),
        ];
        s.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(s.warnings.len(), 3, "{:?}", s.warnings);
        assert!(s.warnings[0].contains("youngModulus"));
        assert!(
            s.warnings[1].contains("poissonRatio")
                && s.warnings[2].contains("1 of 2 tetrahedra are inverted")
        );
        assert_eq!(s.scene.parts.force_fields.len(), 1);
    }

    #[test]
    fn without_a_topology_there_is_no_force() {
        let mut s = TestScene::new();
        let root = s.root();
        s.add(&crate::state::mechanical_object::DESCRIPTION, root, &[("size", "4")]).unwrap();
        s.add(&DESCRIPTION, root, &[]).unwrap();
        assert!(
            s.warnings[0].contains("no force") && s.scene.parts.force_fields.is_empty(),
            "{:?}",
            s.warnings
        );
    }

    #[test]
    fn a_flat_element_is_named() {
        let mesh = class("MeshTopology");
        let mut s =
            scene(&mesh, &[("position", "0 0 0 1 0 0 0 1 0 0 0 1 1 1 0"), ("tetrahedra", "0 1 2 3 0 1 2 4")]);
        let root = s.root();
        let error = s.add(&DESCRIPTION, root, &[]).unwrap_err();
        assert!(error.message.contains("tetrahedron 1") && error.message.contains("no volume"), "{error}");
    }

    #[test]
    fn hexahedra_are_cut_in_six() {
        let mut s =
            scene(&class("RegularGridTopology"), &[("n", "3 2 2"), ("min", "0 0 0"), ("max", "2 1 1")]);
        let root = s.root();
        s.add(&DESCRIPTION, root, &[("method", "polar")]).unwrap();
        assert!(s.warnings[0].contains("6 of 12"), "{:?}", s.warnings);
    }

    #[test]
    fn factors_and_entries_go_to_their_elements() {
        let rest = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let material = Material::uniform(YOUNG, POISSON);
        let mut options = TetrahedronOptions::new(Method::Large);
        options.local_stiffness_factor = vec![1.0, 3.0];
        options.order = Order::OfMesh;
        let parts = Elastic::parts(&rest, &[[0, 1, 2, 3]; 10], &material, &options).unwrap();
        let mu: Vec<f64> = (0..10).map(|e| parts.elements[e / 8].mu.0[e % 8]).collect();
        assert!(mu[..5].iter().all(|m| *m == mu[0]) && mu[5..].iter().all(|m| *m == mu[9]));
        assert_relative_eq!(mu[9], 3.0 * mu[0], max_relative = 1e-15);
    }

    #[test]
    fn points_turn_as_the_elements_around_them() {
        let (mut rest, tetrahedra) = mesh();
        rest.push(Vec3::new(9.0, 9.0, 9.0));
        let turn = quat_to_matrix(&quat_from_euler_degrees(Vec3::new(20.0, 30.0, 70.0)));
        let x: Vec<Vec3> = rest.iter().map(|p| turn * p + Vec3::x()).collect();
        for method in METHODS {
            let parts = Elastic::parts(
                &rest,
                &tetrahedra,
                &Material::uniform(YOUNG, POISSON),
                &TetrahedronOptions::new(method),
            )
            .unwrap();
            let mut rotations = vec![Mat3::zeros(); rest.len()];
            Elastic::rotations(&parts.constants, &parts.elements, &x, &mut rotations);
            let expected = if method == Method::Small { Mat3::identity() } else { turn };
            let (alone, others) = rotations.split_last().unwrap();
            assert_eq!(*alone, Mat3::identity(), "nothing is around it");
            others.iter().for_each(|r| assert_relative_eq!(*r, expected, epsilon = 1e-12));
        }
    }

    #[test]
    fn updated_gradients_are_those_of_the_deformed_element() {
        let rest = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let x = rest.map(|p| p * 2.0);
        let material = Material::uniform(YOUNG, 0.0);
        let mut options = TetrahedronOptions::new(Method::Polar);
        let plain = Elastic::parts(&rest, &[[0, 1, 2, 3]], &material, &options).unwrap();
        options.update_stiffness_matrix = true;
        let updated = Elastic::parts(&rest, &[[0, 1, 2, 3]], &material, &options).unwrap();
        let (f, g) = (force(&plain, &x).0, force(&updated, &x).0);
        // Cofactors grow by 4; they enter the strain and the force, and the volume stays that at rest.
        f.iter().zip(&g).for_each(|(f, g)| assert_relative_eq!(f * 16.0, *g, max_relative = 1e-9));
    }

    #[test]
    fn matrices_agree_with_the_textbook() {
        let p =
            [Vec3::zeros(), Vec3::new(1.1, 0.1, 0.2), Vec3::new(-0.1, 0.9, 0.0), Vec3::new(0.2, 0.1, 1.3)];
        let parts = Elastic::parts(
            &p,
            &[[0, 1, 2, 3]],
            &Material::uniform(YOUNG, POISSON),
            &TetrahedronOptions::new(Method::Small),
        )
        .unwrap();
        let u = [Vec3::x(), Vec3::y(), -Vec3::z(), Vec3::new(0.3, 0.2, 0.1)];
        let mut df = vec![Vec3::zeros(); 4];
        let ForceFieldParts { constants, elements, stored, .. } = &parts;
        let at = AddDForce { k_factor: 1.0, b_factor: 0.0, elements, stored, df: &mut df, dx: &u };
        Elastic::add_d_force(constants, at);
        for (a, b) in df.iter().zip(oracle::tetrahedron(&p, YOUNG, POISSON).product(&u)) {
            assert_relative_eq!(*a, -b, epsilon = 1e-9);
        }
    }
}
