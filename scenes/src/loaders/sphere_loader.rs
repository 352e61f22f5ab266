//! `SphereLoader`: centers and radii of spheres.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::value::Value;

use super::transform::{TRANSFORM, transform};
use crate::mesh::sphere;

const FILE: &[AttributeDescription] = &[AttributeDescription::new(
    "filename",
    AttributeKind::File,
    "the file, searched beside the scene and in the data paths",
)];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "SphereLoader",
    old_names: &[],
    family: Family::Loader,
    summary: "Reads a list of spheres (.sph); the radii are not scaled, as in SOFA",
    templates: &[],
    attributes: &[FILE, TRANSFORM],
    samples: &[],
    build,
};

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let transform = transform(b)?;
    let path = b.file("filename")?;
    let spheres =
        sphere::load(&path, &transform).map_err(|e| BuildError::attribute("filename", e.to_string()))?;
    b.offer("position", Value::from_points(&spheres.centers));
    b.offer("listRadius", Value::Reals(spheres.radii));
    Ok(())
}
