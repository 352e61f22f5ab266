//! The component `RegularGridTopology`: the ways in which a scene may say counts and corners.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::RegularGridTopology;
use super::counts::GridCounts;
use super::field::{Drawing, failed, set};

/// A lattice of points with its cells and faces.
#[derive(Attributes)]
#[attributes(
    unsupported("computePointList", default = "1", summary = "leaves the points to `position`"),
    unsupported("filename", alias = "fileTopology", summary = "takes points and elements from a file"),
    ignored("createTexCoords", "position", "edges", "triangles", "quads", "hexahedra")
)]
struct Settings {
    #[attribute(flatten)]
    counts: GridCounts,
    /// one end of the diagonal [m]
    #[attribute(default = "0 0 0")]
    min: Deferred<Vec3>,
    /// the other end of the diagonal [m]
    #[attribute(default = "1 1 1")]
    max: Deferred<Vec3>,
    /// x of one end; counts only if all six are given [m]
    #[attribute(kind = Real32)]
    xmin: Option<f64>,
    /// x of the other end [m]
    #[attribute(kind = Real32)]
    xmax: Option<f64>,
    /// y of one end [m]
    #[attribute(kind = Real32)]
    ymin: Option<f64>,
    /// y of the other end [m]
    #[attribute(kind = Real32)]
    ymax: Option<f64>,
    /// z of one end [m]
    #[attribute(kind = Real32)]
    zmin: Option<f64>,
    /// z of the other end [m]
    #[attribute(kind = Real32)]
    zmax: Option<f64>,
    /// factor on xmin ... zmax (not on min and max)
    #[attribute(default = "1", kind = Real32)]
    scale: Deferred<f64>,
    /// the first point, if it is not `min` [m]
    p0: Option<Vec3>,
    /// size of a cell, instead of n; 0: unused [m]
    #[attribute(default = "0", non_negative)]
    cell_width: f64,
    /// whether there are hexahedra
    #[attribute(default = "1")]
    compute_hexa_list: bool,
    /// whether there are quads
    #[attribute(default = "1")]
    compute_quad_list: bool,
    /// whether there are triangles
    #[attribute(default = "1")]
    compute_triangle_list: bool,
    /// whether there are edges
    #[attribute(default = "1")]
    compute_edge_list: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, Drawing)>(Family::Topology, "RegularGridTopology", build);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (min, max) = s.corners(b)?;
    let grid = RegularGridTopology {
        n: s.counts.get(b)?,
        min,
        max,
        p0: s.p0,
        cell_width: s.cell_width,
        compute_hexa_list: s.compute_hexa_list,
        compute_quad_list: s.compute_quad_list,
        compute_triangle_list: s.compute_triangle_list,
        compute_edge_list: s.compute_edge_list,
    };
    let topology = grid.build().map_err(|e| failed(&e))?;
    set(b, b.component, topology);
    Ok(())
}

impl Settings {
    fn corners(&self, b: &mut Builder<'_>) -> Result<(Vec3, Vec3), BuildError> {
        let given = [self.xmin, self.ymin, self.zmin, self.xmax, self.ymax, self.zmax];
        if let [Some(xmin), Some(ymin), Some(zmin), Some(xmax), Some(ymax), Some(zmax)] = given {
            let scale = self.scale.get(b)?;
            return Ok((Vec3::new(xmin, ymin, zmin) * scale, Vec3::new(xmax, ymax, zmax) * scale));
        }
        if given.iter().any(Option::is_some) {
            b.warn(None, "xmin ... zmax count only if all six are given; `min` and `max` are used");
        }
        Ok((self.min.get(b)?, self.max.get(b)?))
    }
}
