//! `SquareDistanceMapping`: the squares of the lengths of edges.

use sim_core::prelude::*;

use super::measure::{Gradient, Measure, MeasureAttributes, add_measures, measured_topology};

/// The squares of the lengths of the edges of a mesh.
#[derive(Attributes)]
#[attributes(ignored("showObjectScale", "showColor"))]
struct Settings {
    #[attribute(flatten)]
    _shared: MeasureAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "SquareDistanceMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[Sample::new("").template("Vec3,Vec1").elements("edges")]);

/// The square of the distance of two points.
///
/// **Source:** as SOFA's: d = |x_b - x_a|^2, without a value at rest.
pub struct SquareDistance;

impl Measure<2> for SquareDistance {
    const NAME: &'static str = DESCRIPTION.class;
    type Fixed = ();

    fn value(_: &(), [a, b]: &[Vec3; 2]) -> (Real, [Vec3; 2]) {
        let gap = b - a;
        (gap.norm_squared(), [gap * -2.0, gap * 2.0])
    }

    fn second_derivative(_: &(), _: &Gradient<2>, i: usize, j: usize) -> Mat3 {
        Mat3::identity() * if i == j { 2.0 } else { -2.0 }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let topology = measured_topology(b)?;
    add_measures::<SquareDistance, 2>(b, "edges", &topology.edges, |n| vec![0.0; n.len()])
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;

    #[test]
    fn conforms() {
        check::<SquareDistance, 2>(());
    }

    #[test]
    fn is_the_square() {
        assert_eq!(SquareDistance::value(&(), &[Vec3::x(), Vec3::new(4.0, 4.0, 0.0)]).0, 25.0);
    }
}
