//! What is said of a rig after a run.

use serde::Serialize;

use crate::execution::{FrameFailure, FrameReport};
use crate::program::command::frames::{Facts, FrameByFrame};
use crate::rigs::RigSimulation;

/// What a report says of a rig.
#[derive(Clone, Debug, Serialize)]
pub struct RigFacts {
    /// Nodes.
    nodes: usize,
    /// Bindings between nodes.
    edges: usize,
    /// Tasks of a full evaluation.
    tasks: usize,
    /// Levels of tasks.
    levels: u32,
    /// Nodes that ran, as a mean over all frames.
    nodes_per_frame: f64,
    /// How often something was recorded, the first time included.
    recordings: u64,
}

impl Facts for RigFacts {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { nodes, edges, tasks, levels, nodes_per_frame, recordings } = self;
        let ran = format!("{nodes_per_frame:.0} nodes ran per frame");
        vec![
            ("rig", format!("{nodes} nodes, {edges} edges; {tasks} tasks on {levels} levels; {ran}")),
            ("recorded", format!("{recordings} times")),
        ]
    }
}

impl FrameByFrame for RigSimulation {
    type Facts = RigFacts;

    fn frame(&mut self) -> Result<FrameReport, FrameFailure> {
        self.step()
    }

    fn take_lines(&mut self) -> Vec<String> {
        let frame = self.frames().saturating_sub(1);
        self.take_not_finite().iter().map(|line| format!("warning: {line} (frame {frame})")).collect()
    }

    fn facts(&self) -> RigFacts {
        let structure = self.evaluator().structure();
        RigFacts {
            nodes: self.rig().n_nodes(),
            edges: self.rig().n_bindings(),
            tasks: structure.n_blocks(),
            levels: structure.n_levels(),
            nodes_per_frame: self.evaluated().1 as f64 / self.frames().max(1) as f64,
            recordings: self.n_recorded(),
        }
    }

    fn hash(&self) -> String {
        self.state_hash()
    }
}
