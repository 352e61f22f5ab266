//! What all components of the family do with a topology: make it their own and offer its lists to links.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::value::Value;
use sim_core::scene::ComponentId;
use sim_core::topology::Topology;

use super::TopologyError;

/// What SOFA draws of a topology.
#[derive(Attributes)]
#[attributes(
    ignored("drawEdges", "drawTriangles", "drawQuads"),
    ignored("drawTetra", "drawTetrahedra", "drawHexa", "drawHexahedra")
)]
pub(super) struct Drawing;

/// The error of a component, with the attribute that it is about.
pub(super) fn failed(e: &TopologyError) -> BuildError {
    match e {
        TopologyError::IndexOutOfRange { kind, .. } => {
            let attribute = match *kind {
                "tetrahedron" => "tetrahedra".to_owned(),
                "hexahedron" => "hexahedra".to_owned(),
                other => format!("{other}s"),
            };
            BuildError::attribute(&attribute, e.to_string())
        }
        TopologyError::NotFinite { attribute } => BuildError::attribute(attribute, e.to_string()),
        TopologyError::TooManyPoints { .. } => BuildError::new(e.to_string()),
    }
}

/// Makes the component the topology, and offers its lists to links.
pub(super) fn set(b: &mut Builder<'_>, component: ComponentId, topology: Topology) {
    let fields = &mut b.scene.component_mut(component).fields;
    fields.insert("position", Value::from_points(&topology.points));
    fields.insert("edges", Value::from_rows(&topology.edges));
    fields.insert("triangles", Value::from_rows(&topology.triangles));
    fields.insert("quads", Value::from_rows(&topology.quads));
    fields.insert("tetrahedra", Value::from_rows(&topology.tetrahedra));
    fields.insert("hexahedra", Value::from_rows(&topology.hexahedra));
    fields.insert("prisms", Value::from_rows(&topology.prisms));
    fields.insert("pyramids", Value::from_rows(&topology.pyramids));
    fields.insert("nbPoints", Value::Integer(topology.n_points as i64));
    if let Some(n) = &topology.counts {
        fields.insert("n", Value::Integers(n.map(|n| n as i64).to_vec()));
    }
    b.scene.set_topology(component, topology);
}
