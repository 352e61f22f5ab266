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
    /// the file's name without its ending; a folder takes a file of the component's name, which is also the default (with its path, `/` as
    /// `_`, where two would write one file)
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
    /// The file as the scene names it; none for the component's name.
    pub filename: Option<String>,
    /// After each so many steps; 0 for none.
    pub every: u64,
    /// Before the first step.
    pub at_begin: bool,
    /// After the last step.
    pub at_end: bool,
}

impl ExportTimes {
    /// Whether it ever writes.
    pub fn writes(&self) -> bool {
        self.every > 0 || self.at_begin || self.at_end
    }
}

impl When {
    /// With the name of the file; never, if it does not `enable`.
    pub(super) fn times(&self, b: &mut Builder<'_>, filename: Option<&str>, enable: bool) -> ExportTimes {
        let filename = filename.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
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

    /// Those that the attribute `position` gives, else those of the state, or of a topology.
    ///
    /// # Errors
    /// Nothing says where the points are.
    pub(super) fn given_or_of(
        b: &mut Builder<'_>,
        position: Vec<Vec3>,
        topology: ComponentId,
    ) -> Result<Self, BuildError> {
        match Self::given(b, position) {
            Some(points) => Ok(points),
            None => Self::of_topology(b, topology),
        }
    }

    /// The points of the state, as SOFA has it; those of the topology as it was loaded, with a warning, if that state is of something else.
    fn of_topology(b: &mut Builder<'_>, component: ComponentId) -> Result<Self, BuildError> {
        let Some(topology) = b.scene.topology(component) else { return Ok(Self::Fixed(Vec::new())) };
        let Some(state) = b.scene.state_from(b.node) else { return Self::loaded(topology) };
        let n = b.scene.initial(state).len();
        let node = |c: ComponentId| b.scene.component(c).node;
        let is_beside = node(b.scene.component_of_state(state)) == node(component);
        if n == topology.n_points || (is_beside || topology.points.is_empty()) && n >= n_named(topology) {
            return Ok(Self::State(state));
        }
        let points = Self::loaded(topology)?;
        let name = b.scene.path(component);
        b.warn(None, format!("the state has {n} points and {name} has others: what is written does not move; give `position`"));
        Ok(points)
    }

    /// The points of a topology as it was loaded.
    fn loaded(topology: &Topology) -> Result<Self, BuildError> {
        if topology.points.is_empty() && topology.n_points > 0 {
            return Err(BuildError::new(
                "nothing says where the points of the topology are; give `position`",
            ));
        }
        Ok(Self::Fixed(topology.points.clone()))
    }

    /// The points of a topology as it was loaded; those of the state, if the topology knows none.
    ///
    /// # Errors
    /// Neither does the state.
    pub(super) fn loaded_or_of_state(b: &Builder<'_>, topology: &Topology) -> Result<Self, BuildError> {
        let state = b.scene.state_from(b.node).filter(|s| b.scene.initial(*s).len() >= n_named(topology));
        match state {
            Some(state) if topology.points.is_empty() => Ok(Self::State(state)),
            _ => Self::loaded(topology),
        }
    }
}

/// How many points the elements of a topology need.
fn n_named(t: &Topology) -> usize {
    let all = [t.edges.as_flattened(), t.triangles.as_flattened(), t.quads.as_flattened()];
    let all = all.into_iter().chain([t.tetrahedra.as_flattened(), t.hexahedra.as_flattened()]);
    all.flatten().max().map_or(0, |i| *i as usize + 1)
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

#[cfg(test)]
mod tests {
    use super::super::{MeshFiles, StlFile};
    use super::*;
    use crate::load::{LoadOptions, load_text};

    /// The points that the exporters of a node get, and how much is to be said of them.
    fn points(above: &str, here: &str, exporter: &str) -> (Option<Points>, usize) {
        let scene =
            format!("<Node>{above}<Node>{here}<{exporter} filename='m' exportAtEnd='1'/></Node></Node>");
        let Ok(loaded) = load_text(&scene, "test.scn", &LoadOptions::default()) else { return (None, 0) };
        let said = loaded.diagnostics.iter().filter(|d| d.to_string().contains("`position`")).count();
        let all: Vec<_> = loaded.scene.all_components().collect();
        let mesh =
            |c: &ComponentId| loaded.scene.component(*c).extension::<MeshFiles>().map(|m| m.points.clone());
        let stl =
            |c: &ComponentId| loaded.scene.component(*c).extension::<StlFile>().map(|m| m.points.clone());
        (all.iter().find_map(|c| mesh(c).or_else(|| stl(c))), said)
    }

    #[test]
    fn exporters_follow_the_state_where_sofas_do() {
        let topology = "<MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 5 5 5' triangles='0 1 2'/>";
        let few = "<MechanicalObject position='0 0 0 1 0 0 0 1 0'/>";
        let beside = format!("{topology}{few}");
        let state = Some(Points::State(StateId(0)));
        assert_eq!(points("", &beside, "MeshExporter"), (state.clone(), 0), "a point without elements");
        for (above, here, exporter) in [(few, topology, "MeshExporter"), ("", &*beside, "STLExporter")] {
            let (fixed, said) = points(above, here, exporter);
            assert!(
                matches!(fixed, Some(Points::Fixed(p)) if p.len() == 4) && said == 1,
                "{exporter}: {said}"
            );
        }
        let bare = "<TriangleSetTopologyContainer nbPoints='3' triangles='0 1 2'/>";
        assert_eq!(points(few, bare, "STLExporter"), (state, 0));
        assert_eq!(points("", bare, "STLExporter"), (None, 0), "no positions");
    }
}
