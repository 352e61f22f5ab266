//! Work that lasts longer than a step and is done beside the steps.
//!
//! One task begins it, in one step. A thread that has nothing else to do ([`Beside`](crate::exec::Beside)) does it while steps go on. Tasks of
//! later steps find its result from a stated number of steps on, whether it was there long before or is still to be waited
//! for. So what is computed depends on the number of steps alone, never on time, and has the same bits under all
//! executors, on all machines. A factorisation that serves as a preconditioner until the next one is done, a path that is
//! planned while a character walks, a clip that is decoded ahead are such work.
//!
//! The work belongs to an object as a [`Workspace`](super::Workspace) does, not to a program: what one program began,
//! another one may use, and a program that is evicted or spliced changes no result. What is under way is cancelled when its
//! buffer or object is freed ([`Store::free`], [`Store::free_object`]), by [`Store::cancel`], and with the store. A step that fails
//! ([`Store::discard_states`]) takes back what it began; a snapshot holds what was under way, and restoring it begins that again.
#![allow(unsafe_code, reason = "accesses build their parameters by an unsafe method")]

mod desk;
mod kept;

use std::fmt;
use std::ops::Deref;
use std::sync::RwLockReadGuard;

use super::access::{Access, Binder};
use super::handle::{DataId, ObjectId, ScalarValue, StepParameter};
use super::op::Ctx;
use super::store::Store;
use super::workspace::{LookIn, WorkIn, Workspace, look_in, work_in};
pub use desk::Wanted;
use desk::{Desk, Outcome};
pub use kept::DoneBeside;
pub(super) use kept::{LongWorks, Saved};

/// Work of one kind that belongs to an object: from an input of type `I` to a result of type `O`. One piece of it may be under
/// way at a time.
pub struct LongWork<I, O> {
    desk: Workspace<Desk<I, O>>,
    clock: u32,
}

impl<I, O> Clone for LongWork<I, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O> Copy for LongWork<I, O> {}
impl<I, O> fmt::Debug for LongWork<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LongWork").field(&self.id()).finish()
    }
}

impl<I, O> LongWork<I, O> {
    /// Its number among the buffers of its store.
    pub fn id(self) -> DataId {
        self.desk.id()
    }
}

/// When the result of long work is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The number of the present step, which grows from step to step; steps that are repeated have the same number.
    pub clock: StepParameter<u64>,
    /// The result is taken from so many steps on after the one in which the work began; one at least.
    pub after: u32,
}

impl Due {
    /// [`Self::after`] of work whose results tasks take by [`Start::exchange`].
    pub const BY_TASKS: u32 = u32::MAX;
}

impl Store {
    /// New work that belongs to `object`. `input` and `output` are the memory of inputs and results.
    ///
    /// `work` is given what its task wrote into the input, and overwrites the output; what it finds there is that of an
    /// earlier result, or of none. What it makes must depend on the input alone. Where that takes long, it asks [`Wanted`] now
    /// and then whether to go on; it may leave anything behind where it need not.
    ///
    /// # Panics
    /// If the result is due in the step in which the work begins, or the clock is another store's.
    pub fn long_work<I, O>(
        &mut self,
        name: impl Into<String>,
        object: ObjectId,
        due: Due,
        (input, output): (I, O),
        work: impl Fn(&I, &mut O, Wanted<'_>) + Send + Sync + 'static,
    ) -> LongWork<I, O>
    where
        I: Clone + Send + Sync + 'static,
        O: Clone + Send + Sync + 'static,
    {
        assert!(due.after > 0, "long work whose result is due in the step in which it begins");
        assert!(self.has_parameter(due.clock.index), "a step parameter of another store");
        let beside = self.known_long_works().beside().cloned();
        let desk = Desk::new(u64::from(due.after), input, output, Box::new(work), beside);
        let desk = self.workspace(name, object, desk);
        self.long_works().insert::<I, O>(desk.id());
        LongWork { desk, clock: due.clock.index }
    }

    /// Takes back what was begun last, also where it has failed; the result before it goes on serving. Waits for the thread that
    /// does the work, if one does.
    pub fn cancel<I, O>(&mut self, work: LongWork<I, O>)
    where
        I: Clone + Send + Sync + 'static,
        O: Clone + Send + Sync + 'static,
    {
        self.workspace_mut(work.desk).cancel();
    }
}

/// Begins long work: the kernel receives [`Start`].
pub struct BeginWork<I, O> {
    desk: WorkIn<Desk<I, O>>,
    clock: u32,
}
impl<I, O> Clone for BeginWork<I, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O> Copy for BeginWork<I, O> {}

/// Lets a task begin long work: the kernel receives [`Start`].
pub fn begin_work<I, O>(work: LongWork<I, O>) -> BeginWork<I, O>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    BeginWork { desk: work_in(work.desk), clock: work.clock }
}

