//! The two states that a mapping joins.

use super::attributes::Attributes;
use super::build::{BuildError, Builder, LinkTarget};
use crate::scene::StateId;

/// What every mapping of one state has, besides the attributes of the family: a field of its own attributes with `flatten`.
#[derive(Attributes)]
#[attributes(crate = "crate")]
pub struct InputAttribute {
    /// state that moves; that of the parent node if not given
    pub input: Option<LinkTarget>,
}

impl Builder<'_> {
    /// The input and the output state of a mapping, by its attributes `input` (see [`InputAttribute`]) and `output`.
    ///
    /// # Errors
    /// There is none, both are the same, or another mapping moves the output.
    pub fn mapping_ends(&self) -> Result<(StateId, StateId), BuildError> {
        let input = match InputAttribute::read(self)?.input {
            Some(target) => self.state_at(target, "input")?,
            None => {
                let parent = self.scene.node(self.node).parent.unwrap_or(self.node);
                self.scene.state_from(parent).ok_or_else(|| {
                    BuildError::attribute(
                        "input",
                        "there is no MechanicalObject in the parent node or above; link one by `input`",
                    )
                })?
            }
        };
        Ok((input, self.mapping_output()?))
    }

    /// The output state of a mapping: that of its node, unless `output` names one.
    ///
    /// # Errors
    /// There is none, or another mapping moves it.
    pub fn mapping_output(&self) -> Result<StateId, BuildError> {
        let output = match self.link("output") {
            Some(LinkTarget::Component(c)) => self.scene.state_of_component(c),
            Some(LinkTarget::Node(n)) => self.scene.state_in(n),
            None => self.scene.state_in(self.node),
        };
        let output = output.ok_or_else(|| {
            BuildError::attribute(
                "output",
                "there is no MechanicalObject that the mapping could move; put one in its node",
            )
        })?;
        self.check_mapped_once(output)?;
        Ok(output)
    }

    /// An error where another component moves a state. A mapping that is built again, beside what it was, moves what it moved.
    pub(super) fn check_mapped_once(&self, output: StateId) -> Result<(), BuildError> {
        let taken =
            self.scene.parts.mappings.iter().find(|m| m.second == output && m.component != self.component);
        match taken {
            Some(other) => {
                let path = self.scene.path(other.component);
                Err(BuildError::attribute("output", format!("`output` is already moved by {path}")))
            }
            None => Ok(()),
        }
    }
}
