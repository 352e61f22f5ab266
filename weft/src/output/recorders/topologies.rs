//! Elements as text: what `WriteTopology` writes.

use std::io::{self, Write};
use std::path::PathBuf;

use scenes::playback::{TextSink, TopologyWriter, write_elements};
use sim_core::scene::ComponentId;

use super::{Place, RecordError};
use crate::simulation::Simulation;

/// A file of elements on its way.
pub(super) struct TopologyRecorder {
    component: ComponentId,
    writer: TopologyWriter,
    path: PathBuf,
    sink: TextSink,
    /// The next of the first times.
    next: usize,
    /// When a frame was due last [s].
    last: f64,
}

impl TopologyRecorder {
    pub(super) fn open(
        simulation: &Simulation,
        component: ComponentId,
        writer: &TopologyWriter,
        place: &mut Place,
    ) -> Result<Self, RecordError> {
        let path = place.path(&writer.filename);
        let wrong = |e: io::Error| RecordError::new(simulation, component, &path, e);
        let file = place.create(&path, &simulation.world().scene.path(component)).map_err(wrong)?;
        let sink = TextSink::new(&path, file);
        Ok(Self { component, writer: writer.clone(), path, sink, next: 0, last: 0.0 })
    }

    /// Writes a frame, if one is due.
    pub(super) fn before_step(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        let (scene, time) = (&simulation.world().scene, simulation.time());
        if !scene.has_component(self.component) || !self.is_due(time, simulation.dt()) {
            return Ok(());
        }
        let is_there = self.writer.elements && scene.has_component(self.writer.topology);
        let topology = scene.topology(self.writer.topology).filter(|_| is_there);
        let written = write_elements(&mut self.sink, time, topology).and_then(|()| self.sink.flush());
        written.map_err(|e| RecordError::new(simulation, self.component, &self.path, e))
    }

    /// Whether a frame is due, which then counts as written; a thousandth of a time step early, since times are sums.
    fn is_due(&mut self, time: f64, dt: f64) -> bool {
        let is_reached = |due: f64| time >= due - 1e-3 * dt;
        if let Some(due) = self.writer.times.get(self.next) {
            self.last = *due;
            let reached = is_reached(*due);
            self.next += usize::from(reached);
            return reached;
        }
        let reached = is_reached(self.last + self.writer.period);
        if reached {
            self.last += self.writer.period;
        }
        reached
    }

    pub(super) fn finish(self, simulation: &Simulation) -> Result<(), RecordError> {
        let Self { component, path, sink, .. } = self;
        sink.finish().map_err(|e| RecordError::new(simulation, component, &path, e))
    }
}
