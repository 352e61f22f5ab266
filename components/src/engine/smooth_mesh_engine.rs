//! `SmoothMeshEngine`: points in the middle of their neighbors.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use crate::topology::adjacency::elements_around_point;

/// Points smoothed by putting each into the middle of those that edges join it to, all at once.
#[derive(Attributes)]
#[attributes(ignored("output_position", "showInput", "showOutput"))]
struct Settings {
    /// the points, as many as the topology has [m]
    #[attribute(name = "input_position")]
    input_position: Vec<Vec3>,
    /// which of them are moved; all if not given
    #[attribute(name = "input_indices")]
    input_indices: Vec<i64>,
    /// how often
    #[attribute(name = "nb_iterations", default = "1", non_negative)]
    nb_iterations: i64,
    /// whose edges count; else the topology of this node or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "SmoothMeshEngine", build).templates(&["Vec3"]);

/// **Source:** as SOFA's; a point without edges stays.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = b.topology(TopologySearch::First).ok_or_else(|| {
        BuildError::attribute("topology", "there is no topology whose edges say which points are neighbors")
    })?;
    let mut points = s.input_position;
    let n = points.len();
    let chosen: Vec<usize> = if s.input_indices.is_empty() {
        (0..n).collect()
    } else {
        let index = |i: &i64| usize::try_from(*i).ok().filter(|i| *i < n);
        let wrong = |i: &i64| format!("`input_indices` holds {i}, but there are {n} points");
        let checked = |i: &i64| index(i).ok_or_else(|| BuildError::attribute("input_indices", wrong(i)));
        s.input_indices.iter().map(checked).collect::<Result<_, _>>()?
    };
    let edges: Vec<[u32; 2]> =
        topology.edges.iter().copied().filter(|e| e.iter().all(|p| (*p as usize) < n)).collect();
    let around = elements_around_point(n, &edges);
    for _ in 0..s.nb_iterations {
        let before = points.clone();
        for &i in &chosen {
            let edges_of = around.of(i);
            if edges_of.is_empty() {
                continue;
            }
            let other = |e: &u32| {
                let [p, q] = edges[*e as usize];
                before[if p as usize == i { q } else { p } as usize]
            };
            points[i] = edges_of.iter().map(other).sum::<Vec3>() / edges_of.len() as f64;
        }
    }
    b.offer("output_position", Value::from_points(&points));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use crate::topology;

    fn smoothed(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let mesh = [("position", "0 0 0 1 0 0 2 0 0 5 5 5"), ("edges", "0 1 1 2")];
        let classes = topology::all();
        let mesh_topology = classes.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh_topology, root, &mesh).unwrap();
        let c = t.add(&DESCRIPTION, root, attributes)?;
        Ok(t.scene.component(c).fields["output_position"].reals().unwrap())
    }

    #[test]
    fn points_go_to_the_middle_of_their_neighbors() {
        let x = ("input_position", "0 0 0 1 3 0 2 0 0 5 5 5");
        assert_eq!(smoothed(&[x]).unwrap(), [1.0, 3.0, 0.0, 1.0, 0.0, 0.0, 1.0, 3.0, 0.0, 5.0, 5.0, 5.0]);
        let middle = [x, ("input_indices", "1"), ("nb_iterations", "9")];
        assert_eq!(smoothed(&middle).unwrap()[3..6], [1.0, 0.0, 0.0]);
        assert_eq!(smoothed(&[x, ("nb_iterations", "0")]).unwrap()[3..6], [1.0, 3.0, 0.0]);
        assert!(smoothed(&[x, ("input_indices", "4")]).is_err());
    }

    #[test]
    fn a_topology_is_needed() {
        let mut t = TestScene::new();
        let root = t.root();
        let e = t.add(&DESCRIPTION, root, &[("input_position", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("topology"));
    }
}
