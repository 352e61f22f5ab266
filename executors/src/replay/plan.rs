//! A loaded plan: one stream per worker and group, and how it follows the updates of its schedule.
#![allow(unsafe_code, reason = "streams are handed out to threads, each to one")]

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::{Action, Code, MAX_STEPS, Source, instantiate};
use super::stream::{Sample, Stream};
use super::watch::Watch;
use super::words::Words;
use crate::checks::Checks;
use engine::data::{EnvArena, Instances, Keeper, Store};
use engine::exec::{LoadError, bound_objects, check_bound_objects, edit_plan, thread_of};
use engine::graph::delta::Removed;
use engine::graph::dependence::Spot;
use engine::graph::{Delta, GroupId, MAX_SWEEPS, Program, Recording, Schedule};

/// A stream that one thread at a time may use.
#[repr(align(128))]
pub(super) struct Seat(UnsafeCell<Stream>);
// SAFETY: during a run, thread t uses the streams in its list only, and lists are disjoint; between runs the caller's `&mut`
// excludes all threads.
unsafe impl Sync for Seat {}

impl Seat {
    /// The stream, while nobody else can see it.
    pub fn stream(&mut self) -> &mut Stream {
        self.0.get_mut()
    }

    /// The address of the stream, for the thread whose list it is in.
    pub fn address(&self) -> *mut Stream {
        self.0.get()
    }
}

/// What comes first on a thread: the first group, shared groups, private ones; or all in order of execution.
pub(super) type Priority = (u32, u32, u32);

/// A stream in the list of its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub seat: u32,
    pub worker: u32,
    pub is_first_group: bool,
}

pub(super) struct Plan {
    pub recording: Arc<Recording>,
    pub schedule: Arc<Schedule>,
    /// Keeps the slots alive that the streams point to.
    pub keeper: Keeper,
    pub seats: Vec<Option<Seat>>,
    free_seats: Vec<u32>,
    seat_of: BTreeMap<(GroupId, u32), (u32, Priority)>,
    /// The streams of each thread, in the order in which it tries them.
    pub lists: Vec<BTreeMap<Priority, Listed>>,
    /// All streams, for a thread that is alone.
    pub everything: BTreeMap<Priority, Listed>,
    pub words: Words,
    /// The environments of the ops, by worker.
    arenas: Vec<EnvArena>,
    /// Outlives the streams, whose ops it checks.
    checks: Checks,
    /// At most one worker has streams.
    pub is_lonely: bool,
    /// Some tasks must run on other threads than the caller's.
    pub needs_all_threads: bool,
    /// Runs since the words were zero.
    pub step: u64,
    /// How the last run was watched.
    pub watch: Option<Watch>,
    switch_seed: Option<u64>,
}

/// Positions of more sweeps would be taken for those of others.
fn check_sweeps(program: &Program) -> Result<(), LoadError> {
    match program.groups().map(|(_, group)| group.outline.len()).max() {
        Some(sweeps) if sweeps > MAX_SWEEPS as usize => Err(LoadError::TooManySweeps {
            sweeps: u32::try_from(sweeps).unwrap_or(u32::MAX),
            most: MAX_SWEEPS,
        }),
        _ => Ok(()),
    }
}

impl Plan {
    /// Loads a schedule for a team of `n_threads`.
    pub fn new(
        recording: Arc<Recording>,
        schedule: Arc<Schedule>,
        store: &mut Store,
        n_threads: usize,
        (switch_seed, checked): (Option<u64>, bool),
    ) -> Result<Self, LoadError> {
        check_sweeps(&recording.program)?;
        check_bound_objects(&recording.program, &schedule.assignment, store)?;
        for line in schedule.partial_lines(&recording.program) {
            store.make_contiguous(&line);
        }
        let n_workers = schedule.assignment.workers() as usize;
        let mut plan = Self {
            keeper: Instances::new(&recording.table, store).keep(),
            seats: Vec::new(),
            free_seats: Vec::new(),
            seat_of: BTreeMap::new(),
            lists: (0..n_threads).map(|_| BTreeMap::new()).collect(),
            everything: BTreeMap::new(),
            words: Words::default(),
            arenas: (0..n_workers).map(|_| EnvArena::default()).collect(),
            checks: Checks::new(checked),
            is_lonely: true,
            needs_all_threads: false,
            step: 0,
            watch: None,
            switch_seed,
            recording: recording.clone(),
            schedule: schedule.clone(),
        };
        let mut codes: Vec<Code> = Vec::new();
        for (id, group) in schedule.groups().filter(|(_, g)| !g.stages.is_empty()) {
            let n_loops = recording.program.group(id).loops.len();
            let code = |&w: &u32| Code::new(id, w, n_loops, recording.frame(id, store));
            codes.extend(group.participants.iter().map(code));
        }
        let mut instances = Instances::new(&recording.table, store);
        let mut source = Source {
            instances: &mut instances,
            recording: &recording,
            schedule: &schedule,
            words: &mut plan.words,
            checks: &mut plan.checks,
        };
        for code in &mut codes {
            let info = recording.program.group(code.group);
            for stage in &schedule.group(code.group).stages {
                if let Some(part) = stage.of(code.worker) {
                    let arena = &mut plan.arenas[code.worker as usize];
                    code.push(&mut source, info, stage, part, arena);
                }
            }
            code.link();
        }
        plan.keeper = instances.keep();
        for code in codes {
            plan.seat(code);
        }
        plan.is_lonely = plan.find_lonely();
        plan.needs_all_threads = plan.finds_other_threads(store);
        Ok(plan)
    }

