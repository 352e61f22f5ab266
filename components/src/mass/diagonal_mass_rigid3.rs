//! The `DiagonalMass` of rigid frames.

use sim_core::prelude::*;

use super::uniform_mass::RigidInertia;

/// A mass and inertia for each rigid frame.
///
/// **Source:** as SOFA's DiagonalMass of Rigid3: mass and inertia are given, not spread from elements; the inertia stays in world axes
/// and there is no gyroscopic torque.
pub struct DiagonalMassRigid3;

impl Mass for DiagonalMassRigid3 {
    type State = Rigid3Type;
    type Constants = ();
    /// Mass and inertia of each frame.
    type Element = RigidInertia;
    const NAME: &'static str = "DiagonalMass";

    fn is_diagonal(_: &()) -> bool {
        true
    }

    fn add_gravity(_: &(), AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for (f, m) in f.iter_mut().zip(elements) {
            f.linear += gravity * m.mass;
        }
    }

    fn add_m_dx(_: &(), AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for ((r, dx), m) in result.iter_mut().zip(dx).zip(elements) {
            r.linear += (dx.linear * m.mass) * factor;
            r.angular += (m.inertia * dx.angular) * factor;
        }
    }

    fn acc_from_f(_: &(), AccFromF { elements, a, f, .. }: AccFromF<'_, Self>) {
        for ((a, f), m) in a.iter_mut().zip(f).zip(elements) {
            a.linear = f.linear / m.mass;
            a.angular = m.inverse * f.angular;
        }
    }

    fn add_m_to_matrix(_: &(), AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>) {
        for (block, m) in (0..).step_by(2).zip(elements) {
            matrix.add_block(block, block, &(Mat3::identity() * (factor * m.mass)));
            matrix.add_block(block + 1, block + 1, &(m.inertia * factor));
        }
    }

    fn total_mass(_: &(), elements: &[RigidInertia], _: usize) -> Real {
        elements.iter().map(|m| m.mass).sum()
    }
}

/// How many numbers say the mass of a frame: mass, volume, inertia by mass.
const NUMBERS: usize = 11;

/// The masses of `n` frames as `vertexMass` gives them; the last one is repeated.
pub(super) fn inertias(given: &[Real], n: usize) -> Result<Vec<RigidInertia>, BuildError> {
    let wrong = |text: String| BuildError::attribute("vertexMass", text);
    if given.is_empty() || !given.len().is_multiple_of(NUMBERS) || given.len() > n * NUMBERS {
        return Err(wrong(format!(
            "a DiagonalMass of Rigid3 needs mass, volume and the 9 entries of inertia / mass for up to {n} frames; {} numbers are given",
            given.len()
        )));
    }
    let inertia = |row: &[Real]| {
        let found = RigidInertia::new(row[0], &Mat3::from_row_slice(&row[2..]), false);
        found.filter(|_| row[0] > 0.0).ok_or_else(|| {
            wrong("the mass or the inertia of a frame is singular; both must be positive".to_owned())
        })
    };
    let mut masses: Vec<RigidInertia> = given.chunks_exact(NUMBERS).map(inertia).collect::<Result<_, _>>()?;
    if let Some(last) = masses.last().copied() {
        masses.resize(n, last);
    }
    Ok(masses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::RigidCoord;
    use sim_core::testing::Random;

    const TWO: [Real; 22] = [
        2.0, 1.0, 0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3, 4.0, 1.0, 1.0, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0,
        0.0, 1.0,
    ];

    #[test]
    fn conforms() {
        let masses = inertias(&TWO, 3).unwrap();
        assert_eq!(DiagonalMassRigid3::total_mass(&(), &masses, 3), 10.0);
        let x = Random::new(4).moved(&[RigidCoord::default(); 3], 1.0);
        sim_core::testing::mass(&MassParts::<DiagonalMassRigid3>::new((), masses), &x, 4);
    }

    #[test]
    fn what_is_no_mass_is_named() {
        for (given, n) in [(&[][..], 2), (&TWO[..21], 2), (&TWO[..], 1), (&[0.0; 11][..], 1)] {
            let error = inertias(given, n).unwrap_err();
            assert_eq!(error.attribute.as_deref(), Some("vertexMass"));
        }
    }
}
