//! `BilateralLagrangianConstraint`: pairs of points, or of frames, that stay together. The file is long for points and frames, whose rows
//! are different laws.

use sim_core::component::build::AttributeValues;
use sim_core::component::lagrangian_constraint::{
    BuildRows, ConstraintOrder, LagrangianConstraint, LagrangianConstraintParts, Resolution, RowSink,
};
use sim_core::component::matrix::End;
use sim_core::component::value::Value;
use sim_core::math::{Quat, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;
use sim_core::renumbering::present;

use super::ends::ends;
use super::rotation::rotation_vector;

/// Pairs of points, or of frames, that Lagrange multipliers hold together.
#[derive(Attributes)]
#[attributes(ignored("endTime", "group", "topology1", "topology2"))]
struct Settings {
    /// state of the first points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second points; this node's if not given
    object2: Option<LinkTarget>,
    /// the first point of each pair
    #[attribute(name = "first_point")]
    first_point: Deferred<Indices>,
    /// the second point of each pair
    #[attribute(name = "second_point")]
    second_point: Deferred<Indices>,
    /// from the first to the second point of each pair; of frames six numbers, the last three a rotation [m]
    #[attribute(name = "rest_vector")]
    rest_vector: DerivRows,
    /// whether the constraint acts (Vec3)
    #[attribute(default = "1")]
    activate: bool,
    /// whether frames keep the place and the orientation that they have to each other at first (Rigid3)
    keep_orientation_difference: bool,
    /// share of the violation that each sweep takes back, between 0 and 1 (Vec3)
    #[attribute(default = "1")]
    load: Real,
    /// of our own: `rest_vector` has the right sign where velocities are solved for, too (Vec3)
    exact_rest_vector: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LagrangianConstraint, "BilateralLagrangianConstraint", build)
        .templates(&["Vec3", "Rigid3"])
        .follows(Following::of_pairs(follow).prepared(&[], without_memory))
        .samples(&[
            Sample::new("object1='{first}' object2='{second}' first_point='0' second_point='0'"),
            Sample::new(
                "object1='{first}' object2='{second}' first_point='1' second_point='1' rest_vector='0.1 0 0' load='0.8'",
            )
            .template("Vec3"),
            Sample::new(
                "object1='{first}' object2='{second}' first_point='1' second_point='1' rest_vector='0.1 0 0' exactRestVector='1'",
            )
            .template("Vec3"),
        ]);

/// Lets pairs of points follow: those of points that have gone go, the others keep their points.
///
/// **Source:** as SOFA's where `topology1` and `topology2` say which topologies the points are of.
fn follow(attributes: &mut AttributeValues, ends: [Option<&[u32]>; 2]) {
    let lists = ["first_point", "second_point"]
        .map(|name| attributes.set.get(name).and_then(Value::integers).unwrap_or_default());
    let n = lists[0].len().min(lists[1].len());
    let now = |end: usize, k: usize| {
        let point = lists[end][k];
        ends[end].map_or(Some(point), |numbers| present(numbers, point).map(i64::from))
    };
    let kept: Vec<(usize, [i64; 2])> = (0..n).filter_map(|k| Some((k, [now(0, k)?, now(1, k)?]))).collect();
    let rest = attributes.set.get("rest_vector").and_then(Value::reals).unwrap_or_default();
    if !rest.is_empty() {
        let row = |k: usize| rest.get(3 * k..3 * k + 3).unwrap_or(&[0.0; 3]);
        let rest = kept.iter().flat_map(|(k, _)| row(*k)).copied().collect();
        attributes.set.insert("rest_vector", Value::Reals(rest));
    }
    for (end, name) in ["first_point", "second_point"].into_iter().enumerate() {
        attributes.set.insert(name, Value::Integers(kept.iter().map(|(_, pair)| pair[end]).collect()));
    }
}

/// Frames that keep a difference take it from where they are when the constraint is built.
fn without_memory(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    if b.scene
        .parts
        .lagrangian
        .iter()
        .any(|p| p.component == b.component && b.scene.initial_as::<Rigid3Type>(p.first).is_some())
    {
        return Err(BuildError::new("pairs of frames do not follow changes of a topology"));
    }
    Ok(b.attributes.clone())
}

/// Pairs of points that stay together.
///
/// Three rows for each pair: δ = x₂ − x₁ − r with r from `rest_vector`, J = (−I, I); δ = v₂ − v₁ + (x₂ − x₁ + r)/h where velocities are
/// solved for, in a step h. The multipliers make W λ + δ = 0.
///
/// **Source:** as SOFA's: where velocities are solved for, the sign of `rest_vector` is the wrong one there, and here unless
/// `exactRestVector` of our own is set. Rows begin with the multipliers of the step before.
pub struct BilateralPoints;

/// A pair of points.
#[derive(Clone, Copy, Debug)]
pub struct PointPair {
    first: u32,
    second: u32,
    rest: Vec3,
}

/// What all pairs of a component have.
#[derive(Clone, Copy, Debug)]
pub struct PairConstants {
    /// Share of the violation that a sweep takes back.
    load: Real,
    /// By what the vector at rest counts where velocities are solved for: 1 as in SOFA, -1 as it should.
    rest_in_velocities: Real,
}

impl LagrangianConstraint for BilateralPoints {
    type State1 = Vec3Type;
    type State2 = Vec3Type;
    type Constants = PairConstants;
    type Element = PointPair;
    const NAME: &'static str = DESCRIPTION.class;
    const KEEPS_FORCES: bool = true;

    fn build_rows(c: &PairConstants, at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        for p in at.elements {
            let (i, j) = (p.first as usize, p.second as usize);
            let (first, second) = (&at.first, &at.second);
            let violation = match at.order {
                ConstraintOrder::Position => second.free_x[j] - first.free_x[i] - p.rest,
                ConstraintOrder::Velocity => {
                    let rest = p.rest * c.rest_in_velocities;
                    second.free_v[j] - first.free_v[i] + (second.x[j] - first.x[i] + rest) / at.dt
                }
            };
            rows.block(3, Resolution::Bilateral { load: c.load }, None);
            for k in 0..3 {
                let direction = Vec3::ith(k, 1.0);
                rows.row(violation[k]);
                rows.add(End::First, p.first, &-direction);
                rows.add(End::Second, p.second, &direction);
            }
        }
    }
}

/// Pairs of frames that stay together, or as they are to each other at first.
///
/// Six rows for each pair, with r and a from `rest_vector`: δ = x₂ − x₁ − p₀ − r of places, with p₀ = x₂ − x₁ at first where `keepOrientationDifference` says so, else 0,
/// and δ = Q θ − a of orientations, with θ the rotation vector of q⁻¹ q₂ and Q the rotation of q = q₁ q₀; J = (−I, I) of each three.
///
/// **Source:** as SOFA's: the difference of the places stays in world axes, that of the orientations turns with the first frame;
/// where velocities are solved for, the violation is that of positions.
pub struct BilateralFrames;

/// A pair of frames.
#[derive(Clone, Copy, Debug)]
pub struct FramePair {
    first: u32,
    second: u32,
    rest: RigidDeriv,
    /// From the first to the second center at first [m], and the second orientation in the first frame.
    difference: (Vec3, Quat),
}

impl LagrangianConstraint for BilateralFrames {
    type State1 = Rigid3Type;
    type State2 = Rigid3Type;
    type Constants = ();
    type Element = FramePair;
    const NAME: &'static str = DESCRIPTION.class;

    fn build_rows(_: &(), at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        for p in at.elements {
            let (a, b) = (at.first.free_x[p.first as usize], at.second.free_x[p.second as usize]);
            let q = a.orientation * p.difference.1;
            let apart = b.center - (a.center + p.difference.0) - p.rest.linear;
            let turned = quat_to_matrix(&q) * rotation_vector(&(q.conjugate() * b.orientation));
            let violation = [apart, turned - p.rest.angular];
            for (block, violation) in violation.iter().enumerate() {
                rows.block(3, Resolution::Bilateral { load: 1.0 }, None);
                for k in 0..3 {
                    let mut direction = RigidDeriv::default();
                    direction.set_block(block, Vec3::ith(k, 1.0));
                    rows.row(violation[k]);
                    rows.add(End::First, p.first, &-direction);
                    rows.add(End::Second, p.second, &direction);
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let [first, second] = ends(b, s.object1, s.object2)?;
    let one = s.first_point.get(b)?.below(b.size(first))?.to_vec();
    let other = s.second_point.get(b)?.below(b.size(second))?.to_vec();
    if one.len() != other.len() {
        let text = format!("{} first and {} second points: the shorter list counts", one.len(), other.len());
        b.warn(Some("second_point"), &text);
    }
    if !(0.0..=1.0).contains(&s.load) {
        return Err(BuildError::attribute("load", "`load` must be between 0 and 1"));
    }
    let pairs = one.into_iter().zip(other);
    if b.scene.initial_as::<Vec3Type>(first).is_some() {
        let rest: Vec<Vec3> = s.rest_vector.of::<Vec3Type>()?;
        let pair = |(k, (first, second))| {
            let rest = rest.get(k).copied().unwrap_or_default();
            PointPair { first, second, rest }
        };
        let elements = if s.activate { pairs.enumerate().map(pair).collect() } else { Vec::new() };
        let rest_in_velocities = if s.exact_rest_vector { -1.0 } else { 1.0 };
        let constants = PairConstants { load: s.load, rest_in_velocities };
        let parts = LagrangianConstraintParts::<BilateralPoints> { constants, elements };
        b.scene.add_lagrangian_constraint(b.component, first, second, parts);
        return Ok(());
    }
    b.check_template::<Rigid3Type>(first)?;
    let rest: Vec<RigidDeriv> = s.rest_vector.of::<Rigid3Type>()?;
    if s.keep_orientation_difference && !rest.is_empty() {
        b.warn(Some("rest_vector"), "has no effect beside `keepOrientationDifference`, as in SOFA");
    }
    let mut elements = Vec::new();
    for (k, (i, j)) in pairs.enumerate() {
        let mut pair = FramePair {
            first: i,
            second: j,
            rest: rest.get(k).copied().unwrap_or_default(),
            difference: (Vec3::zeros(), Quat::identity()),
        };
        let states = (b.scene.initial_as::<Rigid3Type>(first), b.scene.initial_as::<Rigid3Type>(second));
        if let (true, (Some(x), Some(y))) = (s.keep_orientation_difference, states) {
            let (x, y) = (x.position[i as usize], y.position[j as usize]);
            pair.rest = RigidDeriv::default();
            pair.difference = (y.center - x.center, x.orientation.conjugate() * y.orientation);
        }
        elements.push(pair);
    }
    let parts = LagrangianConstraintParts::<BilateralFrames> { constants: (), elements };
    b.scene.add_lagrangian_constraint(b.component, first, second, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::component::lagrangian_constraint::FreeState;

    /// The violations of the rows.
    #[derive(Default)]
    struct Violations(Vec<f64>);

    impl RowSink for Violations {
        fn block(&mut self, _: u32, _: Resolution, _: Option<u32>) {}
        fn row(&mut self, violation: f64) {
            self.0.push(violation);
        }
        fn entry(&mut self, _: End, _: u32, _: Vec3) {}
    }

    /// Two points that rest as far from each other as they should: nothing is violated, whatever is solved for; in SOFA's velocities the
    /// vector counts twice.
    #[test]
    fn a_pair_at_rest_is_violated_nowhere_if_the_sign_is_right() {
        let violations = |order: ConstraintOrder, rest_in_velocities: Real| {
            let (one, other, still) = ([Vec3::zeros()], [Vec3::new(0.1, 0.2, 0.0)], [Vec3::zeros()]);
            fn at<'a>(x: &'a [Vec3], v: &'a [Vec3]) -> FreeState<'a, Vec3Type> {
                FreeState { x, rest: x, free_x: x, free_v: v }
            }
            let elements = [PointPair { first: 0, second: 0, rest: other[0] }];
            let (first, second) = (at(&one, &still), at(&other, &still));
            let mut rows = Violations::default();
            let at = BuildRows { order, dt: 0.1, elements: &elements, first, second };
            BilateralPoints::build_rows(&PairConstants { load: 1.0, rest_in_velocities }, at, &mut rows);
            rows.0
        };
        assert_eq!(violations(ConstraintOrder::Position, 1.0), [0.0; 3]);
        assert_eq!(violations(ConstraintOrder::Velocity, -1.0), [0.0; 3]);
        assert_eq!(violations(ConstraintOrder::Velocity, 1.0), [2.0, 4.0, 0.0]);
    }
}
