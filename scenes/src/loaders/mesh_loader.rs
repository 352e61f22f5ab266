//! `MeshGmshLoader`, `MeshOBJLoader`, `MeshVTKLoader`, `MeshSTLLoader`.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::value::Value;

use super::generated;
use super::transform::{TRANSFORM, transform};
use crate::mesh::{self, LoadOptions, MeshFormat};

const fn attribute(name: &'static str, kind: AttributeKind, summary: &'static str) -> AttributeDescription {
    AttributeDescription::new(name, kind, summary)
}

const COMMON: &[AttributeDescription] = &[
    attribute("filename", AttributeKind::File, "the file, searched beside the scene and in the data paths"),
    attribute("flipNormals", AttributeKind::Bool, "reverses triangles and quads (not those of Gmsh files)")
        .default("0"),
    attribute("triangulate", AttributeKind::Bool, "quads become two triangles each").default("0"),
    attribute("createSubelements", AttributeKind::Bool, "adds the faces and edges of the elements"),
    attribute("onlyAttachedPoints", AttributeKind::Bool, "drops points that no element has").default("0"),
];

const OBJ: &[AttributeDescription] = &[
    attribute(
        "handleSeams",
        AttributeKind::Bool,
        "one point per distinct combination of position, texture coordinate and normal",
    )
    .default("0"),
    attribute("loadMaterial", AttributeKind::Ignored, "drawing only"),
    attribute("computeMaterialFaces", AttributeKind::Ignored, "drawing only"),
];

type Build = fn(&mut Builder<'_>) -> Result<(), BuildError>;

const fn description(
    class: &'static str,
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    build: Build,
) -> ComponentDescription {
    ComponentDescription {
        class,
        old_names: &[],
        family: Family::Loader,
        summary,
        templates: &[],
        attributes,
        samples: &[],
        build,
    }
}

/// The descriptions of all mesh loaders.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        description(
            "MeshGmshLoader",
            "Reads a Gmsh file (.msh), formats 1, 2 and 4",
            &[COMMON, TRANSFORM],
            |b| build(b, MeshFormat::Gmsh),
        ),
        description("MeshOBJLoader", "Reads a Wavefront file (.obj)", &[COMMON, TRANSFORM, OBJ], |b| {
            build(b, MeshFormat::Obj)
        }),
        description("MeshSTLLoader", "Reads an STL file, text or binary", &[COMMON, TRANSFORM], |b| {
            build(b, MeshFormat::Stl)
        }),
        description(
            "MeshVTKLoader",
            "Reads a VTK file: a legacy one, or an XML grid of text",
            &[COMMON, TRANSFORM],
            |b| build(b, MeshFormat::Vtk),
        ),
    ]
}

fn build(b: &mut Builder<'_>, format: MeshFormat) -> Result<(), BuildError> {
    let options = LoadOptions {
        transform: transform(b)?,
        flip_normals: b.boolean("flipNormals")?,
        triangulate: b.boolean("triangulate")?,
        create_subelements: b
            .is_set("createSubelements")
            .then(|| b.boolean("createSubelements"))
            .transpose()?,
        only_attached_points: b.boolean("onlyAttachedPoints")?,
        handle_seams: b.is_set("handleSeams") && b.boolean("handleSeams")?,
    };
    let wrong = |message: String| BuildError::attribute("filename", message);
    let mesh = match b.text("filename")?.trim().strip_prefix(generated::PREFIX) {
        Some(shape) => {
            let mut mesh = generated::mesh(shape).map_err(wrong)?;
            mesh::finish(&mut mesh, format, &options);
            mesh
        }
        None => mesh::load(&b.file("filename")?, format, &options).map_err(|e| wrong(e.to_string()))?,
    };
    b.offer("position", Value::from_points(&mesh.positions));
    b.offer("normals", Value::from_points(&mesh.normals));
    b.offer("edges", Value::from_rows(&mesh.edges));
    b.offer("triangles", Value::from_rows(&mesh.triangles));
    b.offer("quads", Value::from_rows(&mesh.quads));
    b.offer("tetrahedra", Value::from_rows(&mesh.tetrahedra));
    b.offer("hexahedra", Value::from_rows(&mesh.hexahedra));
    b.offer("texcoords", Value::Reals(mesh.tex_coords.into_iter().flatten().collect()));
    Ok(())
}
