//! Numbers with their derivatives by the invariants of a deformation.

use std::ops::{Add, Mul, Sub};

/// A number and its derivatives by the invariants I₁, I₂, J, and the material's own one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// Its derivatives.
    pub by: [f64; 4],
}

impl Dual {
    /// One of the invariants.
    pub fn variable(value: f64, k: usize) -> Self {
        Self { value, by: std::array::from_fn(|i| f64::from(i == k)) }
    }

    /// A number that no invariant changes.
    pub fn constant(value: f64) -> Self {
        Self { value, by: [0.0; 4] }
    }

    /// A function of it, of this value and derivative.
    fn chain(self, value: f64, derivative: f64) -> Self {
        Self { value, by: self.by.map(|d| d * derivative) }
    }

    /// e to its power.
    pub fn exp(self) -> Self {
        let e = self.value.exp();
        self.chain(e, e)
    }

    /// Its natural logarithm.
    pub fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }

    /// Its power.
    pub fn powf(self, p: f64) -> Self {
        self.chain(self.value.powf(p), p * self.value.powf(p - 1.0))
    }

    /// Its change where the invariants change so.
    pub fn change(&self, of: &[f64; 4]) -> f64 {
        self.by.iter().zip(of).map(|(d, c)| d * c).sum()
    }
}

/// The derivatives of a product.
fn product_rule(a: &Dual, b: &Dual) -> [f64; 4] {
    std::array::from_fn(|k| a.by[k] * b.value + a.value * b.by[k])
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, by: std::array::from_fn(|k| self.by[k] + o.by[k]) }
    }
}
impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}
impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { value: self.value * o.value, by: product_rule(&self, &o) }
    }
}
impl Mul<f64> for Dual {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        self.chain(self.value * s, s)
    }
}
impl Add<f64> for Dual {
    type Output = Self;
    fn add(self, s: f64) -> Self {
        Self { value: self.value + s, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_differences() {
        let f = |x: Dual, y: Dual| (x * y).exp() * x.powf(-0.7) + (y * 3.0 + 1.0).ln() - x;
        let at = |x: f64, y: f64| f(Dual::variable(x, 0), Dual::variable(y, 2));
        let (found, h) = (at(1.3, 0.4), 1e-6);
        let slope = |a: Dual, b: Dual| (a.value - b.value) / (2.0 * h);
        assert!((found.by[0] - slope(at(1.3 + h, 0.4), at(1.3 - h, 0.4))).abs() < 1e-8);
        assert!((found.by[2] - slope(at(1.3, 0.4 + h), at(1.3, 0.4 - h))).abs() < 1e-8);
        assert_eq!(found.by[1], 0.0);
    }
}
