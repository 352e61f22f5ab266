//! A stream: a worker as resumable state, not as a thread.
#![allow(unsafe_code, reason = "runs ops; the schedule orders conflicting ones")]

use super::code::{Action, Code, Entry, ITERATION_SHIFT, MAX_ITERATIONS, Publication, STEP_SHIFT};
use super::watch::{Log, Moment, Watch};
use crate::clock::Clock;
use crate::sync::{Poison, Progress, relax};
use engine::data::Op;
use engine::exec::{enters, goes_on, leaves};
use engine::graph::chain::Key;

/// Polls of a wait before the time that it takes is measured, in a stream that has its thread for itself. Where others can
/// go on meanwhile, one look is enough: a pause between two polls takes longer than to look at the next stream.
const POLLS: u32 = 8;

/// How much longer than usual stages that share a stamp may take; the first iteration of a loop, which finds nothing in the
/// cache, is no reason to time all stages one by one.
const SLOWER: u64 = 8;

/// What came of running a stream for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its share of the step is done.
    Done,
    /// It waits for another stream; whether it has come further before.
    Blocked { moved: bool },
    /// It has begun the next iteration of a loop, and lets others look whether they can go on.
    Yielded,
    /// Another stream has failed.
    Left,
    /// A loop has more iterations in one step than can be counted.
    TooManyIterations,
}

/// What a run shows to its streams.
pub(super) struct RunContext<'a> {
    pub words: &'a [Progress],
    pub poison: &'a Poison,
    /// This step in a stamp.
    pub step: u64,
    /// For the time that streams are busy.
    pub clock: Clock,
    /// What is to be noted.
    pub watch: Option<Watch>,
}

/// The time of an op in a run.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    count: u32,
    least_ns: u32,
}

impl Sample {
    fn add(&mut self, ns: u64) {
        let ns = u32::try_from(ns).unwrap_or(u32::MAX).max(1);
        self.least_ns = if self.count == 0 { ns } else { self.least_ns.min(ns) };
        self.count += 1;
    }

    /// Of all executions, each counted as the fastest one [ns].
    pub fn ns(self) -> f64 {
        f64::from(self.count) * self.once()
    }

    /// Of the fastest execution [ns]; zero: none was sampled.
    pub fn once(self) -> f64 {
        f64::from(self.least_ns)
    }
}

/// The state of a stream.
pub(super) struct Stream {
    pub code: Code,
    at: u32,
    wait_at: u32,
    /// Per region: iterations since the step began, in the place that they have in a stamp.
    iteration: Vec<u64>,
    /// Per region: whether this is the first iteration of the present visit.
    first: Vec<bool>,
    seen: Vec<u64>,
    /// The op that runs, to blame it for a panic.
    op: *const Op,
    /// Time in tasks and control [ticks of the clock].
    pub busy_ticks: u64,
    /// Its share of the step is over.
    pub is_over: bool,
    /// Interrupts itself at random, for tests.
    pub random: Option<u64>,
    /// Time of each op in a sampled run, by `Entry::first_op` and place in the chain.
    pub samples: Vec<Sample>,
    /// What it noted of an observed run.
    pub log: Log,
}
// SAFETY: `op` is only compared with addresses.
unsafe impl Send for Stream {}

impl Stream {
    pub fn new(code: Code) -> Self {
        Self {
            at: 0,
            wait_at: 0,
            iteration: vec![0; code.n_regions],
            first: vec![true; code.n_regions],
            seen: vec![0; code.n_seen()],
            op: std::ptr::null(),
            busy_ticks: 0,
            is_over: false,
            random: None,
            samples: vec![Sample::default(); code.n_ops()],
            log: Log::default(),
            code,
        }
    }

    /// Goes to the beginning of a step.
    pub fn rewind(&mut self) {
        (self.at, self.wait_at, self.busy_ticks, self.is_over) = (0, 0, 0, false);
        self.iteration.fill(0);
        self.op = std::ptr::null();
        self.code.frame.clear();
    }

    /// Makes room for what changed code needs.
    pub fn make_room(&mut self) {
        self.seen.resize(self.code.n_seen(), 0);
        self.samples.reserve(self.code.n_ops().saturating_sub(self.samples.len()));
    }

    /// Forgets the stamps that were seen, when words start again from zero.
    pub fn forget(&mut self) {
        self.seen.fill(0);
    }

    /// The stage and op that a panic is to be blamed on.
    pub fn blamed(&self) -> Option<(u32, Key)> {
        let entry = self.code.entries.get(self.at as usize)?;
        let Action::Run(chain) = &entry.action else { return None };
        let (key, _) = chain.iter().find(|(_, op)| std::ptr::eq(*op, self.op))?;
        Some((entry.position, key))
    }

    /// Runs until the step is done or something is to be waited for. `alone`: the thread has nothing else to do, so
    /// wait here. `polite`: the thread has streams that others wait for more than for this one.
    pub fn run(&mut self, context: &RunContext<'_>, alone: bool, polite: bool) -> Outcome {
        if !alone && self.is_blocked(context) {
            return Outcome::Blocked { moved: false };
        }
        let begin = context.clock.ticks();
        let mut waited = 0;
        if self.log.is_empty() || std::mem::take(&mut self.log.made_way) {
            self.note(context, Moment::Begin, self.at);
        }
        let outcome = self.walk(context, alone, polite, &mut waited);
        self.busy_ticks += context.clock.ticks().saturating_sub(begin).saturating_sub(waited);
        outcome
    }

