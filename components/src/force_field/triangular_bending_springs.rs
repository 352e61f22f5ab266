//! `TriangularBendingSprings`: springs across the edges of a mesh of triangles. The file is long for what SOFA remembers of springs where
//! the topology changes.

use std::collections::BTreeMap;

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::prelude::*;
use sim_core::renumbering::present;
use sim_core::topology::Topology;

use super::springs::{Spring, SpringKind, field};
use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;
use crate::topology::adjacency::{NO_EDGE, edges_in_elements, pairs_on_edges};
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
        .follows(Following::of_pairs(renumber).prepared(&[], remember))
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("triangles")]);

/// Springs of stiffness k and damping c, of the length L at rest.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-4.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: one spring for each edge of exactly two triangles, between the points opposite to it, from the second triangle
/// to the first, in the order of the edges; as long as at rest. One shorter than 1e-4 does nothing. Where a change of the topology gives
/// an edge with a spring more triangles, its spring stays.
pub struct Bending;

impl SpringKind for Bending {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
    const SHORTEST: Real = 1e-4;
}

/// Where what is remembered of springs stands among the attributes, which no scene can write.
const REMEMBERED: &str = "edgeInfo";
/// Numbers of a row of it: the ends of an edge, ascending, those of its spring, and how many triangles the edge had.
const ROW: usize = 5;

/// The springs of a mesh before it changes, edge by edge.
fn remember(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let t = topology(b)?;
    let around = n_triangles(&t.edges, &t.triangles);
    let rows = pairs(b, t).into_iter().flat_map(|(edge, [i, j])| {
        let [a, b] = sorted(t.edges[edge as usize]);
        [a, b, i, j, around[edge as usize]].map(i64::from)
    });
    let mut attributes = b.attributes.clone();
    attributes.set.insert(REMEMBERED, Value::Integers(rows.collect()));
    Ok(attributes)
}

/// Gives the points that are remembered their present numbers; springs of points that have gone are forgotten.
fn renumber(attributes: &mut AttributeValues, [now, _]: [Option<&[u32]>; 2]) {
    let (Some(now), Some(rows)) = (now, attributes.set.get(REMEMBERED).and_then(Value::integers)) else {
        return;
    };
    let number = |old: i64| present(now, old);
    let kept = rows.as_chunks::<ROW>().0.iter().filter_map(|[a, b, i, j, n]| {
        let [a, b] = sorted([number(*a)?, number(*b)?]);
        Some([a, b, number(*i)?, number(*j)?].map(i64::from).into_iter().chain([*n]))
    });
    let kept = kept.flatten().collect();
    attributes.set.insert(REMEMBERED, Value::Integers(kept));
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn n_triangles(edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut around = vec![0; edges.len()];
    for edge in edges_in_elements(edges, triangles, &EDGES_IN_TRIANGLE).into_iter().flatten() {
        if edge != NO_EDGE {
            around[edge as usize] += 1;
        }
    }
    around
}

/// The edges with springs, and the ends of these, in the order of the edges.
fn pairs(b: &Builder<'_>, t: &Topology) -> Vec<(u32, [u32; 2])> {
    let of_two = pairs_on_edges(&t.edges, &t.triangles, &EDGES_IN_TRIANGLE).map(|(edge, [first, second])| {
        let opposite = |(triangle, side): (u32, usize)| t.triangles[triangle as usize][side];
        (edge, [opposite(second), opposite(first)])
    });
    let remembered = b.attributes.set.get(REMEMBERED).and_then(Value::integers).unwrap_or_default();
    if remembered.is_empty() {
        return of_two.collect();
    }
    let before: BTreeMap<[i64; 2], [i64; 3]> =
        remembered.as_chunks::<ROW>().0.iter().map(|[a, b, i, j, n]| ([*a, *b], [*i, *j, *n])).collect();
    let around = n_triangles(&t.edges, &t.triangles);
    let stays = |(edge, n): (u32, &u32)| {
        let [i, j, before] = *before.get(&sorted(t.edges[edge as usize]).map(i64::from))?;
        let ends = [u32::try_from(i).ok()?, u32::try_from(j).ok()?];
        (*n > 2 && i64::from(*n) >= before).then_some((edge, ends))
    };
    let mut all: Vec<_> = of_two.chain((0..).zip(&around).filter_map(stays)).collect();
    all.sort_unstable_by_key(|(edge, _)| *edge);
    all
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?.clone();
    let rest = checked_rest(b, state, &t.triangles)?;
    let ends = pairs(b, &t).into_iter();
    let springs: Vec<Spring> = ends.map(|(_, [i, j])| spring(&rest, i, j, s.stiffness, s.damping)).collect();
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
    use sim_core::renumbering::NEW;
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

    #[test]
    fn springs_are_remembered_by_their_points() {
        let mut attributes = AttributeValues::default();
        attributes.set.insert(REMEMBERED, Value::Integers(vec![1, 2, 0, 3, 2, 2, 4, 1, 5, 2]));
        // Point 0 has gone, and 5 has its number.
        renumber(&mut attributes, [Some(&[NEW, 1, 2, 3, 4, 0]); 2]);
        assert_eq!(attributes.set[REMEMBERED], Value::Integers(vec![2, 4, 1, 0, 2]));
        assert_eq!(n_triangles(&[[0, 1], [1, 2]], &[[0, 1, 2], [0, 1, 3]]), [2, 1]);
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
