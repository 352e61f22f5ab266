//! The mesh of a geometry node.
//!
//! **Source:** ISO/IEC 19775-1, clauses 11 (*Rendering*), 13 (*Geometry3D*), 14 (*Geometry2D*).

use std::f64::consts::FRAC_PI_2;

use animation::event::NodeId;

use super::fields::Fields;
use super::mesh::Mesh;
use super::primitives;

/// The mesh of a geometry node in its own coordinates; none of a type that has no shape here.
pub fn mesh(fields: &Fields<'_>, node: NodeId) -> Option<Mesh> {
    let number = |name, otherwise| fields.number(node, name, otherwise);
    let flag = |name| fields.flag(node, name, true);
    let mut mesh = match fields.type_name(node) {
        "Box" => primitives::cuboid(fields.three(node, "size", [2.0; 3])),
        "Sphere" => primitives::sphere(number("radius", 1.0)),
        "Cylinder" => {
            let (radius, height) = (number("radius", 1.0), number("height", 2.0));
            primitives::cylinder(radius, height, flag("top"), flag("side"), flag("bottom"))
        }
        "Cone" => {
            let (radius, top, height) =
                (number("bottomRadius", 1.0), number("topRadius", 0.0), number("height", 2.0));
            primitives::cone(radius, top, height, flag("top"), flag("side"), flag("bottom"))
        }
        "Disk2D" => primitives::disk(number("innerRadius", 0.0), number("outerRadius", 1.0)),
        "Circle2D" => primitives::arc(number("radius", 1.0), 0.0, 0.0, None),
        "Arc2D" => {
            let (start, end) = (number("startAngle", 0.0), number("endAngle", FRAC_PI_2));
            primitives::arc(number("radius", 1.0), start, end, None)
        }
        "ArcClose2D" => {
            let (start, end) = (number("startAngle", 0.0), number("endAngle", FRAC_PI_2));
            let is_chord =
                fields.get(node, "closureType").is_some_and(|v| format!("{v:?}").contains("CHORD"));
            primitives::arc(number("radius", 1.0), start, end, Some(!is_chord))
        }
        "Rectangle2D" => primitives::rectangle(fields.two(node, "size", [2.0; 2])),
        "TriangleSet2D" => listed(fields.points(node, "vertices"), 3),
        "Polypoint2D" => Mesh { points: fields.points(node, "point"), ..Mesh::default() },
        "Polyline2D" => {
            let points = fields.points(node, "lineSegments");
            let lines = (1..points.len() as u32).map(|k| [k - 1, k]).collect();
            Mesh { points, triangles: Vec::new(), lines }
        }
        "ElevationGrid" => elevation(fields, node),
        "Extrusion" => super::extrusion::mesh(fields, node),
        "IndexedFaceSet" => {
            let mut mesh = at_coordinates(fields, node);
            let is_convex = flag("convex");
            for face in runs(&fields.indices(node, "coordIndex")) {
                if is_convex || face.len() < 4 { mesh.convex(&face) } else { mesh.polygon(&face) }
            }
            mesh
        }
        "IndexedTriangleSet" | "IndexedQuadSet" => {
            let mut mesh = at_coordinates(fields, node);
            let indices = fields.indices(node, "index");
            let n = if fields.type_name(node) == "IndexedQuadSet" { 4 } else { 3 };
            for face in indices.chunks_exact(n) {
                mesh.convex(&unsigned(face));
            }
            mesh
        }
        "IndexedTriangleStripSet" | "IndexedTriangleFanSet" => {
            let mut mesh = at_coordinates(fields, node);
            let is_fan = fields.type_name(node) == "IndexedTriangleFanSet";
            for run in runs(&fields.indices(node, "index")) {
                if is_fan { mesh.convex(&run) } else { strip(&mut mesh, &run) }
            }
            mesh
        }
        "TriangleStripSet" | "TriangleFanSet" => {
            let mut mesh = at_coordinates(fields, node);
            let is_fan = fields.type_name(node) == "TriangleFanSet";
            let counts = fields.indices(node, if is_fan { "fanCount" } else { "stripCount" });
            let mut first = 0_u32;
            for count in counts.iter().map(|c| (*c).max(0) as u32) {
                let run: Vec<u32> =
                    (first..first.saturating_add(count).min(mesh.points.len() as u32)).collect();
                if is_fan {
                    mesh.convex(&run)
                } else {
                    strip(&mut mesh, &run)
                }
                first = first.saturating_add(count);
            }
            mesh
        }
        "TriangleSet" => listed(at_coordinates(fields, node).points, 3),
        "QuadSet" => listed(at_coordinates(fields, node).points, 4),
        "IndexedLineSet" => {
            let mut mesh = at_coordinates(fields, node);
            for run in runs(&fields.indices(node, "coordIndex")) {
                mesh.lines.extend(run.windows(2).map(|w| [w[0], w[1]]));
            }
            mesh
        }
        "LineSet" => {
            let mut mesh = at_coordinates(fields, node);
            let mut first = 0_u32;
            for count in fields.indices(node, "vertexCount").iter().map(|c| (*c).max(0) as u32) {
                let end = first.saturating_add(count).min(mesh.points.len() as u32);
                mesh.lines.extend((first + 1..end).map(|k| [k - 1, k]));
                first = end;
            }
            mesh
        }
        "PointSet" => at_coordinates(fields, node),
        _ => return None,
    };
    if !flag("ccw") {
        mesh.turn_over();
    }
    mesh.drop_dangling();
    Some(mesh)
}

