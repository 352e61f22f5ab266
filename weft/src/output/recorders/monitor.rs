//! Tables of some points: what `Monitor` writes.

use std::io::{self, Write};
use std::path::PathBuf;

use scenes::mesh::General;
use scenes::playback::{Monitor, StateVector, TextSink};
use sim_core::scene::ComponentId;

use super::states::vector;
use super::{Place, RecordError};
use crate::simulation::Simulation;

/// Significant digits of the tables.
const DIGITS: usize = 6;

/// The tables of one component.
pub(super) struct MonitorRecorder {
    component: ComponentId,
    monitor: Monitor,
    tables: Vec<(StateVector, PathBuf, TextSink)>,
}

impl MonitorRecorder {
    pub(super) fn open(
        simulation: &Simulation,
        component: ComponentId,
        monitor: &Monitor,
        name: &str,
        place: &mut Place,
    ) -> Result<Self, RecordError> {
        let mut tables = Vec::new();
        for (what, file, title) in files(monitor, name) {
            let path = place.path(&file);
            let wrong = |e: io::Error| RecordError::new(simulation, component, &path, e);
            let mut sink = TextSink::new(
                &path,
                place.create(&path, &simulation.world().scene.path(component)).map_err(wrong)?,
            );
            let head = head(&mut sink, title, &monitor.indices);
            head.map_err(|e| RecordError::new(simulation, component, &path, e))?;
            tables.push((what, path, sink));
        }
        Ok(Self { component, monitor: monitor.clone(), tables })
    }

    /// Writes a row into each table.
    pub(super) fn after_step(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        let n = simulation.world().vectors[self.monitor.state.0 as usize].len();
        for (what, path, sink) in &mut self.tables {
            let values = vector(simulation, self.monitor.state, *what);
            let width = values.len().checked_div(n).unwrap_or(0);
            let row = row(sink, simulation.time(), &self.monitor.indices, &values, width);
            row.map_err(|e| RecordError::new(simulation, self.component, path, e))?;
        }
        Ok(())
    }

    pub(super) fn finish(self, simulation: &Simulation) -> Result<(), RecordError> {
        for (_, path, sink) in self.tables {
            sink.finish().map_err(|e| RecordError::new(simulation, self.component, &path, e))?;
        }
        Ok(())
    }
}

/// The files of a component whose files' names begin so: what stands in them, in words too.
pub(super) fn files(monitor: &Monitor, name: &str) -> Vec<(StateVector, String, &'static str)> {
    let wanted = [
        (monitor.positions, StateVector::Position, "_x.txt", "positions"),
        (monitor.velocities, StateVector::Velocity, "_v.txt", "velocities"),
        (monitor.forces, StateVector::Force, "_f.txt", "forces"),
    ];
    let file = |(_, what, ending, title)| (what, format!("{name}{ending}"), title);
    wanted.into_iter().filter(|w| w.0).map(file).collect()
}

fn head(out: &mut impl Write, name: &str, indices: &[u32]) -> io::Result<()> {
    writeln!(out, "# Gnuplot File : {name} of {} particle(s) Monitored", indices.len())?;
    write!(out, "# 1st Column : time, others : particle(s) number ")?;
    indices.iter().try_for_each(|i| write!(out, "{i} "))?;
    writeln!(out)
}

fn row(out: &mut impl Write, time: f64, indices: &[u32], values: &[f64], width: usize) -> io::Result<()> {
    write!(out, "{}\t", General(time, DIGITS))?;
    for i in indices {
        // A point that a change of topology has taken away leaves its columns empty.
        let numbers = values.get(*i as usize * width..(*i as usize + 1) * width).unwrap_or_default();
        for (k, x) in numbers.iter().enumerate() {
            write!(out, "{}{}", if k > 0 { " " } else { "" }, General(*x, DIGITS))?;
        }
        write!(out, "\t")?;
    }
    writeln!(out)
}
