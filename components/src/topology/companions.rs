//! Companions of containers, which have no effect while the topology does not change.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::TEMPLATES;

use super::changes::modifier;
use super::field::Drawing;

#[derive(Attributes)]
#[attributes(
    ignored("topology", "recomputeTrianglesOrientation"),
    ignored("showPointIndices", "showEdgeIndices", "showTriangleIndices"),
    ignored("showQuadIndices", "showTetrahedraIndices", "showHexaIndices"),
    ignored("drawNormals", "drawNormalLength", "tagMechanics")
)]
struct Companion;

const ALGORITHMS: &str = "Accepted; components compute geometry themselves";

/// The components.
pub(super) const ALL: [ComponentDescription; 12] = [
    modifier("PointSetTopologyModifier"),
    modifier("EdgeSetTopologyModifier"),
    modifier("TriangleSetTopologyModifier"),
    modifier("QuadSetTopologyModifier"),
    modifier("TetrahedronSetTopologyModifier"),
    modifier("HexahedronSetTopologyModifier"),
    companion("PointSetGeometryAlgorithms", ALGORITHMS),
    companion("EdgeSetGeometryAlgorithms", ALGORITHMS),
    companion("TriangleSetGeometryAlgorithms", ALGORITHMS),
    companion("QuadSetGeometryAlgorithms", ALGORITHMS),
    companion("TetrahedronSetGeometryAlgorithms", ALGORITHMS),
    companion("HexahedronSetGeometryAlgorithms", ALGORITHMS),
];

const fn companion(class: &'static str, summary: &'static str) -> ComponentDescription {
    ComponentDescription::new::<(Companion, Drawing)>(Family::Ignored, class, |_| Ok(()))
        .summary(summary)
        .templates(TEMPLATES)
}
