//! Values of attributes and of the fields that components offer to links.

use crate::math::Vec3;

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// Text, a file name or a chosen option.
    Text(String),
    /// Reals, rows flattened.
    Reals(Vec<f64>),
    /// Integers or indices, rows flattened.
    Integers(Vec<i64>),
    /// Booleans.
    Bools(Vec<bool>),
    /// Words.
    Texts(Vec<String>),
}

impl Value {
    /// Number of entries; one for what is no list.
    pub fn len(&self) -> usize {
        match self {
            Value::Bool(_) | Value::Integer(_) | Value::Real(_) | Value::Text(_) => 1,
            Value::Reals(v) => v.len(),
            Value::Integers(v) => v.len(),
            Value::Bools(v) => v.len(),
            Value::Texts(v) => v.len(),
        }
    }
    /// Whether it is a list without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// As reals, where it is numeric.
    pub fn reals(&self) -> Option<Vec<f64>> {
        match self {
            Value::Real(r) => Some(vec![*r]),
            Value::Integer(i) => Some(vec![*i as f64]),
            Value::Reals(v) => Some(v.clone()),
            Value::Integers(v) => Some(v.iter().map(|i| *i as f64).collect()),
            _ => None,
        }
    }
    /// As integers, where it is integral.
    pub fn integers(&self) -> Option<Vec<i64>> {
        match self {
            Value::Integer(i) => Some(vec![*i]),
            Value::Integers(v) => Some(v.clone()),
            Value::Bool(b) => Some(vec![i64::from(*b)]),
            _ => None,
        }
    }
    /// From points.
    pub fn from_points(points: &[Vec3]) -> Self {
        Value::Reals(points.iter().flat_map(|p| [p.x, p.y, p.z]).collect())
    }
    /// From rows of indices.
    pub fn from_rows<const N: usize>(rows: &[[u32; N]]) -> Self {
        Value::Integers(rows.iter().flatten().map(|i| i64::from(*i)).collect())
    }
}
