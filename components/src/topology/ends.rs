//! The two components of a topological mapping, and what it fills.

use std::sync::Arc;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, Scene};
use sim_core::topology::{Topology, TopologyKind};

use super::TopologyError;
use super::field::{failed, set};

/// What every topological mapping has.
#[derive(Attributes)]
pub(super) struct Ends {
    /// topology to read; the first of this node if not given
    input: Option<LinkTarget>,
    /// container to fill; the last of this node if not given
    output: Option<LinkTarget>,
}

impl Ends {
    /// The topology to read.
    pub fn input(&self, b: &Builder<'_>) -> Result<ComponentId, BuildError> {
        self.pair(b).map(|(input, _)| input)
    }

    /// Both topologies, if the mapping may fill the second.
    pub fn pair(&self, b: &Builder<'_>) -> Result<(ComponentId, ComponentId), BuildError> {
        let is_topology = |c: &ComponentId| b.scene.topology(*c).is_some();
        let here: Vec<ComponentId> = b.scene.components_of(b.node).filter(is_topology).collect();
        let find = |target: Option<LinkTarget>, name: &str, default: Option<&ComponentId>| {
            let found = match target {
                Some(LinkTarget::Component(c)) => Some(c).filter(is_topology),
                Some(LinkTarget::Node(n)) => b.scene.components_of(n).find(is_topology),
                None => default.copied(),
            };
            found.ok_or_else(|| {
                BuildError::attribute(
                    name,
                    format!("`{name}` must lead to a topology; write {name}=\"@NAME\""),
                )
            })
        };
        let pair = (find(self.input, "input", here.first())?, find(self.output, "output", here.last())?);
        if pair.0 == pair.1 {
            return Err(BuildError::attribute("output", "`input` and `output` are the same topology"));
        }
        require_container(b, pair.1)?;
        Ok(pair)
    }
}

/// Whether a mapping may fill a topology.
pub(super) fn require_container(b: &Builder<'_>, output: ComponentId) -> Result<(), BuildError> {
    let takes_elements = |t: &Topology| match t.kind {
        TopologyKind::SetContainer => true,
        TopologyKind::Mesh => {
            let volumes = t.tetrahedra.len() + t.hexahedra.len() + t.prisms.len() + t.pyramids.len();
            volumes == 0 && t.edges.is_empty() && t.triangles.is_empty() && t.quads.is_empty()
        }
        _ => false,
    };
    if b.scene.topology(output).is_some_and(takes_elements) {
        return Ok(());
    }
    let text = "`output` must be a ...SetTopologyContainer, or a MeshTopology without elements";
    Err(BuildError::attribute("output", text))
}

/// Which topology a mapping has filled from which, kept with the mapping: changes of the one are changes of the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filled {
    pub input: ComponentId,
    pub output: ComponentId,
    /// Of one that places points on elements: what carries them.
    pub points: Option<Arc<[ElementPoint]>>,
}

/// That a point of a mesh carries a point on one of its elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementPoint {
    /// The point on the element.
    pub point: u32,
    /// The point of the mesh.
    pub carrier: u32,
    /// How much it counts.
    pub weight: f64,
    /// What is added to that [m].
    pub offset: Vec3,
}

/// The topology on whose elements a topological mapping has placed points, and what carries these.
pub(crate) fn element_points(
    scene: &Scene,
    mapping: ComponentId,
) -> Option<(ComponentId, Vec<ElementPoint>)> {
    let filled = scene.component(mapping).extension::<Filled>()?;
    filled.points.as_ref().map(|points| (filled.input, points.to_vec()))
}

/// The topology from which a topological mapping has filled another.
pub(crate) fn filled_from(scene: &Scene, mapping: ComponentId) -> Option<ComponentId> {
    scene.component(mapping).extension::<Filled>().map(|filled| filled.input)
}

/// Fills the output with what `map` makes of the input; nothing, with a warning, where the input has no elements of those `wanted`.
pub(super) fn fill(
    b: &mut Builder<'_>,
    map: impl FnOnce(&Topology) -> Result<Topology, TopologyError>,
    is_empty: impl FnOnce(&Topology) -> bool,
    wanted: &str,
) -> Result<(), BuildError> {
    let (input, output) = Ends::read(b)?.pair(b)?;
    b.keep(Some(Filled { input, output, points: None }));
    let Some(from) = b.scene.topology(input) else {
        return Err(BuildError::attribute("input", "`input` leads to no topology"));
    };
    if is_empty(from) {
        let path = b.scene.path(input);
        b.warn(Some("input"), format!("{path} has no {wanted}; the output stays empty"));
        return Ok(());
    }
    let mut topology = map(from).map_err(|e| failed(&e))?;
    // Positions that the container was given are those of the same points still.
    let given = b.scene.topology(output).map(|t| t.points.clone()).unwrap_or_default();
    if topology.points.is_empty() && given.len() == topology.n_points {
        topology.points = given;
    }
    set(b, output, topology);
    Ok(())
}
