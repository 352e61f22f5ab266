//! The component of a visual model.

use std::path::PathBuf;
use std::sync::Arc;

use sim_core::component::attributes::{Attributes, Deferred, IndexRows};
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Vec3, quat_from_euler_degrees, rotate};
use sim_core::scene::{ComponentId, Scene, StateId};

use super::color::{self, parse_color};
use super::materials::{self, VisualPart};
use crate::ignored::without_attributes;
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
    /// The topology that it has its mesh of, whose changes it follows; none where it has its own.
    pub topology: Option<ComponentId>,
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

/// A surface that is seen, and may follow a mechanical state by a mapping.
#[derive(Attributes)]
struct Settings {
    /// points; those of the topology of the node or of the nearest one above it if not given [m]
    position: Vec<Vec3>,
    /// triangles
    triangles: Deferred<IndexRows<3>>,
    /// quadrangles
    quads: Deferred<IndexRows<4>>,
    /// a name, or red green blue alpha from 0 to 1
    color: Option<String>,
    /// a mesh file that it is read from, with its materials, if it has no points
    #[attribute(kind = File, alias = "fileMesh")]
    filename: Deferred<Option<String>>,
    /// texture coordinates of the points
    texcoords: Vec<[f64; 2]>,
    /// an image that is laid on it
    #[attribute(kind = File)]
    texturename: Option<String>,
    /// colors, as SOFA writes them: `name Diffuse 1 r g b a ...`
    material: Option<String>,
    #[attribute(flatten)]
    place: Place,
}

/// Where the points are put: stretched, turned, moved.
#[derive(Attributes)]
struct Place {
    /// moves the points, last [m]
    #[attribute(default = "0 0 0")]
    translation: Deferred<Vec3>,
    /// turns the points about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Deferred<Vec3>,
    /// stretches the points, first
    #[attribute(default = "1 1 1")]
    scale3d: Deferred<Vec3>,
    /// x of the translation [m]
    #[attribute(kind = Real32)]
    dx: Option<f64>,
    /// y of the translation [m]
    #[attribute(kind = Real32)]
    dy: Option<f64>,
    /// z of the translation [m]
    #[attribute(kind = Real32)]
    dz: Option<f64>,
    /// rotation about x [deg]
    #[attribute(kind = Real32)]
    rx: Option<f64>,
    /// rotation about y [deg]
    #[attribute(kind = Real32)]
    ry: Option<f64>,
    /// rotation about z [deg]
    #[attribute(kind = Real32)]
    rz: Option<f64>,
    /// stretch along all axes
    #[attribute(kind = Real32)]
    scale: Option<f64>,
}

/// Classes that hold a surface.
const MODELS: &[&str] = &["OglModel", "VisualModelImpl", "OglShaderVisualModel"];

/// Classes that are drawn and hold nothing that we draw.
const OTHERS: &[&str] = &[
    "ColorMap",
    "CompositingVisualLoop",
    "CylinderVisualModel",
    "DataDisplay",
    "LineAxis",
    "MergeVisualModels",
    "OglColorMap",
    "OglLabel",
    "OglOITShader",
    "OglRenderingSRGB",
    "OglSceneFrame",
    "OglShader",
    "OglShadowShader",
    "OglTexture",
    "OglTexture2D",
    "OglTexturePointer",
    "OglViewport",
    "PointSplatModel",
    "SlicedVolumetricModel",
    "TrailRenderer",
    "Visual3DText",
    "VisualBoundingBox",
    "VisualGrid",
    "VisualManagerPass",
    "VisualManagerSecondaryPass",
    "VisualMesh",
    "VisualPointCloud",
    "VisualTransform",
    "VisualVectorField",
];

/// Classes among them that have points of their own, which mappings move.
const MAPPED: &[&str] = &["DataDisplay", "PointSplatModel"];

/// Whether a mapping may move the points of what is drawn by this class, of which nothing is built.
pub(crate) fn is_mapped(class: &str) -> bool {
    MAPPED.contains(&class)
}

/// The descriptions of all visual classes; each accepts any attribute.
pub fn all() -> Vec<ComponentDescription> {
    let model = |class: &&'static str| ComponentDescription::new::<Settings>(Family::Visual, class, build);
    let other = |class: &&'static str| {
        without_attributes(Family::Visual, class).summary("Accepted; drawn by SOFA, not by Weft")
    };
    MODELS.iter().map(model).chain(OTHERS.iter().map(other)).collect()
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let mut model = VisualModel {
        points: s.position,
        color: s.color.unwrap_or_default(),
        material: s.material.unwrap_or_default(),
        ..VisualModel::default()
    };
    if model.points.is_empty() && s.filename.is_set(b) {
        read(b, &mut model)?;
    } else if model.points.is_empty()
        && let Some(t) = b.topology(TopologySearch::First)
    {
        model.points.clone_from(&t.points);
        model.triangles.clone_from(&t.triangles);
        model.quads.clone_from(&t.quads);
        model.topology = b.scene.find_topology(b.node, TopologySearch::First);
    } else {
        model.triangles = s.triangles.get(b)?.below(model.points.len())?;
        model.quads = s.quads.get(b)?.below(model.points.len())?;
    }
    if !s.texcoords.is_empty() {
        model.tex_coords = s.texcoords;
    }
    if s.texturename.is_some_and(|name| !name.trim().is_empty()) {
        // A picture that is missing spoils the view, not the simulation.
        match b.file("texturename") {
            Ok(path) => model.texture = Some(path),
            Err(e) => b.warn(Some("texturename"), e.to_string()),
        }
    }
    if !model.color.is_empty() && parse_color(&model.color).is_none() {
        let message = format!(
            "`{}` is no color: a name ({}), three or four numbers from 0 to 1, or #rrggbb; drawn as if none were given",
            model.color,
            color::names()
        );
        b.warn(Some("color"), message);
    }
    s.place.apply(b, &mut model.points)?;
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
    mesh.warnings.iter().for_each(|text| b.warn(Some("filename"), text.clone()));
    model.parts = materials::parts(b, &path, &mesh);
    (model.points, model.triangles, model.quads) = (mesh.positions, mesh.triangles, mesh.quads);
    model.tex_coords = mesh.tex_coords;
    Ok(())
}

impl Place {
    fn apply(&self, b: &Builder<'_>, points: &mut [Vec3]) -> Result<(), BuildError> {
        let whole_or = |whole: &Deferred<Vec3>, [x, y, z]: [Option<f64>; 3]| match (x, y, z) {
            (None, None, None) => whole.get(b),
            _ => Ok(Vec3::new(x.unwrap_or(0.0), y.unwrap_or(0.0), z.unwrap_or(0.0))),
        };
        let scale = match self.scale {
            Some(s) => Vec3::new(s, s, s),
            None => self.scale3d.get(b)?,
        };
        let q = quat_from_euler_degrees(whole_or(&self.rotation, [self.rx, self.ry, self.rz])?);
        let translation = whole_or(&self.translation, [self.dx, self.dy, self.dz])?;
        for p in points {
            *p = rotate(&q, &p.component_mul(&scale)) + translation;
        }
        Ok(())
    }
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
