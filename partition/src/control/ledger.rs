//! The ledger behind a schedule: who touches what where, and which dependences follow. A change of some tasks is booked on
//! the buffers that they touch; only the dependences of these are found anew.
//!
//! What is booked is a sum over the present tasks, so history cannot show: a ledger after any number of changes equals one
//! made anew.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use engine::data::{AccessDecl, AccessKind, DataId, DotInfo};
use engine::graph::dependence::{Dependence, Edge, Event, Spot};
use engine::graph::schedule::Item;
use engine::graph::skeleton::{AllGather, is_covered};
use engine::graph::{Group, GroupId, LoopId, Program, Stage, StageKind, TaskId};

/// How many instances cause an event.
#[derive(Clone, Copy, Debug)]
struct Tally {
    event: Event,
    count: u32,
}

/// Adds `by` to the tally of an event, which vanishes at zero. Events are kept sorted.
fn book(tallies: &mut Vec<Tally>, event: Event, by: i32) {
    // Plans are made in order, so what comes mostly belongs at the end.
    let at = match tallies.last() {
        Some(last) if last.event < event => Err(tallies.len()),
        _ => tallies.binary_search_by_key(&event, |t| t.event),
    };
    match at {
        Ok(at) => {
            tallies[at].count = tallies[at].count.wrapping_add_signed(by);
            if tallies[at].count == 0 {
                tallies.remove(at);
            }
        }
        Err(at) => {
            debug_assert!(by > 0, "what is taken back was booked: {event:?}");
            tallies.insert(at, Tally { event, count: by.unsigned_abs() });
        }
    }
}

/// A buffer (or log) and what touches it.
#[derive(Clone, Debug, Default)]
struct Account {
    tallies: Vec<Tally>,
    /// The dependences that follow, as they are booked.
    edges: Vec<Edge>,
    /// What touches it has changed since.
    is_open: bool,
    /// Data pass through it from a group to a later one other than the first.
    crosses: bool,
}

/// Where replicated tasks of a group sum a dot product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sum {
    dot: u32,
    position: u32,
    in_loop: Option<LoopId>,
}

/// A replicated task reads a buffer: which, position of the stage, the loop around it.
type Reading = (DataId, u32, Option<LoopId>);

/// What is known of a group.
#[derive(Clone, Debug, Default)]
struct GroupBook {
    /// Instances of tasks of objects and pairs on each worker.
    instances: Vec<u32>,
    /// Who computes parts of each dot product.
    parts: Vec<Vec<Tally>>,
    /// Buffers that replicated tasks read.
    reads: Vec<Reading>,
    participants: Vec<u32>,
    gathers: Vec<AllGather>,
    /// Dependences between those who compute parts and those who sum, as they are booked.
    lines: Vec<Edge>,
}

/// The ledger.
#[derive(Default)]
pub struct Ledger {
    n_workers: u32,
    accounts: Vec<Account>,
    groups: Vec<GroupBook>,
    edges: BTreeMap<Edge, u32>,
    /// Accounts and groups whose dependences are not booked.
    open: Vec<u32>,
    open_groups: BTreeSet<GroupId>,
    n_crossing: usize,
    dependence: Dependence,
    events: Vec<Event>,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(n_workers: u32) -> Self {
        Self { n_workers, ..Self::default() }
    }

    /// Whether data pass from a group to a later one other than from the first group, so that a worker must run its groups
    /// in order.
    pub fn is_in_order(&self) -> bool {
        self.n_crossing > 0
    }

