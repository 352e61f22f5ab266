//! `SubsetTopologicalMapping`: which points and elements of a topology are which of another.

use std::collections::BTreeMap;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::topology::Topology;

use super::derive::sorted;
use super::ends::Ends;

/// Which points and elements of a topology are which of another, as lists that others link to.
#[derive(Attributes)]
#[attributes(
    ignored("pointS2D", "pointD2S", "edgeS2D", "edgeD2S", "triangleS2D", "triangleD2S"),
    ignored("quadS2D", "quadD2S", "tetrahedronS2D", "tetrahedronD2S", "hexahedronS2D", "hexahedronD2S")
)]
struct Settings {
    /// whether both topologies have the same points, in the same order
    same_points: bool,
    /// whether edges are looked up
    handle_edges: bool,
    /// whether triangles are looked up
    handle_triangles: bool,
    /// whether quads are looked up
    handle_quads: bool,
    /// whether tetrahedra are looked up
    handle_tetrahedra: bool,
    /// whether hexahedra are looked up
    handle_hexahedra: bool,
    #[attribute(flatten)]
    ends: Ends,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Topology, "SubsetTopologicalMapping", build)
        .summary("Which points and elements of a topology are which of another; fills nothing");

/// What stands for no point or element.
const NONE: i64 = -1;

/// For each entry of a list its place in the other, both ways.
struct Places {
    to_subset: Vec<i64>,
    to_whole: Vec<i64>,
}

impl Places {
    /// Each entry at its own place.
    fn same(n: usize) -> Self {
        let all: Vec<i64> = (0..n as i64).collect();
        Self { to_subset: all.clone(), to_whole: all }
    }

    /// The first entry of the subset that is none of the whole's, and how many there are.
    fn missing(&self) -> Option<(usize, usize)> {
        let first = self.to_whole.iter().position(|place| *place == NONE)?;
        Some((first, self.to_whole.iter().filter(|place| **place == NONE).count()))
    }
}

/// **Source:** as SOFA's: of several equal points or elements of the whole, the last one counts; an element is equal to one on the same nodes,
/// however they are turned; what is not found has the place -1.
fn places<K: Ord>(whole: impl Iterator<Item = K>, subset: impl Iterator<Item = K>, n: usize) -> Places {
    let of_whole: BTreeMap<K, i64> = whole.zip(0..).collect();
    let (mut to_subset, mut to_whole) = (vec![NONE; n], Vec::new());
    for (i, key) in subset.enumerate() {
        let place = of_whole.get(&key).copied().unwrap_or(NONE);
        if place != NONE {
            to_subset[place as usize] = i as i64;
        }
        to_whole.push(place);
    }
    Places { to_subset, to_whole }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (whole, subset) = s.ends.pair(b)?;
    let topology =
        |c| b.scene.component(c).topology.clone().ok_or_else(|| BuildError::new("there is no topology"));
    let (whole, subset) = (topology(whole)?, topology(subset)?);
    let points = points(&whole, &subset, s.same_points)?;
    let to_whole = points.to_whole.clone();
    offer(b, "points", points, ["pointS2D", "pointD2S"]);
    let asked = [
        (s.handle_edges, "edges", elements(&whole.edges, &subset.edges, &to_whole)),
        (s.handle_triangles, "triangles", elements(&whole.triangles, &subset.triangles, &to_whole)),
        (s.handle_quads, "quads", elements(&whole.quads, &subset.quads, &to_whole)),
        (s.handle_tetrahedra, "tetrahedra", elements(&whole.tetrahedra, &subset.tetrahedra, &to_whole)),
        (s.handle_hexahedra, "hexahedra", elements(&whole.hexahedra, &subset.hexahedra, &to_whole)),
    ];
    for ((_, kind, found), names) in asked.into_iter().zip(NAMES).filter(|((asked, ..), _)| *asked) {
        offer(b, kind, found, names);
    }
    Ok(())
}

const NAMES: [[&str; 2]; 5] = [
    ["edgeS2D", "edgeD2S"],
    ["triangleS2D", "triangleD2S"],
    ["quadS2D", "quadD2S"],
    ["tetrahedronS2D", "tetrahedronD2S"],
    ["hexahedronS2D", "hexahedronD2S"],
];

fn elements<const N: usize>(whole: &[[u32; N]], subset: &[[u32; N]], to_whole: &[i64]) -> Places {
    // A node that is nowhere is none of the whole's nodes.
    let in_whole = |e: &[u32; N]| sorted(e.map(|p| u32::try_from(to_whole[p as usize]).unwrap_or(u32::MAX)));
    places(whole.iter().map(|e| sorted(*e)), subset.iter().map(in_whole), whole.len())
}

