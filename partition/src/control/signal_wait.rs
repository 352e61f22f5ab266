//! Signals and waits: from the accesses of all instances to what each worker waits for and publishes, stage by stage.

use super::loops::region_of;
use super::placement::Placement;
use super::reducer::Planned;
use sim_core::data::{AccessDecl, AccessKind};
use sim_core::graph::dependence::{Dependence, Edge, Event};
use sim_core::graph::schedule::Wait;
use sim_core::graph::skeleton::{AllGather, Covers};
use sim_core::graph::{Program, StageKind, TaskId};

/// A wait, and who waits in which stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlacedWait {
    /// Position of the waiting stage.
    pub to: u32,
    pub to_worker: u32,
    pub wait: Wait,
}

const NONE: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// Walks over everything that instances touch. Numbers: buffers, then lines of partial sums (dot, worker), then logs.
pub(super) struct Touches<'a> {
    pub program: &'a Program,
    pub placement: &'a Placement,
    pub participants: &'a [Vec<u32>],
    pub reducers: &'a [Planned],
    pub n_workers: u32,
    pub n_data: u32,
    /// Number of the first dot product of each group among all.
    first_dot: Vec<u32>,
    /// Dot product (counted over all groups) of each buffer of partial sums.
    dot_of: Vec<u32>,
    /// Whether a worker has partial sums of a dot product.
    has_part: Vec<bool>,
    first_log: u32,
}

impl<'a> Touches<'a> {
    pub fn new(
        program: &'a Program,
        placement: &'a Placement,
        participants: &'a [Vec<u32>],
        reducers: &'a [Planned],
        n_workers: u32,
        n_data: u32,
    ) -> Self {
        let (mut first_dot, mut n_dots) = (Vec::new(), 0);
        let mut dot_of = vec![NONE; n_data as usize];
        for group in &program.groups {
            first_dot.push(n_dots);
            for dot in &group.dots {
                for term in dot.terms.iter().filter(|t| t.vectors.is_none()) {
                    dot_of[term.partial as usize] = n_dots;
                }
                n_dots += 1;
            }
        }
        let mut touches = Self {
            program,
            placement,
            participants,
            reducers,
            n_workers,
            n_data,
            first_dot,
            dot_of,
            has_part: vec![false; (n_dots * n_workers) as usize],
            first_log: n_data + n_dots * n_workers,
        };
        for task in 0..program.tasks.len() {
            for access in
                program.accesses_of(TaskId(task as u32)).iter().filter(|a| a.kind == AccessKind::Part)
            {
                let dot = touches.dot_of[access.id as usize];
                for i in placement.of(task) {
                    touches.has_part[(dot * n_workers + placement.workers[i]) as usize] = true;
                }
            }
        }
        touches
    }

    fn n_items(&self) -> usize {
        let logs = self.reducers.iter().map(|r| r.reducer.logs.len()).sum::<usize>();
        self.first_log as usize + logs
    }

    /// Calls `f(item, position, worker, write)` for everything, in program order.
    fn for_each(&self, mut f: impl FnMut(u32, u32, u32, bool)) {
        let mut reducers = self.reducers.iter().peekable();
        for (number, stage) in self.program.stages.iter().enumerate() {
            let position = 2 * number as u32;
            for task in stage.tasks.clone() {
                let accesses = self.program.accesses_of(TaskId(task));
                if stage.kind == StageKind::Replicated {
                    for &worker in &self.participants[stage.group.0 as usize] {
                        self.replicated(stage.group.0, accesses, |item| f(item, position, worker, false));
                    }
                    continue;
                }
                for i in self.placement.of(task as usize) {
                    self.instance(i, accesses, |item, write| {
                        f(item, position, self.placement.workers[i], write)
                    });
                }
            }
            while let Some(plan) = reducers.next_if(|r| r.stage == number as u32) {
                for &(_, _, log) in &plan.reducer.logs {
                    f(self.first_log + log, position + 1, plan.worker, false);
                }
                f(plan.reducer.target, position + 1, plan.worker, true);
            }
        }
    }

    fn replicated(&self, group: u32, accesses: &[AccessDecl], mut read: impl FnMut(u32)) {
        for access in accesses {
            match access.kind {
                AccessKind::Read => read(access.id),
                AccessKind::Gather => {
                    let dot = self.first_dot[group as usize] + access.id;
                    for line in (0..self.n_workers).map(|w| dot * self.n_workers + w) {
                        if self.has_part[line as usize] {
                            read(self.n_data + line);
                        }
                    }
                    let terms = &self.program.groups[group as usize].dots[access.id as usize].terms;
                    for (a, b) in terms.iter().filter_map(|t| t.vectors) {
                        read(a);
                        read(b);
                    }
                }
                _ => {}
            }
        }
    }

