//! What all mappings share: the two states they join.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::scene::StateId;

/// What every mapping of one state has, besides the attributes of the family.
#[derive(Attributes)]
pub(super) struct InputAttribute {
    /// state that moves; that of the parent node if not given
    pub input: Option<LinkTarget>,
}

/// The input and the output state.
pub(super) fn ends(b: &Builder<'_>) -> Result<(StateId, StateId), BuildError> {
    let input = match InputAttribute::read(b)?.input {
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
    // A mapping that is built again, beside what it was, moves what it moved.
    let taken = b.scene.parts.mappings.iter().find(|m| m.second == output && m.component != b.component);
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
