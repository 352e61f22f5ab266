//! From where a scene wants to be looked at, or is.

use sim_core::math::Vec3;

/// The place of an eye and what it sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// Where it is \[m\].
    pub eye: Vec3,
    /// Away from what it looks at, of length 1.
    pub back: Vec3,
    /// Which way is up in the picture, of length 1, orthogonal to `back`.
    pub up: Vec3,
    /// The smaller one of the angles that it sees \[rad\].
    pub angle: f64,
}

/// The ray under the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bearing {
    /// Where it begins \[m\].
    pub origin: Vec3,
    /// Where it goes, of length 1.
    pub direction: Vec3,
}

/// A key as it writes, or by what is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys' names say it")]
pub enum Typed {
    /// One that writes this; Backspace is `\u{8}`, Enter is `\r`.
    Character(char),
    /// F1 to F12.
    Function(u8),
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
    Shift,
    Control,
    Alt,
}

/// What a scene wants to know of who looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// From where.
    pub viewer: bool,
    /// Which keys go down and up: then the window's own keys are those with Control.
    pub keys: bool,
    /// Where the mouse points, pressed or not: then it presses sensors and pulls no body.
    pub pointer: bool,
}