    /// Gives a stream its seat and its place in the list of its thread.
    fn seat(&mut self, code: Code) {
        let (group, worker) = (code.group, code.worker);
        let mut stream = Stream::new(code);
        stream.random = self.switch_seed.map(|s| s ^ (u64::from(worker) << 32) ^ u64::from(group.0) << 8);
        let seat = Seat(UnsafeCell::new(stream));
        let number = match self.free_seats.pop() {
            Some(number) => {
                self.seats[number as usize] = Some(seat);
                number
            }
            None => {
                self.seats.push(Some(seat));
                self.seats.len() as u32 - 1
            }
        };
        let priority = self.priority(group, worker);
        self.seat_of.insert((group, worker), (number, priority));
        let listed = Listed { seat: number, worker, is_first_group: group == GroupId(0) };
        self.list(worker, priority, listed);
    }

    fn thread_of(&self, worker: u32) -> usize {
        thread_of(worker, self.arenas.len() as u32, self.lists.len())
    }

    fn list(&mut self, worker: u32, priority: Priority, listed: Listed) {
        let thread = self.thread_of(worker);
        self.lists[thread].insert(priority, listed);
        self.everything.insert(priority, listed);
    }

    fn unlist(&mut self, worker: u32, priority: Priority) {
        let thread = self.thread_of(worker);
        self.lists[thread].remove(&priority);
        self.everything.remove(&priority);
    }

    fn priority(&self, group: GroupId, worker: u32) -> Priority {
        if self.schedule.in_order {
            let place = self.schedule.order.iter().find(|(_, id)| **id == group);
            return (0, place.map_or(0, |(order, _)| *order), worker);
        }
        let is_private = self.schedule.group(group).participants.len() < 2;
        (if group == GroupId(0) { 0 } else { 1 + u32::from(is_private) }, group.0, worker)
    }

    /// The stream of a worker in a group.
    pub fn stream(&mut self, group: GroupId, worker: u32) -> Option<&mut Stream> {
        let (number, _) = self.seat_of.get(&(group, worker))?;
        self.seats[*number as usize].as_mut().map(Seat::stream)
    }

    /// The address of the stream of a worker in a group.
    pub fn stream_address(&self, group: GroupId, worker: u32) -> Option<*const Stream> {
        let (number, _) = self.seat_of.get(&(group, worker))?;
        self.seats[*number as usize].as_ref().map(|s| s.address().cast_const())
    }

    /// All streams.
    pub fn streams(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.seats.iter_mut().flatten().map(Seat::stream)
    }

    /// Whether an object is bound to a worker of another thread than the caller's.
    fn finds_other_threads(&self, store: &Store) -> bool {
        let bound = bound_objects(&self.recording.program, store, self.schedule.assignment.workers());
        bound.into_iter().any(|(_, worker)| self.thread_of(worker) > 0)
    }

    /// Whether at most one worker has streams.
    fn find_lonely(&self) -> bool {
        let mut workers = self.everything.values().map(|l| l.worker);
        let Some(first) = workers.next() else { return true };
        workers.all(|w| w == first)
    }

    /// Follows an update of program and schedule: what did not change keeps its place and memory.
    pub fn update(
        &mut self,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
        delta: &mut Delta,
    ) -> Result<(), LoadError> {
        edit_plan(&mut self.recording, &mut self.schedule, delta, edit)?;
        // What was noted of the last run has the numbers of the code before.
        self.watch = None;
        let (recording, schedule) = (self.recording.clone(), self.schedule.clone());
        self.remove_ops(&delta.removed);
        for &group in &delta.groups {
            self.renew_streams(group, &recording, &schedule, store);
        }
        let mut instances = Instances::new(&recording.table, store);
        for (&(spot, key), &item) in &delta.inserted {
            let Some(stage) = schedule.find_group(spot.group).and_then(|g| g.stage(spot.position)) else {
                continue;
            };
            let (place, arena) =
                ((&*recording, &*schedule, spot.group), &mut self.arenas[spot.worker as usize]);
            let op = instantiate(&mut instances, place, item, arena, &mut self.checks);
            let info = recording.program.group(spot.group);
            let Some(stream) = self.stream(spot.group, spot.worker) else { continue };
            if let Action::Run(chain) = &mut stream.code.entry(info, stage).action {
                chain.insert(key, op);
            }
        }
        instances.keep_in(&mut self.keeper);
        self.rewire(delta, &recording, &schedule);
        check_bound_objects(&recording.program, &schedule.assignment, store)?;
        self.needs_all_threads = self.finds_other_threads(store);
        if !delta.groups.is_empty() {
            self.is_lonely = self.find_lonely();
        }
        Ok(())
    }