fn points(whole: &Topology, subset: &Topology, same: bool) -> Result<Places, BuildError> {
    let wrong = |text: String| BuildError::attribute("output", text);
    if same {
        if whole.n_points != subset.n_points {
            let text = format!(
                "`samePoints` is set, but there are {} and {} points",
                whole.n_points, subset.n_points
            );
            return Err(BuildError::attribute("samePoints", text));
        }
        return Ok(Places::same(whole.n_points));
    }
    if whole.points.is_empty() || subset.points.is_empty() {
        if whole.n_points == subset.n_points {
            return Ok(Places::same(whole.n_points));
        }
        return Err(wrong("both topologies need positions, by which points are told".to_owned()));
    }
    // Adding 0 makes one of the two zeros.
    let keys = |t: &Topology| {
        t.points.iter().map(|x| [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits())).collect::<Vec<_>>()
    };
    Ok(places(keys(whole).into_iter(), keys(subset).into_iter(), whole.n_points))
}

fn offer(b: &mut Builder<'_>, kind: &str, places: Places, [to_subset, to_whole]: [&'static str; 2]) {
    if let Some((first, n)) = places.missing() {
        let text =
            format!("{n} of the {kind} of the output are none of the input's; the first is number {first}");
        b.warn(Some("output"), text);
    }
    b.offer(to_subset, Value::Integers(places.to_subset));
    b.offer(to_whole, Value::Integers(places.to_whole));
}

#[cfg(test)]
mod tests {
    use super::super::containers;
    use super::*;
    use crate::test_support::TestScene;
    use sim_core::component::build::LinkTarget;

    fn mapped(
        subset: &[(&'static str, &str)],
        more: &[(&'static str, &str)],
    ) -> Result<impl Fn(&str) -> Vec<i64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let triangles = containers::ALL.iter().find(|d| d.class == "TriangleSetTopologyContainer").unwrap();
        let whole = [("position", "0 0 0 1 0 0 0 1 0 1 1 0"), ("triangles", "0 1 2 2 1 3")];
        let whole = t.add(triangles, root, &whole).unwrap();
        let child = t.child(root, "subset");
        let subset = t.add(triangles, child, subset).unwrap();
        let links = [("input", LinkTarget::Component(whole)), ("output", LinkTarget::Component(subset))];
        let c = t.add_linked(&DESCRIPTION, child, more, &links)?;
        Ok(move |name: &str| t.scene.component(c).fields[name].integers().unwrap())
    }

    #[test]
    fn points_and_elements_are_found() {
        let subset = [("position", "1 1 0 1 0 0 0 1 0"), ("triangles", "0 2 1")];
        let get = mapped(&subset, &[("handleTriangles", "1"), ("handleEdges", "1")]).unwrap();
        assert_eq!((get("pointD2S"), get("pointS2D")), (vec![3, 1, 2], vec![-1, 1, 2, 0]));
        assert_eq!((get("triangleD2S"), get("triangleS2D")), (vec![1], vec![-1, 0]));
        assert_eq!(get("edgeD2S").len(), 3);
        let same = [("nbPoints", "4"), ("triangles", "2 1 3")];
        let get = mapped(&same, &[("samePoints", "1"), ("handleTriangles", "1")]).unwrap();
        assert_eq!((get("pointD2S"), get("triangleD2S")), (vec![0, 1, 2, 3], vec![1]));
    }

    #[test]
    fn what_is_not_in_the_whole_is_nowhere() {
        let elsewhere = [("position", "1 1 0 1 0 0 0 5 0"), ("triangles", "0 2 1")];
        let get = mapped(&elsewhere, &[("handleTriangles", "1")]).unwrap();
        assert_eq!((get("pointD2S"), get("pointS2D")), (vec![3, 1, -1], vec![-1, 1, -1, 0]));
        assert_eq!(get("triangleD2S"), [-1]);
        let other = [("position", "1 1 0 1 0 0 0 0 0"), ("triangles", "0 2 1")];
        let get = mapped(&other, &[("handleTriangles", "1")]).unwrap();
        assert_eq!((get("pointD2S"), get("triangleD2S")), (vec![3, 1, 0], vec![-1]));
        let e = mapped(&other, &[("samePoints", "1")]).err().unwrap();
        assert_eq!(e.attribute.as_deref(), Some("samePoints"));
    }

    #[test]
    fn topologies_without_positions_have_the_same_points_if_as_many() {
        let get = mapped(&[("nbPoints", "4"), ("triangles", "2 1 3")], &[("handleTriangles", "1")]).unwrap();
        assert_eq!((get("pointD2S"), get("triangleD2S")), (vec![0, 1, 2, 3], vec![1]));
        assert!(mapped(&[("nbPoints", "3"), ("triangles", "2 1 0")], &[]).is_err());
    }
}
