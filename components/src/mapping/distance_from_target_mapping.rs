//! `DistanceFromTargetMapping`: how far points are from points that do not move.

use sim_core::prelude::*;

use super::geometric_stiffness::GeometricStiffness;
use super::measure::{Gradient, Measure, Measured, add_measured};

/// How far points are from points that do not move.
#[derive(Attributes)]
#[attributes(ignored("showObjectScale", "showColor"))]
struct Settings {
    /// the points; those beyond the list are their own numbers
    indices: Indices,
    /// the point that each is measured from [m]
    target_positions: Vec<Vec3>,
    /// what is subtracted from each distance; 0 beyond the list [m]
    rest_lengths: Vec<Real>,
    /// stiffness from the turning of forces
    #[attribute(default = "Stabilized")]
    geometric_stiffness: GeometricStiffness,
    /// whether distances and directions are rounded to 32-bit floats, as SOFA's are
    #[attribute(default = "1")]
    single_precision: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<(Settings, InputAttribute)>(
    Family::Mapping,
    "DistanceFromTargetMapping",
    build,
)
.templates(&["Vec3,Vec1", "Rigid3,Vec1"])
.samples(&[Sample::new("indices='2 0' targetPositions='3 0 0 0 -3 1' restLengths='1' singlePrecision='0'")
    .template("Vec3,Vec1")]);

/// The distance of a point from a fixed one.
///
/// **Source:** as SOFA's: d = |x - t| with the derivative u = (x - t)/d; at a distance of at most 1e-10 this is (1, 0, 0), and there is no
/// second derivative. SOFA keeps x - t, its length and its direction as 32-bit floats, which are 1e-7 off; with `singlePrecision`
/// switched off they are not.
pub struct DistanceFromTarget;

/// Where a distance is measured from.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    point: Vec3,
    single: bool,
}

/// Closer than this, a point is at its target [m].
const NEAR: Real = 1e-10;

impl Measure<1> for DistanceFromTarget {
    const NAME: &'static str = DESCRIPTION.class;
    type Fixed = Target;

    fn value(target: &Target, [x]: &[Vec3; 1]) -> (Real, [Vec3; 1]) {
        let round = |value: Real| if target.single { f64::from(value as f32) } else { value };
        let gap = (x - target.point).map(round);
        let length = round(gap.norm());
        let u = if length > NEAR { (gap / length).map(round) } else { Vec3::x() };
        (length, [u])
    }

    fn second_derivative(target: &Target, at: &Gradient<1>, _: usize, _: usize) -> Mat3 {
        let (length, [u]) = Self::value(target, &at.points);
        if length <= NEAR {
            return Mat3::zeros();
        }
        (Mat3::identity() - u * u.transpose()) / length
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    let n_points = b.size(ends.0);
    let mut indices = s.indices.below(n_points)?;
    let n = indices.len().max(s.target_positions.len());
    if n > n_points || s.target_positions.len() < n || n == 0 {
        let text = format!(
            "{} targets are given for {} of {n_points} points; each needs one",
            s.target_positions.len(),
            indices.len()
        );
        return Err(BuildError::attribute("targetPositions", text));
    }
    indices.extend(indices.len() as u32..n as u32);
    let rest = s.rest_lengths.into_iter().chain(std::iter::repeat(0.0));
    let elements = indices.into_iter().zip(s.target_positions).zip(rest);
    let single = s.single_precision;
    let elements = elements
        .map(|((k, point), rest)| Measured { nodes: [k], fixed: Target { point, single }, rest })
        .collect();
    add_measured::<DistanceFromTarget, 1>(b, ends, elements, s.geometric_stiffness)
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn conforms() {
        check::<DistanceFromTarget, 1>(Target { point: Vec3::new(3.0, 1.0, 0.0), single: false });
    }

    fn distances(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 3 4 0 0 0 2")])?;
        let child = t.child(root, "distances");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("template", "Vec1")])?;
        t.add(&DESCRIPTION, child, attributes)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec1Type>(state).unwrap().position.iter().map(|x| x.x).collect())
    }

    #[test]
    fn lists_are_filled_up() {
        let targets = ("targetPositions", "0 0 0 0 0 0");
        assert_eq!(distances(&[("indices", "2"), targets]).unwrap(), [2.0, 5.0]);
        assert_eq!(distances(&[targets, ("restLengths", "1")]).unwrap(), [-1.0, 5.0]);
        assert_eq!(
            distances(&[("indices", "0 1 2"), targets]).unwrap_err().attribute.as_deref(),
            Some("targetPositions")
        );
    }

    #[test]
    fn single_precision_is_switched_off() {
        let at =
            |single| distances(&[("targetPositions", "0.1 0 0"), ("singlePrecision", single)]).unwrap()[0];
        assert_eq!([at("1"), at("0")], [f64::from(0.1_f32), 0.1]);
    }
}
