//! When objects that have come to rest are left alone.

/// What a scene says of objects at rest: those that stay slower than a speed for a while sleep, until something stirs them.
///
/// SOFA has nothing of the kind; without such a component nothing sleeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// No degree of freedom of an object at rest is faster [m/s]; of a frame, the turning [rad/s] is added.
    pub speed: f64,
    /// How long all that touches must have been at rest [s].
    pub delay: f64,
}
