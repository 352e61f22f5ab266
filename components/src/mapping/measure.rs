//! Mappings onto a line: each point of the output is a number that a few points of the input make, such as a distance.
//!
//! A component says what the number is, by a [`Measure`]. Jacobian and geometric stiffness follow from its derivatives.

use std::marker::PhantomData;

use sim_core::math::Vec1;
use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::ends::pair;
use super::geometric_stiffness::GeometricStiffness;

/// A number made of `N` points.
pub trait Measure<const N: usize>: Send + Sync + 'static {
    /// SOFA's name of the mapping.
    const NAME: &'static str;
    /// As of [`Mapping`].
    const MAPS_REST_POSITIONS: bool = true;
    /// What does not move: `()`, or a point that distances are measured from.
    type Fixed: Copy + Send + Sync + std::fmt::Debug + 'static;
    /// The number, and its derivative by each point.
    fn value(fixed: &Self::Fixed, x: &[Vec3; N]) -> (Real, [Vec3; N]);
    /// The derivative by point j of the derivative by point i.
    fn second_derivative(fixed: &Self::Fixed, at: &Gradient<N>, i: usize, j: usize) -> Mat3;
}

/// Which points are measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured<F, const N: usize> {
    /// The points, or frames whose centres they are.
    pub nodes: [u32; N],
    /// What else the measure needs.
    pub fixed: F,
    /// What is subtracted from the measure.
    pub rest: Real,
}

/// The points as they stood, and the derivative by each.
#[derive(Clone, Copy, Debug)]
pub struct Gradient<const N: usize> {
    /// The points.
    pub points: [Vec3; N],
    /// The derivative by each.
    pub gradient: [Vec3; N],
}

impl<const N: usize> Gradient<N> {
    const ZERO: Self =
        Self { points: [Vec3::new(0.0, 0.0, 0.0); N], gradient: [Vec3::new(0.0, 0.0, 0.0); N] };
}

/// Numbers made of points, or of the centres of frames.
///
/// Jacobian: the derivatives g_i. Geometric stiffness under a force f: f dg_i/dx_j.
///
/// **Source:** as SOFA's: where constraints have multipliers, those of the step before are forces, too (`FreeMotionAnimationLoop`, and no
/// `LCPConstraintSolver`): assembled matrices take all forces, products the multipliers alone, or, if none of these counts, the others.
pub struct MeasureMapping<I, Q, const N: usize>(PhantomData<(I, Q)>);

impl<I: StateType, Q: Measure<N>, const N: usize> Mapping for MeasureMapping<I, Q, N> {
    type Input = I;
    type Output = Vec1Type;
    type Constants = GeometricStiffness;
    type Element = Measured<Q::Fixed, N>;
    type Stored = Gradient<N>;
    const NAME: &'static str = Q::NAME;
    const BY_POINTS: bool = true;
    const TAKES_MULTIPLIERS: bool = true;
    const MAPS_REST_POSITIONS: bool = Q::MAPS_REST_POSITIONS;

    fn apply(_: &GeometricStiffness, Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        for ((x, at), e) in x_out.iter_mut().zip(stored).zip(elements) {
            at.points = e.nodes.map(|n| x_in[n as usize].center());
            let (value, gradient) = Q::value(&e.fixed, &at.points);
            at.gradient = gradient;
            *x = Vec1::new(value - e.rest);
        }
    }

    fn apply_j(_: &GeometricStiffness, ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        for ((v, at), e) in v_out.iter_mut().zip(stored).zip(elements) {
            *v = Vec1::new(rate(&e.nodes, at, v_in));
        }
    }

    fn apply_jt(_: &GeometricStiffness, ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for ((f, at), e) in f_out.iter().zip(stored).zip(elements) {
            spread(&e.nodes, at, f.x, f_in);
        }
    }

    fn apply_j_at(
        _: &GeometricStiffness,
        ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>,
        points: &[u32],
    ) {
        for k in points.iter().map(|k| *k as usize) {
            v_out[k] = Vec1::new(rate(&elements[k].nodes, &stored[k], v_in));
        }
    }

    fn apply_jt_at(
        _: &GeometricStiffness,
        ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>,
        points: &[u32],
    ) {
        for k in points.iter().map(|k| *k as usize) {
            spread(&elements[k].nodes, &stored[k], f_out[k].x, f_in);
        }
    }

    fn add_jacobian(
        _: &GeometricStiffness,
        AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>,
    ) {
        for (row, (at, e)) in (0..).zip(stored.iter().zip(elements)) {
            for (g, n) in at.gradient.iter().zip(e.nodes) {
                let first = Mat3::from_fn(|i, j| if i == 0 { g[j] } else { 0.0 });
                matrix.add_block(row, n * I::Deriv::BLOCKS as u32, &first);
            }
        }
    }

    fn add_geometric_stiffness(which: &GeometricStiffness, at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements, stored, f_out, matrix } = at;
        let blocks = I::Deriv::BLOCKS as u32;
        for ((f, at), e) in f_out.iter().zip(stored).zip(elements) {
            let factor = if which.counts(f.x) { k_factor * f.x } else { 0.0 };
            for i in 0..N {
                for j in 0..N {
                    let block = Q::second_derivative(&e.fixed, at, i, j) * factor;
                    matrix.add_block(e.nodes[i] * blocks, e.nodes[j] * blocks, &block);
                }
            }
        }
    }

    fn carriers(elements: &[Self::Element], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(elements).for_each(|(k, e)| e.nodes.iter().for_each(|n| put(k, *n)));
    }
}

