//! What stands in the way of those who walk.

/// A place on the ground that nobody walks upon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle {
    /// Where it is: x and z \[m\].
    pub at: [f64; 2],
    /// Nobody's middle comes nearer than that and their own radius \[m\]; below zero there is nothing.
    pub radius: f64,
}

impl Obstacle {
    /// Nothing that is in anybody's way.
    pub const NONE: Self = Self { at: [0.0; 2], radius: -1.0 };

    /// How far somebody is from where it would be too near, and the way from it \[m\]; none where there is nothing.
    pub(super) fn gap(&self, from: [f64; 2], radius: f64) -> Option<(f64, [f64; 2])> {
        if self.radius < 0.0 {
            return None;
        }
        let apart = [from[0] - self.at[0], from[1] - self.at[1]];
        Some((apart[0].hypot(apart[1]) - radius - self.radius, apart))
    }
}