    /// Books (`by` = 1) or takes back (-1) what an instance of a task on a worker touches; logs count from `first_log` on.
    pub fn book_instance(
        &mut self,
        program: &Program,
        group: GroupId,
        stage: &Stage,
        (worker, item): (u32, Item),
        first_log: u32,
        by: i32,
    ) {
        let spot = Spot { group, position: stage.position, worker };
        let event = |write| Event { spot, write, in_loop: stage.in_loop };
        for (position, access) in program.accesses_of(TaskId(item.index)).iter().enumerate() {
            match access.kind {
                AccessKind::Accumulate if item.log >> position & 1 == 1 => {
                    let before = (item.log & ((1 << position) - 1)).count_ones();
                    self.book(first_log + item.first_log + before, event(true), by);
                }
                AccessKind::Accumulate if item.discard >> position & 1 == 1 => {}
                AccessKind::Part => {
                    let dot = dot_of(&program.group(group).dots, access);
                    let parts = &mut self.group(group).parts;
                    if parts.len() <= dot {
                        parts.resize_with(dot + 1, Vec::new);
                    }
                    book(&mut parts[dot], event(true), by);
                    self.open_groups.insert(group);
                }
                kind if kind.is_data() => self.book(access.id, event(kind != AccessKind::Read), by),
                _ => {}
            }
        }
        let n_workers = self.n_workers as usize;
        let counts = &mut self.group(group).instances;
        counts.resize(n_workers, 0);
        let count = &mut counts[worker as usize];
        *count = count.wrapping_add_signed(by);
        // The first one came, or the last one went.
        if *count == u32::from(by > 0) {
            self.open_groups.insert(group);
        }
    }

    /// Books a reducer: it reads logs and writes its target.
    pub fn book_reducer(
        &mut self,
        spot: Spot,
        in_loop: Option<LoopId>,
        target: DataId,
        logs: impl Iterator<Item = u32>,
    ) {
        for log in logs {
            self.book(log, Event { spot, write: false, in_loop }, 1);
        }
        self.book(target, Event { spot, write: true, in_loop }, 1);
        let n_workers = self.n_workers as usize;
        let counts = &mut self.group(spot.group).instances;
        counts.resize(n_workers, 0);
        counts[spot.worker as usize] += 1;
        self.open_groups.insert(spot.group);
    }

    /// A group came, or its replicated tasks changed.
    pub fn open_group(&mut self, group: GroupId) {
        self.group(group);
        self.open_groups.insert(group);
    }

    /// Forgets a group without tasks.
    pub fn remove_group(&mut self, group: GroupId, changed: &mut Vec<Edge>) {
        let gone = std::mem::take(self.group(group));
        for &worker in &gone.participants {
            self.book_reads(&gone.reads, group, worker, -1);
        }
        take_back(&mut self.edges, &gone.lines, changed);
        self.open_groups.remove(&group);
    }

    /// The workers of a group, ascending.
    pub fn participants(&self, group: GroupId) -> &[u32] {
        &self.groups[group.0 as usize].participants
    }

    /// How many dependences ask for a wait; none if an all-gather covers it.
    pub fn count(&self, edge: &Edge) -> u32 {
        let count = self.edges.get(edge).copied().unwrap_or(0);
        let gathers = self.groups.get(edge.to.group.0 as usize).map_or(&[][..], |g| &g.gathers);
        if count > 0 && is_covered(edge, gathers) { 0 } else { count }
    }

    /// Finds the dependences of all that changed; `changed` are those whose count may be another now, some of them several
    /// times, `groups` those whose workers changed.
    pub fn close(&mut self, program: &Program, changed: &mut Vec<Edge>, groups: &mut BTreeSet<GroupId>) {
        for group in std::mem::take(&mut self.open_groups) {
            if let Some(info) = program.find_group(group)
                && self.close_group(program, group, info, changed)
            {
                groups.insert(group);
            }
        }
        self.close_accounts(program, changed);
    }

    fn group(&mut self, group: GroupId) -> &mut GroupBook {
        let at = group.0 as usize;
        if self.groups.len() <= at {
            self.groups.resize_with(at + 1, GroupBook::default);
        }
        &mut self.groups[at]
    }

    fn book(&mut self, item: u32, event: Event, by: i32) {
        let at = item as usize;
        if self.accounts.len() <= at {
            self.accounts.resize_with(at + 1, Account::default);
        }
        let account = &mut self.accounts[at];
        if !account.is_open {
            account.is_open = true;
            self.open.push(item);
        }
        book(&mut account.tallies, event, by);
    }

