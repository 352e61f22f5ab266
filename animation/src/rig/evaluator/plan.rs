//! Recordings by what they are for.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::data::{Store, Workspace};
use engine::exec::PlanId;
use engine::graph::Place;

use super::dirts::{DirtId, Dirts};
use super::key::What;
use super::place::place;
use super::run::{PlanCode, TaskWork};
use super::state::Guards;
use super::{Evaluator, Failure, Report, record};
use crate::rig::structure::{Needed, Work};

/// What is known of a recording.
pub(super) struct Info {
    pub(super) code: Workspace<PlanCode>,
    pub(super) nodes: usize,
    pub(super) tasks: usize,
    /// By frame: what is dirty afterwards.
    pub(super) after: Vec<DirtId>,
    /// The switches that it is about.
    pub(super) switches: Vec<u32>,
    /// Nodes that run, by frame, if it is to be known which were of use.
    pub(super) work: Vec<Vec<Work>>,
}

/// What is known of recordings, by their numbers, and what they share.
#[derive(Default)]
pub(super) struct Plans {
    infos: Vec<Option<Info>>,
    /// Workspaces of recordings that were forgotten.
    free: Vec<Workspace<PlanCode>>,
    pub(super) guards: Option<Guards>,
    /// Whether the last recording that was asked for was there.
    pub(super) hit: bool,
    /// The recording that was evaluated last.
    pub(super) last: Option<PlanId>,
}

impl Plans {
    pub(super) fn get(&self, plan: PlanId) -> Option<&Info> {
        self.infos.get(plan.0)?.as_ref()
    }

    fn put(&mut self, plan: PlanId, info: Info) {
        if self.infos.len() <= plan.0 {
            self.infos.resize_with(plan.0 + 1, || None);
        }
        if let Some(before) = self.infos[plan.0].replace(info) {
            self.free.push(before.code);
        }
    }
}

/// Sets of dirty attributes beyond which those that nobody has are forgotten.
const MOST_DIRTS: usize = 256;

impl Evaluator {
    /// The recording of the present key.
    pub(super) fn plan(&mut self) -> Result<PlanId, Box<Failure>> {
        if let Some(plan) = self.cache.find(&self.key) {
            self.plans.hit = true;
            return Ok(plan);
        }
        self.plans.hit = false;
        if self.dirts.len() > MOST_DIRTS {
            self.cache.clear(&mut *self.backend.executor);
            self.dirts.retain(self.states.iter_mut().map(|state| &mut state.dirt));
            let (what, request, version) = (self.key.what, self.key.request, self.key.version);
            self.key.fill(what, request, version, &self.states);
        }
        self.note_recorded();
        let (needed, switches) = self.needed();
        self.load(needed, switches)
    }

    /// What the present key makes necessary, by frame, and the switches that it is about.
    fn needed(&self) -> (Vec<Needed>, Vec<u32>) {
        let none = || Needed { work: Vec::new(), dirty: self.dirts.get(Dirts::ALL).clone() };
        let mut all: Vec<Needed> = self.states.iter().map(|_| none()).collect();
        match self.key.what {
            What::All => {
                (self.key.frames.iter().map(|f| self.needed_in(f, &self.requested)).collect(), Vec::new())
            }
            What::Stale(k) => (all, self.stale(&self.key.frames[k as usize])),
            What::Resolve(k) => {
                let (needed, switches) = self.unresolved(&self.key.frames[k as usize]);
                all[k as usize] = needed;
                (all, switches)
            }
        }
    }

    fn load(&mut self, needed: Vec<Needed>, switches: Vec<u32>) -> Result<PlanId, Box<Failure>> {
        let Self { structure, store, states, plans, cache, backend, dirts, key, settings, rig, .. } = self;
        let s = &**structure;
        let guards = plans.guards.get_or_insert_with(|| Guards::new(s, store, states.len()));
        let (work, after): (Vec<Vec<Work>>, Vec<DirtId>) =
            needed.into_iter().map(|n| (n.work, dirts.number(n.dirty))).unzip();
        let (list, tasks) = record::tasks(s, &work);
        let (nodes, n_tasks) = (list.len(), tasks.len());
        let of_task = |(task, _): &(TaskWork, u32)| {
            let work = &list[task.begin as usize..task.end as usize];
            work.iter().map(|w| rig.cost_ns(s.node_of[w.step as usize])).sum()
        };
        let task_ns: Vec<f64> = tasks.iter().map(of_task).collect();
        let code = plans.free.pop().unwrap_or_else(|| {
            store.workspace("plan", engine::data::ObjectId(0), PlanCode::empty(s.code.clone()))
        });
        *store.workspace_mut(code) = record::plan_code(s, states, list, &tasks);
        let loaded = cache.find_or_load(key.clone(), &mut *backend.executor, store, |store| {
            let placed = place(s, &tasks, &task_ns, backend.workers, (states.len(), settings.in_flight));
            let recording = record::record(s, store, states, guards, code, (&tasks, &placed));
            let schedule = backend.lower.lower(&recording.program, &placed.assignment);
            (Arc::new(recording), Arc::new(schedule))
        });
        let plan = loaded.map_err(|error| Box::new(Failure::of_executor(error.to_string())))?;
        let work = if settings.count_reads { work } else { Vec::new() };
        plans.put(plan, Info { code, nodes, tasks: n_tasks, after, switches, work });
        Ok(plan)
    }

