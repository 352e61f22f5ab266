//! `SimpleTesselatedTetraMechanicalMapping`: the points of tetrahedra that are cut into eight.

use sim_core::prelude::*;
use sim_core::scene::ComponentId;

use super::weighted_points::{Share, WeightedMapping, add_shares};
use crate::topology::filled_from;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "SimpleTesselatedTetraMechanicalMapping", build)
        .summary("The points of a mesh and the middles of its edges, as a SimpleTesselatedTetraTopologicalMapping numbers them")
        .templates(&["Vec3,Vec3"])
        .samples(&[Sample::new("").template("Vec3,Vec3").elements("tetrahedra").before(
            "<TetrahedronSetTopologyContainer name='fine'/><SimpleTesselatedTetraTopologicalMapping input='@/world/body/topology' output='@fine'/>",
        )]);

/// Points and middles of edges.
///
/// **Source:** as SOFA's: each point of the mesh, then half the sum of the ends of each edge.
pub struct Tesselated;

impl WeightedMapping for Tesselated {
    const NAME: &'static str = DESCRIPTION.class;
}

/// The class of the topological mapping that cuts.
const CUTS: &str = "SimpleTesselatedTetraTopologicalMapping";

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let ends = b.mapping_ends()?;
    let cut = b.scene.upward(b.node).find_map(|n| {
        let of_class = |c: &ComponentId| b.scene.component(*c).class == CUTS;
        b.scene.components_of(n).find(of_class)
    });
    let mesh = cut.and_then(|c| filled_from(&b.scene, c)).and_then(|c| b.scene.topology(c));
    let mesh = mesh.ok_or_else(|| {
        BuildError::new(format!("there is no {CUTS} in this node or above; put one before this component"))
    })?;
    let n_in = b.size(ends.0);
    if mesh.n_points != n_in {
        let text = format!("the mesh that is cut has {} points, the input {n_in}", mesh.n_points);
        return Err(BuildError::attribute("input", text));
    }
    let n = mesh.n_points as u32;
    let whole = (0..n).map(|i| Share { point: i, carrier: i, weight: 1.0 });
    let halves =
        (n..).zip(&mesh.edges).flat_map(|(point, e)| e.map(|carrier| Share { point, carrier, weight: 0.5 }));
    let shares = whole.chain(halves).collect();
    let n_out = mesh.n_points + mesh.edges.len();
    add_shares::<Tesselated>(b, ends, shares, n_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn middles_follow_the_points() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let find = |class: &str| all.iter().find(|d| d.class == class).unwrap();
        let mesh = [("position", "0 0 0 2 0 0 0 2 0 0 0 2"), ("tetrahedra", "0 1 2 3")];
        let coarse = t.add(find("TetrahedronSetTopologyContainer"), root, &mesh).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", mesh[0].1)]).unwrap();
        let child = t.child(root, "fine");
        let fine = t.add(find("TetrahedronSetTopologyContainer"), child, &[]).unwrap();
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        assert!(t.add(&DESCRIPTION, child, &[]).is_err(), "nothing is cut");
        let links = [("input", LinkTarget::Component(coarse)), ("output", LinkTarget::Component(fine))];
        t.add_linked(find(CUTS), child, &[], &links).unwrap();
        t.add(&DESCRIPTION, child, &[]).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x = t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone();
        let points = &t.scene.topology(fine).unwrap().points;
        assert_eq!((&x, x.len()), (points, 10));
    }
}
