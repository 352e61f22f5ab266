//! `PolynomialRestShapeSpringsForceField`: springs to where points rest, whose force is a polynomial of their elongation. The file is
//! long for targets at rest and in another state, which are two kinds of fields.

use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField, InteractionForceFieldParts,
};
use sim_core::component::matrix::End::First;
use sim_core::prelude::*;

use super::external_rest_shape::targets;
use super::polynomial::Polynomial;

/// Springs to where points rest, or those of another state are, whose force is a polynomial of their relative elongation.
#[derive(Attributes)]
#[attributes(ignored("recompute_indices", "drawSpring", "springColor", "showIndicesScale"))]
struct Settings {
    /// points that are pulled; all if not given
    points: Indices,
    /// state whose present positions are the targets
    #[attribute(name = "external_rest_shape")]
    external_rest_shape: Option<LinkTarget>,
    /// points of that state that are the targets; all if not given. Without such a state every point is pulled to where it rests itself
    #[attribute(name = "external_points")]
    external_points: Indices,
    /// coefficients of the polynomials, without constant term, one polynomial after the other [N]
    #[attribute(default = "100")]
    polynomial_stiffness: Vec<Real>,
    /// degree of each polynomial; where they are not as many as the points, all points have the first polynomial
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
.samples(&[
    Sample::new(
        "points='0 1' polynomialStiffness='30 20 40' polynomialDegree='2 1' initialLength='2' smoothShift='0.1'",
    )
    .template("Vec3"),
    Sample::new(
        "mstate='{first}' external_rest_shape='{second}' points='0' external_points='1' polynomialStiffness='30 20' polynomialDegree='2' initialLength='2'",
    )
    .template("Vec3"),
]);

/// A spring of a point.
#[derive(Clone, Copy, Debug)]
struct Spring {
    point: u32,
    polynomial: Polynomial,
    /// What a distance is divided by [m].
    length: Real,
}

impl Spring {
    /// The force on a point that is d away from its target, and the diagonal of the negative tangent.
    fn force(&self, [shift, scale]: &[Real; 2], d: &Vec3) -> (Vec3, Vec3) {
        let square = d.norm_squared();
        let smoothing = (shift - scale * square).exp();
        let length = (square + smoothing).sqrt();
        let [p, slope] = self.polynomial.at(square.sqrt() / self.length);
        if length > 0.0 {
            let along = (slope / self.length - p / length) * (1.0 - scale * smoothing);
            (-(d * (p / length)), d.map(|d| along * (d / length) * (d / length) + p / length))
        } else {
            (Vec3::zeros(), Vec3::repeat(slope / self.length))
        }
    }
}

/// A point that is pulled.
#[derive(Clone, Copy, Debug)]
pub struct RestSpring {
    spring: Spring,
    target: Vec3,
}

/// Springs to where points rest; the constants are shift and scale of the smoothing, and what is stored is the diagonal of the tangent.
///
/// **Source:** as SOFA's: with d = x − x₀, s = |d| / L₀ and ℓ = √(d² + e^(shift − scale d²)), f = −p(s) d / ℓ with
/// p(s) = c₁ s + c₂ s² + …. The tangent is diagonal, with the entries −((p'(s)/L₀ − p(s)/ℓ)(1 − scale e^(shift − scale d²)) dᵢ²/ℓ² + p(s)/ℓ) of
/// SOFA.
pub struct PolynomialRestShapeSpringsForceField;

impl ForceField for PolynomialRestShapeSpringsForceField {
    type State = Vec3Type;
    type Constants = [Real; 2];
    type Element = RestSpring;
    type Stored = Vec3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(c: &[Real; 2], AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let i = s.spring.point as usize;
            let (force, slopes) = s.spring.force(c, &(x[i] - s.target));
            f[i] += force;
            *tangent = slopes;
        }
    }

    fn add_d_force(_: &[Real; 2], AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (s, tangent) in elements.iter().zip(stored) {
            let i = s.spring.point as usize;
            df[i] -= tangent.component_mul(&dx[i]) * k_factor;
        }
    }

    fn add_k_to_matrix(_: &[Real; 2], at: AddKToMatrix<'_, Self>) {
        for (s, tangent) in at.elements.iter().zip(at.stored) {
            let i = s.spring.point;
            at.matrix.add_block(i, i, &(Mat3::from_diagonal(tangent) * -at.k_factor));
        }
    }
}

