//! Energy of the present state, for who asks between steps.

pub use sim_core::visitor::energy::{Energy, EnergyMeter};

use super::Simulation;

impl Simulation {
    /// The energy of what solvers move, measured by `meter`, which keeps its memory and knows what has none. Contacts define no
    /// energy. No bit of the state depends on it.
    pub fn energy(&self, meter: &mut EnergyMeter) -> Energy {
        meter.measure(&self.world)
    }
}
