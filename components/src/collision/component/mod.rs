//! The components of a scene's collision pipeline: they keep their attributes, and [`super::pipeline()`] puts them together.

mod intersection_methods;
mod models;
mod phases;
mod solids;
mod tetrahedra;

pub use intersection_methods::Intersection;
pub use models::Model;
pub use phases::{BroadPhase, CompositePipeline, GroupManager, NarrowPhase, Pipeline, Response, SubPipeline};

use sim_core::component::description::ComponentDescription;

/// All collision components.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        phases::BVH_NARROW_PHASE,
        phases::BRUTE_FORCE_BROAD_PHASE,
        phases::BRUTE_FORCE_DETECTION,
        solids::CAPSULE,
        phases::COLLISION_GROUP_MANAGER,
        phases::COLLISION_PIPELINE,
        phases::COLLISION_RESPONSE,
        phases::COMPOSITE_COLLISION_PIPELINE,
        solids::CYLINDER,
        phases::DIRECT_SAP,
        phases::DIRECT_SAP_NARROW_PHASE,
        phases::INCR_SAP,
        phases::RAY_TRACE_DETECTION,
        phases::RAY_TRACE_NARROW_PHASE,
        phases::RULE_BASED_CONTACT_MANAGER,
        intersection_methods::DISCRETE,
        models::LINE,
        intersection_methods::LOCAL_MIN_DISTANCE,
        intersection_methods::MIN_PROXIMITY,
        intersection_methods::TIGHT_INCLUSION,
        intersection_methods::NEW_PROXIMITY,
        solids::BOX,
        models::POINT,
        models::SPHERE,
        phases::SUB_COLLISION_PIPELINE,
        tetrahedra::TETRAHEDRON,
        models::TRIANGLE,
        models::TRIANGLE_OCTREE,
    ]
}
