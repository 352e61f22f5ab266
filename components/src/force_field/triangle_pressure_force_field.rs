//! `TrianglePressureForceField`: a load on the triangles of a surface.

use sim_core::prelude::*;
use sim_core::renumbering::ElementKind;

/// A load on the triangles of a surface, shared out equally to their nodes.
#[derive(Attributes)]
#[attributes(ignored("showForces", "trianglePressureMap"))]
struct Settings {
    /// force per area at rest, in the axes of the world [Pa]
    pressure: Option<Vec3>,
    /// stress whose product with the area vectors of the triangles is the force, row by row; where `useConstantForce` is false [Pa]
    cauchy_stress: Deferred<Option<[f64; 9]>>,
    /// triangles that are loaded; none if not given
    triangle_list: Indices,
    /// whether the force is `pressure` times the areas at rest
    #[attribute(default = "1")]
    use_constant_force: bool,
    /// topology with the triangles; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TrianglePressureForceField", build)
        .follows(Following::of_elements(&[("triangleList", ElementKind::Triangle)]))
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("pressure='1 2 3' triangleList='0 1'").elements("triangles"),
            Sample::new("useConstantForce='0' cauchyStress='1 2 3 2 4 5 3 5 6' triangleList='0 1'")
                .elements("triangles"),
        ]);

/// What a load is made of.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// The forces of the elements.
    Constant,
    /// A stress times the present area vectors [Pa].
    Stress(Mat3),
}

/// A triangle under load.
#[derive(Clone, Copy, Debug)]
pub struct LoadedTriangle {
    nodes: [u32; 3],
    /// A third of its force, where that is constant [N].
    force: Vec3,
}

/// Loads on triangles. There is no tangent.
///
/// **Source:** as SOFA's: pressure times the area at rest / 3 for each node; without `useConstantForce` S ((b - a) x (c - a)) / 6
/// at the present positions, where of the two entries of S that should be equal the one below the diagonal counts.
pub struct TrianglePressureForceField;

impl ForceField for TrianglePressureForceField {
    type State = Vec3Type;
    type Constants = Load;
    type Element = LoadedTriangle;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;

    fn add_force(load: &Load, AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for t in elements {
            let [a, b, c] = t.nodes.map(|n| n as usize);
            let force = match load {
                Load::Constant => t.force,
                Load::Stress(stress) => stress * (x[b] - x[a]).cross(&(x[c] - x[a])) / 6.0,
            };
            for n in [a, b, c] {
                f[n] += force;
            }
        }
    }

    /// Minus the work of constant forces, from the origin.
    fn potential_energy(load: &Load, triangles: &[LoadedTriangle], x: &[Vec3]) -> Option<Real> {
        let work = |t: &LoadedTriangle| t.nodes.iter().map(|n| t.force.dot(&x[*n as usize])).sum::<Real>();
        matches!(load, Load::Constant).then(|| -triangles.iter().map(work).sum::<Real>())
    }
}

/// The triangles of a state's topology, and its points at rest.
pub(super) fn triangles(b: &Builder<'_>, state: StateId) -> Result<(Vec<[u32; 3]>, Vec<Vec3>), BuildError> {
    let rest = super::tetrahedron_fem_force_field::rest_positions(b, state)?;
    let topology = super::tetrahedron_fem_force_field::topology(b)?;
    if topology.n_points > rest.len() {
        let text =
            format!("the topology has {} points, but the state only {}", topology.n_points, rest.len());
        return Err(BuildError::attribute("topology", text));
    }
    Ok((topology.triangles.clone(), rest))
}

