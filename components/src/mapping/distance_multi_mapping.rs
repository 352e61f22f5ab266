//! `DistanceMultiMapping`: distances between points of several states.
//!
//! y = d − d₀ with d = |x_b − x_a| and the length d₀ at rest, as a `DistanceMapping` has it on points that are gathered from all inputs;
//! its derivative is u = (x_b − x_a)/d by x_b and −u by x_a.

use sim_core::component::mechanical_state::{InitialState, StateAccess};
use sim_core::prelude::*;
use sim_core::scene::Location;

use super::distance_mapping::{Distance, rest_lengths};
use super::geometric_stiffness::GeometricStiffness;
use super::measure::{add_measured, measured, measured_topology};
use super::subset_multi_mapping::{add, several_ends};

/// How much longer than at rest the edges between points of several states are.
#[derive(Attributes)]
#[attributes(ignored("showObjectScale", "showColor"))]
struct Settings {
    /// states that move; the output belongs to the first one's object
    input: Vec<LinkTarget>,
    /// the points that edges join: for each, the number of the input and the point of it
    #[attribute(kind = IndexRows(2))]
    index_pairs: Vec<i64>,
    /// topology with the edges, whose points are numbers of `indexPairs`; else the last one of the node, or above
    _topology: Option<LinkTarget>,
    /// rest length of each edge; of another number, the lengths at the beginning, or 0 with `computeDistance` [m]
    rest_lengths: Vec<Real>,
    /// whether rest lengths that are not given are 0, so that the output is the length itself
    compute_distance: bool,
    /// stiffness from the turning of forces
    #[attribute(default = "Stabilized")]
    geometric_stiffness: GeometricStiffness,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "DistanceMultiMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[Sample::new("input='{input} {other}' indexPairs='0 1 1 0 0 3 1 1'")
            .template("Vec3,Vec1")
            .elements("edges")]);

/// The points of `indexPairs` are gathered in a state of their own, in a node below, and the distances measured there.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = measured_topology(b)?;
    let (inputs, output) = several_ends(b, &s.input)?;
    let gathered = for_state_type!(b, inputs[0], S in [Vec3Type, Rigid3Type] => {
        gather::<S>(b, &s.index_pairs, &inputs)
    })?;
    let n = topology.edges.len();
    let rest = rest_lengths(b, s.rest_lengths, s.compute_distance, n);
    let elements = measured::<Distance, 2>(b, gathered, ("edges", &topology.edges), rest)?;
    add_measured::<Distance, 2>(b, (gathered, output), elements, s.geometric_stiffness)
}

fn gather<S: VectorsAccess + StateAccess>(
    b: &mut Builder<'_>,
    pairs: &[i64],
    inputs: &[StateId],
) -> Result<StateId, BuildError> {
    let node = b.scene.add_node(b.node, "distance_points", Location::default());
    let component = b.scene.add_component(node, "MechanicalObject", None, Location::default());
    let (position, velocity, rest_position) = (Vec::new(), Vec::new(), Vec::new());
    let points = b.scene.add_state(component, S::wrap(InitialState { position, velocity, rest_position }));
    add::<S>(b, pairs, inputs, points)?;
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    fn distances(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let inputs = ["0 0 0 1 0 0", "1 3 0 4 4 0"].map(|position| {
            let node = t.child(t.root(), "input");
            t.add(&mechanical_object::DESCRIPTION, node, &[("position", position)]).unwrap();
            ("input", LinkTarget::Node(node))
        });
        let child = t.child(t.root(), "between");
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, child, &[("edges", "0 1 2 1")])?;
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("template", "Vec1")])?;
        t.add_linked(&DESCRIPTION, child, attributes, &inputs)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec1Type>(state).unwrap().position.iter().map(|x| x.x).collect())
    }

    #[test]
    fn edges_join_points_of_several_states() {
        let pairs = ("indexPairs", "0 1 1 0 0 0");
        let far = 10.0_f64.sqrt();
        assert_eq!(distances(&[pairs, ("computeDistance", "1")]).unwrap(), [3.0, far]);
        assert_eq!(distances(&[pairs]).unwrap(), [0.0, 0.0]);
        assert_eq!(distances(&[pairs, ("restLengths", "1 1")]).unwrap(), [2.0, far - 1.0]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let wrong = |pairs| distances(&[("indexPairs", pairs)]).unwrap_err().attribute.unwrap_or_default();
        assert_eq!(wrong("0 1 1 0"), "topology");
        assert_eq!(wrong("0 1 1 0 2 0"), "indexPairs");
    }
}
