//! One proximity between two elements, as the narrow phase reports it.

use sim_core::math::Vec3;

/// Two elements that are closer than the alarm distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionOutput {
    /// Index of the element in the first and in the second model.
    pub elements: [u32; 2],
    /// Outputs of one pair of models with the same id compete: the response keeps the one with the smallest `value`.
    pub id: u32,
    /// The closest points, on the first and on the second element [m].
    pub points: [Vec3; 2],
    /// Unit vector from the first to the second point; zero where a method without guard finds them at one place.
    pub normal: Vec3,
    /// Distance minus contact distance [m].
    pub value: f64,
}
