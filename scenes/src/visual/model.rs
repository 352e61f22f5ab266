//! The component of a visual model.

use std::path::PathBuf;
use std::sync::Arc;

use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Vec3, quat_from_euler_degrees, rotate};
use sim_core::scene::{ComponentId, Scene, StateId};

use super::materials::{self, VisualPart};
use crate::mesh::{self, LoadOptions, MeshError, MeshFormat};

/// A surface that follows a mechanical state.
#[derive(Clone, Debug, Default)]
pub struct VisualModel {
    /// Points as the scene gives them, transformed [m].
    pub points: Vec<Vec3>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Quadrangles.
    pub quads: Vec<[u32; 4]>,
    /// The text of the attribute `color`; empty where there is none.
    pub color: String,
    /// The text of the attribute `material`; empty where there is none.
    pub material: String,
    /// Texture coordinates, shape `[n_points]`; empty where there are none.
    pub tex_coords: Vec<[f64; 2]>,
    /// The image on it.
    pub texture: Option<PathBuf>,
    /// Faces that look otherwise than the rest; empty where all look alike.
    pub parts: Vec<VisualPart>,
    /// What moves it; nothing, if it stands still.
    pub follows: Option<Follows>,
}

/// The mapping from a mechanical state to a visual model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows {
    /// The mapping component.
    pub mapping: ComponentId,
    /// Its class (`BarycentricMapping`, `RigidMapping`, `IdentityMapping`).
    pub class: &'static str,
    /// The state that it follows.
    pub state: StateId,
}

const fn attribute(name: &'static str, kind: AttributeKind, summary: &'static str) -> AttributeDescription {
    AttributeDescription::new(name, kind, summary)
}

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute("position", AttributeKind::RealRows(3), "points; those of the node's topology if not given")
        .unit("m"),
    attribute("triangles", AttributeKind::IndexRows(3), "triangles"),
    attribute("quads", AttributeKind::IndexRows(4), "quadrangles"),
    attribute("color", AttributeKind::Text, "a name, or red green blue alpha from 0 to 1"),
    attribute(
        "filename",
        AttributeKind::File,
        "a mesh file that it is read from, with its materials, if it has no points",
    )
    .aliases(&["fileMesh"]),
    attribute("texcoords", AttributeKind::RealRows(2), "texture coordinates of the points"),
    attribute("texturename", AttributeKind::File, "an image that is laid on it"),
    attribute("material", AttributeKind::Text, "colors, as SOFA writes them: `name Diffuse 1 r g b a ...`"),
    attribute("translation", AttributeKind::Reals(3), "moves the points, last").default("0 0 0").unit("m"),
    attribute("rotation", AttributeKind::Reals(3), "turns the points about x, then y, then z")
        .default("0 0 0")
        .unit("deg"),
    attribute("scale3d", AttributeKind::Reals(3), "stretches the points, first").default("1 1 1"),
    attribute("dx", AttributeKind::Real32, "x of the translation").unit("m"),
    attribute("dy", AttributeKind::Real32, "y of the translation").unit("m"),
    attribute("dz", AttributeKind::Real32, "z of the translation").unit("m"),
    attribute("rx", AttributeKind::Real32, "rotation about x").unit("deg"),
    attribute("ry", AttributeKind::Real32, "rotation about y").unit("deg"),
    attribute("rz", AttributeKind::Real32, "rotation about z").unit("deg"),
    attribute("scale", AttributeKind::Real32, "stretch along all axes"),
];

/// Classes that hold a surface.
const MODELS: &[&str] = &["OglModel", "VisualModelImpl", "OglShaderVisualModel"];

/// Classes that are drawn and hold nothing that we draw.
const OTHERS: &[&str] = &[
    "ColorMap",
    "CylinderVisualModel",
    "LineAxis",
    "OglColorMap",
    "OglLabel",
    "OglSceneFrame",
    "OglShader",
    "OglShadowShader",
    "OglTexture",
    "OglViewport",
    "SlicedVolumetricModel",
    "TrailRenderer",
    "Visual3DText",
    "VisualBoundingBox",
    "VisualGrid",
    "VisualMesh",
    "VisualPointCloud",
    "VisualTransform",
    "VisualVectorField",
];

