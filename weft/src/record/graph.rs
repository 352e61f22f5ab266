//! What the analysis knows of a program: its tasks, in order, and what each of them touches.

use sim_core::data::AccessKind;
use sim_core::graph::{GroupId, Place, Program, StageKind, TaskId};

/// How a task touches a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// After the last writer and all additions since.
    Read(u32),
    /// After everything before.
    Write(u32),
    /// After the last writer and all readers since; in any order with other additions.
    Add(u32),
}

impl Touch {
    /// The number of the datum.
    pub fn datum(self) -> u32 {
        let (Self::Read(datum) | Self::Write(datum) | Self::Add(datum)) = self;
        datum
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// What it does.
    pub name: &'static str,
    /// The sweep that it belongs to.
    pub stage: &'static str,
    /// Number of its component, if it has one.
    pub component: Option<u32>,
    /// Its objects: none for a task that every worker runs, two for one that joins objects.
    pub objects: Vec<u32>,
    /// The loop around it.
    pub in_loop: Option<u32>,
    /// Its group: what a loop's condition holds up.
    pub group: u32,
    /// What it touches.
    pub touches: Vec<Touch>,
}

/// A piece of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// Tasks, by number.
    Tasks(Vec<u32>),
    /// A loop begins; the number of its iterations is a datum.
    Begin {
        /// Number of the loop.
        id: u32,
        /// The group that iterates.
        group: u32,
        /// The datum.
        limit: u32,
        /// Where it ends in the code.
        end: usize,
    },
    /// Whether the loop is left hangs on a datum.
    Break {
        /// The group that iterates.
        group: u32,
        /// The datum.
        condition: u32,
    },
    /// A loop ends.
    End {
        /// Number of the loop.
        id: u32,
        /// Where it begins in the code.
        begin: usize,
    },
}

/// A program as the analysis sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The tasks, by number.
    pub tasks: Vec<TaskFacts>,
    /// In order of execution.
    pub code: Vec<Code>,
    /// Number of loops.
    pub n_loops: usize,
    /// Number of groups.
    pub n_groups: usize,
    /// Number of data.
    pub n_data: usize,
}

impl Graph {
    /// Of a recorded program.
    pub fn of(program: &Program) -> Self {
        let scalars = Scalars::of(program);
        let mut graph = Self {
            n_loops: program.loops.len(),
            n_groups: program.groups.len(),
            n_data: scalars.n_data(),
            ..Self::default()
        };
        for stage in &program.stages {
            let group = stage.group;
            let code = match stage.kind {
                StageKind::Own | StageKind::Joint | StageKind::Replicated => {
                    for number in stage.tasks.clone() {
                        let task = &program.tasks[number as usize];
                        graph.tasks.push(TaskFacts {
                            name: task.name,
                            stage: stage.name,
                            component: (task.component.0 != u32::MAX).then_some(task.component.0),
                            objects: match task.place {
                                Place::Own(a) => vec![a.0],
                                Place::Joint(a, b) => vec![a.0, b.0],
                                Place::Replicated => Vec::new(),
                            },
                            in_loop: stage.in_loop.map(|l| l.0),
                            group: group.0,
                            touches: touches(program, TaskId(number), group, &scalars),
                        });
                    }
                    Code::Tasks(stage.tasks.clone().collect())
                }
                StageKind::BeginLoop(id) => {
                    let info = &program.loops[id.0 as usize];
                    let limit = scalars.datum(group, info.limit);
                    Code::Begin { id: id.0, group: group.0, limit, end: info.end as usize }
                }
                StageKind::Break(_, condition) => {
                    Code::Break { group: group.0, condition: scalars.datum(group, condition) }
                }
                StageKind::EndLoop(id) => {
                    Code::End { id: id.0, begin: program.loops[id.0 as usize].begin as usize }
                }
            };
            graph.code.push(code);
        }
        graph
    }
}

/// Where the groups' scalars are among the data: behind all buffers.
struct Scalars {
    first: Vec<u32>,
}

impl Scalars {
    fn of(program: &Program) -> Self {
        let accessed = program.accesses.iter().filter(|a| a.kind.is_data()).map(|a| a.id);
        let terms = program.groups.iter().flat_map(|g| &g.dots).flat_map(|d| &d.terms);
        let summed = terms.flat_map(|t| t.vectors.map_or([t.partial; 2], |(a, b)| [a, b]));
        let mut next = accessed.chain(summed).max().map_or(0, |id| id + 1);
        let mut first = vec![next];
        for group in &program.groups {
            next += group.scalars;
            first.push(next);
        }
        Self { first }
    }

    fn datum(&self, group: GroupId, scalar: u32) -> u32 {
        self.first[group.0 as usize] + scalar
    }

    fn n_data(&self) -> usize {
        self.first.last().map_or(0, |&n| n as usize)
    }
}

fn touches(program: &Program, task: TaskId, group: GroupId, scalars: &Scalars) -> Vec<Touch> {
    let mut touches = Vec::new();
    for access in program.accesses_of(task) {
        match access.kind {
            AccessKind::Read => touches.push(Touch::Read(access.id)),
            AccessKind::Write | AccessKind::Update | AccessKind::Grow | AccessKind::Part => {
                touches.push(Touch::Write(access.id));
            }
            AccessKind::Accumulate => touches.push(Touch::Add(access.id)),
            AccessKind::Gather => {
                let dot = &program.groups[group.0 as usize].dots[access.id as usize];
                for term in &dot.terms {
                    match term.vectors {
                        Some((a, b)) => touches.extend([Touch::Read(a), Touch::Read(b)]),
                        None => touches.push(Touch::Read(term.partial)),
                    }
                }
            }
            AccessKind::ScalarRead => touches.push(Touch::Read(scalars.datum(group, access.id))),
            AccessKind::ScalarWrite => touches.push(Touch::Write(scalars.datum(group, access.id))),
            AccessKind::Parameter => {}
        }
    }
    touches
}
