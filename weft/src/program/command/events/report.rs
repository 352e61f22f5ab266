//! What is measured of the frames of an event graph.

use serde::Serialize;

use crate::events::{EventSimulation, FrameReport};
use crate::output::report::Choices;
use crate::output::statistics::Spread;

const MS: f64 = 1e-6;

/// The report: what was run, and how it went, as one JSON object.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// The graph as it was called.
    pub scene: String,
    /// Frames that were played.
    pub steps: u64,
    /// Statistics are of the frames from this one on.
    pub report_from: u64,
    /// Time from frame to frame \[s\].
    pub dt: f64,
    /// Number of workers.
    pub workers: usize,
    /// How the graph was run.
    #[serde(flatten)]
    pub choices: Choices,
    /// Nodes.
    pub nodes: usize,
    /// Routes.
    pub routes: usize,
    /// Tasks.
    pub tasks: usize,
    /// Levels: how many nodes depend on each other in a row at most.
    pub levels: u32,
    /// How often tasks were made, the first time included.
    pub rebuilds: u64,
    /// Deliveries of events along routes in the last frame.
    pub events: u64,
    /// Milliseconds of a frame.
    pub step_ms: Spread,
    /// Of these, in tasks.
    pub run_ms: Spread,
    /// Recording, placing and loading tasks, all frames together \[ms\].
    pub plan_ms: f64,
    /// The whole run \[s\].
    pub seconds: f64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// Why it ended early, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Hash of the values of all fields at the end, where somebody asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_hash: Option<String>,
    /// The same on one worker, if it ran beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compared>,
}

/// Beside the same on one worker.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Compared {
    /// How many times as long a frame takes on one worker.
    pub speedup: f64,
    /// Milliseconds of a frame on one worker.
    pub one_worker_step_ms: Spread,
    /// Whether all fields have the same values.
    pub same_state: bool,
}

impl Compared {
    /// Of frames on one worker, beside those of all; `same_state` says whether both ended with the same values.
    pub fn of(step_ms: &Spread, one_worker: &[FrameReport], same_state: bool) -> Self {
        let one_worker_step_ms = self::step_ms(one_worker);
        Self { speedup: one_worker_step_ms.median / step_ms.median, one_worker_step_ms, same_state }
    }

    /// What a person reads of it.
    pub fn text(&self) -> String {
        let same = if self.same_state { "the same bits" } else { "OTHER BITS" };
        let one = self.one_worker_step_ms.median;
        format!("{:.2} against one worker ({one:.3} ms a frame); {same}", self.speedup)
    }
}

/// Milliseconds of frames.
pub fn step_ms(frames: &[FrameReport]) -> Spread {
    Spread::of(frames.iter().map(|f| f.total_ns as f64 * MS))
}

impl EventReport {
    /// Of the frames that were played.
    pub fn new(
        scene: &str,
        simulation: &EventSimulation,
        frames: &[FrameReport],
        report_from: u64,
        choices: Choices,
    ) -> Self {
        let chosen = &frames[frames.len().min(report_from as usize)..];
        let graph = simulation.graph();
        Self {
            scene: scene.to_owned(),
            steps: simulation.frames(),
            report_from,
            dt: simulation.dt(),
            workers: simulation.n_workers(),
            choices,
            nodes: graph.scene().nodes.len(),
            routes: graph.routes().count(),
            tasks: graph.n_tasks(),
            levels: graph.n_levels(),
            rebuilds: graph.rebuilds(),
            events: simulation.n_deliveries(),
            step_ms: step_ms(chosen),
            run_ms: Spread::of(chosen.iter().map(|f| f.run_ns as f64 * MS)),
            plan_ms: frames.iter().map(|f| f.plan_ns as f64 * MS).sum(),
            seconds: 0.0,
            interrupted: false,
            failure: None,
            state_hash: None,
            compare: None,
        }
    }

    /// What a person reads after a run.
    pub fn text(&self) -> String {
        let mut lines = vec![
            (
                "graph",
                format!(
                    "{} nodes, {} routes; {} tasks on {} levels",
                    self.nodes, self.routes, self.tasks, self.levels
                ),
            ),
            ("events", format!("{} in the last frame", self.events)),
        ];
        let s = &self.step_ms;
        let from = if self.report_from == 0 {
            String::new()
        } else {
            format!(", from frame {} on", self.report_from)
        };
        let text =
            format!("median {:.3}, p95 {:.3}, min {:.3}, max {:.3}{from}", s.median, s.p95, s.min, s.max);
        lines.push(("ms per frame", text));
        lines.push(("  in tasks", format!("median {:.3}", self.run_ms.median)));
        lines.push(("plan", format!("built {} times, {:.3} ms in all", self.rebuilds, self.plan_ms)));
        if let Some(c) = &self.compare {
            lines.push(("speedup", c.text()));
        }
        let lines: Vec<String> = lines.iter().map(|(label, what)| format!("{label:14} {what}")).collect();
        lines.join("\n")
    }
}
