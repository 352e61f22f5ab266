//! Attributes that many components share.

use sim_core::component::description::{AttributeDescription, AttributeKind};

/// An attribute without default.
pub(crate) const fn attribute(
    name: &'static str,
    kind: AttributeKind,
    summary: &'static str,
) -> AttributeDescription {
    AttributeDescription::new(name, kind, summary)
}

/// An attribute that is accepted and changes nothing.
pub(crate) const fn ignored(name: &'static str) -> AttributeDescription {
    attribute(name, AttributeKind::Ignored, "no effect on the simulation")
}

/// An attribute by which SOFA does what Weft does not, unless it has this value.
pub(crate) const fn unsupported(
    name: &'static str,
    default: &'static str,
    summary: &'static str,
) -> AttributeDescription {
    attribute(name, AttributeKind::Unsupported, summary).default(default)
}

/// The state that a component acts on.
pub(crate) const MSTATE: AttributeDescription = attribute(
    "mstate",
    AttributeKind::Link,
    "state to act on; that of this node or the nearest above if not given",
);

/// The topology that a component reads.
pub(crate) const TOPOLOGY: AttributeDescription = attribute(
    "topology",
    AttributeKind::Link,
    "topology to read; searched in this node and above if not given",
);

const COMPLIANCE: AttributeDescription =
    unsupported("isCompliance", "0", "hands it to solvers of compliances instead of adding its force");

/// What every force field has.
pub(crate) const FORCE_FIELD: &[AttributeDescription] = &[
    MSTATE,
    attribute(
        "rayleighStiffness",
        AttributeKind::Real,
        "damping by the component's own stiffness, in implicit solvers",
    )
    .default("0")
    .unit("s"),
    COMPLIANCE,
];

/// What every mass has.
pub(crate) const MASS: &[AttributeDescription] = &[
    MSTATE,
    attribute(
        "separateGravity",
        AttributeKind::Bool,
        "whether weight goes to the velocity instead of the force",
    )
    .default("0"),
    attribute(
        "rayleighMass",
        AttributeKind::Real,
        "damping by the component's own mass, in implicit solvers",
    )
    .default("0")
    .unit("1/s"),
    ignored("rayleighStiffness"),
    COMPLIANCE,
    ignored("showGravityCenter"),
    ignored("showAxisSizeFactor"),
];
