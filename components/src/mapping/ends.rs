//! What all mappings share: their attributes, and the two states they join.

use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{AttributeDescription, AttributeKind};
use sim_core::component::mapping::{Mapping, MappingParts};
use sim_core::scene::StateId;

use crate::attributes::attribute;

/// What every mapping of one state has.
pub(super) const INPUT: &[AttributeDescription] =
    &[attribute("input", AttributeKind::Link, "state that moves; that of the parent node if not given")];

/// The input and the output state.
pub(super) fn ends(b: &Builder<'_>) -> Result<(StateId, StateId), BuildError> {
    let input = match b.link("input") {
        Some(target) => b.state_at(target, "input")?,
        None => {
            let parent = b.scene.node(b.node).parent.unwrap_or(b.node);
            b.scene.state_from(parent).ok_or_else(|| {
                BuildError::attribute(
                    "input",
                    "there is no MechanicalObject in the parent node or above; link one by `input`",
                )
            })?
        }
    };
    let output = output(b)?;
    if input == output {
        return Err(BuildError::attribute("output", "`input` and `output` are the same state"));
    }
    Ok((input, output))
}

/// The output state: one that no mapping moves yet.
pub(super) fn output(b: &Builder<'_>) -> Result<StateId, BuildError> {
    let output = match b.link("output") {
        Some(LinkTarget::Component(c)) => b.scene.state_of_component(c),
        Some(LinkTarget::Node(n)) => b.scene.state_in(n),
        None => b.scene.state_in(b.node),
    };
    let output = output.ok_or_else(|| {
        BuildError::attribute(
            "output",
            "there is no MechanicalObject that the mapping could move; put one in its node",
        )
    })?;
    let taken = b.scene.parts.mappings.iter().find(|m| m.second == output);
    if let Some(other) = taken {
        let path = b.scene.path(other.component);
        return Err(BuildError::attribute("output", format!("`output` is already moved by {path}")));
    }
    Ok(output)
}

/// The name of the pair of templates, for messages.
pub(super) fn pair(b: &Builder<'_>, (input, output): (StateId, StateId)) -> String {
    format!("{},{}", b.scene.initial(input).template(), b.scene.initial(output).template())
}

/// A mapping with the attributes that all have.
pub(super) fn parts<M: Mapping>(
    b: &Builder<'_>,
    constants: M::Constants,
    elements: Vec<M::Element>,
    stored: Vec<M::Stored>,
    n_out: usize,
) -> Result<MappingParts<M>, BuildError> {
    Ok(MappingParts {
        constants,
        elements,
        stored,
        n_out,
        map_forces: b.boolean("mapForces")?,
        apply_rest_position: b.boolean("applyRestPosition")?,
    })
}
