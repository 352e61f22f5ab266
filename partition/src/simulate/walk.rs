//! The walk: every thread has a clock, and the thread that is furthest behind goes on first.
//!
//! A thread runs its streams as the executor's threads do: it stays with a stream until that must wait, then looks at the
//! next. Taking the thread with the least clock makes causes come before effects: whatever the others publish later, they
//! publish at a later time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::exec::thread_of;

use super::machine::Machine;
use super::memory::stretches;
use super::outcome::{Deed, Event, Outcome, StageTime, Stuck, WorkerTime};
use super::plan::{Action, Entry, RemoteRead, StaticPlan, Stream, StreamWait};

/// Simulates one run of a plan; with more workers than cores, threads run several workers' streams.
///
/// # Errors
/// If the plan does not end.
pub fn simulate(plan: &StaticPlan, machine: &Machine) -> Result<Outcome, Stuck> {
    Walk::new(plan, machine, false).run()
}

/// As [`simulate`], and notes every wait and stage.
///
/// # Errors
/// If the plan does not end.
pub fn simulate_events(plan: &StaticPlan, machine: &Machine) -> Result<Outcome, Stuck> {
    Walk::new(plan, machine, true).run()
}

/// A stamp as the executor's: iterations of the region, then the place in it.
fn stamp(iteration: u32, place: u32) -> u64 {
    (u64::from(iteration) << 32) + u64::from(place) + 1
}

/// Where a stream stands.
#[derive(Clone, Default)]
struct State {
    at: u32,
    wait_at: u32,
    /// Whether it has looked at the present wait's word.
    has_polled: bool,
    /// Iterations begun, by region; of the present visit, by loop.
    iterations: Vec<u32>,
    in_visit: Vec<u32>,
    /// Latest stamp that was seen, by worker and region.
    seen: Vec<u64>,
    is_done: bool,
}

/// Where a thread stands.
#[derive(Clone, Default)]
struct Thread {
    streams: Vec<usize>,
    /// Which of its streams it is at.
    at: usize,
    clock: f64,
    /// Counts its turns, so that outdated ones are known.
    turn: u32,
    idle: bool,
}

/// When a thread goes on; times are compared as bits, which is right for numbers that are not negative.
type Turn = Reverse<(u64, usize, u32)>;

struct Walk<'a> {
    plan: &'a StaticPlan,
    machine: &'a Machine,
    states: Vec<State>,
    threads: Vec<Thread>,
    /// Stamps with their times, by worker and region.
    published: Vec<Vec<(u64, f64)>>,
    /// Threads that may wait for it, by worker and region.
    watchers: Vec<Vec<usize>>,
    /// The loop that a region is the body of.
    loop_of: Vec<Option<u32>>,
    /// By how much memory stretches a stage on a node.
    stretch: Vec<Vec<f64>>,
    turns: BinaryHeap<Turn>,
    keeps_events: bool,
    outcome: Outcome,
}

/// What stops a stream.
enum Block {
    /// Nothing.
    Free,
    /// A signal that is on its way until then.
    Until(f64),
    /// A signal that was not sent yet.
    Unsent,
}

impl<'a> Walk<'a> {
    fn new(plan: &'a StaticPlan, machine: &'a Machine, keeps_events: bool) -> Self {
        // With tasks on one worker only, the executor does not start its team.
        let most = if plan.busy_workers() <= 1 { 1 } else { machine.n_cores().max(1) };
        let n_threads = (plan.workers as usize).clamp(1, most);
        let mut loop_of = vec![None; plan.regions as usize];
        for entry in plan.streams.iter().flat_map(|s| &s.entries) {
            if let Action::Begin { id, region, .. } = entry.action {
                loop_of[region as usize] = Some(id);
            }
        }
        let (regions, loops, workers) = (plan.regions as usize, plan.loops.len(), plan.workers as usize);
        let state = |stream: &Stream| State {
            iterations: vec![0; regions],
            in_visit: vec![0; loops],
            is_done: stream.entries.is_empty(),
            ..State::default()
        };
        let mut threads = vec![Thread::default(); n_threads];
        for (number, stream) in plan.streams.iter().enumerate() {
            threads[thread_of(stream.worker, plan.workers, n_threads)].streams.push(number);
        }
        Self {
            states: plan.streams.iter().map(state).collect(),
            threads,
            published: vec![Vec::new(); workers * regions],
            watchers: vec![Vec::new(); workers * regions],
            loop_of,
            stretch: stretches(plan, machine, n_threads),
            turns: BinaryHeap::new(),
            keeps_events,
            outcome: Outcome {
                workers: vec![WorkerTime::default(); workers],
                stages: vec![StageTime::default(); plan.stages.len()],
                ..Outcome::default()
            },
            plan,
            machine,
        }
    }

