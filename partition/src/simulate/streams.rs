//! From a schedule to the simulator's streams: the only place here that reads programs and schedules.

use sim_core::data::DataId;
use sim_core::graph::schedule::{ItemKind, PlanKind, PlanStage, Wait, WorkerStage};
use sim_core::graph::{Program, Schedule, StageKind};

use super::locality::{Locality, PER_ADDITION, Visit};
use super::plan::{Action, Entry, LoopRun, StageInfo, StaticPlan, Stream, StreamWait};

/// Which streams a worker has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// One, with the stages of all groups in the order of execution.
    #[default]
    PerWorker,
    /// One per group, so that a worker which waits in one group goes on in another; the step's own code comes first.
    PerGroup,
}

/// What was measured of a program on one worker.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// Time of each task, by number, once [ns].
    pub task_ns: &'a [f64],
    /// How the loops ran, by number.
    pub loops: &'a [LoopRun],
    /// Time of a run beside its stages [ns].
    pub overhead_ns: f64,
    /// Size of each buffer [bytes].
    pub bytes_of: &'a dyn Fn(DataId) -> usize,
    /// Cache of a core [bytes]; zero: everything fits.
    pub cache: f64,
}

impl StaticPlan {
    /// The streams of a schedule with measured costs.
    pub fn new(program: &Program, schedule: &Schedule, measured: &Measured<'_>, streams: Streams) -> Self {
        let workers = schedule.assignment.workers();
        let locality = Locality::new(&visits(program, schedule), program, measured, workers);
        let mut plan = Self {
            workers,
            regions: schedule.regions.len() as u32,
            loops: measured.loops.to_vec(),
            overhead_ns: measured.overhead_ns,
            ..Self::default()
        };
        let n_groups = if streams == Streams::PerGroup { schedule.participants.len() } else { 1 };
        // By worker, then group: empty ones are taken out at the end.
        let mut all: Vec<Stream> = (0..workers as usize * n_groups)
            .map(|s| Stream { worker: (s / n_groups) as u32, ..Stream::default() })
            .collect();
        let mut open =
            OpenLoops { n_groups: program.groups.len() as u32, begins: Vec::new(), breaks: Vec::new() };
        open.begins.resize(all.len(), Vec::new());
        open.breaks.resize(all.len(), Vec::new());
        for (number, stage) in schedule.stages.iter().enumerate() {
            plan.stages.push(StageInfo {
                name: stage.name,
                group: stage.group.0,
                reduces: stage.kind == PlanKind::Reduce,
            });
            for (part, work) in stage.workers.iter().enumerate() {
                let group = if n_groups == 1 { 0 } else { stage.group.0 as usize };
                let at = work.worker as usize * n_groups + group;
                let action = match stage.kind {
                    PlanKind::Recorded(kind) if is_control(kind) => {
                        open.action(kind, at, &mut all[at].entries)
                    }
                    _ => Action::Run {
                        tasks: work.chain.len() as u32,
                        ns: time_of(schedule, work, measured.task_ns),
                        bytes: locality.bytes(number, part),
                        reads: locality.reads(number, part),
                    },
                };
                all[at].entries.push(entry(schedule, number as u32, stage, work, action));
            }
        }
        plan.streams = linked(all, n_groups);
        plan
    }
}

fn is_control(kind: StageKind) -> bool {
    matches!(kind, StageKind::BeginLoop(_) | StageKind::Break(..) | StageKind::EndLoop(_))
}

/// Time of a worker's tasks in a stage [ns].
fn time_of(schedule: &Schedule, work: &WorkerStage, task_ns: &[f64]) -> f64 {
    let time = |(_, item): (_, &sim_core::graph::schedule::Item)| match item.kind {
        ItemKind::Task => task_ns.get(item.index as usize).copied().unwrap_or(0.0),
        // On one worker there are no reducers, so that they could not be measured.
        ItemKind::Reducer => PER_ADDITION * schedule.reducers[item.index as usize].logs.len() as f64,
    };
    work.chain.iter().map(time).sum()
}

fn entry(schedule: &Schedule, number: u32, stage: &PlanStage, work: &WorkerStage, action: Action) -> Entry {
    let place = |region: u32, position: u32| position - schedule.regions[region as usize].base;
    let wait = |w: &Wait| StreamWait {
        worker: w.worker,
        region: w.region,
        place: place(w.region, w.position),
        carried: w.carried,
    };
    Entry {
        stage: number,
        waits: work.waits.iter().map(wait).collect(),
        action,
        region: stage.region,
        place: place(stage.region, stage.position),
        publishes: work.publishes > 0,
    }
}

/// What the stages touch, in the order of execution, for [`Locality`].
fn visits<'a>(program: &'a Program, schedule: &'a Schedule) -> Vec<Visit<'a>> {
    let in_loop = |stage: &PlanStage| match stage.kind {
        PlanKind::Recorded(StageKind::BeginLoop(_) | StageKind::EndLoop(_)) => true,
        _ => schedule.regions[stage.region as usize].in_loop.is_some(),
    };
    let of_stage = |(number, stage): (usize, &'a PlanStage)| Visit {
        number,
        group: stage.group.0 as usize,
        in_loop: in_loop(stage),
        parts: &stage.workers,
        dots: &program.groups[stage.group.0 as usize].dots,
        reducers: &schedule.reducers,
    };
    schedule.stages.iter().enumerate().map(of_stage).collect()
}

/// The loops that are open in each stream: entries of their beginnings and breaks.
struct OpenLoops {
    n_groups: u32,
    begins: Vec<Vec<usize>>,
    breaks: Vec<Vec<(u32, usize)>>,
}

impl OpenLoops {
    /// The action of a loop's control at the end of a stream; entries before it learn where the loop ends.
    fn action(&mut self, kind: StageKind, stream: usize, entries: &mut [Entry]) -> Action {
        let here = entries.len() as u32;
        match kind {
            StageKind::BeginLoop(id) => {
                self.begins[stream].push(entries.len());
                Action::Begin { id: id.0, region: self.n_groups + id.0, end: 0 }
            }
            StageKind::Break(id, _) => {
                let before = self.breaks[stream].iter().filter(|b| b.0 == id.0).count();
                self.breaks[stream].push((id.0, entries.len()));
                Action::Break { id: id.0, number: before as u32, end: 0 }
            }
            StageKind::EndLoop(id) => {
                let begin = self.begins[stream].pop().unwrap_or(0);
                if let Action::Begin { end, .. } = &mut entries[begin].action {
                    *end = here;
                }
                self.breaks[stream].retain(|&(of, at)| {
                    if let (true, Action::Break { end, .. }) = (of == id.0, &mut entries[at].action) {
                        *end = here;
                    }
                    of != id.0
                });
                Action::End { id: id.0, region: self.n_groups + id.0, first: begin as u32 + 1 }
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
