//! The files of a run: opened before the first frame, so that a path that cannot be written is known at once.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::exports::Exports;
use crate::execution::Stepped;
use crate::program::arguments::OutputArguments;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::command::trace_file::TraceFile;
use crate::program::failure::Failure;

/// The files of a run.
pub struct Files<E> {
    exports: E,
    trace: Option<TraceFile>,
    report: Option<(PathBuf, Sink)>,
}

impl<E> Files<E> {
    /// Opens what is asked for beside the exports.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn open(arguments: &OutputArguments, exports: E, simulation: &dyn Stepped) -> Result<Self, Failure> {
        let trace = match &arguments.trace {
            Some(path) => Some(TraceFile::begin(path, arguments.report_from, simulation)?),
            None => None,
        };
        let report = match &arguments.report {
            Some(path) => Some((path.clone(), create(path)?)),
            None => None,
        };
        Ok(Self { exports, trace, report })
    }

    /// Whether there will be a report.
    pub fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Before a frame: begins to trace, if the time has come.
    pub fn before_frame(&mut self, simulation: &mut dyn Stepped) {
        if let Some(trace) = &mut self.trace {
            trace.before_step(simulation);
        }
    }

    /// After a frame: writes what is asked for.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn after_frame<S: Stepped>(&mut self, simulation: &mut S) -> Result<(), Failure>
    where
        E: Exports<S>,
    {
        self.exports.write(simulation)?;
        match &mut self.trace {
            Some(trace) => trace.after_step(simulation),
            None => Ok(()),
        }
    }

    /// Writes what is left, and says which files there are.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn finish<S>(self, report: &impl Serialize) -> Result<String, Failure>
    where
        E: Exports<S>,
    {
        let mut written = self.exports.finish()?;
        if let Some(trace) = self.trace {
            written.push(trace.finish()?);
        }
        if let Some((path, mut sink)) = self.report {
            serde_json::to_writer_pretty(&mut sink, report).map_err(|e| broken(&path)(e.into()))?;
            sink.write_all(b"\n").and_then(|()| sink.flush()).map_err(broken(&path))?;
            written.push(path);
        }
        let names: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        Ok(names.join(", "))
    }
}
