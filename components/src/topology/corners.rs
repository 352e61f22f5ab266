//! Two opposite corners of a box, as scenes say them.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder};
use sim_core::math::Vec3;

/// Two opposite corners, as vectors or by their coordinates.
#[derive(Attributes)]
pub(super) struct BoxCorners {
    /// one corner of the box [m]
    #[attribute(default = "0 0 0")]
    min: Deferred<Vec3>,
    /// the opposite corner [m]
    #[attribute(default = "1 1 1")]
    max: Deferred<Vec3>,
    /// x of one corner; counts only if all six are given [m]
    #[attribute(kind = Real32)]
    xmin: Option<f64>,
    /// x of the opposite corner [m]
    #[attribute(kind = Real32)]
    xmax: Option<f64>,
    /// y of one corner [m]
    #[attribute(kind = Real32)]
    ymin: Option<f64>,
    /// y of the opposite corner [m]
    #[attribute(kind = Real32)]
    ymax: Option<f64>,
    /// z of one corner [m]
    #[attribute(kind = Real32)]
    zmin: Option<f64>,
    /// z of the opposite corner [m]
    #[attribute(kind = Real32)]
    zmax: Option<f64>,
    /// factor on xmin ... zmax (not on min and max)
    #[attribute(default = "1", kind = Real32)]
    scale: Deferred<f64>,
}

impl BoxCorners {
    /// The corners; a warning where some of the six coordinates are given, and not all.
    pub fn get(&self, b: &mut Builder<'_>) -> Result<[Vec3; 2], BuildError> {
        let given = [self.xmin, self.ymin, self.zmin, self.xmax, self.ymax, self.zmax];
        if let [Some(xmin), Some(ymin), Some(zmin), Some(xmax), Some(ymax), Some(zmax)] = given {
            let scale = self.scale.get(b)?;
            return Ok([Vec3::new(xmin, ymin, zmin) * scale, Vec3::new(xmax, ymax, zmax) * scale]);
        }
        if given.iter().any(Option::is_some) {
            b.warn(None, "xmin ... zmax count only if all six are given; `min` and `max` are used");
        }
        Ok([self.min.get(b)?, self.max.get(b)?])
    }
}
