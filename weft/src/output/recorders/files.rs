//! What stands in mesh files: points, elements, data, and the names of the files.

use std::fs::File;
use std::io::{self, BufWriter};

use scenes::mesh::write_gmsh::write_gmsh;
use scenes::mesh::write_netgen::write_netgen;
use scenes::mesh::write_obj::{ObjObject, write_obj};
use scenes::mesh::write_vtk::{DataArray, write_vtk};
use scenes::mesh::write_vtu::write_vtu;
use scenes::mesh::{Mesh, write_tetgen};
use scenes::playback::{Elements, Field, FieldSource, MeshFile, Points, VtkFile};
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::scene::ComponentId;
use viewer::surface::Rows;

use super::states::vector;
use super::visual;
use crate::simulation::Simulation;

/// Significant digits of a `MeshExporter`.
const DIGITS: usize = 9;

/// Fills a file with a mesh.
pub(super) type Fill = fn(&mut BufWriter<File>, &Mesh) -> io::Result<()>;

/// The present points [m].
pub(super) fn positions(simulation: &Simulation, points: &Points) -> Vec<Vec3> {
    match points {
        Points::Fixed(points) => points.clone(),
        Points::Visual(component) => visual::positions(simulation, *component),
        Points::State(state) => {
            let mut rows = Rows::default();
            rows.stride = simulation.append_positions(*state, &mut rows.values);
            (0..rows.len()).map(|row| rows.point(row)).collect()
        }
    }
}

/// The present points and the chosen elements of a topology.
pub(super) fn mesh(simulation: &Simulation, topology: ComponentId, points: &Points, which: Elements) -> Mesh {
    let mut mesh = Mesh { positions: positions(simulation, points), ..Mesh::default() };
    let Some(t) = simulation.world().scene.topology(topology) else { return mesh };
    if which.edges {
        mesh.edges.clone_from(&t.edges);
    }
    if which.triangles {
        mesh.triangles.clone_from(&t.triangles);
    }
    if which.quads {
        mesh.quads.clone_from(&t.quads);
    }
    if which.tetrahedra {
        mesh.tetrahedra.clone_from(&t.tetrahedra);
    }
    if which.hexahedra {
        mesh.hexahedra.clone_from(&t.hexahedra);
    }
    mesh
}

/// Number of elements of all kinds.
pub(super) fn n_elements(mesh: &Mesh) -> usize {
    let faces = mesh.edges.len() + mesh.triangles.len() + mesh.quads.len();
    faces + mesh.tetrahedra.len() + mesh.hexahedra.len()
}

/// Data for so many points or elements; what does not divide into so many rows is left out, with a warning.
pub(super) fn data_arrays(simulation: &Simulation, fields: &[Field], n: usize) -> Vec<DataArray> {
    let mut arrays = Vec::new();
    for Field { name, source } in fields {
        let (values, integers) = match source {
            FieldSource::State(state, what) => (vector(simulation, *state, *what), false),
            FieldSource::Fixed(value) => {
                let integers = matches!(value, Value::Integer(_) | Value::Integers(_));
                (value.reals().unwrap_or_default(), integers)
            }
        };
        if n == 0 || values.is_empty() || !values.len().is_multiple_of(n) {
            log::warn!(
                "`{name}` has {} numbers, which are not the same for each of {n}; not written",
                values.len()
            );
            continue;
        }
        arrays.push(DataArray { name: name.clone(), width: values.len() / n, values, integers });
    }
    arrays
}

/// The name of the k-th file of a `VTKExporter`.
pub(super) fn vtk_name(w: &VtkFile, base: &str, k: u64) -> String {
    let (stem, ending) = match (base.strip_suffix(".vtu"), base.strip_suffix(".vtk")) {
        (Some(stem), _) => (stem, "vtu"),
        // In SOFA the XML format is called .vtu behind whatever name is given.
        (_, Some(stem)) if !w.xml => (stem, "vtk"),
        _ => (base, "vtu"),
    };
    match (w.overwrite, w.xml) {
        (true, _) => format!("{stem}.{ending}"),
        (false, true) => format!("{stem}{k}.{ending}"),
        (false, false) => format!("{stem}_{k}.{ending}"),
    }
}

/// A name in which `%n`, `%p`, `%e`, `%E` and `%%` stand for numbers of steps, points, elements, all elements, and a percent sign.
pub(super) fn with_counts(name: &str, mesh: &Mesh, steps: u64) -> String {
    let volumes = mesh.tetrahedra.len() + mesh.hexahedra.len();
    let counts = [volumes, mesh.triangles.len() + mesh.quads.len(), mesh.edges.len(), mesh.positions.len()];
    let most = counts.into_iter().find(|n| *n > 0).unwrap_or(0);
    let mut out = String::new();
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => out.push_str(&steps.to_string()),
            Some('p') => out.push_str(&mesh.positions.len().to_string()),
            Some('e') => out.push_str(&most.to_string()),
            Some('E') => out.push_str(&n_elements(mesh).to_string()),
            Some('%') | None => out.push('%'),
            Some(other) => {
                log::warn!("`%{other}` in the file name `{name}` stands for nothing; %n, %p, %e, %E do");
                out.push(other);
            }
        }
    }
    out
}

/// The files of a format: their endings, and what fills them.
pub(super) fn parts(format: MeshFile, which: Elements) -> Vec<(&'static str, Fill)> {
    let xml: Fill = |out, mesh| write_vtu(out, mesh, [&[], &[]], DIGITS);
    let vtk: Fill = |out, mesh| write_vtk(out, "Weft mesh file", mesh, [&[], &[]], DIGITS);
    let netgen: Fill = |out, mesh| write_netgen(out, mesh, DIGITS);
    let gmsh: Fill = |out, mesh| write_gmsh(out, mesh);
    let obj: Fill = |out, mesh| {
        // As in SOFA: quadrangles only where there are no triangles, which grids have of the same faces.
        let quads = if mesh.triangles.is_empty() { &mesh.quads[..] } else { &[] };
        let Mesh { positions, edges, triangles, .. } = mesh;
        write_obj(out, &[ObjObject { name: "mesh", material: None, positions, edges, triangles, quads }])
    };
    let nodes: Fill = |out, mesh| write_tetgen::write_nodes(out, mesh, DIGITS);
    let elements: Fill = |out, mesh| write_tetgen::write_elements(out, mesh);
    let faces: Fill = |out, mesh| write_tetgen::write_faces(out, mesh);
    match format {
        MeshFile::VtkXml => vec![("vtu", xml)],
        MeshFile::Vtk => vec![("vtk", vtk)],
        MeshFile::Netgen => vec![("mesh", netgen)],
        MeshFile::Gmsh => vec![("gmsh", gmsh)],
        MeshFile::Obj => vec![("obj", obj)],
        MeshFile::Tetgen => {
            let parts = [
                (true, "node", nodes),
                (which.tetrahedra, "ele", elements),
                (which.triangles, "face", faces),
            ];
            parts.into_iter().filter(|p| p.0).map(|(_, ending, fill)| (ending, fill)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_counts() {
        let mesh = Mesh {
            positions: vec![Vec3::zeros(); 4],
            triangles: vec![[0, 1, 2]; 3],
            edges: vec![[0, 1]],
            ..Mesh::default()
        };
        assert_eq!(with_counts("a%p_%e_%E_%n%%", &mesh, 7), "a4_3_4_7%");
        assert_eq!(with_counts("plain", &mesh, 7), "plain");
    }
}