    fn run(mut self) -> Result<Outcome, Stuck> {
        for number in 0..self.threads.len() {
            if number > 0 {
                // All of them watch one line.
                let go = self.machine.signal(0, number) + (number - 1) as f64 * self.machine.reader_ns;
                self.threads[number].clock = go;
            }
            self.awaken(number, self.threads[number].clock);
        }
        while let Some(Reverse((time, thread, turn))) = self.turns.pop() {
            if self.threads[thread].turn == turn {
                self.take_turn(thread, f64::from_bits(time));
            }
        }
        if let Some(stream) = self.states.iter().position(|s| !s.is_done) {
            return Err(self.stuck(stream));
        }
        let mut ns: f64 = 0.0;
        for (number, thread) in self.threads.iter().enumerate() {
            if !thread.streams.is_empty() {
                ns = ns.max(thread.clock + self.machine.signal(number, 0));
            }
        }
        self.outcome.ns = ns + self.plan.overhead_ns / self.machine.core_speed;
        Ok(self.outcome)
    }

    fn awaken(&mut self, thread: usize, time: f64) {
        let turn = &mut self.threads[thread].turn;
        *turn += 1;
        self.turns.push(Reverse((time.to_bits(), thread, *turn)));
    }

    /// Runs one stage of the first stream that can go on, or falls idle until one can.
    fn take_turn(&mut self, number: usize, time: f64) {
        if self.threads[number].streams.iter().all(|&s| self.states[s].is_done) {
            return;
        }
        let thread = &mut self.threads[number];
        // A signal may have come while the thread still looked at other waits.
        let time = time.max(thread.clock);
        let waited = time - thread.clock;
        let was_idle = std::mem::take(&mut thread.idle);
        thread.clock = time;
        let (n, first) = (thread.streams.len(), thread.at);
        if was_idle && waited > 0.0 {
            self.book_waiting(number, waited);
        }
        let mut wake: Option<f64> = None;
        for k in 0..n {
            let at = (first + k) % n;
            let stream = self.threads[number].streams[at];
            if self.states[stream].is_done {
                continue;
            }
            match self.pass_waits(number, stream) {
                Block::Free => {
                    self.threads[number].at = at;
                    self.run_entry(number, stream);
                    let clock = self.threads[number].clock;
                    return self.awaken(number, clock);
                }
                Block::Until(then) => wake = Some(wake.map_or(then, |w| w.min(then))),
                Block::Unsent => {}
            }
        }
        self.threads[number].idle = true;
        if let Some(then) = wake {
            self.awaken(number, then);
        }
    }

    /// The time that a thread was idle, for the stage of the first stream that could not go on.
    fn book_waiting(&mut self, number: usize, waited: f64) {
        let thread = &self.threads[number];
        let n = thread.streams.len();
        let mut order = (0..n).map(|k| thread.streams[(thread.at + k) % n]);
        if let Some(stream) = order.find(|&s| !self.states[s].is_done) {
            let Stream { worker, entries, .. } = &self.plan.streams[stream];
            self.outcome.workers[*worker as usize].wait_ns += waited;
            if let Some(entry) = entries.get(self.states[stream].at as usize) {
                self.outcome.stages[entry.stage as usize].wait_ns += waited;
            }
        }
    }

    /// Passes the waits that are over at the thread's time.
    fn pass_waits(&mut self, number: usize, stream: usize) -> Block {
        let plan = self.plan;
        let Stream { worker, after, entries } = &plan.streams[stream];
        if after.is_some_and(|first| !self.states[first].is_done) {
            // It is on the same thread, which goes on with it.
            return Block::Unsent;
        }
        let entry = &entries[self.states[stream].at as usize];
        while let Some(wait) = entry.waits.get(self.states[stream].wait_at as usize) {
            if !(wait.carried && self.is_first(stream, wait.region)) {
                match self.look(number, stream, wait) {
                    Block::Free => {}
                    blocked => return blocked,
                }
                self.spend(number, *worker, self.machine.wait_ns);
            }
            self.note(stream, entry, Deed::Waited(self.states[stream].wait_at), number);
            let state = &mut self.states[stream];
            (state.wait_at, state.has_polled) = (state.wait_at + 1, false);
        }
        Block::Free
    }

    /// Whether a wait is over at the thread's time.
    fn look(&mut self, number: usize, stream: usize, wait: &StreamWait) -> Block {
        let iteration = self.states[stream].iterations[wait.region as usize];
        let need = stamp(iteration - u32::from(wait.carried), wait.place);
        let word = wait.worker as usize * self.plan.regions as usize + wait.region as usize;
        let from = thread_of(wait.worker, self.plan.workers, self.threads.len());
        let state = &mut self.states[stream];
        if state.seen.len() <= word {
            state.seen.resize(word + 1, 0);
        }
        if state.seen[word] >= need {
            return Block::Free;
        }
        // The first look brings the line here, whatever is in it; a signal that comes meanwhile is not later for that.
        if !std::mem::replace(&mut state.has_polled, true) {
            self.spend(number, self.plan.streams[stream].worker, self.machine.line(from, number));
        }
        let (latency, clock) = (self.machine.signal(from, number), self.threads[number].clock);
        let log = &self.published[word];
        let Some(&(_, sent)) = log.get(log.partition_point(|p| p.0 < need)) else {
            if !self.watchers[word].contains(&number) {
                self.watchers[word].push(number);
            }
            return Block::Unsent;
        };
        if sent + latency > clock {
            return Block::Until(sent + latency);
        }
        let visible = log.partition_point(|p| p.1 + latency <= clock);
        self.states[stream].seen[word] = log[visible - 1].0;
        Block::Free
    }

