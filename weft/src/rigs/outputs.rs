//! The outputs of a rig by number.

use animation::rig::{OutputId, Rig};

/// All outputs of a rig.
pub(super) fn all_outputs(rig: &Rig) -> Vec<OutputId> {
    (0..rig.outputs().count() as u32).map(OutputId).collect()
}