    fn book_reads(&mut self, reads: &[Reading], group: GroupId, worker: u32, by: i32) {
        for &(data, position, in_loop) in reads {
            let spot = Spot { group, position, worker };
            self.book(data, Event { spot, write: false, in_loop }, by);
        }
    }

    fn close_accounts(&mut self, program: &Program, changed: &mut Vec<Edge>) {
        let Self { accounts, edges, dependence, events, open, n_crossing, .. } = self;
        for item in open.drain(..) {
            let account = &mut accounts[item as usize];
            account.is_open = false;
            let is_shared =
                account.tallies.windows(2).any(|w| w[0].event.spot.worker != w[1].event.spot.worker);
            let new: &[Edge] = if is_shared {
                events.clear();
                events.extend(account.tallies.iter().map(|t| t.event));
                in_order_of_execution(program, events);
                dependence.analyze(program, events)
            } else {
                &[]
            };
            if new != account.edges {
                take_back(edges, &account.edges, changed);
                enter(edges, new, changed);
                account.edges.clear();
                account.edges.extend_from_slice(new);
            }
            let crosses = crosses(&account.tallies);
            *n_crossing = *n_crossing + usize::from(crosses) - usize::from(account.crosses);
            account.crosses = crosses;
        }
    }

    /// Brings the book of a group up to date; says whether its workers changed.
    fn close_group(
        &mut self,
        program: &Program,
        group: GroupId,
        info: &Group,
        changed: &mut Vec<Edge>,
    ) -> bool {
        let (reads, sums) = replicated(program, info);
        let book = self.group(group);
        let busy = book.instances.iter().enumerate().filter(|(_, n)| **n > 0);
        let mut participants: Vec<u32> = busy.map(|(worker, _)| worker as u32).collect();
        if participants.is_empty() {
            participants.push(0);
        }
        let workers_changed = book.participants != participants;
        if workers_changed || book.reads != reads {
            let old = (std::mem::take(&mut book.participants), std::mem::take(&mut book.reads));
            old.0.iter().for_each(|&w| self.book_reads(&old.1, group, w, -1));
            participants.iter().for_each(|&w| self.book_reads(&reads, group, w, 1));
        }
        let n_workers = self.n_workers as usize;
        let book = self.group(group);
        let gathers = all_gathers(&book.parts, &sums, &participants, n_workers);
        let gathers_changed = book.gathers != gathers;
        (book.participants, book.reads, book.gathers) = (participants, reads, gathers);
        let old = std::mem::take(&mut book.lines);
        let new = line_edges(program, group, book, &sums, &mut Dependence::default());
        if new != old {
            take_back(&mut self.edges, &old, changed);
            enter(&mut self.edges, &new, changed);
        }
        self.group(group).lines = new;
        if gathers_changed {
            // What is covered may be another now.
            let least = |group| Edge {
                to: Spot { group, position: 0, worker: 0 },
                from: Spot { group: GroupId(0), position: 0, worker: 0 },
                carried: false,
                in_loop: None,
            };
            let range = least(group)..least(GroupId(group.0 + 1));
            changed.extend(self.edges.range(range).map(|(edge, _)| *edge));
        }
        workers_changed
    }
}

fn enter(edges: &mut BTreeMap<Edge, u32>, new: &[Edge], changed: &mut Vec<Edge>) {
    for &edge in new {
        *edges.entry(edge).or_default() += 1;
        changed.push(edge);
    }
}

