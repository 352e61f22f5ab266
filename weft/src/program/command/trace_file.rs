//! The trace of a run: a file that is there from the first step on, and filled while steps are observed.

use std::io;
use std::path::{Path, PathBuf};

use crate::execution::Stepped;
use crate::output::trace::{ChromeTrace, TraceEvent, Turn};
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
    /// Whether each object slept after the last traced step; empty where none did.
    asleep: Vec<bool>,
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
        Ok(Self {
            path: path.to_path_buf(),
            sink,
            from,
            running: false,
            names: of.names(),
            full_at: None,
            asleep: Vec::new(),
        })
    }

    /// Before a step: begins to observe, if the time has come.
    pub fn before_step(&mut self, of: &mut dyn Stepped) {
        if !self.running && self.full_at.is_none() && of.steps_done() >= self.from {
            of.observe(true);
            of.sleepers(&mut self.asleep);
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
        self.note_sleepers(of, record.step, record.start_ns).map_err(broken(&self.path))?;
        if self.sink.n_events() > MOST_EVENTS {
            self.running = false;
            self.full_at = Some(of.steps_done());
            of.observe(false);
        }
        Ok(())
    }

    /// Marks who fell asleep in a step that began at this time, and who woke, and how many sleep.
    fn note_sleepers(&mut self, of: &dyn Stepped, step: u64, at_ns: u64) -> io::Result<()> {
        let mut now = Vec::new();
        of.sleepers(&mut now);
        let sleeps = |all: &[bool], k: usize| all.get(k).copied().unwrap_or(false);
        let mut changed = false;
        for k in 0..now.len().max(self.asleep.len()) {
            let name = match (sleeps(&self.asleep, k), sleeps(&now, k)) {
                (false, true) => "falls asleep",
                (true, false) => "wakes",
                _ => continue,
            };
            changed = true;
            self.sink.turn(&Turn { name, object: self.names.object(k as u32), step, at_ns })?;
        }
        if changed {
            self.sink.count("asleep", now.iter().filter(|sleeps| **sleeps).count(), at_ns)?;
        }
        self.asleep = now;
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