    fn remove_ops(&mut self, removed: &[Removed]) {
        for &Removed { spot: Spot { group, position, worker }, key, layout } in removed {
            let Some(stream) = self.stream(group, worker) else { continue };
            let Ok(at) = stream.code.find(position) else { continue };
            let Action::Run(chain) = &mut stream.code.entries[at].action else { continue };
            // A checked op is an op around another one: it stays until the plan goes.
            if let Some(op) = chain.remove(key).filter(|_| !self.checks.is_on()) {
                // SAFETY: the op was made in this worker's arena for a task of this layout, and has left its chain.
                unsafe { op.release(&mut self.arenas[worker as usize], layout) };
            }
        }
    }

    /// Makes and drops the streams of a group as its workers say, and renews the lists of partial sums.
    fn renew_streams(&mut self, group: GroupId, recording: &Recording, schedule: &Schedule, store: &Store) {
        let plan = schedule.find_group(group).filter(|g| !g.stages.is_empty());
        let wanted: &[u32] = plan.map_or(&[], |g| &g.participants);
        let of_group = (group, 0)..(GroupId(group.0 + 1), 0);
        let known: Vec<(u32, u32, Priority)> =
            self.seat_of.range(of_group).map(|(&(_, worker), &(seat, p))| (worker, seat, p)).collect();
        for &(worker, seat, priority) in &known {
            self.unlist(worker, priority);
            if wanted.contains(&worker) {
                // Whether the group is shared may have changed.
                let priority = self.priority(group, worker);
                self.seat_of.insert((group, worker), (seat, priority));
                let listed = Listed { seat, worker, is_first_group: group == GroupId(0) };
                self.list(worker, priority, listed);
                if let Some(stream) = self.stream(group, worker) {
                    recording.refresh_dots(group, &mut stream.code.frame, store);
                }
            } else {
                self.seat_of.remove(&(group, worker));
                self.seats[seat as usize] = None;
                self.free_seats.push(seat);
            }
        }
        if plan.is_none() {
            self.words.remove_group(group);
            return;
        }
        for &worker in wanted.iter().filter(|w| !known.iter().any(|k| k.0 == **w)) {
            let n_loops = recording.program.group(group).loops.len();
            self.seat(Code::new(group, worker, n_loops, recording.frame(group, store)));
        }
    }

    /// Brings waits, publications and jumps up to date.
    fn rewire(&mut self, delta: &Delta, recording: &Recording, schedule: &Schedule) {
        for &Spot { group, position, worker } in &delta.stages {
            let Some(&(seat, _)) = self.seat_of.get(&(group, worker)) else { continue };
            let Some(seat) = &mut self.seats[seat as usize] else { continue };
            let code = &mut seat.stream().code;
            let stage = schedule.group(group).stage(position);
            match stage.and_then(|s| s.of(worker).map(|w| (s, w))) {
                None => {
                    if let Ok(at) = code.find(position) {
                        code.entries.remove(at);
                    }
                }
                Some((stage, part)) => {
                    code.entry(recording.program.group(group), stage);
                    if let Ok(at) = code.find(position) {
                        code.rewire(at, &mut self.words, stage, part);
                    }
                }
            }
        }
        let mut streams: Vec<(GroupId, u32)> = delta.stages.iter().map(|s| (s.group, s.worker)).collect();
        streams.sort_unstable();
        streams.dedup();
        for (group, worker) in streams {
            if let Some(stream) = self.stream(group, worker) {
                stream.code.link();
                stream.make_room();
            }
        }
    }

    /// Before a run: counts it, and renews what has moved.
    pub fn prepare(&mut self, store: &Store) {
        self.step += 1;
        let restart = self.step == MAX_STEPS;
        if restart {
            // The stamps are used up: no stream runs, so words and what was seen of them can start again.
            self.step = 1;
            self.words.clear();
        }
        let watch = self.watch;
        for stream in self.seats.iter_mut().flatten().map(Seat::stream) {
            if restart {
                stream.forget();
            }
            self.recording.refresh(stream.code.group, &mut stream.code.frame, store);
            let observed = watch.is_some_and(|w| w.observed);
            let mut n = 0;
            if watch.is_some() {
                for entry in &mut stream.code.entries {
                    entry.first_op = n;
                    n += entry.n_ops() as u32;
                }
                if watch.is_some_and(|w| w.sampled) {
                    stream.samples.clear();
                }
                stream.samples.resize(n as usize, Sample::default());
            }
            stream.log.begin(observed, stream.code.entries.len(), n as usize);
        }
    }
}