    fn instance(&self, i: usize, accesses: &[AccessDecl], mut touch: impl FnMut(u32, bool)) {
        let item = self.placement.items[i];
        for (position, access) in accesses.iter().enumerate() {
            match access.kind {
                AccessKind::Accumulate if item.log >> position & 1 == 1 => {
                    let before = (item.log & ((1 << position) - 1)).count_ones();
                    touch(self.first_log + item.first_log + before, true);
                }
                AccessKind::Accumulate if item.discard >> position & 1 == 1 => {}
                AccessKind::Part => {
                    let line = self.dot_of[access.id as usize] * self.n_workers + self.placement.workers[i];
                    touch(self.n_data + line, true);
                }
                kind if kind.is_data() => touch(access.id, kind != AccessKind::Read),
                _ => {}
            }
        }
    }

    /// The accesses to what several workers touch, sorted by item, each item's in program order.
    fn shared_events(&self) -> Vec<Event> {
        let mut by = vec![NONE; self.n_items()];
        self.for_each(|item, _, worker, _| {
            let known = &mut by[item as usize];
            *known = if *known == NONE || *known == worker { worker } else { SEVERAL };
        });
        let mut events: Vec<Event> = Vec::new();
        self.for_each(|item, position, worker, write| {
            if by[item as usize] == SEVERAL {
                events.push(Event { item, position, worker, write });
            }
        });
        events.sort_by_key(|e| e.item);
        events.dedup();
        events
    }

    /// The all-gathers: for each gathering stage, the stage in which each worker completes its part before.
    fn all_gathers(&self, events: &[Event]) -> Vec<AllGather> {
        let mut gathers: Vec<AllGather> = Vec::new();
        let is_line = |e: &&Event| (self.n_data..self.first_log).contains(&e.item);
        let lines = events.iter().filter(is_line).copied().collect::<Vec<_>>();
        let dot = |e: &Event| (e.item - self.n_data) / self.n_workers;
        for of_dot in lines.chunk_by(|a, b| dot(a) == dot(b)) {
            let mut sums: Vec<u32> = of_dot.iter().filter(|e| !e.write).map(|e| e.position).collect();
            sums.sort_unstable();
            sums.dedup();
            for sum in sums {
                let stage = &self.program.stages[sum as usize / 2];
                let mut gather = AllGather {
                    in_loop: stage.in_loop,
                    sum,
                    parts: vec![None; self.n_workers as usize],
                    summing: vec![false; self.n_workers as usize],
                };
                for &worker in &self.participants[stage.group.0 as usize] {
                    gather.summing[worker as usize] = true;
                }
                for part in of_dot.iter().filter(|e| e.write && e.position < sum) {
                    if self.program.stages[part.position as usize / 2].in_loop == stage.in_loop {
                        let known = &mut gather.parts[part.worker as usize];
                        *known = (*known).max(Some(part.position));
                    }
                }
                gathers.push(gather);
            }
        }
        gathers
    }

    /// All waits that are needed, sorted by stage and worker.
    pub fn waits(&self) -> Vec<PlacedWait> {
        let events = self.shared_events();
        let covers = Covers::new(self.program.loops.len(), self.all_gathers(&events));
        let mut dependence = Dependence::new(self.program);
        for of_item in events.chunk_by(|a, b| a.item == b.item) {
            dependence.analyze(of_item);
        }
        let mut waits: Vec<PlacedWait> = Vec::new();
        for edges in dependence.finish().chunk_by(|a, b| a == b) {
            if !covers.cover(&edges[0]) {
                let wait = self.place(&edges[0]);
                waits.push(PlacedWait { wait: Wait { count: edges.len() as u32, ..wait.wait }, ..wait });
            }
        }
        waits
    }

    fn place(&self, edge: &Edge) -> PlacedWait {
        let group = self.program.stages[edge.from as usize / 2].group;
        let region = region_of(self.program, group, edge.in_loop);
        let wait =
            Wait { worker: edge.from_worker, region, position: edge.from, carried: edge.carried, count: 0 };
        PlacedWait { to: edge.to, to_worker: edge.to_worker, wait }
    }
}
