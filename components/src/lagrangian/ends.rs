//! The states that a constraint joins.

use sim_core::prelude::*;

/// The states that `object1` and `object2` name; that of the node for one that is not given.
///
/// # Errors
/// A link to no state, or two states of different templates.
pub(super) fn ends(
    b: &Builder<'_>,
    object1: Option<LinkTarget>,
    object2: Option<LinkTarget>,
) -> Result<[StateId; 2], BuildError> {
    let end = |link: Option<LinkTarget>, name: &str| match link {
        Some(target) => b.state_at(target, name),
        None => b.state(),
    };
    let ends = [end(object1, "object1")?, end(object2, "object2")?];
    let [first, second] = ends.map(|s| b.scene.initial(s).template());
    if first != second {
        let text = format!("a constraint joins states of the same template; these are {first} and {second}");
        return Err(BuildError::attribute("object2", text));
    }
    Ok(ends)
}