/// The descriptions of all visual classes; each accepts any attribute.
pub fn all() -> Vec<ComponentDescription> {
    let model = |class: &&'static str| ComponentDescription {
        class,
        old_names: &[],
        family: Family::Visual,
        summary: "A surface that is seen, and may follow a mechanical state by a mapping",
        templates: &[],
        attributes: &[ATTRIBUTES],
        samples: &[],
        build,
    };
    let other = |class: &&'static str| ComponentDescription {
        class,
        old_names: &[],
        family: Family::Visual,
        summary: "Accepted; drawn by SOFA, not by Weft",
        templates: &[],
        attributes: &[],
        samples: &[],
        build: crate::ignored::nothing,
    };
    MODELS.iter().map(model).chain(OTHERS.iter().map(other)).collect()
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let mut model = VisualModel {
        points: b.points("position")?,
        color: b.text("color").map(str::to_owned).unwrap_or_default(),
        material: b.text("material").map(str::to_owned).unwrap_or_default(),
        ..VisualModel::default()
    };
    if model.points.is_empty() && b.is_set("filename") {
        read(b, &mut model)?;
    } else if model.points.is_empty()
        && let Some(t) = b.topology(sim_core::component::build::TopologySearch::FirstHere)
    {
        model.points.clone_from(&t.points);
        model.triangles.clone_from(&t.triangles);
        model.quads.clone_from(&t.quads);
    } else {
        model.triangles = b.index_rows("triangles", model.points.len())?;
        model.quads = b.index_rows("quads", model.points.len())?;
    }
    if b.is_set("texcoords") {
        model.tex_coords = b.reals("texcoords")?.chunks_exact(2).map(|c| [c[0], c[1]]).collect();
    }
    if b.is_set("texturename") && !b.text("texturename")?.trim().is_empty() {
        // A picture that is missing spoils the view, not the simulation.
        match b.file("texturename") {
            Ok(path) => model.texture = Some(path),
            Err(e) => b.warn(Some("texturename"), e.to_string()),
        }
    }
    place(b, &mut model.points)?;
    b.offer("position", Value::from_points(&model.points));
    b.offer("triangles", Value::from_rows(&model.triangles));
    b.offer("quads", Value::from_rows(&model.quads));
    b.scene.component_mut(b.component).extension = Some(Arc::new(model));
    Ok(())
}

/// Reads the mesh file that a visual model names itself.
fn read(b: &mut Builder<'_>, model: &mut VisualModel) -> Result<(), BuildError> {
    let wrong = |e: MeshError| BuildError::attribute("filename", e.to_string());
    let path = b.file("filename")?;
    let format = MeshFormat::of(&path).map_err(wrong)?;
    let options = LoadOptions { handle_seams: format == MeshFormat::Obj, ..LoadOptions::default() };
    let mesh = mesh::load(&path, format, &options).map_err(wrong)?;
    model.parts = materials::parts(b, &path, &mesh);
    (model.points, model.triangles, model.quads) = (mesh.positions, mesh.triangles, mesh.quads);
    model.tex_coords = mesh.tex_coords;
    Ok(())
}

fn place(b: &Builder<'_>, points: &mut [Vec3]) -> Result<(), BuildError> {
    let three = |names: [&str; 3], whole: &str| -> Result<Vec3, BuildError> {
        if !names.iter().any(|n| b.is_set(n)) {
            return b.vec3(whole);
        }
        let one = |n: &str| b.set_real(n).map(|v| v.unwrap_or(0.0));
        Ok(Vec3::new(one(names[0])?, one(names[1])?, one(names[2])?))
    };
    let scale = match b.set_real("scale")? {
        Some(s) => Vec3::new(s, s, s),
        None => b.vec3("scale3d")?,
    };
    let q = quat_from_euler_degrees(three(["rx", "ry", "rz"], "rotation")?);
    let translation = three(["dx", "dy", "dz"], "translation")?;
    for p in points {
        *p = rotate(&q, &p.component_mul(&scale)) + translation;
    }
    Ok(())
}

/// Lets the visual model follow a state, as a mapping whose output it is says.
pub(crate) fn attach(
    scene: &mut Scene,
    model: ComponentId,
    mapping: ComponentId,
    input: Option<LinkTarget>,
) -> Result<(), BuildError> {
    let node = scene.component(mapping).node;
    let state = match input {
        Some(LinkTarget::Component(c)) => scene.state_of_component(c),
        Some(LinkTarget::Node(n)) => scene.state_from(n),
        None => scene.node(node).parent.and_then(|p| scene.state_from(p)),
    };
    let Some(state) = state else {
        return Err(BuildError::attribute("input", "`input` leads to no MechanicalObject"));
    };
    let class = scene.component(mapping).class;
    let component = scene.component_mut(model);
    if let Some(v) = component.extension::<VisualModel>() {
        let follows = Some(Follows { mapping, class, state });
        component.extension = Some(Arc::new(VisualModel { follows, ..v.clone() }));
    }
    Ok(())
}
