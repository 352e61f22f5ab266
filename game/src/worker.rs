//! A worker's protocol, one step at a time.
//!
//! A step does one thing with what the workers share: it looks into a queue, asks the supplier, tries to steal from one other worker,
//! brings a task back. Between steps a worker holds no lock and waits for nobody. So the same steps are taken by threads
//! (`scheduler.rs`), by a clock that is not that of the wall (`virtual_time.rs`), and in any order by tests (`interleavings.rs`).
//!
//! ```text
//!             ┌───────────────────────────── nothing was found, but something was announced meanwhile ◄─────────┐
//!             ▼                                                                                                 │
//! begin ─► group's tasks ─► own queue ─► supplier ─► steal: worker after worker ─► loops ─► long tasks ─► lie down ─► rest
//!             │                │             │             │                        │           │
//!             └────────────────┴─────────────┴─────────────┴─── run ◄───────────────┴───────────┘
//!                                                                │
//!             begin ◄── (others are ready: supplier first) ◄─ report
//! ```
//!
//! **Source:** Zettersten 2010, section 3.1.4 and figure 9.

use std::sync::Arc;

use executors::cycles::Loop;
use executors::sync::Stolen;

use crate::core::Way;
use crate::item::{Item, Report};
use crate::options::{Parsing, WorkerKind};
use crate::shared::{Answer, Shared};

/// How often a worker finds another one at the supply before it waits for it.
const PATIENCE: u32 = 8;

/// What a step did, for who accounts its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It looked for tasks of the worker's groups.
    Groups,
    /// It looked into the worker's own queue.
    Own,
    /// It asked the supplier for one task or all, and got so many.
    Query {
        /// How many came.
        got: usize,
    },
    /// It asked the supplier while another worker was there.
    Contended,
    /// It tried to steal from one other worker, and got so many tasks.
    Steal {
        /// How many came.
        got: usize,
    },
    /// It looked for loops.
    Loops,
    /// It looked for tasks that no cycle waits for.
    Long,
    /// It brought a task back.
    Report,
    /// It went to sleep, or found that it must not yet.
    LieDown,
}

/// What is to be done after a step.
pub(crate) enum Step {
    /// The next step.
    Next(Operation),
    /// A task is to be run and brought back by [`Worker::bring_back`]; after the operation that found it.
    Run(Operation, Item),
    /// A loop is to be helped with.
    Help(Arc<Loop>),
    /// The worker sleeps until somebody wakes it.
    Rest,
    /// The main worker's cycle is over.
    Leave,
}

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Begin,
    Own,
    Query,
    Steal(usize),
    Loops,
    Long,
    LieDown,
    Report,
}

/// A worker between two steps.
pub(crate) struct Worker {
    me: usize,
    next: Next,
    /// What was announced when the search began.
    seen: u64,
    /// Whether others may be ready with what this worker brought back.
    asks_first: bool,
    contended: u32,
    report: Option<Report>,
    sorted: Vec<(Item, Way)>,
    stolen: Vec<Item>,
}

impl Worker {
    pub fn new(me: usize) -> Self {
        Self {
            me,
            next: Next::Begin,
            seen: 0,
            asks_first: false,
            contended: 0,
            report: None,
            sorted: Vec::new(),
            stolen: Vec::new(),
        }
    }

    /// What the next step does at the supply, where one worker is at a time, if it is there.
    pub fn at_supply(&self) -> Option<Operation> {
        match self.next {
            Next::Query => Some(Operation::Query { got: 0 }),
            Next::Report => Some(Operation::Report),
            _ => None,
        }
    }

    /// Whether the next step, at the supply, waits for another worker that is there.
    pub fn waits_for_supply(&self, shared: &Shared) -> bool {
        shared.options.parsing == Parsing::Blocking
            || (self.next == Next::Query && self.contended >= PATIENCE)
    }

    /// The task that it was told to run comes back in the next step.
    pub fn bring_back(&mut self, report: Report) {
        self.report = Some(report);
        self.next = Next::Report;
    }

    /// Searches from the beginning: it was woken, or has helped, or its cycle begins.
    pub fn begin(&mut self) {
        self.next = Next::Begin;
    }

