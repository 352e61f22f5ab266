//! `AreaMapping`: the areas of triangles.

use sim_core::prelude::*;

use super::measure::{Gradient, Measure, MeasureAttributes, add_measures, measured_topology};

/// The areas of the triangles of a mesh.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    _shared: MeasureAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "AreaMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[Sample::new("geometricStiffness='None'").template("Vec3,Vec1").elements("triangles")]);

/// The area of a triangle.
///
/// With N = (x_1 - x_0) x (x_2 - x_0), n its direction, and e_i the side from the point after the next to the next one, the area
/// is |N|/2, its derivative g_i = e_i x n/2, and dg_i/dx_j = -s C(n)/2 - C(e_i) (I - n n^T) C(e_j)/(2 |N|), where C(a) b = a x b and s is 1 for
/// the next point, -1 for the one after that and 0 for the same. A triangle without area has no derivatives here.
///
/// **Source:** as SOFA's.
pub struct Area;

fn sides([a, b, c]: &[Vec3; 3]) -> [Vec3; 3] {
    [b - c, c - a, a - b]
}

fn normal([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}

impl Measure<3> for Area {
    const NAME: &'static str = DESCRIPTION.class;
    type Fixed = ();

    fn value(_: &(), x: &[Vec3; 3]) -> (Real, [Vec3; 3]) {
        let normal = normal(x);
        let double = normal.norm();
        if double == 0.0 {
            return (0.0, [Vec3::zeros(); 3]);
        }
        (0.5 * double, sides(x).map(|e| e.cross(&normal) / (2.0 * double)))
    }

    fn second_derivative(_: &(), at: &Gradient<3>, i: usize, j: usize) -> Mat3 {
        let (normal, sides) = (normal(&at.points), sides(&at.points));
        let double = normal.norm();
        if double == 0.0 {
            return Mat3::zeros();
        }
        let n = normal / double;
        let sign = [0.0, 1.0, -1.0][(3 + j - i) % 3];
        let across = Mat3::identity() - n * n.transpose();
        n.cross_matrix() * (-0.5 * sign)
            - sides[i].cross_matrix() * across * sides[j].cross_matrix() / (2.0 * double)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let topology = measured_topology(b)?;
    if !topology.quads.is_empty() {
        let text = "the topology has quads, which are not measured; cut them into triangles";
        return Err(BuildError::attribute("topology", text));
    }
    add_measures::<Area, 3>(b, "triangles", &topology.triangles, |areas| vec![0.0; areas.len()])
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;

    #[test]
    fn conforms() {
        check::<Area, 3>(());
    }

    #[test]
    fn a_right_triangle_has_half_the_product_of_its_legs() {
        assert_eq!(Area::value(&(), &[Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 4.0]).0, 6.0);
        let flat = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        assert_eq!(Area::value(&(), &flat), (0.0, [Vec3::zeros(); 3]));
        let at = Gradient { points: flat, gradient: [Vec3::zeros(); 3] };
        assert_eq!(Area::second_derivative(&(), &at, 0, 1), Mat3::zeros());
    }
}