fn rate<D: Deriv, const N: usize>(nodes: &[u32; N], at: &Gradient<N>, v: &[D]) -> Real {
    at.gradient.iter().zip(nodes).map(|(g, n)| g.dot(&v[*n as usize].linear())).sum()
}

fn spread<D: Deriv, const N: usize>(nodes: &[u32; N], at: &Gradient<N>, f: Real, over: &mut [D]) {
    for (g, n) in at.gradient.iter().zip(nodes) {
        over[*n as usize].add_linear(&(g * f));
    }
}

/// What mappings that measure elements have, besides the attributes of the family.
#[derive(Attributes)]
pub(super) struct MeasureAttributes {
    /// topology with the elements that are measured; else the last one of the node, or above
    _topology: Option<LinkTarget>,
    /// stiffness from the turning of forces
    #[attribute(default = "Stabilized")]
    geometric_stiffness: GeometricStiffness,
    #[attribute(flatten)]
    _input: InputAttribute,
}

/// The topology whose elements are measured.
pub(super) fn measured_topology(b: &Builder<'_>) -> Result<Topology, BuildError> {
    let found = b.topology_component(TopologySearch::Last);
    found.and_then(|c| b.scene.topology(c)).cloned().ok_or_else(|| {
        BuildError::attribute("topology", "there is no topology whose elements are to be measured")
    })
}

/// Puts a mapping that measures these elements into the scene; `rest` says what is subtracted, in the order of elements,
/// from the measures at the input's positions.
pub(super) fn add_measures<Q: Measure<N, Fixed = ()>, const N: usize>(
    b: &mut Builder<'_>,
    kind: &str,
    elements: &[[u32; N]],
    rest: impl FnOnce(Vec<Real>) -> Vec<Real>,
) -> Result<(), BuildError> {
    let (s, ends) = (MeasureAttributes::read(b)?, b.mapping_ends()?);
    let elements = measured::<Q, N>(b, ends.0, (kind, elements), rest)?;
    add_measured::<Q, N>(b, ends, elements, s.geometric_stiffness)
}

/// These elements of a state, beside what is subtracted from their measures.
pub(super) fn measured<Q: Measure<N, Fixed = ()>, const N: usize>(
    b: &Builder<'_>,
    input: StateId,
    (kind, elements): (&str, &[[u32; N]]),
    rest: impl FnOnce(Vec<Real>) -> Vec<Real>,
) -> Result<Vec<Measured<(), N>>, BuildError> {
    if elements.is_empty() {
        let text = format!("the topology has no {kind} to be measured");
        return Err(BuildError::attribute("topology", text));
    }
    let centers = b.scene.initial(input).centers();
    if let Some(n) = elements.iter().flatten().find(|n| **n as usize >= centers.len()) {
        let text = format!("the topology names point {n}, but there are {}", centers.len());
        return Err(BuildError::attribute("topology", text));
    }
    let measures = elements.iter().map(|e| Q::value(&(), &e.map(|n| centers[n as usize])).0).collect();
    let elements = elements.iter().zip(rest(measures));
    Ok(elements.map(|(nodes, rest)| Measured { nodes: *nodes, fixed: (), rest }).collect())
}

/// Puts a mapping that makes one number of each of these into the scene.
pub(super) fn add_measured<Q: Measure<N>, const N: usize>(
    b: &mut Builder<'_>,
    ends: (StateId, StateId),
    elements: Vec<Measured<Q::Fixed, N>>,
    which: GeometricStiffness,
) -> Result<(), BuildError> {
    let templates = pair(b, ends);
    match templates.as_str() {
        "Vec3,Vec1" => add::<Vec3Type, Q, N>(b, ends, elements, which),
        "Rigid3,Vec1" => add::<Rigid3Type, Q, N>(b, ends, elements, which),
        _ => Err(BuildError::new(format!("a {} of {templates} does not exist; use Vec3,Vec1", Q::NAME))),
    }
}

fn add<I: VectorsAccess, Q: Measure<N>, const N: usize>(
    b: &mut Builder<'_>,
    (input, output): (StateId, StateId),
    elements: Vec<Measured<Q::Fixed, N>>,
    which: GeometricStiffness,
) -> Result<(), BuildError> {
    let (n, counts) = (elements.len(), which != GeometricStiffness::None);
    let parts = MappingParts::<MeasureMapping<I, Q, N>>::new(which, elements, vec![Gradient::ZERO; n], n);
    b.add_mapping(input, output, parts.with_geometric_stiffness(counts))
}

/// The conformance check of a measure of points, and of the centres of frames, with all of the geometric stiffness.
#[cfg(test)]
pub(super) fn check<Q: Measure<N>, const N: usize>(fixed: Q::Fixed) {
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};
    let elements: Vec<Measured<Q::Fixed, N>> = (0..3)
        .map(|k| Measured {
            nodes: std::array::from_fn(|i| ((k + 2 * i) % (2 * N)) as u32),
            fixed,
            rest: 0.3 * k as Real,
        })
        .collect();
    let mut random = Random::new(N as u64);
    let points = random.moved(&vec![Vec3::zeros(); 2 * N], 1.0);
    let which = GeometricStiffness::Exact;
    let stored = vec![Gradient::ZERO; 3];
    mapping(
        &MappingParts::<MeasureMapping<Vec3Type, Q, N>>::new(which, elements.clone(), stored.clone(), 3),
        &points,
        1,
    );
    let frames = random.moved(&vec![RigidCoord::default(); 2 * N], 1.0);
    mapping(&MappingParts::<MeasureMapping<Rigid3Type, Q, N>>::new(which, elements, stored, 3), &frames, 2);
}
