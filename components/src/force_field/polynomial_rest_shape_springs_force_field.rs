//! `PolynomialRestShapeSpringsForceField`: springs to where points rest, whose force is a polynomial of their elongation.

use sim_core::prelude::*;

use super::polynomial::Polynomial;

/// Springs to where points rest, whose force is a polynomial of their relative elongation.
#[derive(Attributes)]
#[attributes(
    ignored("recompute_indices", "drawSpring", "springColor", "showIndicesScale"),
    unsupported("external_rest_shape", summary = "SOFA pulls toward the present positions of that state")
)]
struct Settings {
    /// points that are pulled; all if not given
    points: Indices,
    /// points whose rest positions are the targets; the same points if not given
    #[attribute(name = "external_points")]
    external_points: Indices,
    /// coefficients of the polynomials, without constant term, one polynomial after the other [N]
    polynomial_stiffness: Vec<Real>,
    /// degree of each polynomial
    #[attribute(default = "1")]
    polynomial_degree: Vec<i64>,
    /// length that a distance is divided by, one or one for each [m]
    #[attribute(default = "1")]
    initial_length: Vec<Real>,
    /// exponent that smooths the direction at the target
    #[attribute(default = "0")]
    smooth_shift: Real,
    /// how fast the smoothing decays with the square of the distance [1/m^2]
    #[attribute(default = "1")]
    smooth_scale: Real,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ForceField,
    "PolynomialRestShapeSpringsForceField",
    build,
)
.templates(&[Vec3Type::NAME])
.samples(&[Sample::new(
    "points='0 1' polynomialStiffness='30 20 40' polynomialDegree='2 1' initialLength='2' smoothShift='0.1'",
)
.template("Vec3")]);

/// A point that is pulled.
#[derive(Clone, Copy, Debug)]
pub struct RestSpring {
    point: u32,
    target: Vec3,
    polynomial: Polynomial,
    length: Real,
}

/// Springs to where points rest; the constants are shift and scale of the smoothing, and what is stored is the diagonal of the tangent.
///
/// **Source:** as SOFA's: with d = x − x₀, s = |d| / L₀ and ℓ = √(d² + e^(shift − scale d²)), f = −p(s) d / ℓ. The tangent is diagonal, and its
/// entries are those of SOFA.
pub struct PolynomialRestShapeSpringsForceField;

impl ForceField for PolynomialRestShapeSpringsForceField {
    type State = Vec3Type;
    type Constants = [Real; 2];
    type Element = RestSpring;
    type Stored = Vec3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force([shift, scale]: &[Real; 2], AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let d = x[s.point as usize] - s.target;
            let square = d.norm_squared();
            let smoothing = (shift - scale * square).exp();
            let length = (square + smoothing).sqrt();
            let [p, slope] = s.polynomial.at(square.sqrt() / s.length);
            if length > 0.0 {
                f[s.point as usize] -= d * (p / length);
                let along = (slope / s.length - p / length) * (1.0 - scale * smoothing);
                *tangent = d.map(|d| along * (d / length) * (d / length) + p / length);
            } else {
                *tangent = Vec3::repeat(slope / s.length);
            }
        }
    }

    fn add_d_force(_: &[Real; 2], AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let i = s.point as usize;
            df[i] -= tangent.component_mul(&dx[i]) * k_factor;
        }
    }

    fn add_k_to_matrix(_: &[Real; 2], at: AddKToMatrix<'_, Self>) {
        for (s, tangent) in at.elements.iter().zip(at.stored) {
            at.matrix.add_block(s.point, s.point, &(Mat3::from_diagonal(tangent) * -at.k_factor));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let n = b.size(state);
    let points = s.points.below_or_all(n)?;
    let targets = if s.external_points.is_empty() { points.clone() } else { s.external_points.below(n)? };
    if points.len() != targets.len() {
        let text = format!("there are {} `external_points` for {} points", targets.len(), points.len());
        return Err(BuildError::attribute("external_points", text));
    }
    if s.polynomial_degree.len() != points.len() {
        let text = format!(
            "there are {} degrees for {} points, so that no spring has a force, as in SOFA",
            s.polynomial_degree.len(),
            points.len()
        );
        b.warn(Some("polynomialDegree"), text);
    }
    let polynomials = Polynomial::several(points.len(), &s.polynomial_degree, &s.polynomial_stiffness)?;
    let rest = b.scene.initial_as::<Vec3Type>(state).map(|initial| initial.rest_position.clone());
    let rest = rest.ok_or_else(|| b.wrong_template(state, DESCRIPTION.templates))?;
    let of = |(k, (point, target)): (usize, (&u32, &u32))| {
        let length = s.initial_length.get(k).or(s.initial_length.first()).copied().unwrap_or(1.0);
        if !(length > 0.0 && length.is_finite()) {
            let text = format!("`initialLength` has {length}; it must be positive");
            return Err(BuildError::attribute("initialLength", text));
        }
        Ok(RestSpring { point: *point, target: rest[*target as usize], polynomial: polynomials[k], length })
    };
    let springs = points.iter().zip(&targets).enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
    let stored = vec![Vec3::zeros(); springs.len()];
    let constants = [s.smooth_shift, s.smooth_scale];
    b.add_force_field(
        state,
        ForceFieldParts::<PolynomialRestShapeSpringsForceField>::new(constants, springs, stored),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::ForceFieldCheck;

    /// Along an axis, without smoothing, the tangent's entry there is the derivative; across it, it is force over distance.
    #[test]
    fn conforms_along_an_axis() {
        let polynomial = Polynomial::several(1, &[2], &[3.0, 4.0]).unwrap()[0];
        let spring = RestSpring { point: 0, target: Vec3::new(1.0, 2.0, 3.0), polynomial, length: 0.5 };
        let parts = ForceFieldParts::<PolynomialRestShapeSpringsForceField>::new(
            [-900.0, 0.0],
            vec![spring],
            vec![Vec3::zeros()],
        );
        let x = vec![spring.target + Vec3::y() * 0.4];
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros()]).seed(1).symmetric().assembled().run();
    }
}
