//! The attributes by which loaders move what they read.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind};

use crate::mesh::Transform;

pub(super) const TRANSFORM: &[AttributeDescription] = &[
    AttributeDescription::new("translation", AttributeKind::Reals(3), "moves the points, last")
        .default("0 0 0")
        .unit("m"),
    AttributeDescription::new(
        "rotation",
        AttributeKind::Reals(3),
        "turns the points about x, then y, then z",
    )
    .default("0 0 0")
    .unit("deg"),
    AttributeDescription::new("scale3d", AttributeKind::Reals(3), "stretches the points, first")
        .default("1 1 1"),
    AttributeDescription::new("scale", AttributeKind::Real32, "stretches along all axes, times `scale3d`"),
    AttributeDescription::new(
        "transformation",
        AttributeKind::Reals(16),
        "rows of a 4 by 4 matrix; replaces the three others unless it is the identity",
    ),
];

/// The transformation that the attributes ask for.
pub(super) fn transform(b: &Builder<'_>) -> Result<Transform, BuildError> {
    let factor = b.set_real("scale")?.unwrap_or(1.0);
    let transformation = b.reals("transformation")?;
    let mut rows = [[0.0; 4]; 4];
    for (row, chunk) in rows.iter_mut().zip(transformation.chunks_exact(4)) {
        row.copy_from_slice(chunk);
    }
    Ok(Transform {
        translation: b.vec3("translation")?,
        rotation: b.vec3("rotation")?,
        scale3d: b.vec3("scale3d")? * factor,
        transformation: (transformation.len() == 16).then_some(rows),
    })
}
