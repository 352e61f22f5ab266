//! What is drawn of a plane.

use sim_core::component::attributes::Attributes;
use sim_core::math::{Real, Vec3};

/// How a plane is drawn.
#[derive(Attributes, Clone, Debug)]
pub(super) struct PlaneDrawing {
    /// whether it is drawn with the force fields
    #[attribute(default = "1")]
    show_plane: bool,
    /// half the length of the square that is drawn [m]
    #[attribute(default = "10")]
    show_plane_size: Real,
    /// its color: a name, or red green blue alpha from 0 to 1
    #[attribute(default = "0 0.5 0.2 1")]
    plane_color: String,
}

/// A square around the plane's point that is nearest to the origin; kept with the component.
///
/// **Source:** as SOFA's PlaneForceField, which draws it only with `showPlane="1"`, and here only without `showPlane="0"`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneShape {
    /// Normal, as the scene gives it.
    pub normal: Vec3,
    /// Distance from the origin along the normal [m].
    pub d: Real,
    /// Half the length of the square [m].
    pub size: Real,
    /// The text of the attribute `planeColor`.
    pub color: String,
}

impl PlaneDrawing {
    /// The square, if it is drawn.
    pub fn shape(self, normal: Vec3, d: Real) -> Option<PlaneShape> {
        let Self { show_plane, show_plane_size: size, plane_color: color } = self;
        show_plane.then_some(PlaneShape { normal, d, size, color })
    }
}
