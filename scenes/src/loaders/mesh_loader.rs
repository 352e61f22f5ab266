//! `GIDMeshLoader`, `MeshGmshLoader`, `MeshOBJLoader`, `MeshOffLoader`, `MeshSTLLoader`, `MeshTrianLoader`, `MeshVTKLoader`.

use sim_core::component::attributes::{AttributeGroups, Attributes};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::generated;
use super::transform::TransformAttributes;
use crate::mesh::{self, LoadOptions, Mesh, MeshFormat};

/// Reads a mesh file.
#[derive(Attributes)]
struct Settings {
    /// the file, searched beside the scene and in the data paths
    #[attribute(kind = File)]
    filename: String,
    #[attribute(flatten)]
    finishing: Finishing,
}

/// What is done to a mesh that was read or made.
#[derive(Attributes)]
pub(super) struct Finishing {
    /// reverses triangles and quads (not those of Gmsh files)
    flip_normals: bool,
    /// quads become two triangles each
    triangulate: bool,
    /// adds the faces and edges of the elements; if not given, for Gmsh files only
    create_subelements: Option<bool>,
    /// drops points that no element has
    only_attached_points: bool,
    #[attribute(flatten)]
    transform: TransformAttributes,
}

/// What an OBJ file asks for besides.
#[derive(Attributes)]
#[attributes(
    ignored("loadMaterial", "computeMaterialFaces", summary = "drawing only"),
    ignored(
        "edgesGroups",
        "trianglesGroups",
        "quadsGroups",
        "polygonsGroups",
        summary = "parts of the mesh by name, for drawing"
    )
)]
struct ObjSettings {
    /// one point per distinct combination of position, texture coordinate and normal
    handle_seams: bool,
}

/// What an STL file asks for besides.
#[derive(Attributes)]
#[attributes(
    ignored("forceBinary", summary = "the size of a file says whether it is binary"),
    ignored("mergePositionUsingMap", summary = "equal vertices are merged in any case"),
    unsupported("headerSize", default = "80", summary = "skips another header of a binary file")
)]
struct StlSettings;

/// What a triangulation asks for besides.
#[derive(Attributes)]
#[attributes(ignored("neighborTable", "edgesOnBorder", "trianglesOnBorderList"))]
struct TrianSettings {
    /// whether the file is of the format trian2
    trian2: bool,
}

type Build = fn(&mut Builder<'_>) -> Result<(), BuildError>;

const fn loader<A: AttributeGroups>(
    class: &'static str,
    summary: &'static str,
    build: Build,
) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Loader, class, build).summary(summary)
}

/// The descriptions of all mesh loaders.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        loader::<Settings>("GIDMeshLoader", "Reads a mesh of GiD (.gidmsh)", |b| {
            build(b, MeshFormat::Gid, false)
        }),
        loader::<Settings>("MeshOffLoader", "Reads an object file of Geomview (.off)", |b| {
            build(b, MeshFormat::Off, false)
        }),
        loader::<Settings>("MeshGmshLoader", "Reads a Gmsh file (.msh), formats 1, 2 and 4 in text", |b| {
            build(b, MeshFormat::Gmsh, false)
        }),
        loader::<(Settings, ObjSettings)>("MeshOBJLoader", "Reads a Wavefront file (.obj)", |b| {
            let seams = ObjSettings::read(b)?.handle_seams;
            build(b, MeshFormat::Obj, seams)
        }),
        loader::<(Settings, StlSettings)>("MeshSTLLoader", "Reads an STL file, text or binary", |b| {
            build(b, MeshFormat::Stl, false)
        }),
        loader::<(Settings, TrianSettings)>("MeshTrianLoader", "Reads a triangulation (.trian)", |b| {
            let is_second = TrianSettings::read(b)?.trian2;
            build(b, MeshFormat::Trian { is_second }, false)
        }),
        loader::<Settings>("MeshVTKLoader", "Reads a VTK file: a legacy one, or an XML grid of text", |b| {
            build(b, MeshFormat::Vtk, false)
        }),
    ]
}

fn build(b: &mut Builder<'_>, format: MeshFormat, handle_seams: bool) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let options = LoadOptions { handle_seams, ..s.finishing.options() };
    let wrong = |message: String| BuildError::attribute("filename", message);
    let mesh = match s.filename.trim().strip_prefix(generated::PREFIX) {
        Some(shape) => {
            let mut mesh = generated::mesh(shape).map_err(wrong)?;
            mesh::finish(&mut mesh, format, &options);
            mesh
        }
        None => match b.file("filename") {
            Ok(path) => mesh::load(&path, format, &options).map_err(|e| wrong(e.to_string()))?,
            // As SOFA, whose loaders stay empty then, with an error message.
            Err(e) => {
                b.warn(Some("filename"), format!("{}; the mesh is empty", e.message));
                Mesh::default()
            }
        },
    };
    mesh.warnings.iter().for_each(|text| b.warn(Some("filename"), text.clone()));
    offer(b, mesh);
    Ok(())
}

impl Finishing {
    /// The options that the attributes ask for.
    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            transform: self.transform.transform(),
            flip_normals: self.flip_normals,
            triangulate: self.triangulate,
            create_subelements: self.create_subelements,
            only_attached_points: self.only_attached_points,
            handle_seams: false,
        }
    }
}

/// Offers what a mesh holds to links.
pub(super) fn offer(b: &mut Builder<'_>, mesh: Mesh) {
    b.offer("position", Value::from_points(&mesh.positions));
    b.offer("normals", Value::from_points(&mesh.normals));
    b.offer("edges", Value::from_rows(&mesh.edges));
    b.offer("triangles", Value::from_rows(&mesh.triangles));
    b.offer("quads", Value::from_rows(&mesh.quads));
    let (tetrahedra, hexahedra) = (Value::from_rows(&mesh.tetrahedra), Value::from_rows(&mesh.hexahedra));
    for (name, other_name, rows) in [("tetrahedra", "tetras", tetrahedra), ("hexahedra", "hexas", hexahedra)]
    {
        b.offer(name, rows.clone());
        b.offer(other_name, rows);
    }
    b.offer("texcoords", Value::Reals(mesh.tex_coords.into_iter().flatten().collect()));
}
