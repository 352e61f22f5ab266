//! How an event graph is run.

use engine::data::ObjectId;

use crate::graph::Fusion;

/// How nodes are brought to tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A node takes events from those that sent them: no step brings them.
    #[default]
    Dataflow,
    /// Level by level, with a step between two levels that brings the events on one thread: the method of MCEE, to compare.
    Levels(Strategy),
}

/// How the nodes of a level are given to workers, in MCEE's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// As many parts as workers, by a pool of threads.
    PoolStatic,
    /// A part for each node, by a pool of threads.
    PoolDynamic,
    /// As many parts as workers, by a parallel loop.
    LoopStatic,
    /// A part for each node, by a parallel loop.
    LoopDynamic,
    /// Parts that become smaller, by a parallel loop.
    LoopGuided,
}

/// What becomes of a frame in which a node changes the structure of the graph. The values and the log are the same.
///
/// An event travels on the routes that are there when it is sent. What was sent in a frame before its structure changed is not sent again,
/// nor is it undone: a field sends at most one event in a time stamp, and a node takes each event once. So a route that comes in the
/// middle of a frame carries what its field sends from then on.
///
/// **Source:** ISO/IEC 19775-1, 4.4.8.3; *MCEE*, Web3D 2013, section 3.1. The paper evaluates the frame again from its beginning, which would give
/// nodes that count a second turn in one time stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// The parts of the graph that have changed are made anew; what is left of the frame follows.
    #[default]
    Resume,
    /// The whole graph is made anew, as the paper's static scheduler does, and gone through from its start; nodes that have had their events
    /// keep what they sent.
    Full,
}

/// How an event graph is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventOptions {
    /// How nodes are brought to tasks.
    pub mode: Mode,
    /// How nodes are put together; [`Mode::Levels`] has its strategies instead.
    pub fusion: Fusion,
    /// What becomes of a frame in which the structure changes.
    pub restart: Restart,
    /// How often a frame may be stopped for nodes that reach the whole graph, and go on. Changes beyond that take effect in the next frame.
    pub most_stops: u32,
    /// Whether deliveries are written down.
    pub log: bool,
    /// Whether interpolators are evaluated by kernels over arrays where that is possible. The values are the same.
    pub kernels: bool,
    /// How many workers there are, for the strategies that cut by their number.
    pub workers: u32,
    /// Number of the first object that is the graph's: one per task, and one more.
    pub first_object: u32,
    /// How many objects there are for tasks, one at least: where they are fewer than tasks, some tasks share one.
    pub objects: u32,
    /// The component that tasks are said to be of, where the graph is a part of something larger; none: each is one of its own.
    pub component: Option<u32>,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            fusion: Fusion::default(),
            restart: Restart::default(),
            most_stops: 100,
            log: false,
            kernels: true,
            workers: 1,
            first_object: 0,
            objects: u32::MAX,
            component: None,
        }
    }
}

impl EventOptions {
    /// The object of a task.
    pub(super) fn object(&self, task: u32) -> ObjectId {
        ObjectId(self.first_object + 1 + task % self.objects.max(1))
    }
}
