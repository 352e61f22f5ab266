//! Trees that run: who hears what, and which tasks are ready.

use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::cycle::Cycle;
use super::super::panicked::Panicked;
use super::super::supplier::{Query, Released, TaskSupplier};
use super::super::task::Outcome;
use super::agenda::Agenda;
use super::behaviour::{Decision, Ended, Heard};
use super::node::{State, What};
use super::nodes::BehaviourTree;

impl BehaviourTree {
    /// Lets all nodes hear what there is to hear.
    pub(super) fn settle(&mut self) {
        while let Some((slot, heard)) = self.running.stack.pop() {
            if heard == Heard::Begin {
                self.begin(slot);
            } else {
                self.ask(slot, heard);
            }
        }
    }

    fn begin(&mut self, slot: u32) {
        let cycle = self.running.cycle.number + 1;
        let place = &mut self.nodes[slot as usize].place;
        match place.state {
            // Its parent knows already. A behaviour that asks again and again must not go round in a circle.
            State::Deferred if place.begun == cycle => return self.running.next.push(slot),
            State::Asleep if place.begun == cycle => {
                place.state = State::Deferred;
                self.running.next.push(slot);
                return self.tell(slot, None);
            }
            State::GivenUp => {
                place.state = State::Awaited;
                self.running.next.push(slot);
                return self.tell(slot, None);
            }
            State::Asleep | State::Deferred => (place.begun, place.ended) = (cycle, None),
            // It runs already: a behaviour asked twice.
            _ => return,
        }
        match self.nodes[slot as usize].what {
            What::Task(_) => self.make_ready(slot),
            What::Behaviour(_) => {
                self.nodes[slot as usize].place.state = State::Runs;
                self.ask(slot, Heard::Begin);
            }
            What::Nothing => {}
        }
    }

    fn make_ready(&mut self, slot: u32) {
        let Agenda { ready, stamp, cycle, .. } = &mut self.running;
        let place = &mut self.nodes[slot as usize].place;
        // What goes on in this cycle does not begin once more in it.
        (place.state, place.begun) = (State::Ready, cycle.number + 1);
        *stamp += 1;
        ready.push((place.path, Reverse(*stamp), slot));
    }

    fn ask(&mut self, slot: u32, heard: Heard) {
        let node = &mut self.nodes[slot as usize];
        let (What::Behaviour(behaviour), State::Runs | State::Listens) = (&mut node.what, node.place.state)
        else {
            return;
        };
        let n = node.links.children.len();
        let cycle = &self.running.cycle;
        let decision = match catch_unwind(AssertUnwindSafe(|| behaviour.decide(heard, n, cycle))) {
            Ok(decision) => decision,
            // A fault of one behaviour is no other tree's.
            Err(payload) => {
                let what = Some(format!("the behaviour of {}", self.label_of(slot)));
                self.running.panicked.push(Panicked { what, payload });
                Decision::End(Ended::Failure)
            }
        };
        let node = &mut self.nodes[slot as usize];
        match decision {
            Decision::Run(k) if k < n => {
                let child = node.links.children[k];
                self.running.hear(child, Heard::Begin);
            }
            // A behaviour of a game's own that names a child that is not there.
            Decision::Run(_) => self.end(slot, Ended::Failure),
            Decision::RunAll => {
                let children = node.links.children.iter().rev();
                self.running.stack.extend(children.map(|child| (*child, Heard::Begin)));
            }
            Decision::Await => {}
            Decision::Progress => self.tell(slot, None),
            Decision::NextCycle => {
                node.place.state = State::Listens;
                self.running.next.push(slot);
                self.tell(slot, None);
            }
            Decision::End(how) => self.end(slot, how),
        }
    }

    /// Lets a parent hear of a child: how it ended, or that it goes on.
    fn tell(&mut self, slot: u32, ended: Option<Ended>) {
        let Some((parent, child)) = self.nodes[slot as usize].links.parent else { return };
        let child = child as usize;
        let heard = ended.map_or(Heard::Progress { child }, |how| Heard::Ended { child, how });
        self.running.hear(parent, heard);
    }

