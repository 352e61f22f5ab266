//! `TriangularBendingSprings`: springs across the edges of a mesh of triangles.

use sim_core::prelude::*;

use super::springs::{Spring, SpringKind, field};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;
use crate::topology::adjacency::pairs_on_edges;
use crate::topology::derive::EDGES_IN_TRIANGLE;

/// Springs across the edges of a surface, which resist bending.
#[derive(Attributes)]
#[attributes(ignored("showSprings", "edgeInfo"))]
pub(super) struct Settings {
    /// force per elongation [N/m]
    #[attribute(default = "100000")]
    pub(super) stiffness: Real,
    /// force per velocity of the elongation [N s/m]
    #[attribute(default = "1")]
    pub(super) damping: Real,
    /// topology with the triangles or quads; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TriangularBendingSprings", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("triangles")]);

/// Marks the field.
///
/// **Source:** as SOFA's: one spring for each edge of exactly two triangles, between the points opposite to it, from the second triangle
/// to the first, in the order of the edges; as long as at rest. One shorter than 1e-4 does nothing.
pub struct Bending;

impl SpringKind for Bending {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
    const SHORTEST: Real = 1e-4;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?.clone();
    let rest = checked_rest(b, state, &t.triangles)?;
    let springs: Vec<Spring> = pairs_on_edges(&t.edges, &t.triangles, &EDGES_IN_TRIANGLE)
        .map(|(_, [first, second])| {
            let opposite = |(triangle, side): (u32, usize)| t.triangles[triangle as usize][side];
            spring(&rest, opposite(second), opposite(first), s.stiffness, s.damping)
        })
        .collect();
    add::<Bending>(b, state, &s.damping, &springs)
}

/// A spring of two points that is as long as at rest.
pub(super) fn spring(rest: &[Vec3], i: u32, j: u32, stiffness: Real, damping: Real) -> Spring {
    let u = rest[j as usize] - rest[i as usize];
    Spring { i, j, stiffness, damping, length: u.inner(&u).sqrt(), elongation_only: false }
}

/// Puts bending springs into the scene.
pub(super) fn add<K: SpringKind>(
    b: &mut Builder<'_>,
    state: StateId,
    damping: &Real,
    springs: &[Spring],
) -> Result<(), BuildError> {
    if *damping < 0.0 {
        b.warn(Some("damping"), "`damping` is negative: the springs will gain energy, as in SOFA");
    }
    if springs.is_empty() {
        b.warn(None, "no edge has exactly two elements, so there are no springs");
    }
    field::add::<K>(b, state, springs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::springs::BlockSprings;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms_and_a_flat_sheet_that_is_folded_is_pushed_back() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        let edges = [[1, 2], [2, 0], [0, 1], [1, 3], [3, 2]];
        let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]].map(Vec3::from);
        let pairs: Vec<_> = pairs_on_edges(&edges, &triangles, &EDGES_IN_TRIANGLE).collect();
        assert_eq!(pairs, [(0, [(0, 0), (1, 2)])]);
        let springs = [spring(&rest, 3, 0, 50.0, 0.0)];
        assert!((springs[0].length - 2.0_f64.sqrt()).abs() < 1e-15);
        let parts = BlockSprings::<Bending>::parts(&springs);
        let mut random = Random::new(4);
        let x = random.moved(&rest, 0.2);
        let check = ForceFieldCheck::new(&parts, x, random.derivs(4)).seed(4);
        check.internal().symmetric().assembled().conservative().run();
    }

    /// SOFA's threshold for these springs, not the one of others.
    #[test]
    fn a_spring_of_no_length_does_nothing() {
        let parts = BlockSprings::<Bending>::parts(&[spring(&[Vec3::zeros(), Vec3::x()], 0, 1, 50.0, 0.0)]);
        let force = |d: Real| {
            let (mut f, v) = ([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
            let (params, elements) = (MechanicalParams { dt: 0.01, time: 0.0 }, &parts.elements);
            let (stored, x) = (&mut parts.stored.clone(), [Vec3::zeros(), Vec3::x() * d]);
            BlockSprings::<Bending>::add_force(
                &(),
                AddForce { params, elements, stored, f: &mut f, x: &x, v: &v },
            );
            f[0].x
        };
        assert_eq!(force(0.99e-4), 0.0);
        assert!((force(1.01e-4) + 50.0 * (1.0 - 1.01e-4)).abs() < 1e-9);
    }
}
