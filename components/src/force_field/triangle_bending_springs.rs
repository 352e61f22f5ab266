//! `TriangleBendingSprings`: springs between the points on either side of each edge of a surface.

use std::collections::BTreeMap;

use sim_core::prelude::*;

use super::springs::{Spring, SpringKind, field};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;

/// Springs between the points on either side of each edge of a surface.
#[derive(Attributes)]
#[attributes(ignored("showArrowSize", "drawMode"))]
struct Settings {
    #[attribute(flatten)]
    spring: FirstEntries,
    /// topology with the triangles and quads; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// Lists of which SOFA's springs between neighbors take the first entry.
#[derive(Attributes)]
pub(super) struct FirstEntries {
    /// force per elongation; the first entry counts [N/m]
    #[attribute(default = "100")]
    stiffness: Vec<Real>,
    /// force per velocity of the elongation; the first entry counts [N s/m]
    #[attribute(default = "5")]
    damping: Vec<Real>,
}

impl FirstEntries {
    /// Stiffness and damping; SOFA's defaults where a list is empty.
    fn numbers(&self) -> [Real; 2] {
        let first = |list: &[Real], otherwise| list.first().copied().unwrap_or(otherwise);
        [first(&self.stiffness, 100.0), first(&self.damping, 5.0)]
    }
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangleBendingSprings", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("triangles")]);

/// Springs of stiffness k and damping c, of the length L in the beginning.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-9.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: triangles first, then each quad as two triangles, so that there is a spring across its diagonal too. The
/// first triangle of an edge is kept, each later one adds a spring from its own opposite point to that of the first. Springs are as long
/// as they are in the beginning, not at rest.
pub struct Bending;

impl SpringKind for Bending {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?;
    let halves = t.quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    let triangles: Vec<[u32; 3]> = t.triangles.iter().copied().chain(halves).collect();
    checked_rest(b, state, &triangles)?;
    let ends = ends(&triangles);
    let springs = across(b, state, &ends, &s.spring);
    field::add::<Bending>(b, state, &springs)
}

/// The ends of the springs, in the order of the triangles.
fn ends(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut first: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut ends = Vec::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b, opposite) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            match first.get(&[a.min(b), a.max(b)]) {
                None => drop(first.insert([a.min(b), a.max(b)], opposite)),
                Some(other) => ends.push([opposite, *other]),
            }
        }
    }
    ends
}

/// Springs of one stiffness and damping between pairs of points, as long as they are in the beginning.
pub(super) fn across(
    b: &mut Builder<'_>,
    state: StateId,
    ends: &[[u32; 2]],
    spring: &FirstEntries,
) -> Vec<Spring> {
    let [stiffness, damping] = spring.numbers();
    if ends.is_empty() {
        b.warn(None, "no edge has two elements, so there are no springs");
    }
    let x = b.scene.initial_as::<Vec3Type>(state).map_or(&[][..], |initial| &initial.position);
    let spring = |[i, j]: &[u32; 2]| {
        let length = match (x.get(*i as usize), x.get(*j as usize)) {
            (Some(a), Some(b)) => (a - b).norm(),
            _ => 0.0,
        };
        Spring { i: *i, j: *j, stiffness, damping, length, elongation_only: false }
    };
    ends.iter().map(spring).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn each_later_triangle_of_an_edge_adds_a_spring_to_the_first() {
        assert_eq!(ends(&[[0, 1, 2], [2, 1, 3], [1, 2, 4]]), [[3, 0], [4, 0]]);
    }

    #[test]
    fn a_quad_has_a_spring_across_its_diagonal_as_long_as_in_the_beginning() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 1 0 0 1 1 0 0 1 0"), ("quads", "0 1 2 3")]).unwrap();
        let state = [("position", "0 0 0 1 0 0 1 1 0 0 1 0"), ("rest_position", "0 0 0 2 0 0 2 2 0 0 2 0")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        t.add(&DESCRIPTION, root, &[("stiffness", "7 8")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        let ends = ends(&[[0, 1, 2], [0, 2, 3]]);
        assert_eq!(ends, [[3, 1]]);
    }
}