    fn end(&mut self, slot: u32, how: Ended) {
        self.give_up(slot);
        let place = &mut self.nodes[slot as usize].place;
        (place.state, place.ended) = (State::Asleep, Some(how));
        self.tell(slot, Some(how));
    }

    /// Lets what runs below a node run no longer.
    fn give_up(&mut self, slot: u32) {
        let children = &self.nodes[slot as usize].links.children;
        if children.iter().all(|child| self.nodes[*child as usize].place.state == State::Asleep) {
            return;
        }
        for below in self.below(slot).into_iter().skip(1) {
            let place = &mut self.nodes[below as usize].place;
            place.state = match place.state {
                State::Out | State::GivenUp | State::Awaited => State::GivenUp,
                _ => State::Asleep,
            };
        }
    }

    fn release(&mut self) -> Option<Released> {
        while let Some((path, _, slot)) = self.running.ready.pop() {
            let node = &mut self.nodes[slot as usize];
            // What was given up is no longer ready.
            if let (What::Task(task), State::Ready) = (&node.what, node.place.state) {
                node.place.state = State::Out;
                self.running.out += usize::from(!node.place.long_term);
                return Some(Released { task: *task, path, place: slot });
            }
        }
        None
    }

    fn nothing(&self) -> Query {
        if self.running.out > 0 { Query::Busy } else { Query::Empty }
    }
}

impl TaskSupplier for BehaviourTree {
    fn begin_cycle(&mut self, cycle: &Cycle) {
        (self.running.cycle, self.running.is_open) = (*cycle, true);
        // First: what begins now may have something for the cycle after this one.
        let mut next = std::mem::take(&mut self.running.next);
        let mut submitted = std::mem::take(&mut self.running.submitted);
        for slot in submitted.drain(..) {
            self.running.hear(slot, Heard::Begin);
            self.settle();
        }
        self.running.submitted = submitted;
        // In the order of nodes, whatever worker brought a task back first.
        next.sort_unstable();
        next.dedup();
        for slot in &next {
            match self.nodes[*slot as usize].place.state {
                State::Next => self.make_ready(*slot),
                State::Deferred => self.running.hear(*slot, Heard::Begin),
                State::Listens => {
                    self.nodes[*slot as usize].place.state = State::Runs;
                    self.running.hear(*slot, Heard::Cycle);
                }
                // A worker still has it.
                State::Awaited => {
                    self.running.next.push(*slot);
                    self.tell(*slot, None);
                }
                _ => {}
            }
            self.settle();
        }
        if self.running.next.is_empty() {
            next.clear();
            self.running.next = next;
        }
    }

    fn end_cycle(&mut self) {
        self.running.is_open = false;
    }

    fn query_one(&mut self, into: &mut Vec<Released>) -> Query {
        match self.release() {
            Some(released) => {
                into.push(released);
                Query::Success
            }
            None => self.nothing(),
        }
    }

    fn query_many(&mut self, into: &mut Vec<Released>) -> Query {
        let before = into.len();
        while let Some(released) = self.release() {
            into.push(released);
        }
        if into.len() > before { Query::Success } else { self.nothing() }
    }

    fn report(&mut self, released: Released, outcome: Outcome) -> bool {
        let Some(node) = self.nodes.get_mut(released.place as usize) else { return false };
        let place = &mut node.place;
        if !matches!(node.what, What::Task(task) if task == released.task) {
            return false;
        }
        let awaited = match place.state {
            State::Out => true,
            State::GivenUp | State::Awaited => false,
            _ => return false,
        };
        self.running.out -= usize::from(!place.long_term);
        // What was given out in an earlier cycle has run in this one.
        place.begun = self.running.cycle.number + 1;
        if !awaited {
            place.state = if place.state == State::Awaited { State::Deferred } else { State::Asleep };
            return false;
        }
        let before = self.running.ready.len();
        match outcome {
            Outcome::Progress => {
                place.state = State::Next;
                self.running.next.push(released.place);
                self.tell(released.place, None);
            }
            Outcome::Success => self.end(released.place, Ended::Success),
            Outcome::Failure => self.end(released.place, Ended::Failure),
        }
        self.settle();
        self.running.ready.len() > before
    }
}