    /// Whether it stands at a wait, as it did when it was left, that is not over.
    #[inline(always)]
    fn is_blocked(&self, context: &RunContext<'_>) -> bool {
        let waits = |entry: &Entry| (self.wait_at as usize) < entry.waits.len();
        // An observed stream must have noted that it waits.
        (self.log.waits || !context.watch.is_some_and(|w| w.observed))
            && self.code.entries.get(self.at as usize).is_some_and(waits)
            && self
                .needed(context)
                .is_some_and(|(word, seen, need)| self.seen[seen] < need && context.words[word].seen() < need)
    }

    fn walk(&mut self, context: &RunContext<'_>, alone: bool, polite: bool, waited: &mut u64) -> Outcome {
        loop {
            let Some(entry) = self.code.entries.get(self.at as usize) else {
                if self.log.unstamped > 0 {
                    self.note(context, Moment::Span, self.at);
                }
                return Outcome::Done;
            };
            let end = entry.waits.len() as u32;
            if self.random.is_some() && self.interrupts_itself() {
                return if context.poison.is_set() {
                    Outcome::Left
                } else {
                    Outcome::Blocked { moved: true }
                };
            }
            while self.wait_at < end {
                if !self.try_wait(context, if alone { POLLS } else { 1 }) {
                    self.begin_wait(context);
                    if !alone {
                        return Outcome::Blocked { moved: true };
                    }
                    if !self.spin(context, waited) {
                        return Outcome::Left;
                    }
                }
                if self.log.waits {
                    self.end_wait(context);
                }
                self.wait_at += 1;
            }
            let entry = &self.code.entries[self.at as usize];
            let mut next = self.at + 1;
            let mut yields = false;
            match &entry.action {
                Action::Run(chain) => {
                    if let Some(watch) = &context.watch {
                        self.run_watched(watch);
                    } else {
                        for block in chain.blocks() {
                            for op in block {
                                self.op = op;
                                // SAFETY: this entry's context is that of the op's group; the schedule has ordered every
                                // conflicting op of another stream by the waits above or by those of its own.
                                unsafe { op.run(self.code.ctx) }
                            }
                        }
                    }
                    self.publish(context, self.at as usize);
                }
                &Action::Begin { region, limit, count, end } => {
                    // SAFETY: words of this stream's own bank, whose scalar tasks are done.
                    let limit = unsafe {
                        *count = 0;
                        *limit
                    };
                    self.publish(context, self.at as usize);
                    if !enters(limit) {
                        self.note_turn(context, Moment::Leave);
                        self.publish(context, end as usize);
                        next = end + 1;
                    } else if !self.next_iteration(context, region, true) {
                        return Outcome::TooManyIterations;
                    }
                }
                &Action::Break { condition, end } => {
                    // SAFETY: as above.
                    if leaves(unsafe { *condition }) {
                        self.note_turn(context, Moment::Leave);
                        self.publish(context, end as usize);
                        next = end + 1;
                    }
                }
                &Action::End { region, limit, count, first } => {
                    // SAFETY: as above.
                    let more = unsafe {
                        *count += 1;
                        goes_on(*count, *limit)
                    };
                    if context.poison.is_set() {
                        return Outcome::Left;
                    }
                    if !more {
                        self.publish(context, self.at as usize);
                    } else if self.next_iteration(context, region, false) {
                        (next, yields) = (first, polite);
                    } else {
                        return Outcome::TooManyIterations;
                    }
                }
            }
            self.at = next;
            self.wait_at = 0;
            if yields {
                self.log.made_way = true;
                return Outcome::Yielded;
            }
        }
    }

    fn next_iteration(&mut self, context: &RunContext<'_>, region: u32, first: bool) -> bool {
        self.note_turn(context, if first { Moment::Enter } else { Moment::Again });
        let region = region as usize;
        self.first[region] = first;
        self.iteration[region] += 1 << ITERATION_SHIFT;
        self.iteration[region] < MAX_ITERATIONS << ITERATION_SHIFT
    }

    #[inline(always)]
    fn publish(&self, context: &RunContext<'_>, entry: usize) {
        if let Some(Publication { word, region, low }) = self.code.entries[entry].publish {
            let stamp = (context.step << STEP_SHIFT) + self.iteration[region as usize] + u64::from(low);
            context.words[word as usize].publish(stamp);
        }
    }

    /// Whether the present wait is over; remembers what was seen.
    #[inline(always)]
    fn try_wait(&mut self, context: &RunContext<'_>, polls: u32) -> bool {
        let Some((word, seen, need)) = self.needed(context) else { return true };
        if self.seen[seen] >= need {
            return true;
        }
        for poll in 0..polls {
            if poll > 0 {
                std::hint::spin_loop();
            }
            let stamp = context.words[word].seen();
            if stamp >= need {
                self.seen[seen] = stamp;
                return true;
            }
        }
        false
    }

