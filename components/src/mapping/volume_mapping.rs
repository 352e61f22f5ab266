//! `VolumeMapping`: the volumes of tetrahedra.

use sim_core::prelude::*;

use super::measure::{Gradient, Measure, MeasureAttributes, add_measures, measured_topology};

/// The volumes of the tetrahedra of a mesh; negative where one is turned inside out.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    _shared: MeasureAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "VolumeMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[Sample::new("geometricStiffness='None'").template("Vec3,Vec1").elements("tetrahedra")]);

/// The volume of a tetrahedron.
///
/// With a, b and c the sides from the first point, the volume is a . (b x c)/6. The derivative by each of the other points is the
/// product of the two other sides over 6, and minus the sum of these by the first.
///
/// **Source:** as SOFA's.
pub struct Volume;

impl Measure<4> for Volume {
    const NAME: &'static str = DESCRIPTION.class;
    type Fixed = ();

    fn value(_: &(), x: &[Vec3; 4]) -> (Real, [Vec3; 4]) {
        let [a, b, c] = [1, 2, 3].map(|k| x[k] - x[0]);
        let gradient = [b.cross(&c) / 6.0, c.cross(&a) / 6.0, a.cross(&b) / 6.0];
        let [da, db, dc] = gradient;
        (a.dot(&b.cross(&c)) / 6.0, [-(da + db + dc), da, db, dc])
    }

    fn second_derivative(_: &(), at: &Gradient<4>, i: usize, j: usize) -> Mat3 {
        /// The two other points, in the order of an even permutation.
        const OTHERS: [[[usize; 2]; 4]; 4] = [
            [[0, 0], [2, 3], [3, 1], [1, 2]],
            [[3, 2], [0, 0], [0, 3], [2, 0]],
            [[1, 3], [3, 0], [0, 0], [0, 1]],
            [[2, 1], [0, 2], [1, 0], [0, 0]],
        ];
        let [k, l] = OTHERS[i][j];
        (at.points[k] - at.points[l]).cross_matrix() / 6.0
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let topology = measured_topology(b)?;
    if !topology.hexahedra.is_empty() {
        let text = "the topology has hexahedra, which are not measured; cut them into tetrahedra";
        return Err(BuildError::attribute("topology", text));
    }
    add_measures::<Volume, 4>(b, "tetrahedra", &topology.tetrahedra, |volumes| vec![0.0; volumes.len()])
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;

    #[test]
    fn conforms() {
        check::<Volume, 4>(());
    }

    #[test]
    fn a_tetrahedron_inside_out_has_a_negative_volume() {
        let x = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 2.0, Vec3::z()];
        assert_eq!(Volume::value(&(), &x).0, 1.0);
        assert_eq!(Volume::value(&(), &[x[0], x[2], x[1], x[3]]).0, -1.0);
    }
}