    /// Takes the next step.
    pub fn step(&mut self, shared: &Shared) -> Step {
        match self.next {
            Next::Begin => self.look_at_groups(shared),
            Next::Own => {
                self.next = Next::Query;
                match shared.shelves[self.me].take() {
                    Some(item) => self.run(Operation::Own, item),
                    None => {
                        if shared.is_surplus(self.me) {
                            self.next = Next::Long;
                        }
                        Step::Next(Operation::Own)
                    }
                }
            }
            Next::Query => self.ask(shared),
            Next::Steal(k) => self.steal(shared, k),
            Next::Loops => {
                self.next = Next::Long;
                match shared.loops.find(self.me == 0) {
                    Some(one) => {
                        self.next = Next::Begin;
                        Step::Help(one)
                    }
                    None => Step::Next(Operation::Loops),
                }
            }
            Next::Long => self.look_for_long(shared),
            Next::LieDown => {
                self.next = Next::Begin;
                if shared.sleepers.lie_down(self.me, self.seen) {
                    return Step::Rest;
                }
                Step::Next(Operation::LieDown)
            }
            Next::Report => {
                self.next = Next::Begin;
                if let Some(report) = self.report.take() {
                    self.asks_first = shared.report(self.me, report);
                }
                Step::Next(Operation::Report)
            }
        }
    }

    fn run(&mut self, found_by: Operation, item: Item) -> Step {
        Step::Run(found_by, item)
    }

    fn look_at_groups(&mut self, shared: &Shared) -> Step {
        self.seen = shared.sleepers.epoch();
        // What has become ready may be more urgent than what waits here.
        self.next = if std::mem::take(&mut self.asks_first) { Next::Query } else { Next::Own };
        if shared.options.kind != WorkerKind::Locking {
            return Step::Next(Operation::Groups);
        }
        let mut groups = shared.groups();
        match groups.take(self.me) {
            Some((item, has_more)) => {
                if has_more {
                    shared.sleepers.announce();
                    let group = item.info.group;
                    shared.sleepers.wake_one(|worker| worker != self.me && groups.may_run(group, worker));
                }
                drop(groups);
                // It may have been urgent to ask first: it still is, afterwards.
                self.asks_first = self.next == Next::Query;
                self.run(Operation::Groups, item)
            }
            None => Step::Next(Operation::Groups),
        }
    }

    fn ask(&mut self, shared: &Shared) -> Step {
        let many = shared.options.kind != WorkerKind::Simple;
        let answer = shared.query(self.me, many, self.contended >= PATIENCE, &mut self.sorted);
        if answer == Answer::Contended {
            self.contended += 1;
            self.asks_first = true;
            self.next = Next::Steal(1);
            return Step::Next(Operation::Contended);
        }
        self.contended = 0;
        if answer == Answer::Again {
            return Step::Next(Operation::Query { got: 0 });
        }
        if answer == Answer::Over && self.me == 0 {
            self.next = Next::Begin;
            return Step::Leave;
        }
        let got = self.sorted.len();
        shared.desks[self.me].look().profile.n_queries += 1;
        let operation = Operation::Query { got };
        let items = self.sorted.drain(..).map(|(item, _)| item);
        let (first, left) = shared.shelves[self.me].put_and_take(items);
        // Where a worker asks for one task at a time, the supplier may have more.
        if got > 0 && (left > 0 || !many) {
            shared.tell_many(self.me, left.max(1));
        }
        match first {
            Some(item) => self.run(operation, item),
            None => {
                self.next = if many { Next::Steal(1) } else { Next::Loops };
                Step::Next(operation)
            }
        }
    }

    fn steal(&mut self, shared: &Shared, k: usize) -> Step {
        let n = shared.options.workers;
        if k >= n {
            // What another worker has at the supply may be more: no rest before this one has asked.
            self.next = if self.contended > 0 { Next::Begin } else { Next::Loops };
            return Step::Next(Operation::Steal { got: 0 });
        }
        self.next = Next::Steal(k + 1);
        match shared.shelves[(self.me + k) % n].steal(&mut self.stolen) {
            Stolen::Some(got) => {
                shared.desks[self.me].look().profile.n_thefts += 1;
                let (first, left) = shared.shelves[self.me].put_and_take(self.stolen.drain(..));
                if left > 0 {
                    shared.tell(self.me);
                }
                let operation = Operation::Steal { got };
                match first {
                    Some(item) => self.run(operation, item),
                    None => Step::Next(operation),
                }
            }
            Stolen::Nothing => Step::Next(Operation::Steal { got: 0 }),
            Stolen::Busy => {
                // On to the next one; there may be something here afterwards.
                self.contended += 1;
                Step::Next(Operation::Contended)
            }
        }
    }

    fn look_for_long(&mut self, shared: &Shared) -> Step {
        self.next = Next::LieDown;
        if self.me == 0 {
            return Step::Next(Operation::Long);
        }
        let mut groups = shared.groups();
        let Some(item) = groups.take_long(self.me) else { return Step::Next(Operation::Long) };
        shared.go_away(self.me, self.seen);
        shared.sleepers.announce();
        shared.wake_for(&groups);
        if groups.n_blocked() > 0 {
            // The cycle may be over but for what only this worker may run.
            shared.sleepers.wake(0);
        }
        drop(groups);
        self.run(Operation::Long, item)
    }
}
