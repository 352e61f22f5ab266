//! `SubsetTopologicalMultiMapping`: several topologies, one after the other, as one.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::topology::Topology;

use super::SetTopologyContainer;
use super::ends::require_container;
use super::field::{failed, set};

/// Fills a topology with the points and elements of several, one after the other.
///
/// **Source:** as SOFA's: points are numbered on from topology to topology; edges, triangles, quads, tetrahedra and hexahedra follow each other in
/// the same order, those that a topology has by its larger elements included. A flipped triangle (a, b, c) is (a, c, b), a flipped quad
/// (a, b, c, d) is (a, d, c, b).
#[derive(Attributes)]
#[attributes(ignored(
    "subsetMultiMapping",
    summary = "write indexPairs=\"@NAME.indexPairs\" in that mapping"
))]
struct Settings {
    /// topologies to read, in their order
    input: Vec<LinkTarget>,
    /// container to fill
    output: Option<LinkTarget>,
    /// of each topology, whether its triangles and quads are turned over; those that are not named are not
    flip_normals: Vec<bool>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Topology, "SubsetTopologicalMultiMapping", build).summary(
        "Fills a topology with several, one after the other; `indexPairs` are those of a SubsetMultiMapping of their states",
    );

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology_at = |b: &Builder<'_>, name: &str, target: LinkTarget| {
        let found = match target {
            LinkTarget::Component(c) => Some(c).filter(|c| b.scene.topology(*c).is_some()),
            LinkTarget::Node(n) => b.scene.components_of(n).find(|c| b.scene.topology(*c).is_some()),
        };
        found.ok_or_else(|| BuildError::attribute(name, format!("`{name}` must lead to topologies")))
    };
    if s.input.is_empty() {
        return Err(BuildError::attribute("input", "`input` must name the topologies to read"));
    }
    let Some(output) = s.output else {
        return Err(BuildError::attribute("output", "`output` must name the topology to fill"));
    };
    let output = topology_at(b, "output", output)?;
    let inputs = s.input.iter().map(|i| topology_at(b, "input", *i)).collect::<Result<Vec<_>, _>>()?;
    if inputs.contains(&output) {
        return Err(BuildError::attribute("output", "`output` is one of the inputs"));
    }
    require_container(b, output)?;
    if s.flip_normals.len() > inputs.len() {
        let text = format!(
            "{} values for {} topologies; those beyond are left out",
            s.flip_normals.len(),
            inputs.len()
        );
        b.warn(Some("flipNormals"), text);
    }
    let inputs: Vec<&Topology> = inputs.iter().filter_map(|c| b.scene.topology(*c)).collect();
    let number = |(k, t): (usize, &&Topology)| {
        (0..t.n_points).flat_map(move |p| [k as i64, p as i64]).collect::<Vec<_>>()
    };
    let pairs = inputs.iter().enumerate().flat_map(number).collect();
    let all = joined(&inputs, &s.flip_normals).build().map_err(|e| failed(&e))?;
    set(b, output, all);
    b.offer("indexPairs", Value::Integers(pairs));
    Ok(())
}

fn joined(inputs: &[&Topology], flipped: &[bool]) -> SetTopologyContainer {
    let mut all = SetTopologyContainer::default();
    for (k, t) in inputs.iter().enumerate() {
        let first = all.n_points as u32;
        let flips = flipped.get(k).is_some_and(|f| *f);
        let triangle = |[a, b, c]: [u32; 3]| if flips { [a, c, b] } else { [a, b, c] };
        let quad = |[a, b, c, d]: [u32; 4]| if flips { [a, d, c, b] } else { [a, b, c, d] };
        all.edges.extend(t.edges.iter().map(|e| e.map(|p| p + first)));
        all.triangles.extend(t.triangles.iter().map(|e| triangle(e.map(|p| p + first))));
        all.quads.extend(t.quads.iter().map(|e| quad(e.map(|p| p + first))));
        all.tetrahedra.extend(t.tetrahedra.iter().map(|e| e.map(|p| p + first)));
        all.hexahedra.extend(t.hexahedra.iter().map(|e| e.map(|p| p + first)));
        all.n_points += t.n_points;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::MeshTopology;
    use super::*;

    #[test]
    fn elements_of_several_follow_each_other() {
        let triangle = MeshTopology { triangles: vec![[0, 1, 2]], ..Default::default() }.build().unwrap();
        let quad = MeshTopology { quads: vec![[0, 1, 2, 3]], ..Default::default() }.build().unwrap();
        let all = joined(&[&triangle, &quad, &triangle], &[false, true, true]).build().unwrap();
        assert_eq!((all.n_points, all.edges.len()), (10, 3 + 4 + 3));
        assert_eq!(all.triangles, [[0, 1, 2], [7, 9, 8]]);
        assert_eq!(all.quads, [[3, 6, 5, 4]]);
        let first_of_last = all.edges[7];
        assert!(first_of_last.iter().all(|p| *p >= 7), "{first_of_last:?}");
    }
}
