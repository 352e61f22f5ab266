//! When objects that have come to rest are left alone.

/// What a scene says of objects at rest: those that stay slower than a speed for a while sleep, until something stirs them.
///
/// SOFA has nothing of the kind; without such a component nothing sleeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// The root mean square of the speeds of an object's points is at most this where it rests [m/s]. So one point that trembles
    /// keeps nothing awake. A frame counts as a point, and its turning as the motion of a point at a distance of 1 m; the pieces
    /// of a body that is cut count as one object.
    pub speed: f64,
    /// How long all that touches must have been at rest [s].
    pub delay: f64,
}
