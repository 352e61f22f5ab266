//! What messages call the two states that a mapping joins.

use sim_core::component::build::Builder;
use sim_core::scene::StateId;

/// The name of the pair of templates, for messages.
pub(super) fn pair(b: &Builder<'_>, (input, output): (StateId, StateId)) -> String {
    format!("{},{}", b.scene.initial(input).template(), b.scene.initial(output).template())
}
