//! Functions that expressions may call.

/// A function of one, two or three numbers; [`Function::Fold`] is one of two that takes more, one after the other.
#[derive(Clone, Copy)]
pub(super) enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    Fold(fn(f64, f64) -> f64),
}

impl Function {
    /// How many numbers it takes, at least.
    pub(super) fn n(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(_) | Self::Fold(_) => 2,
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
    ("sign", Function::One(|x| if x == 0.0 || x.is_nan() { x } else { x.signum() })),
    ("atan2", Function::Two(f64::atan2)),
    ("pow", Function::Two(f64::powf)),
    ("min", Function::Fold(f64::min)),
    ("max", Function::Fold(f64::max)),
    ("clamp", Function::Three(|x, low, high| x.max(low).min(high))),
    ("lerp", Function::Three(|a, b, t| a + t * (b - a))),
    ("smoothstep", Function::Three(smoothstep)),
    ("if", Function::Three(|c, a, b| if c != 0.0 { a } else { b })),
];

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, f)| *f)
}

/// From 0 to 1 between two numbers, with no slope at either; a step where they are one.
fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    if low == high {
        return f64::from(u8::from(x >= low));
    }
    let share = ((x - low) / (high - low)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}
