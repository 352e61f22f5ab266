//! The contacts of two models, as laws of their forces see them.

use sim_core::math::Vec3;

use super::contact_point::ContactPoint;
use super::turning::Turning;

/// The tangential force of one contact in one step: `offset - P (stiffness d + damping d')` on the second end, where d leads
/// from the first end to the second and P leaves out what is along the normal.
///
/// A contact that sticks is a spring (stiffness only). One that slides is a damper, whose force has the magnitude of the cone
/// at the velocity of the beginning of the step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionPoint {
    /// Its constant part, tangential [N].
    pub offset: Vec3,
    /// Tangential stiffness [N/m].
    pub stiffness: f64,
    /// Tangential damping [N s/m].
    pub damping: f64,
}

impl FrictionPoint {
    /// A contact without friction.
    pub const NONE: Self = Self { offset: Vec3::new(0.0, 0.0, 0.0), stiffness: 0.0, damping: 0.0 };

    /// Whether it has any.
    #[inline]
    pub fn acts(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0
    }
}

/// The moment of one contact in one step: `offset - damping w` about each of two axes on the second end, where w is how fast the
/// second end turns beside the first one [rad/s].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollingPoint {
    /// How the first and the second end turn.
    pub turning: [Turning; 2],
    /// The constant part of the moment [N m].
    pub offset: [f64; 2],
    /// Damping [N m s].
    pub damping: f64,
    /// Which of the contacts of the pair it is of.
    pub contact: u64,
}

/// The contacts of two models.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'a> {
    /// Where they are.
    pub points: &'a [ContactPoint],
    /// The friction of each, in the same order; empty for a law that knows none.
    pub friction: &'a [FrictionPoint],
    /// The moments of those that have rolling friction.
    pub rolling: &'a [RollingPoint],
}

/// The vectors of the two states that contacts join, such as their positions.
pub type Both<'a, A, B> = (&'a [A], &'a [B]);
