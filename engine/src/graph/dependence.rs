//! Dependence analysis on lowered instances: which stage of which worker must precede which.
//!
//! For each buffer, its accesses in program order give read-after-write, write-after-read and write-after-write
//! edges. A loop seen from outside is one item on every worker that touches the buffer in it, with the union of its
//! accesses; all of these are analyzed against the state before the loop and then entered together. Inside, the body
//! is analyzed twice in a row: edges from the first into the second pass are *carried*.

use super::program::{GroupId, LoopId, Program};

/// A stage of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The group.
    pub group: GroupId,
    /// Position of the stage in the group's plan.
    pub position: u32,
    /// The worker.
    pub worker: u32,
}

/// An instance touches a buffer (or log, or line of partial sums).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Where.
    pub spot: Spot,
    /// Whether it writes.
    pub write: bool,
    /// The innermost loop that the stage is in.
    pub in_loop: Option<LoopId>,
}

/// One stage of a worker must be complete before a stage of another begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The waiting stage.
    pub to: Spot,
    /// The stage that is waited for.
    pub from: Spot,
    /// From one iteration to the next.
    pub carried: bool,
    /// The innermost loop that holds both ends.
    pub in_loop: Option<LoopId>,
}

#[derive(Clone, Copy)]
struct Touch {
    spot: Spot,
    carried: bool,
}

#[derive(Default)]
struct State {
    writers: Vec<Touch>,
    readers: Vec<Touch>,
}

/// Finds the edges between workers; keeps its memory from buffer to buffer.
#[derive(Default)]
pub struct Dependence {
    edges: Vec<Edge>,
    spare: Vec<State>,
}

/// Where a walk is: which loop of which group.
type Level = Option<(GroupId, LoopId)>;

impl Dependence {
    /// The edges that follow from all accesses to one buffer, in program order; an edge may be found several times.
    pub fn analyze(&mut self, program: &Program, events: &[Event]) -> &[Edge] {
        self.edges.clear();
        let mut state = self.fresh();
        self.walk(program, events, None, &mut state, false);
        self.spare.push(state);
        &self.edges
    }

    fn fresh(&mut self) -> State {
        let mut state = self.spare.pop().unwrap_or_default();
        state.writers.clear();
        state.readers.clear();
        state
    }

    /// One pass over the events at `level`. In the second pass over a loop's body only carried edges are new.
    fn walk(&mut self, program: &Program, events: &[Event], level: Level, state: &mut State, second: bool) {
        let mut at = 0;
        while at < events.len() {
            let event = events[at];
            let Some(inner) = loop_below(program, level, &event) else {
                self.incoming(state, event.write, event.spot, level, second);
                let touch = Touch { spot: event.spot, carried: false };
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
            let group = event.spot.group;
            let info = &program.group(group).loops[inner.0 as usize];
            let in_body = |e: &&Event| e.spot.group == group && e.spot.position < info.end;
            let n = events[at..].iter().take_while(in_body).count();
            self.enter_loop(&events[at..at + n], info.begin, info.end, level, state, second);
            if !second {
                let inside = Some((group, inner));
                let mut body = self.fresh();
                self.walk(program, &events[at..at + n], inside, &mut body, false);
                body.writers.iter_mut().chain(&mut body.readers).for_each(|t| t.carried = true);
                self.walk(program, &events[at..at + n], inside, &mut body, true);
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
        level: Level,
        state: &mut State,
        second: bool,
    ) {
        let mut inside = self.fresh();
        for event in body {
            let list = if event.write { &mut inside.writers } else { &mut inside.readers };
            enter(list, Touch { spot: Spot { position: end, ..event.spot }, carried: false });
        }
        for touch in &inside.readers {
            self.incoming(state, false, Spot { position: begin, ..touch.spot }, level, second);
        }
        for touch in &inside.writers {
            self.incoming(state, true, Spot { position: begin, ..touch.spot }, level, second);
        }
        if inside.writers.is_empty() {
            inside.readers.iter().for_each(|&t| enter(&mut state.readers, t));
        } else {
            std::mem::swap(state, &mut inside);
        }
        self.spare.push(inside);
    }

    /// The edges into one access.
    fn incoming(&mut self, state: &State, write: bool, to: Spot, level: Level, second: bool) {
        let readers: &[Touch] = if write { &state.readers } else { &[] };
        for from in state.writers.iter().chain(readers) {
            if from.spot.worker != to.worker && (from.carried || !second) {
                assert!(
                    from.carried || from.spot.group != to.group || from.spot.position < to.position,
                    "parts that do not fit, a dependence across workers inside a stage: {from:?} -> {to:?}",
                    from = from.spot
                );
                let in_loop = level.map(|(_, id)| id);
                self.edges.push(Edge { to, from: from.spot, carried: from.carried, in_loop });
            }
        }
    }
}

/// The loop directly inside `level` that the event is in.
fn loop_below(program: &Program, level: Level, event: &Event) -> Option<LoopId> {
    let group = event.spot.group;
    let level = level.filter(|l| l.0 == group).map(|l| l.1);
    let mut inner = event.in_loop;
    if inner == level {
        return None;
    }
    while let Some(id) = inner {
        let parent = program.group(group).loops[id.0 as usize].parent;
        if parent == level {
            return Some(id);
        }
        inner = parent;
    }
    None
}

/// The last touch of each worker counts.
fn enter(list: &mut Vec<Touch>, touch: Touch) {
    match list.iter_mut().find(|t| t.spot.worker == touch.spot.worker) {
        Some(known) => *known = touch,
        None => list.push(touch),
    }
}
