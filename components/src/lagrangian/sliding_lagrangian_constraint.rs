//! `SlidingLagrangianConstraint`: a point that slides along a segment.

use sim_core::component::lagrangian_constraint::{
    BuildRows, LagrangianConstraint, LagrangianConstraintParts, Resolution, RowSink,
};
use sim_core::component::matrix::End;
use sim_core::prelude::*;

use super::ends::ends;

/// A point that slides along the segment between two others, and not beyond.
#[derive(Attributes)]
#[attributes(ignored("endTime", "group", "force"))]
struct Settings {
    /// state of the point that slides; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the segment; this node's if not given
    object2: Option<LinkTarget>,
    /// the point that slides
    #[attribute(name = "sliding_point", default = "0")]
    sliding_point: Index,
    /// where the segment begins
    #[attribute(name = "axis_1", default = "0")]
    axis_1: Index,
    /// where it ends
    #[attribute(name = "axis_2", default = "0")]
    axis_2: Index,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LagrangianConstraint, "SlidingLagrangianConstraint", build)
        .templates(&["Vec3"])
        .samples(&[Sample::new(
            "object1='{first}' object2='{second}' sliding_point='0' axis_1='0' axis_2='1'",
        )]);

/// A point on a segment: two rows hold it on the line, two keep it between the ends.
///
/// With the segment from a to b, its direction d, the share β of the point's place along it, and two directions e across it: δ = (p −
/// (1 − β) a − β b)·e = 0 for both, with J = (e, −(1 − β) e, −β e); and λ ≥ 0 with (p − a)·d ≥ 0, J = (d, −d, 0), and (b − p)·d ≥ 0, J =
/// (−d, 0, d).
///
/// **Source:** as SOFA's: directions and weights are those of the beginning of the step, violations those of positions, where
/// velocities are solved for too. A segment without length holds the point at its first end. Where a point is on the segment but for
/// rounding, SOFA takes the direction of this rounding for one across the segment, though it may lie along it and hold the point; here one
/// is taken that is across.
pub struct SlidingLagrangianConstraint;

impl LagrangianConstraint for SlidingLagrangianConstraint {
    type State1 = Vec3Type;
    type State2 = Vec3Type;
    type Constants = ();
    /// The point, and the ends of the segment.
    type Element = [u32; 3];
    const NAME: &'static str = DESCRIPTION.class;

    fn build_rows(_: &(), at: BuildRows<'_, Self>, rows: &mut impl RowSink) {
        for &[i, j, k] in at.elements {
            let (p, a, b) = (at.first.x[i as usize], at.second.x[j as usize], at.second.x[k as usize]);
            let (p_free, a_free, b_free) =
                (at.first.free_x[i as usize], at.second.free_x[j as usize], at.second.free_x[k as usize]);
            let mut row = |resolution, violation, direction: Vec3, on_axis: [f64; 2]| {
                rows.block(1, resolution, None);
                rows.row(violation);
                rows.add(End::First, i, &direction);
                for (end, weight) in [j, k].into_iter().zip(on_axis).filter(|(_, weight)| *weight != 0.0) {
                    rows.add(End::Second, end, &(-direction * weight));
                }
            };
            let (bilateral, unilateral) = (Resolution::Bilateral { load: 1.0 }, Resolution::Unilateral);
            let length = (b - a).norm();
            if length < f64::EPSILON {
                for direction in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    row(bilateral, (p_free - a_free).dot(&direction), direction, [1.0, 0.0]);
                }
                continue;
            }
            let d = (b - a) / length;
            let along = (p - a).dot(&d);
            let beta = (along / length).clamp(0.0, 1.0);
            let e = across(&d, p - a - d * along);
            let o = e.cross(&d).normalize();
            let on_axis = a_free * (1.0 - beta) + b_free * beta;
            for direction in [e, o] {
                row(bilateral, (p_free - on_axis).dot(&direction), direction, [1.0 - beta, beta]);
            }
            row(unilateral, (p_free - a_free).dot(&d), d, [1.0, 0.0]);
            row(unilateral, (b_free - p_free).dot(&d), -d, [0.0, 1.0]);
        }
    }
}

/// The direction from a line along `d`, a unit vector, to a point; any one across the line, if the point is on it.
fn across(d: &Vec3, away: Vec3) -> Vec3 {
    // What is left of a point on the line is rounding, which may as well lie along it.
    let found = away.try_normalize(f64::EPSILON).map(|e| e - d * d.dot(&e)).filter(|e| e.norm() > 0.5);
    let any = || {
        let e = Vec3::x().cross(d);
        if e.norm() < f64::EPSILON { Vec3::new(1.0, 1.0, 0.0).cross(d) } else { e }
    };
    found.unwrap_or_else(any).normalize()
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let [first, second] = ends(b, s.object1, s.object2)?;
    b.check_template::<Vec3Type>(first)?;
    let (n, m) = (b.size(first), b.size(second));
    let elements = vec![[s.sliding_point.below(n)?, s.axis_1.below(m)?, s.axis_2.below(m)?]];
    let parts = LagrangianConstraintParts::<SlidingLagrangianConstraint> { constants: (), elements };
    b.scene.add_lagrangian_constraint(b.component, first, second, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::component::lagrangian_constraint::{ConstraintOrder, FreeState};

    /// The directions of the rows at the point.
    #[derive(Default)]
    struct Directions(Vec<Vec3>);

    impl RowSink for Directions {
        fn block(&mut self, _: u32, _: Resolution, _: Option<u32>) {}
        fn row(&mut self, _: f64) {}
        fn entry(&mut self, end: End, _: u32, direction: Vec3) {
            if end == End::First {
                self.0.push(direction);
            }
        }
    }

    /// A point that the constraint has held on its segment, but for rounding, is not held along it.
    #[test]
    fn a_point_on_the_segment_slides() {
        let segment = [Vec3::new(0.213, 0.317, 0.411), Vec3::new(0.729, 0.613, 1.107)];
        let d = (segment[1] - segment[0]).normalize();
        for k in 0..2000 {
            let point = [segment[0] + (segment[1] - segment[0]) * (f64::from(k) / 2000.0)];
            fn at(x: &[Vec3]) -> FreeState<'_, Vec3Type> {
                FreeState { x, rest: x, free_x: x, free_v: x }
            }
            let (first, second) = (at(&point), at(&segment));
            let mut rows = Directions::default();
            let at = BuildRows {
                order: ConstraintOrder::Position,
                dt: 0.01,
                elements: &[[0, 0, 1]],
                first,
                second,
            };
            SlidingLagrangianConstraint::build_rows(&(), at, &mut rows);
            let [e, o, along, back] = rows.0[..] else { panic!("four rows") };
            assert!(
                e.dot(&d).abs() < 1e-12 && o.dot(&d).abs() < 1e-12 && e.dot(&o).abs() < 1e-12,
                "{k}: {e} {o}"
            );
            assert!((e.norm() - 1.0).abs() < 1e-12 && (along + back).norm() == 0.0);
        }
    }
}
