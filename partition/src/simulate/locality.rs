//! Which data each worker finds in its own cache, and which another worker wrote last.

use engine::data::{AccessKind, DotInfo};
use engine::graph::schedule::{Item, ItemKind, Reducer, WorkerStage};
use engine::graph::{Place, Program, TaskId};

use super::measured::Measured;
use super::plan::RemoteRead;

/// Bytes of a cache line.
const LINE: f64 = 64.0;
/// Replaying one logged addition [ns].
///
/// **Source:** measured on the prototype, see the engine's design.
pub(super) const PER_ADDITION: f64 = 4.0;
/// No worker.
const NOBODY: u32 = u32::MAX;

/// A stage with all that is needed to follow its accesses.
pub(super) struct Visit<'a> {
    pub number: usize,
    pub group: usize,
    pub in_loop: bool,
    pub parts: &'a [WorkerStage],
    pub dots: &'a [DotInfo],
    pub reducers: &'a [Reducer],
}

/// Lines that come from others and bytes that come from memory, by stage and place of the worker in it.
pub(super) struct Locality {
    reads: Vec<Vec<Vec<RemoteRead>>>,
    bytes: Vec<Vec<f64>>,
}

/// Who wrote each buffer last, and who has read it since.
struct Copies {
    workers: usize,
    writer: Vec<u32>,
    version: Vec<u32>,
    /// The version that a worker has, by buffer and worker.
    known: Vec<u32>,
}

impl Copies {
    fn write(&mut self, data: u32, worker: u32) {
        let at = data as usize;
        self.writer[at] = worker;
        self.version[at] += 1;
        self.known[at * self.workers + worker as usize] = self.version[at];
    }

    /// Who a worker must fetch the buffer from, if from anybody.
    fn read(&mut self, data: u32, worker: u32) -> Option<u32> {
        let at = data as usize;
        let known = &mut self.known[at * self.workers + worker as usize];
        if *known == self.version[at] {
            return None;
        }
        *known = self.version[at];
        Some(self.writer[at]).filter(|&w| w != worker && w != NOBODY)
    }
}

impl Locality {
    /// Follows a run twice, since what a run finds is what the run before left; bodies of loops count as in a later
    /// iteration.
    pub fn new(visits: &[Visit<'_>], program: &Program, measured: &Measured<'_>, workers: u32) -> Self {
        let n = program.n_data();
        let mut is_written = vec![false; n];
        let accesses = program.tasks().flat_map(|(id, _)| program.accesses_of(id));
        for access in accesses.filter(|a| a.kind.is_data() && a.kind != AccessKind::Read) {
            is_written[access.id as usize] = true;
        }
        let n_stages = visits.iter().map(|v| v.number + 1).max().unwrap_or(0);
        let mut copies = Copies {
            workers: workers as usize,
            writer: vec![NOBODY; n],
            version: vec![0; n],
            known: vec![0; n * workers as usize],
        };
        let mut locality = Self { reads: vec![Vec::new(); n_stages], bytes: vec![Vec::new(); n_stages] };
        let follow = Follow { program, measured, is_written: &is_written };
        for _ in 0..2 {
            for body in visits.chunk_by(|a, b| a.in_loop == b.in_loop && a.group == b.group) {
                for _ in 0..if body[0].in_loop { 2 } else { 1 } {
                    for visit in body {
                        locality.reads[visit.number] = follow.stage(visit, &mut copies);
                    }
                }
            }
        }
        locality.bytes_from_memory(visits, &follow, workers);
        locality
    }

    pub fn reads(&self, stage: usize, part: usize) -> Vec<RemoteRead> {
        self.reads[stage].get(part).cloned().unwrap_or_default()
    }

    pub fn bytes(&self, stage: usize, part: usize) -> f64 {
        self.bytes[stage].get(part).copied().unwrap_or(0.0)
    }

    /// What does not fit a worker's cache comes from memory each time: all that a stage touches, in proportion to what
    /// is too much.
    fn bytes_from_memory(&mut self, visits: &[Visit<'_>], follow: &Follow<'_>, workers: u32) {
        let mut of_worker: Vec<Vec<u32>> = vec![Vec::new(); workers as usize];
        for (visit, part) in visits.iter().flat_map(|v| v.parts.iter().map(move |p| (v, p))) {
            follow.touched(visit, part, |data| of_worker[part.worker as usize].push(data));
        }
        let missing: Vec<f64> = of_worker
            .into_iter()
            .map(|mut data| {
                data.sort_unstable();
                data.dedup();
                let all: f64 = data.iter().map(|&d| (follow.measured.bytes_of)(d) as f64).sum();
                let cache = follow.measured.cache;
                if cache > 0.0 && all > cache { 1.0 - cache / all } else { 0.0 }
            })
            .collect();
        for visit in visits {
            let of_part = |part: &WorkerStage| {
                let mut bytes = 0.0;
                follow.touched(visit, part, |data| bytes += (follow.measured.bytes_of)(data) as f64);
                bytes * missing[part.worker as usize]
            };
            self.bytes[visit.number] = visit.parts.iter().map(of_part).collect();
        }
    }
}

struct Follow<'a> {
    program: &'a Program,
    measured: &'a Measured<'a>,
    is_written: &'a [bool],
}

impl Follow<'_> {
    /// What each worker of a stage reads of others; all read before all write, since nothing inside a stage depends on
    /// another worker.
    fn stage(&self, visit: &Visit<'_>, copies: &mut Copies) -> Vec<Vec<RemoteRead>> {
        let mut reads = Vec::with_capacity(visit.parts.len());
        for part in visit.parts {
            let mut of_part = Lines::default();
            for (_, item) in part.chain.iter() {
                self.read(visit, part.worker, *item, copies, &mut of_part);
            }
            reads.push(of_part.finish());
        }
        for part in visit.parts {
            for (_, item) in part.chain.iter() {
                match item.kind {
                    ItemKind::Task => self.written(*item, |data| copies.write(data, part.worker)),
                    ItemKind::Reducer => {
                        copies.write(visit.reducers[item.index as usize].target, part.worker)
                    }
                }
            }
        }
        reads
    }

