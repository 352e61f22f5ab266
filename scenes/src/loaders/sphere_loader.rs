//! `SphereLoader`: centers and radii of spheres.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::transform::TransformAttributes;
use crate::mesh::sphere;

/// Reads a list of spheres (.sph); the radii are not scaled, as in SOFA.
#[derive(Attributes)]
struct Settings {
    /// the file, searched beside the scene and in the data paths
    #[attribute(name = "filename", kind = File)]
    _filename: String,
    #[attribute(flatten)]
    transform: TransformAttributes,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "SphereLoader", build);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let transform = Settings::read(b)?.transform.transform();
    let path = b.file("filename")?;
    let spheres =
        sphere::load(&path, &transform).map_err(|e| BuildError::attribute("filename", e.to_string()))?;
    b.offer("position", Value::from_points(&spheres.centers));
    b.offer("listRadius", Value::Reals(spheres.radii));
    Ok(())
}