/// A point that is pulled to a point of another state.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    spring: Spring,
    target: u32,
}

/// The same springs to the present positions of another state, which feels nothing. The tangent leaves its displacement out, as SOFA's.
pub struct PolynomialPullTowardState;

impl Pull {
    /// As [`Spring::force`], between the states.
    fn force(&self, c: &[Real; 2], x1: &[Vec3], x2: &[Vec3]) -> (Vec3, Vec3) {
        self.spring.force(c, &(x1[self.spring.point as usize] - x2[self.target as usize]))
    }
}

impl InteractionForceField for PolynomialPullTowardState {
    type State1 = Vec3Type;
    type State2 = Vec3Type;
    type Constants = [Real; 2];
    type Element = Pull;
    const NAME: &'static str = DESCRIPTION.class;
    const ACTS_ON_SECOND: bool = false;

    fn add_force(c: &[Real; 2], mut at: AddForceBetween<'_, Self>) {
        for p in at.elements {
            at.f1.add(p.spring.point as usize, p.force(c, at.x1, at.x2).0);
        }
    }

    fn add_d_force(c: &[Real; 2], mut at: AddDForceBetween<'_, Self>) {
        for p in at.elements {
            let (i, tangent) = (p.spring.point as usize, p.force(c, at.x1, at.x2).1);
            at.df1.add(i, -(tangent.component_mul(&at.dx1[i]) * at.k_factor));
        }
    }

    fn add_k_to_matrix(c: &[Real; 2], at: AddKToMatrixBetween<'_, Self>) {
        for p in at.elements {
            let block = Mat3::from_diagonal(&p.force(c, at.x1, at.x2).1) * -at.k_factor;
            at.matrix.add_block((First, p.spring.point), (First, p.spring.point), &block);
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let points = s.points.below_or_all(b.size(state))?;
    let (external, targets) = targets(b, state, s.external_rest_shape, &s.external_points, &points)?;
    if s.polynomial_degree.len() != points.len() {
        let text = format!(
            "there are {} degrees for {} points, so all have the first polynomial, as in SOFA",
            s.polynomial_degree.len(),
            points.len()
        );
        b.warn(Some("polynomialDegree"), text);
    }
    let polynomials = Polynomial::several(points.len(), &s.polynomial_degree, &s.polynomial_stiffness)?;
    let of = |(k, point): (usize, &u32)| {
        let length = s.initial_length.get(k).or(s.initial_length.first()).copied().unwrap_or(1.0);
        if !(length > 0.0 && length.is_finite()) {
            let text = format!("`initialLength` has {length}; it must be positive");
            return Err(BuildError::attribute("initialLength", text));
        }
        Ok(Spring { point: *point, polynomial: polynomials[k], length })
    };
    let springs = points.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
    let constants = [s.smooth_shift, s.smooth_scale];
    if let Some(external) = external {
        let pull = |(spring, target): (&Spring, &u32)| Pull { spring: *spring, target: *target };
        let pulls = springs.iter().zip(&targets).map(pull).collect();
        let parts = InteractionForceFieldParts::<PolynomialPullTowardState>::new(constants, pulls);
        return b.add_interaction_force_field(state, external, parts);
    }
    let rest = b.scene.initial_as::<Vec3Type>(state).map(|initial| initial.rest_position.clone());
    let rest = rest.ok_or_else(|| b.wrong_template(state, DESCRIPTION.templates))?;
    let at_rest = |spring: Spring| RestSpring { spring, target: rest[spring.point as usize] };
    let springs: Vec<_> = springs.into_iter().map(at_rest).collect();
    let stored = vec![Vec3::zeros(); springs.len()];
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
        let spring = Spring { point: 0, polynomial, length: 0.5 };
        let spring = RestSpring { spring, target: Vec3::new(1.0, 2.0, 3.0) };
        let parts = ForceFieldParts::<PolynomialRestShapeSpringsForceField>::new(
            [-900.0, 0.0],
            vec![spring],
            vec![Vec3::zeros()],
        );
        let x = vec![spring.target + Vec3::y() * 0.4];
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros()]).seed(1).symmetric().assembled().run();
    }
}
