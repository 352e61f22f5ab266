//! Functions that expressions may call.

/// A function of one, two or three numbers.
#[derive(Clone, Copy)]
pub(super) enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
}

impl Function {
    /// How many numbers it takes.
    pub(super) fn n(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(_) => 2,
            Self::Three(_) => 3,
        }
    }
}

/// All functions with their names.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("sin", Function::One(f64::sin)),
    ("cos", Function::One(f64::cos)),
    ("tan", Function::One(f64::tan)),
    ("asin", Function::One(f64::asin)),
    ("acos", Function::One(f64::acos)),
    ("atan", Function::One(f64::atan)),
    ("sqrt", Function::One(f64::sqrt)),
    ("abs", Function::One(f64::abs)),
    ("floor", Function::One(f64::floor)),
    ("ceil", Function::One(f64::ceil)),
    ("round", Function::One(f64::round)),
    ("exp", Function::One(f64::exp)),
    ("ln", Function::One(f64::ln)),
    ("atan2", Function::Two(f64::atan2)),
    ("pow", Function::Two(f64::powf)),
    ("min", Function::Two(f64::min)),
    ("max", Function::Two(f64::max)),
    ("clamp", Function::Three(|x, low, high| x.max(low).min(high))),
    ("lerp", Function::Three(|a, b, t| a + t * (b - a))),
    ("if", Function::Three(|c, a, b| if c != 0.0 { a } else { b })),
];

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, f)| *f)
}
