//! What is measured of the frames of a rig.

use serde::Serialize;

use crate::execution::FrameReport;
use crate::output::report::Choices;
use crate::output::statistics::Spread;
use crate::program::command::events::{Compared, step_ms};
use crate::rigs::RigSimulation;

/// The report: what was run, and how it went, as one JSON object.
#[derive(Clone, Debug, Serialize)]
pub struct RigReport {
    /// The rig as it was called.
    pub scene: String,
    /// Frames that were evaluated.
    pub steps: u64,
    /// Statistics are of the frames from this one on.
    pub report_from: u64,
    /// Time from frame to frame \[s\].
    pub dt: f64,
    /// Number of workers.
    pub workers: usize,
    /// How the rig was run.
    #[serde(flatten)]
    pub choices: Choices,
    /// Nodes.
    pub nodes: usize,
    /// Bindings between nodes.
    pub edges: usize,
    /// Tasks of a full evaluation.
    pub tasks: usize,
    /// Levels of tasks.
    pub levels: u32,
    /// Nodes that ran, as a mean over all frames.
    pub nodes_per_frame: f64,
    /// How often something was recorded, the first time included.
    pub recordings: u64,
    /// Milliseconds of a frame.
    pub step_ms: Spread,
    /// The whole run \[s\].
    pub seconds: f64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// Why it ended early, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Hash of the bits of all outputs at the end.
    pub state_hash: String,
    /// The same on one worker, if it ran beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compared>,
}

impl RigReport {
    /// Of the frames that were evaluated.
    pub fn new(
        scene: &str,
        simulation: &RigSimulation,
        frames: &[FrameReport],
        report_from: u64,
        choices: Choices,
    ) -> Self {
        let structure = simulation.evaluator().structure();
        Self {
            scene: scene.to_owned(),
            steps: simulation.frames(),
            report_from,
            dt: simulation.dt(),
            workers: simulation.n_workers(),
            choices,
            nodes: simulation.rig().n_nodes(),
            edges: simulation.rig().n_bindings(),
            tasks: structure.n_blocks(),
            levels: structure.n_levels(),
            nodes_per_frame: simulation.evaluated().1 as f64 / simulation.frames().max(1) as f64,
            recordings: simulation.n_recorded(),
            step_ms: step_ms(&frames[frames.len().min(report_from as usize)..]),
            seconds: 0.0,
            interrupted: false,
            failure: None,
            state_hash: simulation.state_hash(),
            compare: None,
        }
    }

    /// What a person reads after a run.
    pub fn text(&self) -> String {
        let s = &self.step_ms;
        let mut text = format!(
            "{:14} {} nodes, {} edges; {} tasks on {} levels; {:.0} nodes ran per frame\n",
            "rig", self.nodes, self.edges, self.tasks, self.levels, self.nodes_per_frame
        );
        text += &format!(
            "{:14} median {:.3}, p95 {:.3}, min {:.3}, max {:.3}\n{:14} {} times",
            "ms per frame", s.median, s.p95, s.min, s.max, "recorded", self.recordings
        );
        if let Some(c) = &self.compare {
            text += &format!("\n{:14} {}", "speedup", c.text());
        }
        text
    }
}
