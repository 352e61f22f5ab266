//! Polynomials of relative elongations without constant term, as springs have them.

use sim_core::prelude::*;

/// The most coefficients that a polynomial of a spring may have.
pub const MOST: usize = 8;

/// p(s) = c₁ s + c₂ s² + …
#[derive(Clone, Copy, Debug, Default)]
pub struct Polynomial {
    coefficients: [Real; MOST],
}

impl Polynomial {
    /// The value and the derivative at `s`.
    pub fn at(&self, s: Real) -> [Real; 2] {
        let (mut value, mut slope) = (0.0, 0.0);
        for (k, c) in self.coefficients.iter().enumerate().rev() {
            value = (value + c) * s;
            slope = slope * s + c * (k + 1) as Real;
        }
        [value, slope]
    }

    /// One polynomial for each of `n` springs: coefficients one after another, as many as the degrees say.
    ///
    /// **Source:** as SOFA's: without as many degrees as springs, all have the first polynomial. Without degrees it is linear, without
    /// coefficients its one is 100.
    ///
    /// # Errors
    /// A degree that is too high, or coefficients that do not fit the degrees.
    pub fn several(n: usize, degrees: &[i64], coefficients: &[Real]) -> Result<Vec<Self>, BuildError> {
        let wrong = |text: String| BuildError::attribute("polynomialDegree", text);
        let degrees = if degrees.is_empty() { &[1] } else { degrees };
        let coefficients = if coefficients.is_empty() { &[100.0] } else { coefficients };
        let degrees = if degrees.len() == n { degrees } else { &degrees[..1] };
        let mut rest = coefficients;
        let mut found = Vec::with_capacity(n);
        for degree in degrees {
            let size = usize::try_from(*degree).ok().filter(|d| *d <= MOST);
            let size =
                size.ok_or_else(|| wrong(format!("a degree is {degree}; 0 to {MOST} are supported")))?;
            let Some((own, others)) = rest.split_at_checked(size) else {
                let (given, wanted) = (coefficients.len(), degrees.iter().sum::<i64>());
                let text = format!("`polynomialStiffness` has {given} entries; the degrees ask for {wanted}");
                return Err(BuildError::attribute("polynomialStiffness", text));
            };
            let mut polynomial = Self::default();
            polynomial.coefficients[..size].copy_from_slice(own);
            found.push(polynomial);
            rest = others;
        }
        found.resize(n, found.first().copied().unwrap_or_default());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_dealt_out_by_degrees() {
        let p = Polynomial::several(2, &[2, 1], &[3.0, 4.0, 5.0]).unwrap();
        assert_eq!((p[0].at(2.0), p[1].at(2.0)), ([22.0, 19.0], [10.0, 5.0]));
        assert_eq!(
            Polynomial::several(3, &[1, 7], &[3.0]).unwrap()[2].at(2.0),
            [6.0, 3.0],
            "the first for all"
        );
        assert_eq!(Polynomial::several(2, &[], &[]).unwrap()[1].at(2.0), [200.0, 100.0]);
        assert!(Polynomial::several(1, &[2], &[3.0]).is_err() && Polynomial::several(1, &[9], &[]).is_err());
    }
}
