//! Dependence analysis on lowered instances: which stage of which worker must precede which.
//!
//! For each buffer, its accesses in program order give read-after-write, write-after-read and write-after-write
//! edges. A loop seen from outside is one item on every worker that touches the buffer in it, with the union of its
//! accesses; all of these are analyzed against the state before the loop and then entered together. Inside, the body
//! is analyzed twice in a row: edges from the first into the second pass are *carried*.

use super::program::{LoopId, Program};

/// An instance touches a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The buffer (or log, or line of partial sums).
    pub item: u32,
    /// Position of the stage in the plan.
    pub position: u32,
    /// The worker.
    pub worker: u32,
    /// Whether it writes.
    pub write: bool,
}

/// One stage of a worker must be complete before a stage of another begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Position of the waiting stage.
    pub to: u32,
    /// The waiting worker.
    pub to_worker: u32,
    /// The worker that is waited for.
    pub from_worker: u32,
    /// Position of the stage that is waited for.
    pub from: u32,
    /// From one iteration to the next.
    pub carried: bool,
    /// The innermost loop that holds both ends.
    pub in_loop: Option<LoopId>,
}

/// Position of the stage `number` of a program in a plan.
pub fn position_of(number: u32) -> u32 {
    2 * number
}

#[derive(Clone, Copy)]
struct Touch {
    worker: u32,
    position: u32,
    carried: bool,
}

#[derive(Default)]
struct State {
    writers: Vec<Touch>,
    readers: Vec<Touch>,
}

/// Finds the edges between workers.
pub struct Dependence<'a> {
    program: &'a Program,
    edges: Vec<Edge>,
    spare: Vec<State>,
}

impl<'a> Dependence<'a> {
    /// For a program.
    pub fn new(program: &'a Program) -> Self {
        Self { program, edges: Vec::new(), spare: Vec::new() }
    }

    /// Adds the edges that follow from all accesses to one buffer, in program order.
    pub fn analyze(&mut self, events: &[Event]) {
        debug_assert!(events.windows(2).all(|w| w[0].item == w[1].item && w[0].position <= w[1].position));
        let mut state = self.fresh();
        self.walk(events, None, &mut state, false);
        self.spare.push(state);
    }

    /// All edges, sorted, each as often as it was found.
    pub fn finish(mut self) -> Vec<Edge> {
        self.edges.sort_unstable();
        self.edges
    }

    fn fresh(&mut self) -> State {
        let mut state = self.spare.pop().unwrap_or_default();
        state.writers.clear();
        state.readers.clear();
        state
    }

    /// The loop directly inside `level` that the stage at `position` is in.
    fn loop_below(&self, level: Option<LoopId>, position: u32) -> Option<LoopId> {
        let mut inner = self.program.stages[position as usize / 2].in_loop;
        if inner == level {
            return None;
        }
        while let Some(id) = inner {
            let parent = self.program.loops[id.0 as usize].parent;
            if parent == level {
                return Some(id);
            }
            inner = parent;
        }
        None
    }

    /// One pass over the events at `level`. In the second pass over a loop's body only carried edges are new.
    fn walk(&mut self, events: &[Event], level: Option<LoopId>, state: &mut State, second: bool) {
        let mut at = 0;
        while at < events.len() {
            let event = events[at];
            let Some(inner) = self.loop_below(level, event.position) else {
                let touch = Touch { worker: event.worker, position: event.position, carried: false };
                self.incoming(state, event.write, event.worker, event.position, level, second);
                if event.write {
                    state.writers.clear();
                    state.readers.clear();
                    state.writers.push(touch);
                } else {
                    enter(&mut state.readers, touch);
                }
                at += 1;
                continue;
            };
            let info = &self.program.loops[inner.0 as usize];
            let (begin, end) = (position_of(info.begin), position_of(info.end));
            let n = events[at..].partition_point(|e| e.position < end);
            self.enter_loop(&events[at..at + n], begin, end, level, state, second);
            if !second {
                let mut body = self.fresh();
                self.walk(&events[at..at + n], Some(inner), &mut body, false);
                body.writers.iter_mut().chain(&mut body.readers).for_each(|t| t.carried = true);
                self.walk(&events[at..at + n], Some(inner), &mut body, true);
                self.spare.push(body);
            }
            at += n;
        }
    }

    /// A loop as one item at `level`: edges into its beginning, then all its workers enter the state together.
    fn enter_loop(
        &mut self,
        body: &[Event],
        begin: u32,
        end: u32,
        level: Option<LoopId>,
        state: &mut State,
        second: bool,
    ) {
        let mut inside = self.fresh();
        for event in body {
            let list = if event.write { &mut inside.writers } else { &mut inside.readers };
            enter(list, Touch { worker: event.worker, position: end, carried: false });
        }
        for touch in &inside.readers {
            self.incoming(state, false, touch.worker, begin, level, second);
        }
        for touch in &inside.writers {
            self.incoming(state, true, touch.worker, begin, level, second);
        }
        if inside.writers.is_empty() {
            inside.readers.iter().for_each(|&t| enter(&mut state.readers, t));
        } else {
            std::mem::swap(state, &mut inside);
        }
        self.spare.push(inside);
    }

    /// The edges into one access.
    fn incoming(
        &mut self,
        state: &State,
        write: bool,
        to_worker: u32,
        to: u32,
        level: Option<LoopId>,
        second: bool,
    ) {
        let readers: &[Touch] = if write { &state.readers } else { &[] };
        for from in state.writers.iter().chain(readers) {
            if from.worker != to_worker && (from.carried || !second) {
                debug_assert!(
                    from.carried || from.position < to,
                    "a dependence across workers inside a stage"
                );
                self.edges.push(Edge {
                    to,
                    to_worker,
                    from_worker: from.worker,
                    from: from.position,
                    carried: from.carried,
                    in_loop: level,
                });
            }
        }
    }
}

/// The last touch of each worker counts.
fn enter(list: &mut Vec<Touch>, touch: Touch) {
    match list.iter_mut().find(|t| t.worker == touch.worker) {
        Some(known) => *known = touch,
        None => list.push(touch),
    }
}