fn take_back(edges: &mut BTreeMap<Edge, u32>, old: &[Edge], changed: &mut Vec<Edge>) {
    for &edge in old {
        changed.push(edge);
        if let btree_map::Entry::Occupied(mut entry) = edges.entry(edge) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

/// The dot product that a part belongs to.
fn dot_of(dots: &[DotInfo], part: &AccessDecl) -> usize {
    let is_it = |t: &&engine::data::DotTerm| t.partial == part.id && t.vectors.is_none();
    let sorted = |d: &DotInfo| {
        let at = d.terms.partition_point(|t| t.object < part.object);
        d.terms[at..].iter().take_while(|t| t.object == part.object).any(|t| is_it(&t))
    };
    let found = dots.iter().position(sorted);
    // Terms of running sums are in recorded order.
    found.or_else(|| dots.iter().position(|d| d.terms.iter().any(|t| is_it(&t)))).unwrap_or(0)
}

/// Whether data pass through a buffer from one group to another, the first group apart.
fn crosses(tallies: &[Tally]) -> bool {
    let later = || tallies.iter().map(|t| t.event).filter(|e| e.spot.group != GroupId(0));
    let Some(first) = later().next() else { return false };
    later().any(|e| e.spot.group != first.spot.group) && later().any(|e| e.write)
}

/// Events are sorted by the numbers of groups, which need not be their order.
fn in_order_of_execution(program: &Program, events: &mut [Event]) {
    let n_groups = events.chunk_by(|a, b| a.spot.group == b.spot.group).count();
    if n_groups > 1 {
        let rank = |group: GroupId| program.order_of(group);
        events.sort_by_key(|e| (rank(e.spot.group), e.spot.position));
    }
}

/// Buffers that replicated tasks read (those under running sums included), and where they sum dot products.
fn replicated(program: &Program, group: &Group) -> (Vec<Reading>, Vec<Sum>) {
    let (mut reads, mut sums) = (Vec::new(), Vec::new());
    for stage in group.stages.iter().filter(|s| s.kind == StageKind::Replicated) {
        let &Stage { position, in_loop, .. } = stage;
        for access in stage.tasks.iter().flat_map(|(_, &task)| program.accesses_of(task)) {
            match access.kind {
                AccessKind::Read => reads.push((access.id, position, in_loop)),
                AccessKind::Gather => {
                    sums.push(Sum { dot: access.id, position, in_loop });
                    let terms = &group.dots[access.id as usize].terms;
                    for (a, b) in terms.iter().filter_map(|t| t.vectors) {
                        reads.extend([(a, position, in_loop), (b, position, in_loop)]);
                    }
                }
                _ => {}
            }
        }
    }
    sums.sort_unstable();
    sums.dedup();
    (reads, sums)
}

/// For each sum of a dot product, the stage in which each worker completes its part before.
fn all_gathers(parts: &[Vec<Tally>], sums: &[Sum], participants: &[u32], n_workers: usize) -> Vec<AllGather> {
    let mut gathers = Vec::new();
    if participants.len() < 2 {
        return gathers;
    }
    for sum in sums {
        let mut gather = AllGather {
            in_loop: sum.in_loop,
            sum: sum.position,
            parts: vec![None; n_workers],
            summing: vec![false; n_workers],
        };
        participants.iter().for_each(|&w| gather.summing[w as usize] = true);
        let of_dot = parts.get(sum.dot as usize).into_iter().flatten().map(|t| t.event);
        for part in of_dot.filter(|e| e.spot.position < sum.position && e.in_loop == sum.in_loop) {
            let known = &mut gather.parts[part.spot.worker as usize];
            *known = (*known).max(Some(part.spot.position));
        }
        gathers.push(gather);
    }
    gathers
}

/// The dependences between who computes parts of a dot product and who sums it: each worker's parts are one item.
fn line_edges(
    program: &Program,
    group: GroupId,
    book: &GroupBook,
    sums: &[Sum],
    dependence: &mut Dependence,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    if book.participants.len() < 2 {
        return edges;
    }
    for (dot, parts) in book.parts.iter().enumerate() {
        for &worker in &book.participants {
            let mut events: Vec<Event> =
                parts.iter().map(|t| t.event).filter(|e| e.spot.worker == worker).collect();
            if events.is_empty() {
                continue;
            }
            for &Sum { position, in_loop, .. } in sums.iter().filter(|s| s.dot as usize == dot) {
                let reads = book.participants.iter().map(|&w| Spot { group, position, worker: w });
                events.extend(reads.map(|spot| Event { spot, write: false, in_loop }));
            }
            events.sort_unstable();
            edges.extend_from_slice(dependence.analyze(program, &events));
        }
    }
    edges
}
