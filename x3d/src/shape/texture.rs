//! Texture coordinates of a place on a geometry: its TextureCoordinate node's, or those that X3D gives it without one.
//!
//! **Source:** ISO/IEC 19775-1, 11.4 (*Rendering*), 13.3 (*Geometry3D*): where a texture is put on each geometry.

use std::f64::consts::{PI, TAU};

use animation::event::NodeId;
use animation::rig::math::vector::{cross, sub};

use super::fields::Fields;
use super::mesh::Mesh;
use super::place::InnerRoots;
use super::{body, geometry};

/// A place on a mesh.
pub struct Touched<'a> {
    /// The mesh in the shape's own coordinates.
    pub mesh: &'a Mesh,
    /// The number of the triangle.
    pub triangle: usize,
    /// The shares of its corners.
    pub weights: [f64; 3],
}

impl Touched<'_> {
    fn mean<const N: usize>(&self, corners: [[f64; N]; 3]) -> [f64; N] {
        std::array::from_fn(|k| (0..3).map(|c| self.weights[c] * corners[c][k]).sum())
    }

    /// The place \[m\] and the direction in which the triangle looks; none where the mesh has no such triangle.
    fn place(&self) -> Option<[[f64; 3]; 2]> {
        let triangle = self.mesh.triangles.get(self.triangle)?;
        let corners = triangle.map(|k| self.mesh.points.get(k as usize).copied().unwrap_or_default());
        let [a, b, c] = corners;
        Some([self.mean(corners), cross(sub(b, a), sub(c, a))])
    }
}

/// The texture coordinates of a place on a geometry; none where it has none.
pub fn coordinates(
    fields: &Fields<'_>,
    inner: &InnerRoots,
    geometry: NodeId,
    touched: &Touched<'_>,
) -> Option<[f64; 2]> {
    if let Some(listed) = fields.node(geometry, "texCoord") {
        return listed_at(fields, geometry, body(inner, listed), touched);
    }
    let [place, normal] = touched.place()?;
    let number = |name, otherwise| fields.number(geometry, name, otherwise);
    let around = || place[0].atan2(place[2]) / TAU + 0.5;
    // Of a disk that looks up or down, cut out of the middle of a texture.
    let disk = |radius: f64| {
        let up = if normal[1] > 0.0 { -1.0 } else { 1.0 };
        Some([0.5 + place[0] / (2.0 * radius), 0.5 + up * place[2] / (2.0 * radius)])
    };
    let is_disk = normal[0] == 0.0 && normal[2] == 0.0;
    match fields.type_name(geometry) {
        "Box" => Some(on_a_box(fields.three(geometry, "size", [2.0; 3]), place, normal)),
        "Sphere" => {
            let radius = number("radius", 1.0);
            Some([around(), (place[1] / radius).clamp(-1.0, 1.0).asin() / PI + 0.5])
        }
        "Cylinder" if is_disk => disk(number("radius", 1.0)),
        "Cone" if is_disk => disk(number(if normal[1] > 0.0 { "topRadius" } else { "bottomRadius" }, 1.0)),
        "Cylinder" | "Cone" => Some([around(), place[1] / number("height", 2.0) + 0.5]),
        "ElevationGrid" => {
            let along = |spacing, dimension| (number(dimension, 0.0) - 1.0).max(1.0) * number(spacing, 1.0);
            Some([place[0] / along("xSpacing", "xDimension"), place[2] / along("zSpacing", "zDimension")])
        }
        _ => geometry::coordinates(fields, geometry).and_then(|_| by_extent(&touched.mesh.points, place)),
    }
}

/// By the points of a TextureCoordinate node: a corner's own where the geometry has an index for them, and else its point's.
fn listed_at(
    fields: &Fields<'_>,
    geometry: NodeId,
    listed: NodeId,
    touched: &Touched<'_>,
) -> Option<[f64; 2]> {
    let first = || fields.nodes(listed, "texCoord").first().copied();
    let node = if fields.type_name(listed) == "MultiTextureCoordinate" { first()? } else { listed };
    let points = fields.points(node, "point");
    let triangle = *touched.mesh.triangles.get(touched.triangle)?;
    let own = fields.indices(geometry, "texCoordIndex");
    let corners = if own.is_empty() {
        triangle
    } else {
        by_corner(&fields.indices(geometry, "coordIndex"), &own, triangle, touched.triangle)?
    };
    let mut found = [[0.0; 2]; 3];
    for (found, corner) in found.iter_mut().zip(corners) {
        let [s, t, _] = *points.get(corner as usize)?;
        *found = [s, t];
    }
    Some(touched.mean(found))
}

/// The texture indices of a triangle's corners: those at the same places of the face that the triangle is a part of.
fn by_corner(coord: &[i32], own: &[i32], triangle: [u32; 3], number: usize) -> Option<[u32; 3]> {
    let (mut first, mut triangles) = (0, 0);
    for face in coord.split(|i| *i < 0) {
        // A face of n corners was cut into n - 2 triangles.
        triangles += face.len().saturating_sub(2);
        if number < triangles {
            let mut found = [0; 3];
            for (found, corner) in found.iter_mut().zip(triangle) {
                let at = first + face.iter().position(|i| u32::try_from(*i) == Ok(corner))?;
                *found = u32::try_from(*own.get(at)?).ok()?;
            }
            return Some(found);
        }
        first += face.len() + 1;
    }
    None
}

/// Each side of a box shows the whole texture, upright when seen from outside.
fn on_a_box(size: [f64; 3], place: [f64; 3], normal: [f64; 3]) -> [f64; 2] {
    let [x, y, z]: [f64; 3] = std::array::from_fn(|k| if size[k] == 0.0 { 0.0 } else { place[k] / size[k] });
    let axis = (0..3).max_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).unwrap_or(2);
    let side = if normal[axis] < 0.0 { -1.0 } else { 1.0 };
    match axis {
        0 => [0.5 - side * z, 0.5 + y],
        1 => [0.5 + x, 0.5 - side * z],
        _ => [0.5 + side * x, 0.5 + y],
    }
}

/// The longest side of the box around all points goes from 0 to 1, the second longest is measured in the same unit.
fn by_extent(points: &[[f64; 3]], place: [f64; 3]) -> Option<[f64; 2]> {
    let low: [f64; 3] = std::array::from_fn(|k| points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min));
    let size: [f64; 3] =
        std::array::from_fn(|k| points.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max) - low[k]);
    // Of sides that are as long, x goes before y and y before z.
    let mut axes = [0, 1, 2];
    axes.sort_by(|a, b| size[*b].total_cmp(&size[*a]));
    let unit = size[axes[0]];
    (unit > 0.0).then(|| [0, 1].map(|k| (place[axes[k]] - low[axes[k]]) / unit))
}
