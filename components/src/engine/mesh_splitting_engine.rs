//! `MeshSplittingEngine`: the points of a mesh, divided into several lists. The file is long for the attributes of up to six choices, and
//! for what each of them offers.

use sim_core::component::attributes::{Attributes, Deferred, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// The points of a mesh divided into lists: those of each choice, and the rest.
#[derive(Attributes)]
#[attributes(
    ignored("indexPairs", "position1", "position2", "position3", "position4", "position5"),
    ignored("position6", "position7")
)]
struct Settings {
    /// points [m]
    position: Vec<Vec3>,
    /// edges that choices name by number
    edges: Option<IndexRows<2>>,
    /// triangles, likewise
    triangles: Option<IndexRows<3>>,
    /// quads, likewise
    quads: Option<IndexRows<4>>,
    /// tetrahedra, likewise
    tetrahedra: Option<IndexRows<4>>,
    /// hexahedra, likewise
    hexahedra: Option<IndexRows<8>>,
    /// how many choices there are, at most 6
    #[attribute(default = "0")]
    nb_inputs: i64,
}

/// The attributes of one choice, and the list of points that is made of it.
struct Choice {
    points: Deferred<Vec<i64>>,
    /// Of edges, triangles, quads, tetrahedra, hexahedra.
    elements: [Deferred<Vec<i64>>; 5],
}

/// Declares the attributes of a choice with its number.
macro_rules! choices {
    ($($Name:ident $indices:ident $edges:ident $triangles:ident $quads:ident $tetrahedra:ident $hexahedra:ident;)*) => {$(
        /// What one choice names.
        #[derive(Attributes)]
        struct $Name {
            /// points of the choice with this number
            $indices: Deferred<Vec<i64>>,
            /// its edges
            $edges: Deferred<Vec<i64>>,
            /// its triangles
            $triangles: Deferred<Vec<i64>>,
            /// its quads
            $quads: Deferred<Vec<i64>>,
            /// its tetrahedra
            $tetrahedra: Deferred<Vec<i64>>,
            /// its hexahedra
            $hexahedra: Deferred<Vec<i64>>,
        }

        impl From<$Name> for Choice {
            fn from(c: $Name) -> Self {
                let elements = [c.$edges, c.$triangles, c.$quads, c.$tetrahedra, c.$hexahedra];
                Self { points: c.$indices, elements }
            }
        }
    )*};
}

choices! {
    First indices1 edge_indices1 triangle_indices1 quad_indices1 tetrahedron_indices1 hexahedron_indices1;
    Second indices2 edge_indices2 triangle_indices2 quad_indices2 tetrahedron_indices2 hexahedron_indices2;
    Third indices3 edge_indices3 triangle_indices3 quad_indices3 tetrahedron_indices3 hexahedron_indices3;
    Fourth indices4 edge_indices4 triangle_indices4 quad_indices4 tetrahedron_indices4 hexahedron_indices4;
    Fifth indices5 edge_indices5 triangle_indices5 quad_indices5 tetrahedron_indices5 hexahedron_indices5;
    Sixth indices6 edge_indices6 triangle_indices6 quad_indices6 tetrahedron_indices6 hexahedron_indices6;
}

/// All choices that a scene may name.
#[derive(Attributes)]
struct Choices {
    #[attribute(flatten)]
    first: First,
    #[attribute(flatten)]
    second: Second,
    #[attribute(flatten)]
    third: Third,
    #[attribute(flatten)]
    fourth: Fourth,
    #[attribute(flatten)]
    fifth: Fifth,
    #[attribute(flatten)]
    sixth: Sixth,
}

/// The names of the lists that are offered.
const OUTPUTS: [&str; 7] =
    ["position1", "position2", "position3", "position4", "position5", "position6", "position7"];

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, Choices)>(Family::Engine, "MeshSplittingEngine", build)
        .templates(&["Vec3"]);

/// **Source:** as SOFA's: a point belongs to the first choice that names it, itself or as a corner of an element, and to one list more where
/// none does. `indexPairs` says for each point its list and its place there, counted from 0.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, c) = (Settings::read(b)?, Choices::read(b)?);
    let all: [Choice; 6] =
        [c.first.into(), c.second.into(), c.third.into(), c.fourth.into(), c.fifth.into(), c.sixth.into()];
    let n = usize::try_from(s.nb_inputs).ok().filter(|n| *n <= all.len()).ok_or_else(|| {
        let text = format!("`nbInputs` is {}; it must be between 0 and {}", s.nb_inputs, all.len());
        BuildError::attribute("nbInputs", text)
    })?;
    let corners = [
        corners(s.edges, s.position.len())?,
        corners(s.triangles, s.position.len())?,
        corners(s.quads, s.position.len())?,
        corners(s.tetrahedra, s.position.len())?,
        corners(s.hexahedra, s.position.len())?,
    ];
    let mut list = vec![n; s.position.len()];
    for (k, choice) in all[..n].iter().enumerate().rev() {
        for p in indices(b, &choice.points, s.position.len())? {
            list[p] = k;
        }
        for (chosen, corners) in choice.elements.iter().zip(&corners) {
            for e in indices(b, chosen, corners.len())? {
                corners[e].iter().for_each(|p| list[*p as usize] = k);
            }
        }
    }
    let mut lists = vec![Vec::new(); n + 1];
    let mut pairs = Vec::with_capacity(2 * list.len());
    for (k, x) in list.into_iter().zip(&s.position) {
        pairs.extend([k as i64, lists[k].len() as i64]);
        lists[k].push(*x);
    }
    b.offer("indexPairs", Value::Integers(pairs));
    for (name, points) in OUTPUTS.into_iter().zip(&lists) {
        b.offer(name, Value::from_points(points));
    }
    Ok(())
}

fn corners<const N: usize>(given: Option<IndexRows<N>>, n: usize) -> Result<Vec<Vec<u32>>, BuildError> {
    let rows = given.map(|rows| rows.below(n)).transpose()?.unwrap_or_default();
    Ok(rows.iter().map(|row| row.to_vec()).collect())
}

fn indices(b: &Builder<'_>, given: &Deferred<Vec<i64>>, n: usize) -> Result<Vec<usize>, BuildError> {
    let below = |i: i64| {
        usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| {
            let name = given.name();
            BuildError::attribute(name, format!("`{name}` holds {i}, but there are {n}"))
        })
    };
    given.get(b)?.into_iter().map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn the_first_choice_has_a_point() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [
            ("position", "0 0 0 1 0 0 2 0 0 3 0 0"),
            ("edges", "0 1 1 2"),
            ("nbInputs", "2"),
            ("edgeIndices1", "1"),
            ("indices2", "1 3"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |name: &str| t.scene.component(c).fields[name].reals().unwrap();
        assert_eq!(get("indexPairs"), [2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(get("position1"), [1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!((get("position2")[0], get("position3")[0]), (3.0, 0.0));
        let wrong = [given[0], given[2], ("indices1", "4")];
        assert_eq!(t.add(&DESCRIPTION, root, &wrong).unwrap_err().attribute.as_deref(), Some("indices1"));
        assert!(t.add(&DESCRIPTION, root, &[given[0], ("nbInputs", "7")]).is_err());
    }
}