    /// Replays a recording, unless it has no tasks.
    pub(super) fn run(&mut self, plan: PlanId) -> Result<Report, Box<Failure>> {
        let Some(info) = self.plans.get(plan) else { return Ok(Report::default()) };
        let (nodes, tasks, code) = (info.nodes, info.tasks, info.code);
        let mut report = Report { nodes, tasks, hit: self.plans.hit, ..Report::default() };
        if tasks == 0 {
            return Ok(report);
        }
        let ran = self.backend.executor.run(plan, &mut self.store);
        report.wall_ns = ran.map_err(|e| Box::new(Failure::of_executor(e.to_string())))?.wall_ns;
        report.cancelled = self.states.iter().filter(|s| s.cancel.load(Ordering::Relaxed)).count();
        let failed = self.store.workspace_mut(code).failed.get_mut();
        let failed = failed.unwrap_or_else(std::sync::PoisonError::into_inner);
        // Workers fail in any order; the first in the order of evaluation is named.
        let Some(first) = failed.iter().min_by_key(|f| (f.frame, f.step)) else { return Ok(report) };
        let node = self.structure.node_of[first.step as usize];
        let failure = Failure {
            node: Some(node),
            place: self.rig.place_of(node),
            name: self.rig.name_of(node).into(),
            kind: self.rig.kind_of(node).into(),
            frame: first.frame,
            message: first.message.clone(),
        };
        let frames: Vec<u32> = failed.drain(..).map(|f| f.frame).collect();
        self.keep_frames(plan, &frames);
        Err(Box::new(failure))
    }

    /// The recording of the last evaluation, as its executor knows it: for prediction and observation. None before the first one.
    pub fn last_plan(&self) -> Option<PlanId> {
        self.plans.last.filter(|plan| self.plans.get(*plan).is_some_and(|info| info.tasks > 0))
    }

    /// What each task of a recording takes [ns], by the number of the task: the sum of what its nodes take as measured or said.
    pub fn task_ns(&self, plan: PlanId) -> Vec<f64> {
        let Some(info) = self.plans.get(plan) else { return Vec::new() };
        let (s, code) = (&*self.structure, self.store.workspace_ref(info.code));
        let mut of_object = vec![0.0; s.blocks.len() * self.states.len()];
        for task in &code.tasks {
            let work = &code.work[task.begin as usize..task.end as usize];
            let Some(first) = work.first() else { continue };
            let object = task.frame as usize * s.blocks.len() + s.block_of[first.step as usize] as usize;
            of_object[object] = work.iter().map(|w| self.rig.cost_ns(s.node_of[w.step as usize])).sum();
        }
        let program = &self.backend.executor.recording(plan).program;
        let mut of_task = vec![0.0; program.n_task_ids()];
        for (id, task) in program.tasks() {
            if let Place::Own(object) = task.place {
                of_task[id.0 as usize] = of_object.get(object.0 as usize).copied().unwrap_or(0.0);
            }
        }
        of_task
    }

    /// How much of each buffer is read by tasks other than the one that writes it [bytes], by the number of the buffer: what passes between
    /// workers at most, for prediction. Of controls and constants, all.
    pub fn shared_bytes(&self) -> Vec<usize> {
        let s = &*self.structure;
        let mut of_block = vec![0; s.blocks.len()];
        for attribute in 0..s.n_attributes() as u32 {
            let (block, range) = s.place_of(attribute);
            let step = |input: &u32| s.step_of_input[*input as usize];
            let is_elsewhere = |input: &u32| s.block_of[step(input) as usize] != block;
            if s.readers.row(attribute).iter().any(is_elsewhere) {
                of_block[block as usize] += 8 * range.len();
            }
        }
        let mut bytes: Vec<usize> =
            (0..self.store.n_data() as u32).map(|id| self.store.bytes_of(id)).collect();
        for state in &self.states {
            for (values, n) in state.values.iter().zip(&of_block) {
                bytes[values.id() as usize] = *n;
            }
        }
        bytes
    }

    /// The buffers of all frames.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// After a failure: frames without one are up to date, if it was all that was run.
    fn keep_frames(&mut self, plan: PlanId, failed: &[u32]) {
        let Some(info) = self.plans.get(plan).filter(|_| self.key.what == What::All) else { return };
        let after = info.after.clone();
        for (k, state) in self.states.iter_mut().enumerate() {
            if !failed.contains(&(k as u32)) && !state.cancel.load(Ordering::Relaxed) {
                state.dirt = after[k];
                state.edited.clear();
            }
        }
    }
}

impl Failure {
    /// A failure of which no node is known.
    pub(super) fn of_executor(message: String) -> Self {
        Self { node: None, place: None, name: String::new(), kind: "executor".into(), frame: 0, message }
    }
}
