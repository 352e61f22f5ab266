//! What an attribute may hold.

use std::fmt;

/// The type of an attribute. All values are kept as numbers side by side; the type says how many, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortType {
    /// A number.
    Scalar,
    /// Which branch a switch takes; a number that is rounded.
    Index,
    /// Three numbers.
    Vec3,
    /// A rotation, as unit quaternion `x y z w`.
    Quaternion,
    /// Translation, rotation and scale: `tx ty tz  x y z w  sx sy sz`.
    Transform,
    /// An affine map: the upper three rows of a matrix, row by row.
    Matrix,
    /// So many numbers.
    Scalars(u32),
    /// So many points, three numbers each.
    Points(u32),
    /// So many affine maps.
    Matrices(u32),
    /// An animation curve of so many keys: time, value, slope before and slope behind of each.
    Curve(u32),
}

impl PortType {
    /// How many numbers a value is.
    pub fn len(self) -> usize {
        match self {
            Self::Scalar | Self::Index => 1,
            Self::Vec3 => 3,
            Self::Quaternion => 4,
            Self::Transform => 10,
            Self::Matrix => 12,
            Self::Scalars(n) => n as usize,
            Self::Points(n) => 3 * n as usize,
            Self::Matrices(n) => 12 * n as usize,
            Self::Curve(n) => 4 * n as usize,
        }
    }

    /// Whether a value is no number at all: an array without elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// What the value is if nothing is said.
    pub fn neutral(self) -> Vec<f64> {
        match self {
            Self::Quaternion => vec![0.0, 0.0, 0.0, 1.0],
            Self::Transform => vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
            Self::Matrix => IDENTITY.to_vec(),
            Self::Matrices(n) => IDENTITY.repeat(n as usize),
            _ => vec![0.0; self.len()],
        }
    }

    /// The word for it in messages and files, without the number of elements.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Index => "index",
            Self::Vec3 => "vec3",
            Self::Quaternion => "quaternion",
            Self::Transform => "transform",
            Self::Matrix => "matrix",
            Self::Scalars(_) => "scalars",
            Self::Points(_) => "points",
            Self::Matrices(_) => "matrices",
            Self::Curve(_) => "curve",
        }
    }

    /// The type of a word and a number of elements, which counts for arrays only.
    pub fn of(word: &str, n: u32) -> Option<Self> {
        Some(match word {
            "scalar" => Self::Scalar,
            "index" => Self::Index,
            "vec3" => Self::Vec3,
            "quaternion" => Self::Quaternion,
            "transform" => Self::Transform,
            "matrix" => Self::Matrix,
            "scalars" => Self::Scalars(n),
            "points" => Self::Points(n),
            "matrices" => Self::Matrices(n),
            "curve" => Self::Curve(n),
            _ => return None,
        })
    }

    /// The words of [`Self::of`].
    pub const WORDS: [&'static str; 10] = [
        "scalar",
        "index",
        "vec3",
        "quaternion",
        "transform",
        "matrix",
        "scalars",
        "points",
        "matrices",
        "curve",
    ];

    /// Number of elements, if it is an array.
    pub fn elements(self) -> Option<u32> {
        match self {
            Self::Scalars(n) | Self::Points(n) | Self::Matrices(n) | Self::Curve(n) => Some(n),
            _ => None,
        }
    }
}

/// The affine map that changes nothing.
pub const IDENTITY: [f64; 12] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

impl fmt::Display for PortType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        self.elements().map_or(Ok(()), |n| write!(f, "({n})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_values_have_the_length_of_their_type() {
        for word in PortType::WORDS {
            let of = PortType::of(word, 3).expect("a word of the list");
            assert_eq!(of.neutral().len(), of.len());
            assert_eq!(of.word(), word);
        }
        assert_eq!(PortType::Points(2).to_string(), "points(2)");
        assert_eq!(PortType::Matrix.to_string(), "matrix");
    }
}
