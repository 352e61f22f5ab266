//! Loads a mesh as a SOFA loader component does.

use std::path::Path;

use sim_core::topology::{Topology, TopologyKind};

use super::finish::finish;
use super::scanner::without_mark;
use super::{LoadOptions, Mesh, MeshError, MeshFormat, gid, gmsh, obj, off, stl, trian, vtk, vtu};

/// Reads a mesh file and does what the options say, in SOFA's order.
///
/// # Errors
/// A file that cannot be read, or that is not what its format asks for.
pub fn load(path: &Path, format: MeshFormat, options: &LoadOptions) -> Result<Mesh, MeshError> {
    let file = read_file(path)?;
    // The header of a binary STL file may hold anything.
    let bytes = if format == MeshFormat::Stl { &file[..] } else { without_mark(&file) };
    let mut mesh = match format {
        MeshFormat::Gid => gid::parse(path, bytes)?,
        MeshFormat::Off => off::parse(path, bytes)?,
        MeshFormat::Gmsh => gmsh::parse(path, bytes)?,
        MeshFormat::Obj => obj::parse(path, bytes, options.triangulate, options.handle_seams)?,
        MeshFormat::Stl => stl::parse(path, bytes)?,
        MeshFormat::Trian { is_second } => trian::parse(path, bytes, is_second)?,
        MeshFormat::Vtk if bytes.trim_ascii_start().starts_with(b"<") => vtu::parse(path, bytes)?,
        MeshFormat::Vtk => vtk::parse(path, bytes)?,
    };
    if mesh.positions.is_empty() {
        mesh.warn("there are no points in this file");
    }
    finish(&mut mesh, format, options);
    Ok(mesh)
}

/// Reads a mesh file as SOFA's topology components do: points and elements as they stand in it, nothing derived; the
/// format is that of the file's name. What is to be said of the file is logged.
///
/// # Errors
/// As [`load`]; a name of none of the formats.
pub fn load_topology(path: &Path) -> Result<Topology, MeshError> {
    let options = LoadOptions { create_subelements: Some(false), ..LoadOptions::default() };
    let mesh = load(path, MeshFormat::of(path)?, &options)?;
    mesh.warnings.iter().for_each(|text| log::warn!("{}: {text}", path.display()));
    Ok(to_topology(mesh))
}

/// The points and elements of a mesh.
pub fn to_topology(mesh: Mesh) -> Topology {
    Topology {
        n_points: mesh.positions.len(),
        points: mesh.positions,
        edges: mesh.edges,
        triangles: mesh.triangles,
        quads: mesh.quads,
        tetrahedra: mesh.tetrahedra,
        hexahedra: mesh.hexahedra,
        ..Topology::empty(TopologyKind::Mesh)
    }
}

/// The bytes of a text file, without the mark (BOM) that some editors put first.
///
/// # Errors
/// As [`read_file`].
pub fn read_text_file(path: &Path) -> Result<Vec<u8>, MeshError> {
    let mut bytes = read_file(path)?;
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    Ok(bytes)
}

/// The bytes of a file.
///
/// # Errors
/// Whatever keeps it from being read; a directory in its place.
pub fn read_file(path: &Path) -> Result<Vec<u8>, MeshError> {
    let unreadable = |reason: String| MeshError::Unreadable { path: path.to_owned(), reason };
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(reason(&e)))?;
    if metadata.is_dir() {
        return Err(unreadable("it is a directory".to_owned()));
    }
    if !metadata.is_file() {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    std::fs::read(path).map_err(|e| unreadable(reason(&e)))
}

/// An error's reason in words that do not depend on the platform where we can help it.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
