//! Traces in Chrome's trace event format, which Perfetto opens: one row per worker.

use std::io::{self, Write};

use serde::Serialize;

/// What a worker did from one time to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceEvent<'a> {
    /// The worker, from 0.
    pub worker: usize,
    /// Name of the task, or of what else it did.
    pub name: &'a str,
    /// `component`, `control`, `serial`, `wait`, `drawing` or [`BESIDE`].
    pub category: &'static str,
    /// Number of its component, if it has one: decides the color.
    pub component: Option<u32>,
    /// Path of the component; empty where there is none.
    pub path: &'a str,
    /// Paths of the objects.
    pub objects: Vec<&'a str>,
    /// The sweep that it belongs to; of a wait, the one that waits.
    pub stage: &'a str,
    /// Iteration of the loop around it, if there is one.
    pub iteration: Option<u32>,
    /// Of a wait, the worker that is waited for.
    pub awaited_worker: Option<u32>,
    /// Of a wait, the stage that is waited for.
    pub awaited_stage: &'a str,
    /// Whether the length of the step hangs on it.
    pub on_critical_path: bool,
    /// The step it belongs to.
    pub step: u64,
    /// When it began, from any fixed time on [ns].
    pub begin_ns: u64,
    /// How long it took [ns].
    pub duration_ns: u64,
}

/// What happened to an object at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<'a> {
    /// What happened.
    pub name: &'static str,
    /// The path of the object.
    pub object: &'a str,
    /// The step it belongs to.
    pub step: u64,
    /// When, from the time on that events count from [ns].
    pub at_ns: u64,
}

/// The category of work that a thread beside the workers does; its row has a name once there is some.
pub const BESIDE: &str = "beside";

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
    /// Over which rows a mark of a time goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'a str>,
    args: Details<'a>,
}

#[derive(Serialize, Default)]
struct Details<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    component: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    objects: &'a [&'a str],
    #[serde(skip_serializing_if = "str::is_empty")]
    stage: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    awaited_worker: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    awaited_stage: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    on_critical_path: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(value: &bool) -> bool {
    !value
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
    has_row_beside: bool,
}

impl<W: Write> ChromeTrace<W> {
    /// Begins a trace with the names of the rows.
    ///
    /// # Errors
    /// What the writer says.
    pub fn begin(mut out: W, rows: &[String]) -> io::Result<Self> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        let mut trace = Self { out, n_events: 0, has_row_beside: false };
        for (tid, name) in rows.iter().enumerate() {
            trace.name(tid, name)?;
        }
        trace.out.flush()?;
        Ok(trace)
    }

    fn name(&mut self, tid: usize, name: &str) -> io::Result<()> {
        self.write(&Event {
            name: "thread_name",
            cat: "__metadata",
            ph: "M",
            pid: 1,
            tid,
            ts: 0.0,
            dur: None,
            cname: None,
            s: None,
            args: Details { name, ..Details::default() },
        })
    }

    /// Adds what a worker did.
    ///
    /// # Errors
    /// What the writer says.
    pub fn event(&mut self, event: &TraceEvent<'_>) -> io::Result<()> {
        if event.category == BESIDE && !std::mem::replace(&mut self.has_row_beside, true) {
            self.name(event.worker, "beside the steps")?;
        }
        let color = event.component.and_then(|c| COLORS.get(c as usize % COLORS.len())).copied();
        self.write(&Event {
            name: event.name,
            cat: event.category,
            ph: "X",
            pid: 1,
            tid: event.worker,
            ts: event.begin_ns as f64 * 1e-3,
            dur: Some(event.duration_ns as f64 * 1e-3),
            cname: color,
            s: None,
            args: Details {
                component: event.path,
                objects: &event.objects,
                stage: event.stage,
                iteration: event.iteration,
                awaited_worker: event.awaited_worker,
                awaited_stage: event.awaited_stage,
                on_critical_path: event.on_critical_path,
                step: Some(event.step),
                ..Details::default()
            },
        })
    }

    /// Adds a mark over all rows.
    ///
    /// # Errors
    /// What the writer says.
    pub fn turn(&mut self, turn: &Turn<'_>) -> io::Result<()> {
        let details = Details { objects: &[turn.object], step: Some(turn.step), ..Details::default() };
        self.write(&Event {
            name: turn.name,
            cat: "object",
            ph: "i",
            pid: 1,
            tid: 0,
            ts: turn.at_ns as f64 * 1e-3,
            dur: None,
            cname: None,
            s: Some("p"),
            args: details,
        })
    }

    /// Goes on with a curve: its value from this time on.
    ///
    /// # Errors
    /// What the writer says.
    pub fn count(&mut self, name: &str, count: usize, at_ns: u64) -> io::Result<()> {
        self.write(&Event {
            name,
            cat: "object",
            ph: "C",
            pid: 1,
            tid: 0,
            ts: at_ns as f64 * 1e-3,
            dur: None,
            cname: None,
            s: None,
            args: Details { count: Some(count), ..Details::default() },
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
        let mut trace = ChromeTrace::begin(&mut out, &["worker 0".to_owned(), "worker 1".to_owned()])
            .expect("a Vec takes everything");
        let event = TraceEvent {
            worker: 1,
            name: "add_force",
            category: "component",
            component: Some(3),
            path: "/A/FEM",
            objects: vec!["/A"],
            stage: "compute_force",
            step: 7,
            begin_ns: 1500,
            duration_ns: 250,
            ..TraceEvent::default()
        };
        trace.event(&event).expect("a Vec takes everything");
        let beside =
            TraceEvent { worker: 3, name: "factorization", category: BESIDE, ..TraceEvent::default() };
        trace.event(&beside).expect("a Vec takes everything");
        trace.event(&beside).expect("a Vec takes everything");
        trace.end().expect("a Vec takes everything");
        let json: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let events = json["traceEvents"].as_array().expect("events");
        assert_eq!(events.len(), 6);
        assert_eq!((&events[3]["args"]["name"], &events[3]["tid"]), (&"beside the steps".into(), &3.into()));
        assert!(events[4]["ph"] == "X" && events[5]["ph"] == "X", "the row is named once");
        assert_eq!(events[1]["args"]["name"], "worker 1");
        assert_eq!(events[2]["tid"], 1);
        assert_eq!(events[2]["ts"], 1.5);
        assert_eq!(events[2]["dur"], 0.25);
        assert_eq!(events[2]["args"]["component"], "/A/FEM");
        assert_eq!(events[2]["args"]["objects"][0], "/A");
        assert!(events[2]["args"]["awaited_worker"].is_null());
    }
}
