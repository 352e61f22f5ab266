//! Units, segments and tasks with their dependences, as plain arrays.

use engine::data::{AccessKind, Addition, EnvArena, Instances, Op};
use engine::graph::{GroupId, Place, Program, TaskId};

use crate::checks::Checks;

/// Task, position of the access, number of the log.
type Log = (usize, usize, u32);

/// What a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A task of the program.
    Task(u32),
    /// A reducer: number of its logs' list.
    Reducer(u32),
}

/// A task or reducer with what follows it.
#[derive(Clone, Debug)]
pub(super) struct TaskNode {
    pub kind: NodeKind,
    pub unit: u32,
    /// Number of nodes of its segment that it waits for.
    pub waits_for: u32,
    /// Range of `Network::successors`.
    pub successors: std::ops::Range<u32>,
}

/// A group.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub group: GroupId,
    /// Number of its stages.
    pub n_stages: u32,
    /// For each stage, the nodes of the segment that begins there (empty if none does), and the stage behind it.
    pub segments: Vec<(std::ops::Range<u32>, u32)>,
    pub waits_for: u32,
    pub successors: Vec<u32>,
}

/// All nodes of a program.
#[derive(Default)]
pub(super) struct Network {
    pub units: Vec<Unit>,
    pub nodes: Vec<TaskNode>,
    pub successors: Vec<u32>,
    /// Target and logs of each reducer: task, position, log.
    pub reducers: Vec<(u32, Vec<Log>)>,
    /// What becomes of additions of each task.
    additions: Vec<Vec<(usize, Addition)>>,
}

/// What is known of a buffer or scalar inside the present segment.
#[derive(Clone, Default)]
struct Item {
    segment: u32,
    writer: Option<u32>,
    readers: Vec<u32>,
    /// Logs of the open epoch, with the nodes that write them.
    logs: Vec<(u32, Log)>,
}

struct Builder<'a> {
    program: &'a Program,
    network: Network,
    items: Vec<Item>,
    segment: u32,
    edges: Vec<(u32, u32)>,
    /// Buffers with an open epoch.
    open: Vec<u32>,
    n_logs: u32,
    first_scalar: u32,
}

impl Network {
    pub fn new(program: &Program) -> Self {
        let first_scalar = program.n_data() as u32;
        let n_scalars = program.groups().map(|(_, g)| g.scalars.len() as u32).max().unwrap_or(0);
        let mut builder = Builder {
            program,
            network: Self { additions: vec![Vec::new(); program.n_task_ids()], ..Self::default() },
            items: vec![Item::default(); (first_scalar + n_scalars) as usize],
            segment: 0,
            edges: Vec::new(),
            open: Vec::new(),
            n_logs: 0,
            first_scalar,
        };
        builder.build();
        builder.network
    }

    /// The ops of all nodes.
    pub fn instantiate(
        &self,
        program: &Program,
        instances: &mut Instances<'_>,
        arena: &mut EnvArena,
        checks: &mut Checks,
    ) -> Vec<Op> {
        let op = |node: &TaskNode| match node.kind {
            NodeKind::Task(task) => {
                let additions = &self.additions[task as usize];
                let op = instances.task(task as usize, additions, arena);
                let group = self.units[node.unit as usize].group;
                checks.task(op, (program, instances.store()), group, TaskId(task), additions)
            }
            NodeKind::Reducer(reducer) => {
                let (target, logs) = &self.reducers[reducer as usize];
                let op = instances.reducer(*target, logs, arena);
                checks.reducer(op, instances.store(), *target, logs)
            }
        };
        self.nodes.iter().map(op).collect()
    }
}

