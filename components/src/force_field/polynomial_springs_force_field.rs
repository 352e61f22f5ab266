//! `PolynomialSpringsForceField`: springs whose force is a polynomial of their relative elongation.

use sim_core::prelude::*;

use super::polynomial::Polynomial;
use super::springs::pair::{self, PairLaw};

/// Springs between points of one state or of two, whose force is a polynomial of their relative elongation.
#[derive(Attributes)]
#[attributes(ignored("recompute_indices", "drawMode", "showArrowSize", "springColor", "showIndicesScale"))]
struct Settings {
    /// first points; all if not given
    first_object_points: Indices,
    /// second points; all if not given. Those beyond the number of the first points have no spring
    second_object_points: Indices,
    /// coefficients of the polynomials, without constant term, one polynomial after the other [N]
    #[attribute(default = "100")]
    polynomial_stiffness: Vec<Real>,
    /// degree of each polynomial; where they are not as many as the springs, all springs have the first polynomial
    #[attribute(default = "1")]
    polynomial_degree: Vec<i64>,
    /// 1: lengths at rest are those in the beginning
    #[attribute(default = "1")]
    compute_zero_length: i64,
    /// lengths at rest, one or one for each [m]
    zero_length: Deferred<Vec<Real>>,
    /// whether springs that are shorter than at rest push
    compressible: bool,
    /// state of the first points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second points; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "PolynomialSpringsForceField", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("firstObjectPoints='0 1' secondObjectPoints='2 3' polynomialStiffness='30 20 40' polynomialDegree='2 1' compressible='1' computeZeroLength='0' zeroLength='0.7'").template("Vec3"),
            Sample::new("object1='{first}' object2='{second}' firstObjectPoints='0' secondObjectPoints='0' polynomialStiffness='30 20' polynomialDegree='2' computeZeroLength='0' zeroLength='0.5'").template("Vec3"),
        ]);

/// A spring.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    ends: [u32; 2],
    polynomial: Polynomial,
    length: Real,
    compressible: bool,
}

/// The springs.
///
/// With the length d now, L at rest, n from the first point to the second and s = |d − L|/L: f = p(s) n on the first point where d ≥ L,
/// −p(s) n in a shorter spring that is `compressible`, else 0; p(s) = c₁ s + c₂ s² + … [N]. The tangent is (p'(s)/L − p(s)/d) n nᵀ +
/// p(s)/d I.
///
/// **Source:** as SOFA's: the tangent does not know the sign, nor that there is no force. Lengths at rest are taken in the beginning, not
/// at the first force.
pub struct PolynomialSprings;

/// Direction, stiffness along it less that across it, and that across it.
type Tangent = (Vec3, Real, Real);

impl PairLaw for PolynomialSprings {
    type State = Vec3Type;
    type Spring = Spring;
    type Tangent = Tangent;
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;

    fn ends(spring: &Spring) -> [u32; 2] {
        spring.ends
    }

    fn force(s: &Spring, [a, b]: [&Vec3; 2], _: [&Vec3; 2]) -> (Vec3, Tangent) {
        let d = b - a;
        let length = d.norm();
        if length == 0.0 {
            return Default::default();
        }
        let n = d / length;
        let [p, slope] = s.polynomial.at((length - s.length).abs() / s.length);
        let sign = match () {
            () if length >= s.length => 1.0,
            () if s.compressible => -1.0,
            () => 0.0,
        };
        (n * (p * sign), (n, slope / s.length - p / length, p / length))
    }

    fn product((n, s, t): &Tangent, d: &Vec3) -> Vec3 {
        n * (s * n.dot(d)) + d * *t
    }

    fn block((n, s, t): &Tangent, _: usize, _: usize) -> Mat3 {
        n * n.transpose() * *s + Mat3::from_diagonal_element(*t)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let ends = pair::ends::<PolynomialSprings>(b, [s.object1, s.object2])?;
    let first = s.first_object_points.below_or_all(b.size(ends[0]))?;
    let second = s.second_object_points.below_or_all(b.size(ends[1]))?;
    if first.len() > second.len() {
        let text = format!("there are {} first and {} second points of springs", first.len(), second.len());
        return Err(BuildError::attribute("secondObjectPoints", text));
    }
    let n = first.len();
    if s.polynomial_degree.len() != n {
        let text = format!(
            "there are {} degrees for {n} springs, so all have the first polynomial, as in SOFA",
            s.polynomial_degree.len()
        );
        b.warn(Some("polynomialDegree"), text);
    }
    let polynomials = Polynomial::several(n, &s.polynomial_degree, &s.polynomial_stiffness)?;
    let given = if s.compute_zero_length == 1 { Vec::new() } else { s.zero_length.get(b)? };
    let position = |side: usize, point: u32| {
        b.scene.initial_as::<Vec3Type>(ends[side]).map_or(Vec3::zeros(), |i| i.position[point as usize])
    };
    let of = |(k, (i, j)): (usize, (&u32, &u32))| {
        let length = match given.get(k).or(given.first()) {
            Some(length) => *length,
            None => (position(1, *j) - position(0, *i)).norm(),
        };
        if length > 0.0 && length.is_finite() {
            let polynomial = polynomials[k];
            return Ok(Spring { ends: [*i, *j], polynomial, length, compressible: s.compressible });
        }
        let text = format!("spring {k} has a length at rest of {length}; it must be positive");
        Err(BuildError::attribute("zeroLength", text))
    };
    let springs = first.iter().zip(&second).enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
    pair::add::<PolynomialSprings>(b, ends, springs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::springs::pair::{PairsOfOne, PairsOfTwo};
    use sim_core::component::interaction_force_field::InteractionForceFieldParts;
    use sim_core::testing::{ForceFieldCheck, InteractionForceFieldCheck, Random};

    fn spring(length: Real, compressible: bool) -> Spring {
        let polynomial = Polynomial::several(1, &[3], &[3.0, 4.0, 5.0]).unwrap()[0];
        Spring { ends: [0, 1], polynomial, length, compressible }
    }

    /// Where it is stretched, since SOFA's tangent knows no sign.
    #[test]
    fn conforms() {
        let mut random = Random::new(6);
        let x = random.moved(&[Vec3::zeros(), Vec3::x() * 2.0], 0.3);
        let parts = ForceFieldParts::<PairsOfOne<PolynomialSprings>>::new(
            (),
            vec![spring(0.6, true)],
            vec![Default::default()],
        );
        let check = ForceFieldCheck::new(&parts, x.clone(), vec![Vec3::zeros(); 2]).seed(6);
        check.internal().symmetric().assembled().run();
        let springs = vec![Spring { ends: [0, 0], ..spring(0.6, true) }];
        let parts = InteractionForceFieldParts::<PairsOfTwo<PolynomialSprings>>::new((), springs);
        InteractionForceFieldCheck::new(&parts, vec![x[0]], vec![x[1]]).seed(6).assembled().run();
    }

    #[test]
    fn a_short_spring_pushes_only_if_it_is_compressible() {
        let force = |compressible| {
            let (a, b, v) = (Vec3::zeros(), Vec3::x() * 0.5, Vec3::zeros());
            PolynomialSprings::force(&spring(1.0, compressible), [&a, &b], [&v, &v]).0.x
        };
        assert_eq!(force(false), 0.0);
        assert!((force(true) + (3.0 * 0.5 + 4.0 * 0.25 + 5.0 * 0.125)).abs() < 1e-14);
    }
}
