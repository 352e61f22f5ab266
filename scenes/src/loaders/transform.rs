//! The attributes by which loaders move what they read.

use sim_core::component::attributes::Attributes;
use sim_core::math::Vec3;

use crate::mesh::Transform;

/// How what is read is moved.
#[derive(Attributes)]
pub(super) struct TransformAttributes {
    /// moves the points, last [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
    /// turns the points about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Vec3,
    /// stretches the points, first
    #[attribute(default = "1 1 1")]
    scale3d: Vec3,
    /// stretches along all axes, times `scale3d`
    #[attribute(kind = Real32)]
    scale: Option<f64>,
    /// rows of a 4 by 4 matrix; replaces the three others unless it is the identity
    transformation: Option<[f64; 16]>,
}

impl TransformAttributes {
    /// The transformation that the attributes ask for.
    pub fn transform(&self) -> Transform {
        let rows = |m: [f64; 16]| std::array::from_fn(|i| std::array::from_fn(|k| m[4 * i + k]));
        Transform {
            translation: self.translation,
            rotation: self.rotation,
            scale3d: self.scale3d * self.scale.unwrap_or(1.0),
            transformation: self.transformation.map(rows),
        }
    }
}
