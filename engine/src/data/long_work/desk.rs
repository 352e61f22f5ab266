//! One piece of long work at a time: its input, who does it, and the results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use super::{Served, Standing};
use crate::beside::{Beside, Job, Meeting, said};

/// What does the work.
type Work<I, O> = Box<dyn Fn(&I, &mut O, Wanted<'_>) + Send + Sync>;

/// Asked by work that takes long: whether its result is still wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a>(&'a Meeting);

impl Wanted<'_> {
    /// Whether to go on. It takes a lock for a moment: ask it once a millisecond, not once a number.
    pub fn is_wanted(self) -> bool {
        self.0.is_wanted()
    }
}

/// What work has made.
pub struct Outcome<O> {
    pub output: O,
    /// What the work said when it panicked.
    trouble: Option<String>,
    /// When the work began, and how long it took, if a thread beside the steps did it.
    spent: Option<(Instant, Duration)>,
}

/// What the thread that does the work shares with the steps.
struct Shared<I, O> {
    meeting: Meeting,
    /// Written while nobody does the work.
    input: RwLock<I>,
    /// Written by who does the work.
    outcome: RwLock<Outcome<O>>,
    work: Work<I, O>,
}

impl<I, O> Shared<I, O> {
    // Locks are held by one side at a time, which the meeting sees to; a panic of the work is caught inside.
    fn input(&self) -> RwLockWriteGuard<'_, I> {
        self.input.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn outcome(&self) -> RwLockWriteGuard<'_, Outcome<O>> {
        self.outcome.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, is_beside: bool) {
        let begin = Instant::now();
        let input = self.input.read().unwrap_or_else(PoisonError::into_inner);
        let mut outcome = self.outcome();
        let Outcome { output, trouble, spent } = &mut *outcome;
        let work = AssertUnwindSafe(|| (self.work)(&input, output, Wanted(&self.meeting)));
        *trouble = catch_unwind(work).err().map(|payload| said(&*payload));
        *spent = is_beside.then(|| (begin, begin.elapsed()));
    }

    /// Waits until the work is over.
    ///
    /// # Panics
    /// If it has panicked.
    fn finished(&self) -> RwLockReadGuard<'_, Outcome<O>> {
        self.meeting.attend(|| self.work(false));
        let outcome = self.outcome.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(trouble) = &outcome.trouble {
            // Raised in a task, which is how a step fails.
            panic!("work beside the steps failed: {trouble}");
        }
        outcome
    }
}

impl<I: Send + Sync, O: Send + Sync> Job for Shared<I, O> {
    fn run(&self) {
        self.meeting.come();
        if self.meeting.claim() {
            self.work(true);
            self.meeting.finish();
        }
    }
}

/// Long work as its tasks see it.
pub struct Desk<I, O> {
    /// Steps from a beginning to its result.
    after: u64,
    /// The step in which the work was begun that is under way, or whose result is the latest.
    begun: Option<u64>,
    /// Whether that may still be taken back: it was begun in a step that is not over.
    is_fresh: bool,
    /// The result before that.
    before: O,
    has_before: bool,
    shared: Arc<Shared<I, O>>,
    beside: Option<Arc<dyn Beside>>,
}

/// Long work in a snapshot.
#[derive(Clone)]
pub struct SavedDesk<I, O> {
    begun: Option<(u64, I)>,
    before: Option<O>,
}

impl<I: Clone + Send + Sync + 'static, O: Clone + Send + Sync + 'static> Desk<I, O> {
    pub fn new(after: u64, input: I, output: O, work: Work<I, O>, beside: Option<Arc<dyn Beside>>) -> Self {
        let before = output.clone();
        let shared = Shared {
            meeting: Meeting::default(),
            input: RwLock::new(input),
            outcome: RwLock::new(Outcome { output, trouble: None, spent: None }),
            work,
        };
        let (begun, is_fresh, has_before) = (None, false, false);
        Self { after, begun, is_fresh, before, has_before, shared: Arc::new(shared), beside }
    }

    fn is_due(&self, begun: u64, now: u64) -> bool {
        now >= begun.saturating_add(self.after)
    }

    pub fn is_under_way(&self, now: u64) -> bool {
        self.begun.is_some_and(|begun| begun != now && !self.is_due(begun, now))
    }

    pub fn begin(&mut self, now: u64, fill: impl FnOnce(&mut I)) -> bool {
        if self.is_under_way(now) {
            return false;
        }
        match self.begun {
            // The step is repeated; the result that served when it began is before this one already.
            Some(begun) if begun == now => self.shared.meeting.withdraw(),
            Some(_) => {
                drop(self.shared.finished());
                std::mem::swap(&mut self.before, &mut self.shared.outcome().output);
                self.has_before = true;
            }
            None => {}
        }
        self.begun = None;
        fill(&mut self.shared.input());
        self.offer(now);
        self.is_fresh = true;
        true
    }

    pub fn exchange(&mut self, now: u64, take: impl FnOnce(&mut O), fill: impl FnOnce(&mut I)) -> bool {
        let was_begun = self.begun.is_some();
        if was_begun {
            drop(self.shared.finished());
            take(&mut self.shared.outcome().output);
        }
        self.begun = None;
        fill(&mut self.shared.input());
        self.offer(now);
        self.is_fresh = true;
        was_begun
    }

    fn offer(&mut self, begun: u64) {
        self.begun = Some(begun);
        self.shared.meeting.offer();
        if let Some(beside) = &self.beside
            && self.shared.meeting.ask()
        {
            beside.take_over(self.shared.clone());
        }
    }

    pub fn served(&self, now: u64) -> Option<Served<'_, O>> {
        match self.begun {
            Some(begun) if self.is_due(begun, now) => Some(Served(Standing::Latest(self.shared.finished()))),
            _ => self.has_before.then_some(Served(Standing::Before(&self.before))),
        }
    }

    pub fn cancel(&mut self) {
        self.shared.meeting.withdraw();
        self.begun = None;
    }

    /// The step in which work was begun is over.
    pub fn keep(&mut self) {
        self.is_fresh = false;
    }

    /// The step is forgotten.
    pub fn discard(&mut self) {
        if std::mem::take(&mut self.is_fresh) {
            self.cancel();
        }
    }

    pub fn hire(&mut self, beside: &Arc<dyn Beside>) {
        // Whoever was asked before need not be there any more.
        self.shared.meeting.come();
        self.beside = Some(beside.clone());
    }

    /// When a thread beside the steps began the work that was done last, and how long it took.
    pub fn spent(&self) -> Option<(Instant, Duration)> {
        // Who does the work holds the lock.
        self.shared.outcome.try_read().ok().and_then(|outcome| outcome.spent)
    }

    pub fn save(&self) -> SavedDesk<I, O> {
        let input = || self.shared.input.read().unwrap_or_else(PoisonError::into_inner).clone();
        let begun = self.begun.map(|begun| (begun, input()));
        SavedDesk { begun, before: self.has_before.then(|| self.before.clone()) }
    }

    pub fn restore(&mut self, saved: Option<&SavedDesk<I, O>>) {
        self.cancel();
        self.is_fresh = false;
        self.has_before = false;
        let Some(SavedDesk { begun, before }) = saved else { return };
        if let Some(before) = before {
            self.before.clone_from(before);
            self.has_before = true;
        }
        if let Some((begun, input)) = begun {
            self.shared.input().clone_from(input);
            self.offer(*begun);
        }
    }
}

impl<I, O> Drop for Desk<I, O> {
    fn drop(&mut self) {
        // Who does the work keeps what it works in.
        self.shared.meeting.abandon();
    }
}
