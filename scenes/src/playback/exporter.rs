//! What the exporters of meshes have in common: when they write, which file, and which points.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, StateId};
use sim_core::topology::Topology;

use crate::visual::VisualModel;

/// When files are written.
#[derive(Attributes)]
pub(super) struct When {
    /// a file after each so many steps; 0 for none
    #[attribute(default = "0", non_negative)]
    export_every_number_of_steps: i64,
    /// whether a file is written before the first step
    export_at_begin: bool,
    /// whether a file is written after the last step
    export_at_end: bool,
}

/// When files are written, and how they are called.
#[derive(Attributes)]
pub(super) struct Shared {
    /// the file's name without its ending; a folder takes a file of the component's name, which is also the default
    filename: Option<String>,
    /// whether it writes at all
    #[attribute(default = "1")]
    enable: bool,
    #[attribute(flatten)]
    when: When,
}

/// When an exporter writes, and into which file.
///
/// **Source:** SOFA's `BaseSimulationExporter`: where it writes after steps, each file's name gets the number of the export with five
/// digits (the one before the first step has 00000).
#[derive(Clone, Debug)]
pub struct ExportTimes {
    /// The file as the scene names it, or the component's name.
    pub filename: String,
    /// After each so many steps; 0 for none.
    pub every: u64,
    /// Before the first step.
    pub at_begin: bool,
    /// After the last step.
    pub at_end: bool,
}

impl When {
    /// With the name of the file; never, if it does not `enable`.
    pub(super) fn times(&self, b: &mut Builder<'_>, filename: Option<&str>, enable: bool) -> ExportTimes {
        let own = b.scene.component(b.component).name.as_str();
        let filename = filename.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(own).to_owned();
        if !enable {
            return ExportTimes { filename, every: 0, at_begin: false, at_end: false };
        }
        let every = self.export_every_number_of_steps.unsigned_abs();
        let (at_begin, at_end) = (self.export_at_begin, self.export_at_end);
        if every == 0 && !at_begin && !at_end {
            b.warn(None, "writes nothing; set `exportAtBegin`, `exportAtEnd` or `exportEveryNumberOfSteps`");
        }
        ExportTimes { filename, every, at_begin, at_end }
    }
}

impl Shared {
    /// When it writes, if it does.
    pub(super) fn times(&self, b: &mut Builder<'_>) -> ExportTimes {
        self.when.times(b, self.filename.as_deref(), self.enable)
    }
}

/// Where points of a mesh are.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// Where the scene says [m].
    Fixed(Vec<Vec3>),
    /// Where those of a state are.
    State(StateId),
    /// Where those of a visual model are.
    Visual(ComponentId),
}

impl Points {
    /// Those that the attribute `position` gives, if it does; a link to a state or a visual model follows it.
    pub(super) fn given(b: &Builder<'_>, position: Vec<Vec3>) -> Option<Self> {
        if let Some((component, "position")) = b.source("position") {
            if let Some(state) = b.scene.state_of_component(component) {
                return Some(Self::State(state));
            }
            if b.scene.component(component).extension::<VisualModel>().is_some() {
                return Some(Self::Visual(component));
            }
        }
        (!position.is_empty()).then_some(Self::Fixed(position))
    }

    /// Those that the attribute `position` gives, else those of a topology.
    pub(super) fn given_or_of(b: &Builder<'_>, position: Vec<Vec3>, topology: ComponentId) -> Self {
        let of = || b.scene.topology(topology).map(|t| Self::of_topology(b, t));
        Self::given(b, position).or_else(of).unwrap_or(Self::Fixed(Vec::new()))
    }

    /// The points of a topology as it was loaded, if the state beside it has another number of points.
    fn of_topology(b: &Builder<'_>, topology: &Topology) -> Self {
        match b.scene.state_from(b.node) {
            Some(state) if b.scene.initial(state).len() == topology.n_points => Self::State(state),
            _ => Self::Fixed(topology.points.clone()),
        }
    }
}

/// Which elements of a topology are written.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// Edges.
    pub edges: bool,
    /// Triangles.
    pub triangles: bool,
    /// Quadrangles.
    pub quads: bool,
    /// Tetrahedra.
    pub tetrahedra: bool,
    /// Hexahedra.
    pub hexahedra: bool,
}

/// The topology that an exporter writes: the first of its node or above.
pub(super) fn topology(b: &Builder<'_>) -> Result<ComponentId, BuildError> {
    b.topology_component(TopologySearch::First).ok_or_else(|| {
        BuildError::new("there is no topology in this node or above it; put one before this component")
    })
}
