//! `QuadularBendingSprings`: springs across the edges of a mesh of quads.

use sim_core::prelude::*;

use super::springs::{Spring, SpringKind};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_bending_springs::{Settings, add, spring};
use super::triangular_fem_force_field::checked_rest;
use crate::topology::adjacency::pairs_on_edges;
use crate::topology::derive::EDGES_IN_QUAD;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "QuadularBendingSprings", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("grid")]);

/// Springs of stiffness k and damping c, of the length L at rest.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-4.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: two springs for each edge of exactly two quads, between the points that continue each other across it, as
/// long as at rest; where the quads turn in opposite directions they cross. One shorter than 1e-4 does nothing.
pub struct Bending;

impl SpringKind for Bending {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
    const SHORTEST: Real = 1e-4;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?.clone();
    let rest = checked_rest(b, state, &t.quads)?;
    let ends = ends(&t.edges, &t.quads);
    let springs: Vec<Spring> =
        ends.iter().map(|[i, j]| spring(&rest, *i, *j, s.stiffness, s.damping)).collect();
    add::<Bending>(b, state, &s.damping, &springs)
}

/// The ends of the springs, in the order of the edges.
fn ends(edges: &[[u32; 2]], quads: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let of_edge = |(_, [(q2, i2), (q1, i1)]): (u32, [(u32, usize); 2])| {
        let (q1, q2) = (quads[q1 as usize], quads[q2 as usize]);
        [[q1[i1], q2[(i2 + 3) % 4]], [q1[(i1 + 3) % 4], q2[i2]]]
    };
    pairs_on_edges(edges, quads, &EDGES_IN_QUAD).flat_map(of_edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_continue_straight_across_an_edge() {
        // 3 4 5
        // 0 1 2
        let quads = [[0, 1, 4, 3], [1, 2, 5, 4]];
        let edges = [[0, 1], [1, 4], [3, 4], [0, 3], [1, 2], [2, 5], [4, 5]];
        let mut found = ends(&edges, &quads);
        found.iter_mut().for_each(|e| e.sort_unstable());
        found.sort_unstable();
        assert_eq!(found, [[0, 2], [3, 5]]);
    }
}
