//! Numbers that may be changed while a simulation runs, and that no plan depends on.

use sim_core::math::Vec3;
use sim_core::visitor::world::World;

use super::{Simulation, SimulationError};

impl Simulation {
    /// Present gravity [m/s^2].
    pub fn gravity(&self) -> Vec3 {
        let World { store, parameters, .. } = &self.world;
        Vec3::from(parameters.gravity.map(|g| store.parameter_value(g)))
    }

    /// Changes gravity from the next step on.
    ///
    /// # Errors
    /// One that is not finite.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), SimulationError> {
        if !gravity.iter().all(|g| g.is_finite()) {
            let [x, y, z] = gravity.into();
            return Err(SimulationError::Option(format!("gravity is {x} {y} {z}; it must be finite")));
        }
        let World { store, parameters, .. } = &mut self.world;
        let before = Vec3::from(parameters.gravity.map(|g| store.parameter_value(g)));
        parameters.gravity.iter().zip(gravity.iter()).for_each(|(p, g)| store.set_parameter(*p, *g));
        if before != gravity {
            self.stir_all();
        }
        Ok(())
    }
}
