//! The trace of a run: a file that is there from the first step on, and filled while steps are observed.

use std::path::{Path, PathBuf};

use crate::execution::Stepped;
use crate::output::trace::{ChromeTrace, TraceEvent};
use crate::profile;
use crate::program::failure::Failure;
use crate::record::Names;

use super::sink::{Sink, broken, create};

/// Events that a trace holds at most: viewers open no larger files.
const MOST_EVENTS: u64 = 2_000_000;

/// The trace of a run.
pub struct TraceFile {
    path: PathBuf,
    sink: ChromeTrace<Sink>,
    from: u64,
    running: bool,
    names: Names,
    /// First step that was not traced, since the file was full.
    full_at: Option<u64>,
}

impl TraceFile {
    /// Begins a trace of the steps from `from` on.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn begin(path: &Path, from: u64, of: &dyn Stepped) -> Result<Self, Failure> {
        let mut rows = profile::rows(of.workers(), false);
        if of.draws() {
            rows.push("drawing".to_owned());
        }
        let sink = ChromeTrace::begin(create(path)?, &rows).map_err(broken(path))?;
        Ok(Self { path: path.to_path_buf(), sink, from, running: false, names: of.names(), full_at: None })
    }

    /// Before a step: begins to observe, if the time has come.
    pub fn before_step(&mut self, of: &mut dyn Stepped) {
        if !self.running && self.full_at.is_none() && of.steps_done() >= self.from {
            of.observe(true);
            self.running = true;
        }
    }

    /// After a step: writes what was seen of it.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn after_step(&mut self, of: &mut dyn Stepped) -> Result<(), Failure> {
        let Some(record) = self.running.then(|| of.record()).flatten() else { return Ok(()) };
        let waiting = profile::waiting(&record);
        for event in profile::trace_events(&record, &waiting, &[], &self.names) {
            self.sink.event(&event).map_err(broken(&self.path))?;
        }
        if let Some((start_ns, duration_ns)) = of.drawing() {
            let event = TraceEvent {
                worker: of.workers(),
                name: "draw",
                category: "drawing",
                step: record.step,
                begin_ns: record.start_ns + start_ns,
                duration_ns,
                ..TraceEvent::default()
            };
            self.sink.event(&event).map_err(broken(&self.path))?;
        }
        if self.sink.n_events() > MOST_EVENTS {
            self.running = false;
            self.full_at = Some(of.steps_done());
            of.observe(false);
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        if let Some(step) = self.full_at {
            log::warn!(
                "the trace ends at step {step}: it is full, with {MOST_EVENTS} events (--report-from chooses its first step)"
            );
        }
        self.sink.end().map_err(broken(&self.path))?;
        Ok(self.path)
    }
}
