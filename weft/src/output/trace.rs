//! Traces in Chrome's trace event format, which Perfetto opens: one row per worker.

use std::io::{self, Write};

use serde::Serialize;

use crate::simulation::TraceEvent;

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    pid: u32,
    tid: usize,
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cname: Option<&'a str>,
    args: Details<'a>,
}

#[derive(Serialize, Default)]
struct Details<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    component: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
}

/// Colors that Chrome's viewer knows by name; Perfetto chooses its own by the name of the event.
const COLORS: &[&str] = &[
    "thread_state_running",
    "rail_response",
    "rail_animation",
    "rail_load",
    "good",
    "olive",
    "thread_state_iowait",
    "cq_build_running",
    "vsync_highlight_color",
    "generic_work",
    "startup",
    "yellow",
];

/// Writes a trace, event by event.
pub struct ChromeTrace<W: Write> {
    out: W,
    n_events: u64,
}

impl<W: Write> ChromeTrace<W> {
    /// Begins a trace with the names of the rows.
    ///
    /// # Errors
    /// What the writer says.
    pub fn begin(mut out: W, n_workers: usize) -> io::Result<Self> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        let mut trace = Self { out, n_events: 0 };
        for worker in 0..n_workers {
            let name = format!("worker {worker}");
            trace.write(&Event {
                name: "thread_name",
                cat: "__metadata",
                ph: "M",
                pid: 1,
                tid: worker,
                ts: 0.0,
                dur: None,
                cname: None,
                args: Details { name: &name, ..Details::default() },
            })?;
        }
        trace.out.flush()?;
        Ok(trace)
    }

    /// Adds what a worker did.
    ///
    /// # Errors
    /// What the writer says.
    pub fn event(&mut self, event: &TraceEvent) -> io::Result<()> {
        let color = event.component.and_then(|c| COLORS.get(c as usize % COLORS.len())).copied();
        self.write(&Event {
            name: &event.name,
            cat: if event.component.is_some() { "component" } else { "control" },
            ph: "X",
            pid: 1,
            tid: event.worker,
            ts: event.begin_ns as f64 * 1e-3,
            dur: Some(event.duration_ns as f64 * 1e-3),
            cname: color,
            args: Details { component: &event.path, step: Some(event.step), ..Details::default() },
        })
    }

    /// Number of events so far.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// What the writer says.
    pub fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        if self.n_events > 0 {
            self.out.write_all(b",\n")?;
        }
        self.n_events += 1;
        serde_json::to_writer(&mut self.out, event)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_json_with_a_row_per_worker() {
        let mut out = Vec::new();
        let mut trace = ChromeTrace::begin(&mut out, 2).expect("a Vec takes everything");
        let event = TraceEvent {
            worker: 1,
            name: "add_force".into(),
            component: Some(3),
            path: "/A/FEM".into(),
            step: 7,
            begin_ns: 1500,
            duration_ns: 250,
        };
        trace.event(&event).expect("a Vec takes everything");
        trace.end().expect("a Vec takes everything");
        let json: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let events = json["traceEvents"].as_array().expect("events");
        assert_eq!(events.len(), 3);
        assert_eq!(events[1]["args"]["name"], "worker 1");
        assert_eq!(events[2]["tid"], 1);
        assert_eq!(events[2]["ts"], 1.5);
        assert_eq!(events[2]["dur"], 0.25);
        assert_eq!(events[2]["args"]["component"], "/A/FEM");
    }
}