    fn spend(&mut self, number: usize, worker: u32, ns: f64) {
        self.threads[number].clock += ns;
        self.outcome.workers[worker as usize].busy_ns += ns;
    }

    /// Whether a stream is in the first iteration of its present visit of a region.
    fn is_first(&self, stream: usize, region: u32) -> bool {
        self.loop_of[region as usize].is_none_or(|id| self.states[stream].in_visit[id as usize] == 0)
    }

    fn note(&mut self, stream: usize, entry: &Entry, deed: Deed, thread: usize) {
        if self.keeps_events {
            self.outcome.events.push(Event {
                worker: self.plan.streams[stream].worker,
                stage: entry.stage,
                iteration: self.states[stream].iterations[entry.region as usize],
                deed,
                at_ns: self.threads[thread].clock,
            });
        }
    }

    /// Runs the present stage of a stream and goes on to its next one.
    fn run_entry(&mut self, number: usize, stream: usize) {
        let plan = self.plan;
        let Stream { worker, entries, .. } = &plan.streams[stream];
        let at = self.states[stream].at as usize;
        let entry = &entries[at];
        let mut next = at as u32 + 1;
        let mut time = self.machine.stage_ns;
        // Loop control is announced at its end, whichever way leads there.
        let mut announced = Some(at);
        let state = &mut self.states[stream];
        match &entry.action {
            Action::Run { ns, reads, .. } => {
                let n_threads = self.threads.len();
                let home = |worker: u32| thread_of(worker, plan.workers, n_threads);
                let line = |r: &RemoteRead| self.machine.line(home(r.from), number) * r.lines;
                let remote: f64 = reads.iter().map(line).sum();
                let node = self.machine.node(number);
                time += ns / self.machine.core_speed * self.stretch[entry.stage as usize][node] + remote;
                self.outcome.stages[entry.stage as usize].remote_ns += remote;
            }
            Action::Begin { id, region, end } => {
                state.in_visit[*id as usize] = 0;
                let run = plan.loops[*id as usize];
                if run.completed == 0 && run.broken_at.is_none() {
                    (next, announced) = (end + 1, Some(*end as usize));
                } else {
                    state.iterations[*region as usize] += 1;
                }
            }
            Action::Break { id, number, end } => {
                let run = plan.loops[*id as usize];
                announced = None;
                if run.broken_at == Some(*number) && state.in_visit[*id as usize] == run.completed {
                    (next, announced) = (end + 1, Some(*end as usize));
                }
            }
            Action::End { id, region, first } => {
                let (run, done) = (plan.loops[*id as usize], &mut state.in_visit[*id as usize]);
                *done += 1;
                if *done < run.completed || run.broken_at.is_some() {
                    state.iterations[*region as usize] += 1;
                    (next, announced) = (*first, None);
                }
            }
        }
        let announced = announced.map(|e| &entries[e]).filter(|e| e.publishes);
        if announced.is_some() {
            time += self.machine.publish_ns;
        }
        self.spend(number, *worker, time);
        self.outcome.stages[entry.stage as usize].busy_ns += time;
        self.note(stream, entry, Deed::Ran, number);
        if let Some(entry) = announced {
            self.publish(number, stream, entry);
        }
        let state = &mut self.states[stream];
        (state.at, state.wait_at) = (next, 0);
        state.is_done = next as usize >= entries.len();
    }

    fn publish(&mut self, number: usize, stream: usize, entry: &Entry) {
        let clock = self.threads[number].clock;
        let worker = self.plan.streams[stream].worker;
        let word = worker as usize * self.plan.regions as usize + entry.region as usize;
        let iteration = self.states[stream].iterations[entry.region as usize];
        self.published[word].push((stamp(iteration, entry.place), clock));
        for watcher in std::mem::take(&mut self.watchers[word]) {
            if self.threads[watcher].idle {
                // At its turn it looks again, and may find that this was not yet the stamp it needs.
                let then = clock + self.machine.signal(number, watcher);
                self.awaken_before(watcher, then);
            }
        }
    }

    /// Wakes an idle thread at a time, unless it wakes earlier.
    fn awaken_before(&mut self, thread: usize, then: f64) {
        // An earlier turn stays valid: both are kept under the same number.
        let turn = self.threads[thread].turn;
        self.turns.push(Reverse((then.to_bits(), thread, turn)));
    }

    fn stuck(&self, stream: usize) -> Stuck {
        let Stream { worker, entries, .. } = &self.plan.streams[stream];
        let state = &self.states[stream];
        let entry = &entries[state.at as usize];
        let other = entry.waits.get(state.wait_at as usize).map_or(*worker, |w| w.worker);
        Stuck { worker: *worker, other, stage: entry.stage }
    }
}
