//! What is said of an event graph after a run.

use serde::Serialize;

use super::state_hash::state_hash;
use crate::events::{EventSimulation, FrameFailure, FrameReport};
use crate::program::command::frames::{Facts, FrameByFrame};

/// What a report says of an event graph.
#[derive(Clone, Debug, Serialize)]
pub struct EventFacts {
    /// Nodes.
    nodes: usize,
    /// Routes.
    routes: usize,
    /// Tasks.
    tasks: usize,
    /// Levels: how many nodes depend on each other in a row at most.
    levels: u32,
    /// How often tasks were made, the first time included.
    rebuilds: u64,
    /// Deliveries of events along routes in the last frame.
    events: u64,
}

impl Facts for EventFacts {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { nodes, routes, tasks, levels, rebuilds, events } = self;
        vec![
            ("graph", format!("{nodes} nodes, {routes} routes; {tasks} tasks on {levels} levels")),
            ("events", format!("{events} in the last frame")),
            ("built", format!("{rebuilds} times")),
        ]
    }
}

impl FrameByFrame for EventSimulation {
    type Facts = EventFacts;

    fn frame(&mut self) -> Result<FrameReport, FrameFailure> {
        self.step()
    }

    fn take_lines(&mut self) -> Vec<String> {
        self.take_said().iter().map(ToString::to_string).collect()
    }

    fn end(&mut self) {
        EventSimulation::end(self);
    }

    fn facts(&self) -> EventFacts {
        let graph = self.graph();
        EventFacts {
            nodes: graph.scene().nodes.len(),
            routes: graph.routes().count(),
            tasks: graph.n_tasks(),
            levels: graph.n_levels(),
            rebuilds: graph.rebuilds(),
            events: self.n_deliveries(),
        }
    }

    fn hash(&self) -> String {
        state_hash(self)
    }
}