    fn read(&self, visit: &Visit<'_>, worker: u32, item: Item, copies: &mut Copies, lines: &mut Lines) {
        if item.kind == ItemKind::Reducer {
            // Logs of half a line an addition, from whoever ran the tasks; they are counted with the task's own reads.
            return;
        }
        let task = TaskId(item.index);
        let most = self.most_lines(task);
        for access in self.program.accesses_of(task) {
            match access.kind {
                AccessKind::Gather => {
                    for term in &visit.dots[access.id as usize].terms {
                        let all = term.vectors.map_or([term.partial; 2], |(a, b)| [a, b]);
                        for data in &all[..if term.vectors.is_some() { 2 } else { 1 }] {
                            if let Some(from) = copies.read(*data, worker) {
                                lines.add(from, self.bytes(*data) / LINE);
                            }
                        }
                    }
                }
                AccessKind::Read | AccessKind::Update => {
                    if let Some(from) = copies.read(access.id, worker) {
                        lines.add(from, (self.bytes(access.id) / LINE).min(most));
                    }
                }
                _ => {}
            }
        }
    }

    /// Most lines that a task reads of one buffer: a task of a pair touches what its contact points name, about a line per
    /// line of its own list of them.
    fn most_lines(&self, task: TaskId) -> f64 {
        let Place::Joint(..) = self.program.task(task).place else { return f64::INFINITY };
        let constant = self
            .program
            .accesses_of(task)
            .iter()
            .filter(|a| a.kind == AccessKind::Read && !self.is_written[a.id as usize]);
        let bytes = constant.map(|a| self.bytes(a.id)).fold(0.0, f64::max);
        if bytes > 0.0 { (bytes / LINE).max(1.0) } else { f64::INFINITY }
    }

    fn bytes(&self, data: u32) -> f64 {
        (self.measured.bytes_of)(data) as f64
    }

    /// The buffers that an instance writes.
    fn written(&self, item: Item, mut f: impl FnMut(u32)) {
        for (position, access) in self.program.accesses_of(TaskId(item.index)).iter().enumerate() {
            let adds = access.kind == AccessKind::Accumulate && !item.adds_elsewhere(position);
            if access.kind.is_exclusive() || adds {
                f(access.id);
            }
        }
    }

    /// The buffers that a worker touches in a stage.
    fn touched(&self, visit: &Visit<'_>, part: &WorkerStage, mut f: impl FnMut(u32)) {
        for (_, item) in part.chain.iter() {
            match item.kind {
                ItemKind::Task => {
                    let accesses = self.program.accesses_of(TaskId(item.index));
                    accesses.iter().filter(|a| a.kind.is_data()).for_each(|a| f(a.id));
                }
                ItemKind::Reducer => f(visit.reducers[item.index as usize].target),
            }
        }
    }
}

/// Lines by the worker that they come from.
#[derive(Default)]
struct Lines(Vec<RemoteRead>);

impl Lines {
    fn add(&mut self, from: u32, lines: f64) {
        match self.0.iter_mut().find(|r| r.from == from) {
            Some(read) => read.lines += lines,
            None => self.0.push(RemoteRead { from, lines }),
        }
    }

    /// Whole lines, by worker.
    fn finish(mut self) -> Vec<RemoteRead> {
        self.0.sort_by_key(|r| r.from);
        self.0.iter_mut().for_each(|r| r.lines = r.lines.ceil());
        self.0
    }
}