/// The numbers of `triangleList`, which are those of so many triangles.
pub(super) fn listed(list: &Indices, n: usize) -> Result<Vec<u32>, BuildError> {
    list.below(n).map_err(|_| {
        let text = format!("`triangleList` has an index that is none of the {n} triangles");
        BuildError::attribute("triangleList", text)
    })
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let (triangles, rest) = triangles(b, state)?;
    let load = load(b, &s)?;
    let pressure = s.pressure.unwrap_or_default();
    if s.triangle_list.is_empty() {
        b.warn(Some("triangleList"), "`triangleList` is empty, so that nothing is loaded");
    }
    let within = listed(&s.triangle_list, triangles.len())?;
    let loaded = |t: u32| {
        let nodes = triangles[t as usize];
        let [p, q, r] = nodes.map(|n| rest[n as usize]);
        let area = 0.5 * (q - p).cross(&(r - p)).norm();
        LoadedTriangle { nodes, force: pressure * area / 3.0 }
    };
    let elements = within.into_iter().map(loaded).collect();
    b.add_force_field(state, ForceFieldParts::<TrianglePressureForceField>::new(load, elements, vec![]))
}

fn load(b: &mut Builder<'_>, s: &Settings) -> Result<Load, BuildError> {
    if s.use_constant_force {
        if s.pressure.is_none() {
            b.warn(Some("pressure"), "`pressure` is not given, so that there is no load");
        }
        return Ok(Load::Constant);
    }
    if s.pressure.is_some() {
        b.warn(Some("pressure"), "`pressure` has no effect where `useConstantForce` is false");
    }
    let Some(m) = s.cauchy_stress.get(b)? else {
        let text = "`cauchyStress` is required where `useConstantForce` is false";
        return Err(BuildError::attribute("cauchyStress", text));
    };
    if m[1] != m[3] || m[2] != m[6] || m[5] != m[7] {
        b.warn(Some("cauchyStress"), "`cauchyStress` is not symmetric; the entries below the diagonal count");
    }
    Ok(Load::Stress(Mat3::new(m[0], m[3], m[6], m[3], m[4], m[7], m[6], m[7], m[8])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{ForceFieldCheck, Random};

    const NODES: [[u32; 3]; 2] = [[0, 1, 2], [3, 2, 1]];

    #[test]
    fn conforms() {
        let force = Vec3::new(1.0, -2.0, 0.5);
        let elements = NODES.map(|nodes| LoadedTriangle { nodes, force }).to_vec();
        let parts = ForceFieldParts::<TrianglePressureForceField>::new(Load::Constant, elements, vec![]);
        let x = Random::new(1).moved(&[Vec3::zeros(); 4], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 4]).seed(1).conservative().run();
    }

    /// A uniform pressure on a closed surface sums to nothing; its work on a scaled one is pressure times volume.
    #[test]
    fn a_stress_acts_on_the_present_areas() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|p| p * 2.0);
        let closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let elements: Vec<_> = closed.map(|nodes| LoadedTriangle { nodes, force: Vec3::zeros() }).to_vec();
        let mut f = vec![Vec3::zeros(); 4];
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let v = [Vec3::zeros(); 4];
        let load = Load::Stress(Mat3::identity() * 3.0);
        let at = AddForce { params, elements: &elements, stored: &mut [], f: &mut f, x: &x, v: &v };
        TrianglePressureForceField::add_force(&load, at);
        assert!(f.iter().sum::<Vec3>().norm() < 1e-14);
        let virtual_work: f64 = f.iter().zip(&x).map(|(f, x)| f.dot(x)).sum();
        let volume = 8.0 / 6.0;
        assert!((virtual_work - 3.0 * 3.0 * volume).abs() < 1e-13, "{virtual_work}");
    }

    #[test]
    fn areas_are_those_at_rest_and_indices_must_be_triangles() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 2 0 0 0 3 0"), ("triangles", "0 1 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("triangleList", "0")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        for (wrong, attribute) in [
            (&[("triangleList", "1")][..], "triangleList"),
            (&[("triangleList", "0"), ("useConstantForce", "0")], "cauchyStress"),
            (&[("useConstantForce", "0"), ("cauchyStress", "1 2 3 4 5 6")], "cauchyStress"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{wrong:?}");
        }
    }
}
