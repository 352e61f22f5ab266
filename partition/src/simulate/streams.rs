//! From a schedule to the simulator's streams: the only place here that reads programs and schedules.

use engine::graph::schedule::{ItemKind, PlanKind, PlanStage, Wait, WorkerStage};
use engine::graph::{GroupId, Program, Schedule, StageKind};

use super::locality::{Locality, PER_ADDITION, Visit};
use super::measured::Measured;
use super::plan::{Action, Entry, StageInfo, StaticPlan, Stream, StreamWait};

/// Which streams a worker has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// One, with the stages of all groups in the order of execution.
    #[default]
    PerWorker,
    /// One per group, so that a worker which waits in one group goes on in another; the step's own code comes first.
    PerGroup,
}

impl StaticPlan {
    /// The streams of a schedule with measured costs.
    pub fn new(program: &Program, schedule: &Schedule, measured: &Measured<'_>, streams: Streams) -> Self {
        let workers = schedule.assignment.workers();
        let locality = Locality::new(&visits(program, schedule), program, measured, workers);
        let numbers = Numbers::of(program);
        let mut plan = Self {
            workers,
            regions: numbers.n_regions,
            loops: measured.loops.to_vec(),
            overhead_ns: measured.overhead_ns,
            ..Self::default()
        };
        // Data that pass from group to group hold a worker to their order.
        let per_group = streams == Streams::PerGroup && !schedule.in_order;
        let n_groups = if per_group { numbers.groups.len() } else { 1 };
        // By worker, then group: empty ones are taken out at the end.
        let mut all: Vec<Stream> = (0..workers as usize * n_groups)
            .map(|s| Stream { worker: (s / n_groups) as u32, ..Stream::default() })
            .collect();
        let mut open = OpenLoops::default();
        open.begins.resize(all.len(), Vec::new());
        open.breaks.resize(all.len(), Vec::new());
        for (number, (id, stage)) in schedule.stages().enumerate() {
            plan.stages.push(StageInfo {
                name: stage.name,
                group: id.0,
                reduces: stage.kind == PlanKind::Reduce,
            });
            let group = numbers.of_group(id);
            for (part, work) in stage.workers.iter().enumerate() {
                let at = work.worker as usize * n_groups + if n_groups == 1 { 0 } else { group.rank };
                let action = match stage.kind {
                    PlanKind::Recorded(kind) if kind.is_control() => {
                        open.action(kind, group, at, &mut all[at].entries)
                    }
                    _ => Action::Run {
                        tasks: work.chain.len() as u32,
                        ns: time_of(schedule, work, measured.task_ns),
                        bytes: locality.bytes(number, part),
                        reads: locality.reads(number, part),
                    },
                };
                all[at].entries.push(entry(&numbers, group, number as u32, stage, work, action));
            }
        }
        plan.streams = linked(all, n_groups);
        plan
    }
}

/// Regions and loops of all groups, numbered in the order of execution.
struct Numbers {
    groups: Vec<(GroupId, GroupNumbers)>,
    n_regions: u32,
}

#[derive(Clone, Copy)]
struct GroupNumbers {
    rank: usize,
    first_region: u32,
    first_loop: u32,
}

impl Numbers {
    fn of(program: &Program) -> Self {
        let (mut groups, mut n_regions, mut n_loops) = (Vec::new(), 0, 0);
        for (rank, (id, group)) in program.groups().enumerate() {
            groups.push((id, GroupNumbers { rank, first_region: n_regions, first_loop: n_loops }));
            n_regions += group.loops.len() as u32 + 1;
            n_loops += group.loops.len() as u32;
        }
        Self { groups, n_regions }
    }

    fn of_group(&self, id: GroupId) -> GroupNumbers {
        let known = self.groups.iter().find(|g| g.0 == id);
        known.map_or(GroupNumbers { rank: 0, first_region: 0, first_loop: 0 }, |g| g.1)
    }
}

