//! What constraint corrections make of an integrator's matrix, within its recording.

use super::mechanical::MechanicalVisitor;
use super::visit::{At, tag_of};
use crate::component::constraint_solver::IntegratorSystem;
use crate::math::Mat3;
use crate::scene::{Scene, StateId};
use engine::data::{Data, ObjectId};

impl MechanicalVisitor<'_, '_, '_> {
    /// Lets the corrections of the group's objects record what they need of the integrator's system.
    pub fn prepare_corrections(&mut self, system: IntegratorSystem<'_>) {
        let Some(scene) = self.scene else { return };
        for correction in scene.present(&scene.solvers.corrections).filter(|c| c.node.prepares()) {
            let Some(state) = scene.state_in(correction.at) else { continue };
            let object = self.visit.object(state);
            if self.group.objects.contains(&object) {
                let at = At { tag: tag_of(correction.component), state, object };
                correction.node.record_preparation(self, at, system);
            }
        }
    }

    /// Whether a correction of one of the group's objects corrects all that the group moves.
    pub fn is_corrected_as_whole(&self) -> bool {
        let Some(scene) = self.scene else { return false };
        let mut corrections =
            scene.present(&scene.solvers.corrections).filter(|c| c.node.is_of_whole_system());
        corrections.any(|c| {
            let state = scene.state_in(c.at);
            state.is_some_and(|state| self.group.objects.contains(&self.visit.object(state)))
        })
    }

    /// Records how the points of a state have turned since their rest, by the first force field on it that knows
    /// ([`crate::component::force_field::ForceField::HAS_ROTATIONS`]): a matrix for each point. None where none does.
    pub fn record_rotations(&mut self, state: StateId) -> Option<Data<Mat3>> {
        let field = self.parts.force_fields.iter().find(|f| f.state == state && f.node.has_rotations())?;
        let at = At { tag: tag_of(field.component), state, object: self.visit.object(state) };
        self.visit.rec.sweep("rotations");
        Some(field.node.record_rotations(&mut self.visit, at))
    }
}

/// Whether a correction of one of these objects makes something of the integrator's matrix.
pub(crate) fn are_prepared(
    scene: &Scene,
    object_of: impl Fn(StateId) -> ObjectId,
    of: impl Fn(ObjectId) -> bool,
) -> bool {
    let mut corrections = scene.present(&scene.solvers.corrections).filter(|c| c.node.prepares());
    corrections.any(|c| scene.state_in(c.at).is_some_and(|state| of(object_of(state))))
}
