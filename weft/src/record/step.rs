//! One observed step as plain data: what is measured, and what the analysis starts from.

use std::borrow::Cow;
use std::sync::Arc;

use engine::exec::Activity;
use serde::{Deserialize, Serialize};

use super::graph::Graph;

/// One of the graphs of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Bounds of collision models.
    Bounds,
    /// Tests of pairs of collision models.
    NarrowPhase,
    /// The solvers.
    Integration,
    /// A frame of an event graph.
    Events,
    /// An evaluation of a rig.
    Rig,
    /// A frame of characters.
    Characters,
    /// Engines that compute again, along data links.
    Links,
}

impl Phase {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bounds => "bounds",
            Self::NarrowPhase => "narrow phase",
            Self::Integration => "integration",
            Self::Events => "events",
            Self::Rig => "rig",
            Self::Characters => "characters",
            Self::Links => "data links",
        }
    }

    /// Whether it belongs to collision detection.
    pub fn is_collision(self) -> bool {
        matches!(self, Self::Bounds | Self::NarrowPhase)
    }
}

/// Work on the caller's thread between the graphs, while the other workers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Serial {
    /// Broad phase, comparison of contacts.
    BroadPhase,
    /// Recording, placement, lowering, loading.
    PlanWork,
    /// Everything else.
    Other,
}

impl Serial {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BroadPhase => "broad phase, contacts",
            Self::PlanWork => "plan work",
            Self::Other => "other serial work",
        }
    }
}

/// One run of a graph.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// Which graph.
    pub phase: Phase,
    /// Beginning, since the step began [ns].
    pub start_ns: u64,
    /// Length [ns].
    pub duration_ns: u64,
    /// Its tasks and their dependences.
    pub graph: Arc<Graph>,
    /// What the workers did; times since the run began.
    pub activities: Vec<Activity>,
    /// Each visit of a loop, by number, with its iterations, in order of time for each loop; empty: every loop was visited once.
    pub visits: Vec<(u32, u32)>,
}

/// Work on the caller's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What work.
    pub kind: Serial,
    /// Beginning, since the step began [ns].
    pub start_ns: u64,
    /// Length [ns].
    pub duration_ns: u64,
}

/// Work that lasts longer than a step, which a thread beside the workers has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BesideWork {
    /// What it is called.
    pub name: String,
    /// The object that it belongs to.
    pub object: u32,
    /// Beginning, since observation began [ns]: in this step or an earlier one.
    pub start_ns: u64,
    /// Length [ns].
    pub duration_ns: u64,
}

/// One observed step.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// Its number.
    pub step: u64,
    /// Beginning, since observation began [ns].
    pub start_ns: u64,
    /// Length [ns].
    pub wall_ns: u64,
    /// Number of workers.
    pub n_workers: usize,
    /// The runs of graphs, in order.
    pub runs: Vec<RunRecord>,
    /// What lies between them, in order.
    pub sections: Vec<Section>,
    /// Work beside the steps that has ended since the step before.
    pub beside: Vec<BesideWork>,
}

impl StepRecord {
    /// Whether all its runs were observed (a plan that is exchanged after its run takes its observations along).
    pub fn is_complete(&self) -> bool {
        self.runs.iter().all(|r| !r.activities.is_empty() || r.graph.tasks.is_empty())
    }

    /// Number of activities.
    pub fn n_activities(&self) -> usize {
        self.runs.iter().map(|r| r.activities.len()).sum()
    }

    /// Fills the time that no run and no known section takes: between runs of collision detection and up to the plan,
    /// it is the broad phase and the comparison of contacts; elsewhere other work.
    pub fn fill_gaps(&mut self) {
        let mut taken: Vec<(u64, u64, Option<Phase>)> =
            self.runs.iter().map(|r| (r.start_ns, r.start_ns + r.duration_ns, Some(r.phase))).collect();
        taken.extend(self.sections.iter().map(|s| (s.start_ns, s.start_ns + s.duration_ns, None)));
        taken.sort_unstable();
        let (mut at, mut detects) = (0, false);
        for (start, end, phase) in taken.into_iter().chain([(self.wall_ns, self.wall_ns, None)]) {
            if start > at {
                let kind = if detects { Serial::BroadPhase } else { Serial::Other };
                self.sections.push(Section { kind, start_ns: at, duration_ns: start - at });
            }
            detects = phase.map_or(detects, Phase::is_collision);
            at = at.max(end);
        }
        self.sections.sort_by_key(|s| s.start_ns);
    }
}

/// What the numbers in a record are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Path and class of each component.
    pub components: Vec<(String, Cow<'static, str>)>,
    /// Path of each object.
    pub objects: Vec<String>,
}

impl Names {
    /// Path and class of a component; those of the engine where there is none.
    pub fn component(&self, tag: Option<u32>) -> (&str, &str) {
        let known = tag.and_then(|t| self.components.get(t as usize));
        known.map_or(("(engine)", "(engine)"), |(path, class)| (path, class))
    }

    /// Path of an object.
    pub fn object(&self, object: u32) -> &str {
        self.objects.get(object as usize).map_or("(unknown)", String::as_str)
    }
}
