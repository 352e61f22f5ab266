//! States as text: what `WriteState` writes.

use std::io::{self, Write};
use std::path::PathBuf;

use scenes::playback::{StateVector, StateWriter, TextSink, write_frame};
use sim_core::math::{Coord, Deriv};
use sim_core::scene::{ComponentId, StateId};
use sim_core::visitor::energy::EnergyMeter;
use sim_core::visitor::vectors::for_vectors;

use super::{Place, RecordError};
use crate::simulation::Simulation;

/// A file of states on its way.
pub(super) struct StateRecorder {
    component: ComponentId,
    writer: StateWriter,
    path: PathBuf,
    sink: TextSink,
    /// The next of the first times.
    next: usize,
    /// When a frame was due last [s].
    last: f64,
    stopped: bool,
    /// When the kinetic energy is looked at again [s].
    look: f64,
    /// What it was then [J].
    kinetic: f64,
    meter: EnergyMeter,
}

impl StateRecorder {
    pub(super) fn open(
        simulation: &Simulation,
        component: ComponentId,
        writer: &StateWriter,
        place: &mut Place,
    ) -> Result<Self, RecordError> {
        let path = place.path(&writer.filename);
        let wrong = |e: io::Error| RecordError::new(simulation, component, &path, e);
        let mut meter = EnergyMeter::default();
        if let Some(stop) = writer.stop
            && meter.kinetic_at(simulation.world(), stop.node).is_none()
        {
            let message = "`stopAt` looks at the kinetic energy of the mass in this node, and there is none";
            return Err(RecordError::new(simulation, component, &path, message));
        }
        let sink = TextSink::new(
            &path,
            place.create(&path, &simulation.world().scene.path(component)).map_err(wrong)?,
        );
        let look = writer.stop.map_or(0.0, |s| s.within);
        let writer = writer.clone();
        Ok(Self {
            component,
            writer,
            path,
            sink,
            next: 0,
            last: 0.0,
            stopped: false,
            look,
            kinetic: 0.0,
            meter,
        })
    }

    /// Writes a frame, if one is due.
    pub(super) fn before_step(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        let time = simulation.time();
        self.look_at_energy(simulation, time);
        if self.stopped
            || !simulation.world().scene.has_component(self.component)
            || !self.is_due(time, simulation.dt())
        {
            return Ok(());
        }
        let vectors: Vec<(StateVector, Vec<f64>)> =
            self.writer.vectors.iter().map(|v| (*v, vector(simulation, self.writer.state, *v))).collect();
        let rows: Vec<(StateVector, &[f64])> = vectors.iter().map(|(v, rows)| (*v, &rows[..])).collect();
        let written = write_frame(&mut self.sink, time, &rows).and_then(|()| self.sink.flush());
        written.map_err(|e| RecordError::new(simulation, self.component, &self.path, e))
    }

    fn look_at_energy(&mut self, simulation: &Simulation, time: f64) {
        let Some(stop) = self.writer.stop else { return };
        if self.stopped || time <= self.look {
            return;
        }
        let kinetic = self.meter.kinetic_at(simulation.world(), stop.node).unwrap_or_default();
        if (kinetic - self.kinetic).abs() < stop.change {
            self.stopped = true;
            log::info!("{}: ends at {time} s, since the kinetic energy hardly changes", self.path.display());
        } else {
            self.kinetic = kinetic;
            self.look += stop.within;
        }
    }

    /// Whether a frame is due, which then counts as written.
    fn is_due(&mut self, time: f64, dt: f64) -> bool {
        let is_reached = |due: f64| time > due || (time - due).abs() < 0.1 * dt;
        if let Some(due) = self.writer.times.get(self.next) {
            self.last = *due;
            let reached = is_reached(*due);
            self.next += usize::from(reached);
            return reached;
        }
        let Some(period) = self.writer.period.map(|p| p.unwrap_or(dt)) else { return false };
        let reached = is_reached(self.last + period);
        if reached {
            self.last += period;
        }
        reached
    }

    pub(super) fn finish(self, simulation: &Simulation) -> Result<(), RecordError> {
        let Self { component, path, sink, .. } = self;
        sink.finish().map_err(|e| RecordError::new(simulation, component, &path, e))
    }
}

/// A vector of a state, rows flattened.
pub(super) fn vector(simulation: &Simulation, state: StateId, vector: StateVector) -> Vec<f64> {
    let world = simulation.world();
    let mut out = Vec::new();
    let vectors = &world.vectors[state.0 as usize];
    for_vectors!(vectors, _S, v => {
        match vector {
            StateVector::Position => rows(world.store.read(v.position()), &mut out),
            StateVector::RestPosition => rows(world.store.read(v.rest_position()), &mut out),
            StateVector::Velocity => deriv_rows(world.store.read(v.velocity()), &mut out),
            StateVector::Force => match v.force() {
                Some(force) => deriv_rows(world.store.read(force), &mut out),
                None => out.resize(vectors.n_scalars(), 0.0),
            },
        }
    });
    out
}

fn deriv_rows<D: Deriv>(derivs: &[D], out: &mut Vec<f64>) {
    derivs.iter().for_each(|d| d.scalars(out));
}

fn rows<C: Coord>(coords: &[C], out: &mut Vec<f64>) {
    coords.iter().for_each(|x| x.scalars(out));
}