impl Builder<'_> {
    fn build(&mut self) {
        let program = self.program;
        for (id, group) in program.groups() {
            let n = group.stages.len();
            let unit = self.network.units.len() as u32;
            self.network.units.push(Unit {
                group: id,
                n_stages: n as u32,
                segments: vec![(0..0, 0); n],
                waits_for: 0,
                successors: Vec::new(),
            });
            let mut stage = 0;
            while stage < n {
                let straight = group.stages[stage..].iter().take_while(|s| !s.kind.is_control()).count();
                if straight > 0 {
                    self.segment(unit, stage, stage + straight);
                }
                stage += straight + 1;
            }
        }
        self.join_units();
    }

    /// One segment: its nodes and their edges.
    fn segment(&mut self, unit: u32, begin: usize, end: usize) {
        self.segment += 1;
        let first = self.network.nodes.len() as u32;
        let group = self.program.group(self.network.units[unit as usize].group);
        for stage in &group.stages[begin..end] {
            for (_, &task) in stage.tasks.iter() {
                self.task(unit, task);
            }
        }
        for target in std::mem::take(&mut self.open) {
            self.close(unit, target);
        }
        let last = self.network.nodes.len() as u32;
        self.network.units[unit as usize].segments[begin] = (first..last, end as u32);
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut edges = self.edges.drain(..).peekable();
        for node in first..last {
            let from = self.network.successors.len() as u32;
            while let Some((_, to)) = edges.next_if(|e| e.0 == node) {
                self.network.successors.push(to);
                self.network.nodes[to as usize].waits_for += 1;
            }
            self.network.nodes[node as usize].successors = from..self.network.successors.len() as u32;
        }
    }

    fn node(&mut self, unit: u32, kind: NodeKind) -> u32 {
        self.network.nodes.push(TaskNode { kind, unit, waits_for: 0, successors: 0..0 });
        self.network.nodes.len() as u32 - 1
    }

    fn task(&mut self, unit: u32, id: TaskId) {
        let program = self.program;
        let group = program.group(self.network.units[unit as usize].group);
        let TaskId(task) = id;
        let accesses = program.accesses_of(id);
        // Epochs that this task ends are reduced before it.
        for access in accesses {
            match access.kind {
                AccessKind::Gather => {
                    for (a, b) in group.dots[access.id as usize].terms.iter().filter_map(|t| t.vectors) {
                        self.close(unit, a);
                        self.close(unit, b);
                    }
                }
                AccessKind::Accumulate => {}
                kind if kind.is_data() => self.close(unit, access.id),
                _ => {}
            }
        }
        let node = self.node(unit, NodeKind::Task(task));
        let joint = matches!(program.task(id).place, Place::Joint(..));
        for (position, access) in accesses.iter().enumerate() {
            match access.kind {
                AccessKind::Read => self.touch(access.id, node, false),
                AccessKind::ScalarRead => self.touch(self.first_scalar + access.id, node, false),
                AccessKind::ScalarWrite => self.touch(self.first_scalar + access.id, node, true),
                AccessKind::Parameter => {}
                AccessKind::Gather => {
                    for term in &group.dots[access.id as usize].terms {
                        let (a, b) = term.vectors.unwrap_or((term.partial, term.partial));
                        self.touch(a, node, false);
                        self.touch(b, node, false);
                    }
                }
                AccessKind::Accumulate if joint || !self.item(access.id).logs.is_empty() => {
                    let log = self.n_logs;
                    self.n_logs += 1;
                    self.network.additions[task as usize].push((position, Addition::Log(log)));
                    if self.item(access.id).logs.is_empty() {
                        self.open.push(access.id);
                    }
                    self.item(access.id).logs.push((node, (task as usize, position, log)));
                }
                _ => self.touch(access.id, node, true),
            }
        }
    }

    /// Ends a buffer's epoch of logged additions by a reducer.
    fn close(&mut self, unit: u32, target: u32) {
        let logs = std::mem::take(&mut self.item(target).logs);
        if logs.is_empty() {
            return;
        }
        self.open.retain(|&id| id != target);
        let reducer = self.network.reducers.len() as u32;
        self.network.reducers.push((target, logs.iter().map(|l| l.1).collect()));
        let node = self.node(unit, NodeKind::Reducer(reducer));
        self.edges.extend(logs.iter().map(|l| (l.0, node)));
        self.touch(target, node, true);
    }

    fn item(&mut self, id: u32) -> &mut Item {
        let item = &mut self.items[id as usize];
        if item.segment != self.segment {
            *item = Item { segment: self.segment, ..Item::default() };
        }
        item
    }

    /// The edges of one access.
    fn touch(&mut self, id: u32, node: u32, write: bool) {
        self.item(id);
        let (item, edges) = (&mut self.items[id as usize], &mut self.edges);
        edges.extend(item.writer.filter(|&w| w != node).map(|w| (w, node)));
        if write {
            edges.extend(item.readers.drain(..).filter(|&r| r != node).map(|r| (r, node)));
            item.writer = Some(node);
        } else {
            item.readers.push(node);
        }
    }

    /// A unit waits for earlier ones that touch the same data.
    fn join_units(&mut self) {
        let program = self.program;
        let n_data = self.first_scalar as usize;
        let mut writers: Vec<Option<u32>> = vec![None; n_data];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); n_data];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (number, unit) in self.network.units.iter().enumerate() {
            let number = number as u32;
            let mut touch = |id: u32, write: bool| {
                let (writer, readers) = (&mut writers[id as usize], &mut readers[id as usize]);
                edges.extend(writer.map(|w| (w, number)));
                if write {
                    edges.extend(readers.drain(..).map(|r| (r, number)));
                    *writer = Some(number);
                } else if readers.last() != Some(&number) {
                    readers.push(number);
                }
            };
            let group = program.group(unit.group);
            for task in group.tasks() {
                for access in program.accesses_of(task) {
                    if access.kind == AccessKind::Gather {
                        for term in &group.dots[access.id as usize].terms {
                            let (a, b) = term.vectors.unwrap_or((term.partial, term.partial));
                            touch(a, false);
                            touch(b, false);
                        }
                    } else if access.kind.is_data() {
                        touch(access.id, access.kind != AccessKind::Read);
                    }
                }
            }
        }
        edges.retain(|(from, to)| from != to);
        edges.sort_unstable();
        edges.dedup();
        for (from, to) in edges {
            self.network.units[from as usize].successors.push(to);
            self.network.units[to as usize].waits_for += 1;
        }
    }
}
