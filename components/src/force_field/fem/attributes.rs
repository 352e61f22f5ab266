//! Attributes that the linear-elastic force fields share.

use sim_core::component::description::{AttributeDescription, AttributeKind};

use crate::attributes::{attribute, ignored};

/// Material and topology.
pub(crate) const LINEAR_ELASTIC: &[AttributeDescription] = &[
    attribute(
        "topology",
        AttributeKind::Link,
        "topology with the elements; else the last one of the node, or above",
    ),
    attribute(
        "youngModulus",
        AttributeKind::RealRows(1),
        "Young's modulus: one, or one per element (elements beyond the list take the first)",
    )
    .default("5000")
    .unit("Pa"),
    attribute(
        "poissonRatio",
        AttributeKind::RealRows(1),
        "Poisson's ratio in [0, 0.5): one, or one per element (elements beyond the list take the first)",
    )
    .default("0.45"),
];

/// What both fields of tetrahedra have.
pub(crate) const TETRAHEDRA: &[AttributeDescription] = &[
    attribute(
        "localStiffnessFactor",
        AttributeKind::RealRows(1),
        "factors of Young's modulus, spread evenly over the elements",
    ),
    attribute(
        "updateStiffnessMatrix",
        AttributeKind::Bool,
        "whether strains are taken with the gradients of the deformed elements",
    )
    .default("false"),
    attribute(
        "computeGlobalMatrix",
        AttributeKind::Bool,
        "accepted; forces are computed element by element in either case",
    )
    .aliases(&["assembling"])
    .default("false"),
];

/// Drawing and stress coloring of both fields of tetrahedra.
pub(crate) const TETRAHEDRA_DRAWING: &[AttributeDescription] = &[
    ignored("drawHeterogeneousTetra"),
    ignored("vonMisesPerElement"),
    ignored("vonMisesPerNode"),
    ignored("vonMisesStressColors"),
    ignored("showStressColorMap"),
    ignored("showStressAlpha"),
    ignored("showVonMisesStressPerNode"),
    ignored("showVonMisesStressPerNodeColorMap"),
    ignored("showVonMisesStressPerElement"),
    ignored("drawing"),
    ignored("drawAsEdges"),
    ignored("drawColor1"),
    ignored("drawColor2"),
    ignored("drawColor3"),
    ignored("drawColor4"),
];