impl<I, O> Access for BeginWork<I, O>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    type Param<'a> = Start<'a, I, O>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.desk.bind(binder);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> Start<'a, I, O> {
        // SAFETY: the contract of `get`.
        unsafe { Start { desk: self.desk.get::<DIRECT>(ctx), now: now(ctx, self.clock) } }
    }
}

/// The number of the present step.
///
/// # Safety
/// The context is that of a run over the store that the clock is of.
#[inline(always)]
unsafe fn now(ctx: &Ctx, clock: u32) -> u64 {
    // SAFETY: the page has a fixed size that `Store::parameter` respects, and is written only between steps.
    unsafe { u64::from_word(*ctx.params.add(clock as usize)) }
}

/// Where a task begins long work.
pub struct Start<'a, I, O> {
    desk: &'a mut Desk<I, O>,
    now: u64,
}

impl<I: Clone + Send + Sync + 'static, O: Clone + Send + Sync + 'static> Start<'_, I, O> {
    /// Whether work is under way that was begun in an earlier step and is not due yet.
    pub fn is_under_way(&self) -> bool {
        self.desk.is_under_way(self.now)
    }

    /// Begins with what `fill` makes of the memory of the input, which holds an earlier input. Nothing happens, and the
    /// answer is false, where work [is under way](Self::is_under_way). What this very step has begun is taken back.
    ///
    /// # Panics
    /// If the work that was begun last has panicked.
    pub fn begin(&mut self, fill: impl FnOnce(&mut I)) -> bool {
        self.desk.begin(self.now, fill)
    }

    /// Takes the result of what was begun last, and begins again, for tasks that count by themselves when a result is due: waits for
    /// the work, hands its result to `take`, which may take it out and leave other memory, and begins with what `fill` makes of the
    /// memory of the input. Where nothing was begun, or it was taken back, nobody calls `take`, and the answer is false.
    ///
    /// As tasks count, and not time, results do not depend on it here either. Such work is due by no number of steps:
    /// [`Due::BY_TASKS`].
    ///
    /// # Panics
    /// If the work that was begun last has panicked.
    pub fn exchange(&mut self, take: impl FnOnce(&mut O), fill: impl FnOnce(&mut I)) -> bool {
        self.desk.exchange(self.now, take, fill)
    }
}

/// Uses the result of long work: the kernel receives [`Served`], or nothing where no result was due yet.
pub struct ResultOf<I, O> {
    desk: LookIn<Desk<I, O>>,
    clock: u32,
}
impl<I, O> Clone for ResultOf<I, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O> Copy for ResultOf<I, O> {}

/// Lets a task use the latest result of long work that is due, as other tasks may at the same time: the kernel receives
/// [`Served`], or nothing where none was due yet. It panics where the work has, which fails the step.
pub fn result_of<I, O>(work: LongWork<I, O>) -> ResultOf<I, O>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    ResultOf { desk: look_in(work.desk), clock: work.clock }
}

impl<I, O> Access for ResultOf<I, O>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    type Param<'a> = Option<Served<'a, O>>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.desk.bind(binder);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> Option<Served<'a, O>> {
        // SAFETY: the contract of `get`.
        unsafe { self.desk.get::<DIRECT>(ctx).served(now(ctx, self.clock)) }
    }
}

/// The result of long work that serves at present.
pub struct Served<'a, O>(Standing<'a, O>);

/// Where the result stands.
enum Standing<'a, O> {
    /// It has served before work was begun again.
    Before(&'a O),
    /// It is the latest one.
    Latest(RwLockReadGuard<'a, Outcome<O>>),
}

impl<O> Deref for Served<'_, O> {
    type Target = O;
    fn deref(&self) -> &O {
        match &self.0 {
            Standing::Before(output) => output,
            Standing::Latest(outcome) => &outcome.output,
        }
    }
}
