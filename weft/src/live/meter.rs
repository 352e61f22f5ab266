//! The energy of a running simulation, as often as it costs little.

use std::time::Instant;

use crate::simulation::{Energy, EnergyMeter, Simulation};

/// Steps go on for so many times as long as a measurement took, before the next one: it costs a twentieth of the time.
const REST: u32 = 19;

/// Measures while somebody looks.
pub(super) struct Meter {
    meter: EnergyMeter,
    /// When the next measurement is due; none while nobody looks.
    due: Option<Instant>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self { meter: EnergyMeter::default(), due: None }
    }

    /// Begins to measure, or ends.
    pub(super) fn switch(&mut self, on: bool) {
        self.due = on.then(Instant::now);
    }

    /// The energy now, if it is time for it; `goes_on` where steps follow that will be measured too.
    pub(super) fn measure(&mut self, simulation: &Simulation, goes_on: bool) -> Option<Energy> {
        let begin = Instant::now();
        if goes_on && begin < self.due? {
            return None;
        }
        self.due?;
        let energy = simulation.energy(&mut self.meter);
        self.due = Some(Instant::now() + REST * begin.elapsed());
        Some(energy)
    }

    /// Writes over `out` what the energies leave out.
    pub(super) fn without(&self, contacts: usize, out: &mut Vec<&'static str>) {
        out.clear();
        if self.due.is_some() {
            out.extend_from_slice(self.meter.without());
            out.extend((contacts > 0).then_some("contacts"));
        }
    }
}
