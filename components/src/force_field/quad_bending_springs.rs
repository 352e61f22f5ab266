//! `QuadBendingSprings`: springs that continue the sides of quads across their common edges.

use std::collections::BTreeMap;

use sim_core::prelude::*;

use super::springs::{SpringKind, field};
use super::tetrahedron_fem_force_field::topology;
use super::triangle_bending_springs::{FirstEntries, across};
use super::triangular_fem_force_field::checked_rest;

/// Springs that continue the sides of quads across their common edges.
#[derive(Attributes)]
#[attributes(ignored("showArrowSize", "drawMode"))]
struct Settings {
    #[attribute(flatten)]
    spring: FirstEntries,
    /// first and last point; springs between two points before, or two points behind them are left out
    #[attribute(default = "-1 -1")]
    local_range: [i64; 2],
    /// topology with the quads; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "QuadBendingSprings", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("grid")]);

/// Springs of stiffness k and damping c, of the length L in the beginning.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-9.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: the first quad of an edge is kept, each later one adds two springs, from its own points to those of the first,
/// at most one between two points. They are as long as they are in the beginning, not at rest.
pub struct Bending;

impl SpringKind for Bending {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let quads = topology(b)?.quads.clone();
    checked_rest(b, state, &quads)?;
    let mut ends = ends(&quads);
    let [first, last] = s.local_range;
    ends.retain(|pair| {
        let all = |outside: &dyn Fn(i64) -> bool| pair.iter().all(|p| outside(i64::from(*p)));
        !(first >= 0 && all(&|p| p < first) || last >= 0 && all(&|p| p > last))
    });
    let springs = across(b, state, &ends, &s.spring);
    field::add::<Bending>(b, state, &springs)
}

/// The ends of the springs, in the order of the quads.
fn ends(quads: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut first: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    let mut ends: Vec<[u32; 2]> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for q in quads {
        for k in 0..4 {
            let (mut edge, mut beside) = ([q[k], q[(k + 1) % 4]], [q[(k + 3) % 4], q[(k + 2) % 4]]);
            if edge[0] > edge[1] {
                edge.reverse();
                beside.reverse();
            }
            match first.get(&edge) {
                None => drop(first.insert(edge, beside)),
                Some(other) => {
                    for (a, b) in beside.into_iter().zip(*other) {
                        if seen.insert([a.min(b), a.max(b)]) {
                            ends.push([a, b]);
                        }
                    }
                }
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_continue_straight_across_an_edge_however_the_quads_turn() {
        // 3 4 5
        // 0 1 2
        for second in [[1, 2, 5, 4], [4, 5, 2, 1]] {
            assert_eq!(ends(&[[0, 1, 4, 3], second]), [[2, 0], [5, 3]]);
        }
        assert_eq!(ends(&[[0, 1, 4, 3], [0, 1, 4, 3]]), [[3, 3], [4, 4], [0, 0], [1, 1]]);
    }
}
