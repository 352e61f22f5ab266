//! The formats of meshes, and what can be asked of a loader.

use std::path::Path;

use super::{MeshError, Transform};

/// The formats that [`load`](super::load()) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// GiD, text (`GIDMeshLoader`).
    Gid,
    /// Geomview, text (`MeshOffLoader`).
    Off,
    /// Gmsh, formats 1, 2 and 4, text (`MeshGmshLoader`).
    Gmsh,
    /// Wavefront (`MeshOBJLoader`).
    Obj,
    /// Stereolithography, text or binary (`MeshSTLLoader`).
    Stl,
    /// Triangulations in text (`MeshTrianLoader`): trian, or trian2.
    Trian {
        /// Whether it is of the second format.
        is_second: bool,
    },
    /// Legacy VTK, text or binary, and XML VTK in text (`MeshVTKLoader`).
    Vtk,
}

impl MeshFormat {
    /// The format that the file's name ends in, of those that topologies read too.
    ///
    /// # Errors
    /// An ending of none of the formats.
    pub fn of(path: &Path) -> Result<Self, MeshError> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        match ending.as_str() {
            "msh" | "gmsh" => Ok(Self::Gmsh),
            "obj" => Ok(Self::Obj),
            "stl" => Ok(Self::Stl),
            "vtk" | "vtu" | "vtp" => Ok(Self::Vtk),
            _ => Err(MeshError::UnknownFormat { path: path.to_owned() }),
        }
    }
}

/// The attributes that SOFA's mesh loaders have in common, and those of `MeshOBJLoader`.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// What happens to the positions.
    pub transform: Transform,
    /// `flipNormals`: reverses triangles and quads (not those of Gmsh files, as in SOFA).
    pub flip_normals: bool,
    /// `triangulate`: quads become two triangles each.
    pub triangulate: bool,
    /// `createSubelements`: faces and edges of the elements; by default only for Gmsh files.
    pub create_subelements: Option<bool>,
    /// `onlyAttachedPoints`: drops points that no element has.
    pub only_attached_points: bool,
    /// `handleSeams` (OBJ): one point per distinct combination of position, texture coordinate and normal.
    pub handle_seams: bool,
}
