//! `QuadPressureForceField`: a load on the quads of a surface.

use sim_core::prelude::*;
use sim_core::renumbering::ElementKind;

use super::nodal_loads::{LoadKind, NodalLoads, SlabAttributes};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;

/// A load on the quads of a surface, shared out equally to their nodes.
#[derive(Attributes)]
#[attributes(ignored("showForces", "quadPressureMap"))]
struct Settings {
    /// force per area at rest, in the axes of the world [Pa]
    #[attribute(default = "0 0 0")]
    pressure: Vec3,
    /// quads that are loaded
    quad_list: Indices,
    #[attribute(flatten)]
    slab: SlabAttributes,
    /// topology with the quads; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "QuadPressureForceField", build)
        .follows(Following::of_elements(&[("quadList", ElementKind::Quad)]))
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("pressure='1 2 3' quadList='0 1'").elements("grid")]);

/// Loads on quads. There is no tangent.
///
/// f = p A/4 on each node of a loaded quad, p from `pressure` and A its area at rest.
///
/// **Source:** as SOFA's: the area of a quad is that of two triangles at rest; a list wins over planes.
pub struct Quads;

impl LoadKind for Quads {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let quads = topology(b)?.quads.clone();
    let rest = checked_rest(b, state, &quads)?;
    let listed = s.quad_list.below(quads.len()).map_err(|_| {
        let text = format!("`quadList` has an index that is none of the {} quads", quads.len());
        BuildError::attribute("quadList", text)
    })?;
    let chosen = match s.slab.between(&quads, &rest) {
        Some(chosen) if listed.is_empty() => chosen,
        _ => listed,
    };
    if chosen.is_empty() {
        b.warn(Some("quadList"), "no quad is chosen, so that nothing is loaded");
    }
    let loads = |k: u32| {
        let nodes = quads[k as usize];
        let [p, q, r, t] = nodes.map(|n| rest[n as usize]);
        let area = 0.5 * ((q - p).cross(&(r - p)).norm() + (r - p).cross(&(t - p)).norm());
        nodes.map(|n| (n, s.pressure * (area / 4.0)))
    };
    let elements = chosen.into_iter().flat_map(loads).collect();
    b.add_force_field(state, ForceFieldParts::<NodalLoads<Quads>>::new((), elements, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let loads = vec![(1, Vec3::new(1.0, -2.0, 0.5)), (3, Vec3::x())];
        let parts = ForceFieldParts::<NodalLoads<Quads>>::new((), loads, vec![]);
        let x = Random::new(1).moved(&[Vec3::zeros(); 4], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 4]).seed(1).conservative().run();
    }

    #[test]
    fn quads_are_listed_or_lie_between_planes() {
        let slab = |dmin, dmax| SlabAttributes { normal: Vec3::x(), dmin, dmax };
        let rest: Vec<Vec3> = (0..6).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
        let quads = [[0, 1, 4, 3], [1, 2, 5, 4]];
        assert_eq!(slab(0.0, 0.0).between(&quads, &rest), None);
        assert_eq!(slab(0.5, 2.5).between(&quads, &rest), Some(vec![1]));
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 2 0 0 2 3 0 0 3 0"), ("quads", "0 1 2 3")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("quadList", "0")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        // Between planes without a normal lies nothing, or everything. A list wins.
        let between = [("pressure", "0 0 4"), ("dmin", "1"), ("dmax", "2")];
        t.add(&DESCRIPTION, root, &between).unwrap();
        assert!(t.warnings.len() == 1 && t.warnings[0].contains("no quad is chosen"), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[&between[..], &[("quadList", "0")]].concat()).unwrap();
        t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("dmin", "-1"), ("dmax", "2")]).unwrap();
        assert_eq!(t.warnings.len(), 1, "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("quadList", "1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("quadList"));
    }
}
