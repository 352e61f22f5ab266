//! Engines: they compute fields that other components link to.

pub mod box_roi;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![box_roi::DESCRIPTION]
}
