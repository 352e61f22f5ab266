//! Engines: they compute, once, what other components link to or what holds for all of them.

pub mod box_roi;
pub mod gravity;
pub mod sleeping;
pub mod transform_engine;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    vec![box_roi::DESCRIPTION, gravity::DESCRIPTION, sleeping::DESCRIPTION, transform_engine::DESCRIPTION]
}
