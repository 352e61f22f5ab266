//! The mouse's hand in a running simulation: a spring that comes, moves and goes between steps.

use components::force_field::mouse_spring_force_field::MouseSpring;
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, StateId};
use viewer::pick::Grip;

use crate::simulation::{ChangeError, Simulation};

/// Damping over stiffness of the spring [s]: what hangs on the mouse comes to rest within some pictures.
const RELAXATION: f64 = 0.03;

/// What is held.
#[derive(Debug, Default)]
pub(super) struct Hand {
    spring: Option<ComponentId>,
}

impl Hand {
    /// Takes hold of a place, and lets go of what was held; `order` are the states as they are published.
    ///
    /// # Errors
    /// The place cannot be pulled: nothing moves it.
    pub(super) fn grasp(
        &mut self,
        simulation: &mut Simulation,
        order: &[StateId],
        grip: &Grip,
        stiffness: f64,
    ) -> Result<(), ChangeError> {
        self.let_go(simulation)?;
        let spring = MouseSpring {
            index: grip.index,
            local: grip.local,
            target: grip.at,
            stiffness,
            damping: RELAXATION * stiffness,
        };
        // A place among the states that is none is refused as a state that does not exist.
        let state = order.get(grip.state).copied().unwrap_or(StateId(u32::MAX));
        self.spring = Some(simulation.attach_body(state, spring)?);
        Ok(())
    }

    /// Moves the other end of the spring [m].
    pub(super) fn pull(&self, simulation: &mut Simulation, to: Vec3) {
        if let Some(spring) = self.spring.and_then(|c| simulation.mouse_spring_mut(c))
            && to.iter().all(|c| c.is_finite())
        {
            *spring.target = to;
        }
    }

    /// Gives the spring another stiffness [N/m], if something is held.
    pub(super) fn stiffen(&self, simulation: &mut Simulation, stiffness: f64) {
        if let Some(spring) = self.spring.and_then(|c| simulation.mouse_spring_mut(c))
            && stiffness.is_finite()
            && stiffness >= 0.0
        {
            (*spring.stiffness, *spring.damping) = (stiffness, RELAXATION * stiffness);
        }
    }

    /// Takes the spring away.
    ///
    /// # Errors
    /// The plan cannot be changed.
    pub(super) fn let_go(&mut self, simulation: &mut Simulation) -> Result<(), ChangeError> {
        self.spring.take().map_or(Ok(()), |c| simulation.remove_force_field(c))
    }
}
