//! `SphereLoader`: centers and radii of spheres.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use crate::mesh::{Transform, sphere};

/// Reads a list of spheres (.sph); the radii are not scaled, as in SOFA.
#[derive(Attributes)]
struct Settings {
    /// the file, searched beside the scene and in the data paths
    #[attribute(name = "filename", kind = File)]
    _filename: String,
    /// moves the centers, last [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
    /// turns the centers about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Vec3,
    /// stretches the centers along the axes, first; a single number along x only
    #[attribute(alias = "scale3d")]
    scale: Vec<f64>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "SphereLoader", build);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let Settings { translation, rotation, .. } = s;
    if !matches!(s.scale.len(), 0 | 3) {
        let n = s.scale.len();
        b.warn(Some("scale"), format!("has {n} numbers for three axes; SOFA reads it as far as it goes"));
    }
    let scale3d = Vec3::from_fn(|k, _| s.scale.get(k).copied().unwrap_or(1.0));
    let transform = Transform { translation, rotation, scale3d, transformation: None };
    let spheres = match b.file("filename") {
        Ok(path) => {
            sphere::load(&path, &transform).map_err(|e| BuildError::attribute("filename", e.to_string()))?
        }
        // As SOFA, whose loader stays empty then, with an error message.
        Err(e) => {
            b.warn(Some("filename"), format!("{}; there are no spheres", e.message));
            sphere::Spheres::default()
        }
    };
    b.offer("position", Value::from_points(&spheres.centers));
    b.offer("listRadius", Value::Reals(spheres.radii));
    Ok(())
}
