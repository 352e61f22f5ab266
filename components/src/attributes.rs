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
    AttributeDescription::ignored(name)
}

/// An attribute by which SOFA does what Weft does not, unless it has this value.
pub(crate) const fn unsupported(
    name: &'static str,
    default: &'static str,
    summary: &'static str,
) -> AttributeDescription {
    AttributeDescription::unsupported(name).summary(summary).default(default)
}
