//! `DistanceMapping`: how long the edges of a mesh are.

use sim_core::prelude::*;

use super::measure::{Gradient, Measure, MeasureAttributes, add_measures, measured_topology};

/// How much longer than at rest the edges of a mesh are.
#[derive(Attributes)]
#[attributes(ignored("showObjectScale", "showColor"))]
struct Settings {
    /// rest length of each edge; of another number, the lengths at the beginning, or 0 with `computeDistance` [m]
    rest_lengths: Vec<Real>,
    /// whether rest lengths that are not given are 0, so that the output is the length itself
    compute_distance: bool,
    #[attribute(flatten)]
    _shared: MeasureAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "DistanceMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[
            Sample::new("").template("Vec3,Vec1").elements("edges"),
            Sample::new("computeDistance='1' geometricStiffness='None'")
                .template("Vec3,Vec1")
                .elements("edges"),
        ]);

/// The distance of two points.
///
/// **Source:** as SOFA's: y = d − d₀ with d = |x_b − x_a| and the length d₀ at rest; the derivative is u, of unit length, by x_b and −u
/// by x_a; points at a distance of at most 2.2e-16 have the direction (1, 1, 1) and no second derivative, elsewhere (I − u uᵀ)/d.
pub struct Distance;

impl Measure<2> for Distance {
    const NAME: &'static str = DESCRIPTION.class;
    type Fixed = ();

    fn value(_: &(), [a, b]: &[Vec3; 2]) -> (Real, [Vec3; 2]) {
        let gap = b - a;
        let length = gap.norm();
        let u =
            if length > Real::EPSILON { gap * (1.0 / length) } else { Vec3::repeat(1.0 / Real::sqrt(3.0)) };
        (length, [-u, u])
    }

    fn second_derivative(_: &(), at: &Gradient<2>, i: usize, j: usize) -> Mat3 {
        let ([a, b], [_, u]) = (at.points, at.gradient);
        let length = (b - a).norm();
        if length <= Real::EPSILON {
            return Mat3::zeros();
        }
        (Mat3::identity() - u * u.transpose()) * (if i == j { 1.0 } else { -1.0 } / length)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, topology) = (Settings::read(b)?, measured_topology(b)?);
    let rest = rest_lengths(b, s.rest_lengths, s.compute_distance, topology.edges.len());
    add_measures::<Distance, 2>(b, "edges", &topology.edges, rest)
}

/// What is subtracted from the lengths of `n` edges, as the attributes say, by the lengths at the beginning.
pub(super) fn rest_lengths(
    b: &mut Builder<'_>,
    given: Vec<Real>,
    compute_distance: bool,
    n: usize,
) -> impl FnOnce(Vec<Real>) -> Vec<Real> + use<> {
    if !given.is_empty() && given.len() != n {
        let text = format!("{} rest lengths are given for {n} edges, and none is used", given.len());
        b.warn(Some("restLengths"), text);
    }
    move |lengths| match given.len() == n {
        true => given,
        false if compute_distance => vec![0.0; n],
        false => lengths,
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn conforms() {
        check::<Distance, 2>(());
    }

    /// The lengths of the edges (0, 0, 0) to (3, 4, 0) to (3, 4, 2), less those at rest.
    fn measured(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("edges", "0 1 1 2")])?;
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 3 4 0 3 4 2")])?;
        let child = t.child(root, "lengths");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("template", "Vec1")])?;
        t.add(&DESCRIPTION, child, attributes)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec1Type>(state).unwrap().position.iter().map(|x| x.x).collect())
    }

    #[test]
    fn lengths_are_taken_from_what_is_said_of_rest() {
        assert_eq!(measured(&[]).unwrap(), [0.0, 0.0]);
        assert_eq!(measured(&[("computeDistance", "1")]).unwrap(), [5.0, 2.0]);
        assert_eq!(measured(&[("restLengths", "4 3")]).unwrap(), [1.0, -1.0]);
        assert_eq!(measured(&[("restLengths", "4"), ("computeDistance", "1")]).unwrap(), [5.0, 2.0]);
    }

    #[test]
    fn points_at_one_place_have_a_direction_and_no_second_derivative() {
        let x = [Vec3::x(), Vec3::x()];
        let (length, gradient) = Distance::value(&(), &x);
        assert_eq!(length, 0.0);
        assert!((gradient[1].norm() - 1.0).abs() < 1e-15);
        assert_eq!(Distance::second_derivative(&(), &Gradient { points: x, gradient }, 0, 1), Mat3::zeros());
    }

    #[test]
    fn no_edges_are_an_error() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0")]).unwrap();
        let child = t.child(root, "lengths");
        t.add(&mechanical_object::DESCRIPTION, child, &[("template", "Vec1")]).unwrap();
        let error = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("topology"));
    }
}
