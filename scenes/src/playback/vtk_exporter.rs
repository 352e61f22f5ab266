//! `VTKExporter`: a topology with data at its points and elements.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Vec3, Vec3Type};
use sim_core::scene::{ComponentId, StateId};

use super::exporter::{Elements, ExportTimes, Points, When, topology};
use super::state_text::StateVector;
use crate::path::DataPath;

/// Writes a topology at the present points of its state as a VTK file, with data of components.
#[derive(Attributes)]
struct Settings {
    /// the file's name; the component's if not given (with its path, `/` as `_`, where two would write one file)
    filename: Option<String>,
    /// whether it is VTK's XML format (`.vtu`), or the legacy one
    #[attribute(name = "XMLformat", default = "1")]
    xml: bool,
    /// points; those of the state if not given, else those of the topology [m]
    position: Vec<Vec3>,
    /// whether edges are written
    #[attribute(default = "1")]
    edges: bool,
    /// whether triangles are written
    triangles: bool,
    /// whether quadrangles are written
    quads: bool,
    /// whether tetrahedra are written
    tetras: bool,
    /// whether hexahedra are written
    hexas: bool,
    /// data of the points: `component.data`, or `name=component.data`
    points_data_fields: Vec<String>,
    /// data of the elements, written alike
    cells_data_fields: Vec<String>,
    /// whether each file takes the place of the one before; otherwise they are numbered
    overwrite: bool,
    /// whether it writes at all
    #[attribute(default = "1")]
    enable: bool,
    /// topology that is written; else the first one of the node, or above
    _topology: Option<LinkTarget>,
    /// state of points in space that are written; else that of the node, or above
    mstate: Option<LinkTarget>,
    #[attribute(flatten)]
    when: When,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "VTKExporter", build);

/// What is written of a topology, and when.
///
/// **Source:** SOFA's `VTKExporter`, with six significant digits. Files are numbered as they are written, from 0: `name0.vtu`, in the
/// legacy format `name_0.vtu`, unless the name ends in `.vtk`.
#[derive(Clone, Debug)]
pub struct VtkFile {
    /// When, and into which files.
    pub times: ExportTimes,
    /// Whether each file takes the place of the one before.
    pub overwrite: bool,
    /// Whether it is the XML format.
    pub xml: bool,
    /// The topology.
    pub topology: ComponentId,
    /// Its points.
    pub points: Points,
    /// Which of its elements.
    pub elements: Elements,
    /// Data of the points.
    pub point_fields: Vec<Field>,
    /// Data of the elements.
    pub cell_fields: Vec<Field>,
}

/// Data that are written with a mesh.
#[derive(Clone, Debug)]
pub struct Field {
    /// What they are called in the file.
    pub name: String,
    /// Where they are.
    pub source: FieldSource,
}

/// Where data of a component are.
#[derive(Clone, Debug)]
pub enum FieldSource {
    /// A vector of a state.
    State(StateId, StateVector),
    /// What the component held when the scene was loaded.
    Fixed(Value),
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = topology(b)?;
    let state = match s.mstate {
        Some(link) => Some(b.state_at(link, "mstate")?),
        None => b.scene.state_from(b.node),
    };
    let state = state.filter(|state| b.scene.initial_as::<Vec3Type>(*state).is_some());
    let of_topology = || b.scene.topology(topology).map(|t| t.points.clone()).unwrap_or_default();
    let points = Points::given(b, s.position)
        .unwrap_or_else(|| state.map_or_else(|| Points::Fixed(of_topology()), Points::State));
    let elements = Elements {
        edges: s.edges,
        triangles: s.triangles,
        quads: s.quads,
        tetrahedra: s.tetras,
        hexahedra: s.hexas,
    };
    let times = s.when.times(b, s.filename.as_deref(), s.enable);
    let point_fields = fields(b, "pointsDataFields", &s.points_data_fields);
    let cell_fields = fields(b, "cellsDataFields", &s.cells_data_fields);
    let (overwrite, xml) = (s.overwrite, s.xml);
    b.keep(Some(VtkFile { times, overwrite, xml, topology, points, elements, point_fields, cell_fields }));
    Ok(())
}

/// The data that an attribute names; what is not there is warned of and left out, as in SOFA.
fn fields(b: &mut Builder<'_>, attribute: &'static str, texts: &[String]) -> Vec<Field> {
    let mut fields = Vec::new();
    for text in texts {
        match field(b, text) {
            Ok(field) => fields.push(field),
            Err(e) => b.warn(Some(attribute), format!("`{text}`: {e}; it is not written")),
        }
    }
    fields
}

fn field(b: &Builder<'_>, text: &str) -> Result<Field, String> {
    let (name, path) = match text.split_once('=') {
        Some((name, path)) => (Some(name.trim()), path),
        None => (None, text),
    };
    let path = DataPath::parse(&format!("@{}", path.trim().trim_start_matches('@')))?;
    let name = name.filter(|n| !n.is_empty()).unwrap_or(&path.data).to_owned();
    let Some(LinkTarget::Component(component)) = path.path.resolve(&b.scene, b.component, true) else {
        return Err("there is no such component".to_owned());
    };
    let vector = match path.data.as_str() {
        "position" => Some(StateVector::Position),
        "rest_position" => Some(StateVector::RestPosition),
        "velocity" => Some(StateVector::Velocity),
        "force" => Some(StateVector::Force),
        _ => None,
    };
    let source = match (b.scene.state_of_component(component), vector) {
        (Some(state), Some(vector)) => FieldSource::State(state, vector),
        _ => match b.scene.component(component).fields.get(path.data.as_str()) {
            Some(value) if value.reals().is_some() => FieldSource::Fixed(value.clone()),
            Some(_) => return Err(format!("`{}` does not hold numbers", path.data)),
            None => return Err(format!("{} offers no `{}`", b.scene.path(component), path.data)),
        },
    };
    Ok(Field { name, source })
}