/// Time of a worker's tasks in a stage [ns].
fn time_of(schedule: &Schedule, work: &WorkerStage, task_ns: &[f64]) -> f64 {
    let time = |(_, item): (_, &engine::graph::schedule::Item)| match item.kind {
        ItemKind::Task => task_ns.get(item.index as usize).copied().unwrap_or(0.0),
        // On one worker there are no reducers, so that they could not be measured.
        ItemKind::Reducer => PER_ADDITION * schedule.reducers[item.index as usize].logs.len() as f64,
    };
    work.chain.iter().map(time).sum()
}

fn entry(
    numbers: &Numbers,
    group: GroupNumbers,
    number: u32,
    stage: &PlanStage,
    work: &WorkerStage,
    action: Action,
) -> Entry {
    let wait = |w: &Wait| StreamWait {
        worker: w.worker,
        region: numbers.of_group(w.group).first_region + w.region,
        place: w.position,
        carried: w.carried,
    };
    Entry {
        stage: number,
        waits: work.waits.iter().map(wait).collect(),
        action,
        region: group.first_region + stage.region,
        place: stage.position,
        publishes: work.publishes > 0,
    }
}

/// What the stages touch, in the order of execution, for [`Locality`].
fn visits<'a>(program: &'a Program, schedule: &'a Schedule) -> Vec<Visit<'a>> {
    let in_loop = |stage: &PlanStage| match stage.kind {
        PlanKind::Recorded(StageKind::BeginLoop(_) | StageKind::EndLoop(_)) => true,
        _ => stage.region > 0,
    };
    let of_stage = |(number, (id, stage)): (usize, (GroupId, &'a PlanStage))| Visit {
        number,
        group: id.0 as usize,
        in_loop: in_loop(stage),
        parts: &stage.workers,
        dots: &program.group(id).dots,
        reducers: &schedule.reducers,
    };
    schedule.stages().enumerate().map(of_stage).collect()
}

/// The loops that are open in each stream: entries of their beginnings and breaks.
#[derive(Default)]
struct OpenLoops {
    begins: Vec<Vec<usize>>,
    breaks: Vec<Vec<(u32, usize)>>,
}

impl OpenLoops {
    /// The action of a loop's control at the end of a stream; entries before it learn where the loop ends.
    fn action(
        &mut self,
        kind: StageKind,
        group: GroupNumbers,
        stream: usize,
        entries: &mut [Entry],
    ) -> Action {
        let here = entries.len() as u32;
        let number = |id: engine::graph::LoopId| group.first_loop + id.0;
        let region = |id: engine::graph::LoopId| group.first_region + id.0 + 1;
        match kind {
            StageKind::BeginLoop(id) => {
                self.begins[stream].push(entries.len());
                Action::Begin { id: number(id), region: region(id), end: 0 }
            }
            StageKind::Break(id, _) => {
                let id = number(id);
                let before = self.breaks[stream].iter().filter(|b| b.0 == id).count();
                self.breaks[stream].push((id, entries.len()));
                Action::Break { id, number: before as u32, end: 0 }
            }
            StageKind::EndLoop(id) => {
                let begin = self.begins[stream].pop().unwrap_or(0);
                if let Action::Begin { end, .. } = &mut entries[begin].action {
                    *end = here;
                }
                self.breaks[stream].retain(|&(of, at)| {
                    if let (true, Action::Break { end, .. }) = (of == number(id), &mut entries[at].action) {
                        *end = here;
                    }
                    of != number(id)
                });
                Action::End { id: number(id), region: region(id), first: begin as u32 + 1 }
            }
            _ => unreachable!("only loop control is passed"),
        }
    }
}

/// The streams that have stages; those of a worker's later groups come after its first.
fn linked(all: Vec<Stream>, n_groups: usize) -> Vec<Stream> {
    let mut kept: Vec<Stream> = Vec::new();
    let mut first: Option<usize> = None;
    for (at, stream) in all.into_iter().enumerate() {
        let is_first = at % n_groups == 0;
        if is_first {
            first = None;
        }
        if stream.entries.is_empty() {
            continue;
        }
        let after = if is_first { None } else { first };
        if is_first {
            first = Some(kept.len());
        }
        kept.push(Stream { after, ..stream });
    }
    kept
}
