//! The files of a run: opened before the scene is loaded, so that a path that cannot be written is known at once; emptied when the scene
//! runs, so that one that does not leaves the results of the last one; filled as the steps go by, so that a run that ends early or fails
//! leaves what there was.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::live;
use crate::output::obj::Surfaces;
use crate::output::recorders::{Place, RecordError, Recorders, StateDifference};
use crate::output::report::Report;
use crate::output::state_lines::write_states;
use crate::simulation::Simulation;

use super::sink::{Sink, broken, create};
use super::trace_file::TraceFile;
use crate::program::arguments::{ExportSteps, OutputArguments};
use crate::program::failure::Failure;

/// The files of a run.
pub struct Outputs {
    states: Option<(PathBuf, Sink, ExportSteps)>,
    meshes: Option<(PathBuf, Surfaces, u64)>,
    report: Option<(PathBuf, Sink)>,
    trace: Option<TraceFile>,
    /// What the scene itself writes.
    recorders: Recorders,
    written: Vec<PathBuf>,
}

/// A file of the scene that cannot be written.
fn not_recorded(error: RecordError) -> Failure {
    Failure::Input(error.to_string())
}

impl Outputs {
    /// Opens what is asked for.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn open(arguments: &OutputArguments) -> Result<Self, Failure> {
        let states = match &arguments.export_state {
            Some(path) => {
                let steps = arguments.export_steps.clone().unwrap_or(ExportSteps::Every(1));
                Some((path.clone(), create(path)?, steps))
            }
            None => None,
        };
        if let Some(directory) = &arguments.export_mesh {
            std::fs::create_dir_all(directory).map_err(|e| Failure::output(directory, e))?;
        }
        let report = match &arguments.report {
            Some(path) => Some((path.clone(), create(path)?)),
            None => None,
        };
        if let Some(path) = &arguments.trace {
            drop(create(path)?);
        }
        let recorders = Recorders::default();
        Ok(Self { states, meshes: None, report, trace: None, recorders, written: Vec::new() })
    }

    /// Empties the files, and writes the initial state, where it is asked for.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn begin(&mut self, simulation: &mut Simulation, arguments: &OutputArguments) -> Result<(), Failure> {
        let states = self.states.as_mut().map(|(path, sink, _)| (path, sink));
        let report = self.report.as_mut().map(|(path, sink)| (path, sink));
        for (path, sink) in states.into_iter().chain(report) {
            sink.flush().map_err(broken(path))?;
        }
        if let Some(directory) = &arguments.export_mesh {
            let surfaces = Surfaces::new(simulation);
            if surfaces.is_empty() {
                log::warn!("--export-mesh: nothing is seen in this scene");
            }
            self.meshes = Some((directory.clone(), surfaces, arguments.every));
        }
        let mut place = Place::new(arguments.files.clone().unwrap_or_default(), arguments.overwrite);
        let own = [
            ("--export-state", &arguments.export_state),
            ("--report", &arguments.report),
            ("--trace", &arguments.trace),
        ];
        for (option, path) in own {
            path.iter().for_each(|path| place.reserve(path, option));
        }
        self.recorders = if arguments.no_files {
            Recorders::comparing(simulation)
        } else {
            Recorders::begin(simulation, place).map_err(not_recorded)?
        };
        if let Some(path) = &arguments.trace {
            self.trace = Some(TraceFile::begin(path, arguments.report_from, simulation)?);
        }
        self.export(simulation)
    }

    /// Before a step: writes what the scene writes then, and begins to trace, if the time has come.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn before_step(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.recorders.before_step(simulation).map_err(not_recorded)?;
        if let Some(trace) = &mut self.trace {
            trace.before_step(simulation);
        }
        Ok(())
    }

    /// After a step: writes what is asked for, and what the scene writes.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn after_step(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.recorders.after_step(simulation).map_err(not_recorded)?;
        if let Some(trace) = &mut self.trace {
            trace.after_step(simulation)?;
        }
        self.export(simulation)
    }

    /// Writes the present state, where it is asked for.
    fn export(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let step = simulation.step_index();
        let wanted = self.states.as_ref().is_some_and(|(_, _, steps)| steps.contains(step));
        let seen = self
            .meshes
            .as_ref()
            .is_some_and(|(_, surfaces, every)| step.is_multiple_of(*every) && !surfaces.is_empty());
        if !wanted && !seen {
            return Ok(());
        }
        if wanted && let Some((path, sink, _)) = &mut self.states {
            write_states(sink, step, simulation.time(), &simulation.states()).map_err(broken(path))?;
        }
        if seen && let Some((directory, surfaces, _)) = &mut self.meshes {
            surfaces.follow(simulation);
            let path = directory.join(format!("step_{step:06}.obj"));
            let mut sink = create(&path)?;
            let mut positions = Vec::new();
            live::positions(simulation, &mut positions);
            surfaces.write(&mut sink, &positions).and_then(|()| sink.flush()).map_err(broken(&path))?;
        }
        Ok(())
    }

    /// How far states were from what files say.
    pub fn compared_states(&self) -> Vec<StateDifference> {
        self.recorders.differences()
    }

    /// Ends all files but the report.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn finish(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        self.written.extend(self.recorders.finish(simulation).map_err(not_recorded)?);
        if let Some((path, mut sink, _)) = self.states.take() {
            sink.flush().map_err(broken(&path))?;
            self.written.push(path);
        }
        if let Some((directory, ..)) = self.meshes.take() {
            self.written.push(directory);
        }
        if let Some(trace) = self.trace.take() {
            self.written.push(trace.finish()?);
        }
        Ok(())
    }

    /// Writes the report.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn write_report(&mut self, report: &Report) -> Result<(), Failure> {
        if let Some((path, mut sink)) = self.report.take() {
            serde_json::to_writer_pretty(&mut sink, report).map_err(|e| broken(&path)(e.into()))?;
            sink.write_all(b"\n").and_then(|()| sink.flush()).map_err(broken(&path))?;
            self.written.push(path);
        }
        Ok(())
    }

    /// The files that are complete: all of them, or how many there are in which folders.
    pub fn written(&self) -> String {
        listed(&self.written)
    }
}

/// Names that are listed one by one.
const MOST_NAMES: usize = 12;

fn listed(files: &[PathBuf]) -> String {
    if files.len() <= MOST_NAMES {
        let names: Vec<String> = files.iter().map(|p| p.display().to_string()).collect();
        return names.join(", ");
    }
    let mut folders: BTreeMap<&Path, usize> = BTreeMap::new();
    for file in files {
        let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        *folders.entry(folder).or_default() += 1;
    }
    let parts: Vec<String> =
        folders.iter().map(|(folder, n)| format!("{n} files in {}", folder.display())).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_are_counted_by_folder() {
        let file = |k: usize| PathBuf::from(if k == 0 { "a.txt".to_owned() } else { format!("m/{k}.vtu") });
        assert_eq!(listed(&(0..2).map(file).collect::<Vec<_>>()), "a.txt, m/1.vtu");
        assert_eq!(listed(&(0..200).map(file).collect::<Vec<_>>()), "1 files in ., 199 files in m");
    }
}
