//! `SquareMapping`: the squares of numbers.

use sim_core::math::Vec1;
use sim_core::prelude::*;

use super::ends::pair;
use super::geometric_stiffness::GeometricStiffness;

/// The squares of the numbers of a state.
#[derive(Attributes)]
struct Settings {
    /// stiffness from the change of the derivative
    #[attribute(default = "Stabilized")]
    geometric_stiffness: GeometricStiffness,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "SquareMapping", build)
        .templates(&["Vec1,Vec1"])
        .samples(&[Sample::new("geometricStiffness='1'").template("Vec1,Vec1")]);

/// The squares of numbers.
///
/// **Source:** as SOFA's: y = x^2 with the derivative 2x; under a force f on y the geometric stiffness is 2f, whatever its sign.
pub struct SquareMapping;

impl Mapping for SquareMapping {
    type Input = Vec1Type;
    type Output = Vec1Type;
    type Constants = ();
    type Element = ();
    /// 2x of the last `apply`.
    type Stored = Real;
    const NAME: &'static str = DESCRIPTION.class;
    const TAKES_MULTIPLIERS: bool = true;

    fn apply(_: &(), Apply { stored, x_out, x_in, .. }: Apply<'_, Self>) {
        for ((y, x), slope) in x_out.iter_mut().zip(x_in).zip(stored) {
            *y = Vec1::new(x.x * x.x);
            *slope = 2.0 * x.x;
        }
    }

    fn apply_j(_: &(), ApplyJ { stored, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for ((w, v), slope) in v_out.iter_mut().zip(v_in).zip(stored) {
            *w = *v * *slope;
        }
    }

    fn apply_jt(_: &(), ApplyJt { stored, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for ((f, g), slope) in f_in.iter_mut().zip(f_out).zip(stored) {
            *f += *g * *slope;
        }
    }

    fn add_jacobian(_: &(), AddJacobian { stored, matrix, .. }: AddJacobian<'_, Self>) {
        for (i, slope) in (0..).zip(stored) {
            matrix.add_block(i, i, &first_entry(*slope));
        }
    }

    fn add_geometric_stiffness(_: &(), at: AddGeometricStiffness<'_, Self>) {
        for (i, f) in (0..).zip(at.f_out) {
            at.matrix.add_block(i, i, &first_entry(2.0 * f.x * at.k_factor));
        }
    }
}

/// A block of which only the first entry counts.
fn first_entry(value: Real) -> Mat3 {
    let mut block = Mat3::zeros();
    block[(0, 0)] = value;
    block
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    let templates = pair(b, ends);
    if templates != "Vec1,Vec1" {
        return Err(BuildError::new(format!("a SquareMapping of {templates} does not exist; use Vec1,Vec1")));
    }
    let n = b.size(ends.0);
    let parts = MappingParts::<SquareMapping>::new((), vec![], vec![0.0; n], n);
    let counts = s.geometric_stiffness != GeometricStiffness::None;
    b.add_mapping(ends.0, ends.1, parts.with_geometric_stiffness(counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let parts = MappingParts::<SquareMapping>::new((), vec![], vec![0.0; 4], 4);
        mapping(&parts, &Random::new(1).moved(&[Vec1::zeros(); 4], 1.0), 1);
    }
}