    /// Word, place of its seen stamp, and the stamp that the present wait needs; none if there is nothing to wait for.
    #[inline(always)]
    fn needed(&self, context: &RunContext<'_>) -> Option<(usize, usize, u64)> {
        let wait = &self.code.entries[self.at as usize].waits[self.wait_at as usize];
        let region = wait.region as usize;
        if wait.carried && self.first[region] {
            return None;
        }
        let iteration = self.iteration[region] - (u64::from(wait.carried) << ITERATION_SHIFT);
        Some((
            wait.word as usize,
            wait.seen as usize,
            (context.step << STEP_SHIFT) + iteration + u64::from(wait.low),
        ))
    }

    /// Waits here until the present wait is over (true) or another stream has failed (false).
    #[cold]
    fn spin(&mut self, context: &RunContext<'_>, waited: &mut u64) -> bool {
        let begin = context.clock.ticks();
        let Some((word, seen, need)) = self.needed(context) else { return true };
        let mut polls = 0;
        let reached = loop {
            let stamp = context.words[word].seen();
            if stamp >= need {
                self.seen[seen] = stamp;
                break true;
            }
            relax(&mut polls);
            if polls.is_multiple_of(32) && context.poison.is_set() {
                break false;
            }
        };
        *waited += context.clock.ticks().saturating_sub(begin);
        reached
    }

    /// Runs the present chain, noting the time of each op, or of all together.
    #[cold]
    fn run_watched(&mut self, watch: &Watch) {
        let (at, ctx) = (self.at, self.code.ctx);
        let entry = &mut self.code.entries[at as usize];
        let Action::Run(chain) = &entry.action else { return };
        if chain.is_empty() {
            return;
        }
        if !watch.times_each(entry.mean_ticks, chain.len() as u64) {
            for block in chain.blocks() {
                for op in block {
                    self.op = op;
                    // SAFETY: as in `walk`.
                    unsafe { op.run(ctx) }
                }
            }
            if self.log.unstamped == 0 {
                self.log.unstamped_from = at;
            }
            self.log.unstamped += entry.mean_ticks * chain.len() as u64;
            if self.log.unstamped >= watch.stamped_from {
                self.stamp_span(watch, at + 1);
            }
            return;
        }
        if self.log.unstamped > 0 {
            self.log.stamp(Moment::Span, at, watch.ticks());
        }
        let begin = if watch.sampled { watch.ticks() } else { self.log.last().unwrap_or(watch.begin) };
        let mut last = begin;
        let mut number = entry.first_op as usize;
        for block in chain.blocks() {
            for op in block {
                self.op = op;
                // SAFETY: as in `walk`.
                unsafe { op.run(ctx) }
                let now = watch.ticks();
                if watch.sampled {
                    self.samples[number].add((now.saturating_sub(last) as f64 * watch.tick_ns) as u64);
                }
                if watch.observed {
                    self.log.stamp(Moment::Op, at, now);
                }
                last = now;
                number += 1;
            }
        }
        entry.mean_ticks = (last.saturating_sub(begin) / chain.len() as u64).max(1);
    }

    /// Stamps what was not stamped, up to an entry. Stages that took much longer than they used to are timed one by one
    /// in the next run.
    fn stamp_span(&mut self, watch: &Watch, end: u32) {
        let (usual, from) = (self.log.unstamped, self.log.unstamped_from);
        let (before, now) = (self.log.last().unwrap_or(watch.begin), watch.ticks());
        self.log.stamp(Moment::Span, end, now);
        if now.saturating_sub(before) > SLOWER * usual {
            self.code.entries[from as usize..end as usize].iter_mut().for_each(|e| e.mean_ticks = 0);
        }
    }

    /// Notes that something ended here, in an observed run.
    #[inline(always)]
    fn note(&mut self, context: &RunContext<'_>, mark: Moment, number: u32) {
        if let Some(watch) = context.watch.as_ref().filter(|w| w.observed) {
            self.log.stamp(mark, number, watch.ticks());
        }
    }

    /// Notes a turn of a loop, in an observed run; where all stages before it are stamped, it is at the last stamp.
    #[inline(always)]
    fn note_turn(&mut self, context: &RunContext<'_>, mark: Moment) {
        if let Some(watch) = context.watch.as_ref().filter(|w| w.observed) {
            let stamped = self.log.last().filter(|_| self.log.unstamped == 0);
            self.log.stamp(mark, self.at, stamped.unwrap_or_else(|| watch.ticks()));
        }
    }

    #[cold]
    fn begin_wait(&mut self, context: &RunContext<'_>) {
        if !self.log.waits && context.watch.is_some_and(|w| w.observed) {
            self.note(context, Moment::Dispatch, self.at);
            self.log.waits = true;
        }
    }

    #[cold]
    fn end_wait(&mut self, context: &RunContext<'_>) {
        self.note(context, Moment::Waited, self.wait_at);
        self.log.waits = false;
    }

    fn interrupts_itself(&mut self) -> bool {
        let Some(state) = &mut self.random else { return false };
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 61 < 3
    }
}
