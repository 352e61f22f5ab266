//! What the analysis knows of a program: its tasks, in order, and what each of them touches.

use engine::data::AccessKind;
use engine::graph::{Group, GroupId, Program, StageKind, TaskId, position, sweep_of};

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
    /// The sweep of each piece of code, and its depth in the sweep.
    pub places: Vec<(u32, u32)>,
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
        let nothing = TaskFacts {
            name: "",
            stage: "",
            component: None,
            objects: Vec::new(),
            in_loop: None,
            group: 0,
            touches: Vec::new(),
        };
        let mut graph = Self {
            tasks: vec![nothing; program.n_task_ids()],
            n_loops: program.n_loops(),
            n_groups: program.n_group_ids(),
            n_data: scalars.n_data(),
            ..Self::default()
        };
        let mut first_loop = 0;
        for (id, info) in program.groups() {
            graph.add_group(program, id, info, first_loop, &scalars);
            first_loop += info.loops.len() as u32;
        }
        graph
    }

    fn add_group(
        &mut self,
        program: &Program,
        group: GroupId,
        info: &Group,
        first_loop: u32,
        scalars: &Scalars,
    ) {
        let first_stage = self.code.len();
        let at = |position: u32| first_stage + info.stages.partition_point(|s| s.position < position);
        for stage in &info.stages {
            let code = match stage.kind {
                StageKind::Own | StageKind::Joint | StageKind::Replicated => {
                    for (_, &number) in stage.tasks.iter() {
                        let task = program.task(number);
                        self.tasks[number.0 as usize] = TaskFacts {
                            name: task.name,
                            stage: stage.name,
                            component: (task.component.0 != u32::MAX).then_some(task.component.0),
                            objects: task.place.objects().iter().map(|o| o.0).collect(),
                            in_loop: stage.in_loop.map(|l| first_loop + l.0),
                            group: group.0,
                            touches: touches(program, number, group, scalars),
                        };
                    }
                    Code::Tasks(stage.tasks.iter().map(|(_, task)| task.0).collect())
                }
                StageKind::BeginLoop(id) => {
                    let loop_info = &info.loops[id.0 as usize];
                    let limit = scalars.datum(group, loop_info.limit);
                    Code::Begin { id: first_loop + id.0, group: group.0, limit, end: at(loop_info.end) }
                }
                StageKind::Break(_, condition) => {
                    Code::Break { group: group.0, condition: scalars.datum(group, condition) }
                }
                StageKind::EndLoop(id) => {
                    Code::End { id: first_loop + id.0, begin: at(info.loops[id.0 as usize].begin) }
                }
            };
            self.code.push(code);
            let sweep = sweep_of(stage.position);
            let depth = (stage.position - position(sweep, 0)) / position(0, 1);
            self.places.push((sweep, depth));
        }
    }
}

/// Where the groups' scalars are among the data: behind all buffers.
struct Scalars {
    first: Vec<u32>,
}

impl Scalars {
    fn of(program: &Program) -> Self {
        let mut next = program.n_data() as u32;
        let mut first = vec![next; program.n_group_ids() + 1];
        for (id, group) in program.groups() {
            first[id.0 as usize] = next;
            next += group.scalars.len() as u32;
        }
        first[program.n_group_ids()] = next;
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
                let dot = &program.group(group).dots[access.id as usize];
                for term in &dot.terms {
                    match term.vectors {
                        Some((a, b)) => touches.extend([Touch::Read(a), Touch::Read(b)]),
                        None => touches.push(Touch::Read(term.partial)),
                    }
                }
            }
            AccessKind::ScalarRead => touches.push(Touch::Read(scalars.datum(group, access.id))),
            AccessKind::ScalarWrite => touches.push(Touch::Write(scalars.datum(group, access.id))),
            AccessKind::Parameter | AccessKind::Lock => {}
        }
    }
    touches
}
