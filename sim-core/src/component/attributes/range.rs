//! Ranges of attributes' values.

use super::super::build::BuildError;

/// One number, several or none.
pub trait Numbers {
    /// The first that does not fulfil a condition.
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64>;
}

impl Numbers for f64 {
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64> {
        (!inside(*self)).then_some(*self)
    }
}

impl Numbers for i64 {
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64> {
        (*self as f64).first_outside(inside)
    }
}

impl<T: Numbers> Numbers for Option<T> {
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64> {
        self.as_ref()?.first_outside(inside)
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64> {
        self.iter().find_map(|n| n.first_outside(inside))
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn first_outside(&self, inside: fn(f64) -> bool) -> Option<f64> {
        self.iter().find_map(|n| n.first_outside(inside))
    }
}

fn check<T: Numbers>(value: T, name: &str, inside: fn(f64) -> bool, rule: &str) -> Result<T, BuildError> {
    match value.first_outside(inside) {
        None => Ok(value),
        Some(n) => Err(BuildError::attribute(name, format!("`{name}` is {n}, it must {rule}"))),
    }
}

/// The value, if all its numbers are greater than 0.
///
/// # Errors
/// Names the attribute and the first number that is not.
pub fn positive<T: Numbers>(value: T, name: &str) -> Result<T, BuildError> {
    check(value, name, |n| n > 0.0, "be positive")
}

/// The value, if none of its numbers is less than 0.
///
/// # Errors
/// Names the attribute and the first number that is.
pub fn non_negative<T: Numbers>(value: T, name: &str) -> Result<T, BuildError> {
    check(value, name, |n| n >= 0.0, "not be negative")
}
