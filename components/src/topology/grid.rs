//! The component `RegularGridTopology`: the ways in which a scene may say counts and corners.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::RegularGridTopology;
use super::corners::BoxCorners;
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
    #[attribute(flatten)]
    corners: BoxCorners,
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

/// **Source:** as SOFA's, whose corners and first point are data whatever they were computed from: links lead to them, and `src` of another
/// grid takes them over.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let [min, max] = s.corners.get(b)?;
    b.offer("min", Value::from_points(&[min]));
    b.offer("max", Value::from_points(&[max]));
    b.offer("cellWidth", Value::Real(s.cell_width));
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
    if let Some(grid) = &topology.grid {
        b.offer("p0", Value::from_points(&[grid.p0]));
    }
    set(b, b.component, topology);
    Ok(())
}
