//! `CollisionPipeline`, the broad and the narrow phase, `CollisionResponse` and `CollisionGroupManager`.

use std::sync::Arc;

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};

use crate::collision::Aabb;
use crate::collision::bounding_tree::DEFAULT_DEPTH;
use crate::collision::response::{CollisionResponse, ResponseClass};

/// Attributes of a `CollisionPipeline`.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// Levels of the bounding trees.
    pub depth: usize,
}

/// Attributes of a broad phase.
#[derive(Clone, Copy, Debug)]
pub struct BroadPhase {
    /// Models that miss this box are ignored.
    pub region: Option<Aabb>,
}

/// A narrow phase.
#[derive(Clone, Copy, Debug)]
pub struct NarrowPhase;

/// Attributes of a `CollisionResponse`.
#[derive(Clone, Debug)]
pub struct Response(pub CollisionResponse);

/// A `CollisionGroupManager`: objects that touch are merged under one solver.
#[derive(Clone, Copy, Debug)]
pub struct GroupManager;

const fn component(
    class: &'static str,
    old_names: &'static [&'static str],
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription {
        class,
        old_names,
        family: Family::Collision,
        summary,
        templates: &[],
        attributes,
        samples: &[],
        build,
    }
}

pub(super) const COLLISION_PIPELINE: ComponentDescription = component(
    "CollisionPipeline",
    &["DefaultPipeline"],
    "Collects all collision models below its node and finds their contacts each step.",
    &[&[
        AttributeDescription::new("depth", AttributeKind::Integer, "levels of the bounding trees")
            .default("6"),
        AttributeDescription::new("verbose", AttributeKind::Ignored, "no effect"),
        AttributeDescription::new("draw", AttributeKind::Ignored, "no effect"),
    ]],
    |b| {
        let depth = usize::try_from(b.integer("depth")?).unwrap_or(DEFAULT_DEPTH);
        keep(b, Pipeline { depth })
    },
);

const REGION: &[AttributeDescription] = &[AttributeDescription::new(
    "box",
    AttributeKind::Reals(6),
    "two corners of a box; models that miss it are ignored",
)
.unit("m")];

pub(super) const BRUTE_FORCE_BROAD_PHASE: ComponentDescription = component(
    "BruteForceBroadPhase",
    &["ParallelBruteForceBroadPhase"],
    "Finds the pairs of models whose boxes are near each other.",
    &[REGION],
    build_broad_phase,
);

pub(super) const BRUTE_FORCE_DETECTION: ComponentDescription = component(
    "BruteForceDetection",
    &[],
    "A BruteForceBroadPhase and a BVHNarrowPhase in one.",
    &[REGION],
    build_broad_phase,
);

fn build_broad_phase(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let corners = b.reals("box")?;
    let region = (corners.len() == 6).then(|| Aabb {
        min: [0, 1, 2].map(|k| corners[k].min(corners[k + 3])),
        max: [0, 1, 2].map(|k| corners[k].max(corners[k + 3])),
    });
    keep(b, BroadPhase { region })
}

pub(super) const BVH_NARROW_PHASE: ComponentDescription = component(
    "BVHNarrowPhase",
    &["ParallelBVHNarrowPhase"],
    "Finds the contacts of two models by their bounding trees.",
    &[],
    |b| keep(b, NarrowPhase),
);

pub(super) const COLLISION_RESPONSE: ComponentDescription = component(
    "CollisionResponse",
    &["DefaultContactManager"],
    "Chooses what contacts do.",
    &[&[
        AttributeDescription::new(
            "response",
            AttributeKind::Text,
            "class of the contacts, such as PenalityContactForceField",
        ),
        AttributeDescription::new(
            "responseParams",
            AttributeKind::Text,
            "attributes of every contact: name1=value1&name2=value2",
        )
        .default(""),
    ]],
    |b| {
        let response = if b.is_set("response") { Some(b.text("response")?.to_owned()) } else { None };
        if let Some(name) = response.as_deref() {
            match ResponseClass::from_name(name) {
                Some(ResponseClass::Penalty) => {}
                Some(ResponseClass::Friction) => {
                    return Err(BuildError::attribute(
                        "response",
                        "FrictionContactConstraint is not there yet; use PenalityContactForceField",
                    ));
                }
                None if name == "nullptr" => {}
                None => {
                    return Err(BuildError::attribute(
                        "response",
                        format!("unknown contact response `{name}`; use PenalityContactForceField"),
                    ));
                }
            }
        } else {
            b.warn(Some("response"), "no `response` is given, so no contact will ever be made");
        }
        let response_params =
            if b.is_set("responseParams") { b.text("responseParams")?.to_owned() } else { String::new() };
        if !response_params.trim().is_empty() {
            b.warn(Some("responseParams"), "has no effect: contacts of these classes have no attributes");
        }
        keep(b, Response(CollisionResponse { response, response_params }))
    },
);

pub(super) const COLLISION_GROUP_MANAGER: ComponentDescription = component(
    "CollisionGroupManager",
    &["CollisionGroup", "TreeCollisionGroupManager", "DefaultCollisionGroupManager"],
    "Merges objects that touch under one solver and one loop, so that their contacts are implicit on both sides.",
    &[],
    |b| keep(b, GroupManager),
);

pub(super) fn keep<T: Send + Sync + 'static>(b: &mut Builder<'_>, what: T) -> Result<(), BuildError> {
    b.scene.component_mut(b.component).extension = Some(Arc::new(what));
    Ok(())
}