/// The coordinate node of a geometry.
pub fn coordinates(fields: &Fields<'_>, node: NodeId) -> Option<NodeId> {
    fields.node(node, "coord")
}

/// The points of the coordinate node, and nothing between them yet.
fn at_coordinates(fields: &Fields<'_>, node: NodeId) -> Mesh {
    let points = coordinates(fields, node).map(|c| fields.points(c, "point")).unwrap_or_default();
    Mesh { points, ..Mesh::default() }
}

/// Polygons of `n` corners each, point after point.
fn listed(points: Vec<[f64; 3]>, n: u32) -> Mesh {
    let mut mesh = Mesh { points, ..Mesh::default() };
    for k in 0..mesh.points.len() as u32 / n {
        mesh.convex(&(k * n..(k + 1) * n).collect::<Vec<_>>());
    }
    mesh
}

/// Triangles of a strip: each point with the two before it.
fn strip(mesh: &mut Mesh, run: &[u32]) {
    for (k, w) in run.windows(3).enumerate() {
        mesh.triangles.push(if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
    }
}

fn unsigned(indices: &[i32]) -> Vec<u32> {
    indices.iter().map(|i| u32::try_from(*i).unwrap_or(u32::MAX)).collect()
}

/// Indices between -1 and -1.
fn runs(indices: &[i32]) -> impl Iterator<Item = Vec<u32>> {
    indices.split(|i| *i < 0).filter(|run| !run.is_empty()).map(unsigned)
}

fn elevation(fields: &Fields<'_>, node: NodeId) -> Mesh {
    let heights = fields.numbers(node, "height");
    let count = |name| fields.number(node, name, 0.0).max(0.0) as usize;
    let (nx, nz) = (count("xDimension"), count("zDimension"));
    let (dx, dz) = (fields.number(node, "xSpacing", 1.0), fields.number(node, "zSpacing", 1.0));
    let mut mesh = Mesh::default();
    if nx.checked_mul(nz).is_none_or(|n| n > heights.len()) {
        return mesh;
    }
    for (k, height) in heights.iter().take(nx * nz).enumerate() {
        mesh.points.push([dx * (k % nx) as f64, *height, dz * (k / nx) as f64]);
    }
    for j in 1..nz {
        for i in 1..nx {
            let at = |i: usize, j: usize| (j * nx + i) as u32;
            mesh.convex(&[at(i - 1, j - 1), at(i - 1, j), at(i, j), at(i, j - 1)]);
        }
    }
    mesh
}
