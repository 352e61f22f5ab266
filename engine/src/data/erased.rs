//! Kernels without their types: an environment in an arena of bytes, and two functions that call it.
//!
//! `call_direct` promises that all additions are done in place, so that the view of [`Adder`](super::Adder) disappears;
//! `call_view` asks each adder. An instance of a task on another worker is a copy of the environment's bytes.
#![allow(unsafe_code, reason = "erased calls; the environment's type is fixed by the function beside it")]

use std::alloc::Layout;
use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::access::{Accesses, DotInfo};
use super::addition::{AddOps, ReduceEnv, Retarget};
use super::arena::{EnvArena, EnvLayout};
use super::dot::{DotList, RunningSum, running_sum};
use super::handle::{DataId, InnerProduct, Scalar, ScalarType, ScalarValue};
use super::op::{CallFn, Ctx, Op};
use super::store::{Slot, SlotKeeper, Store};

/// A kernel with its bound accesses.
#[derive(Clone, Copy)]
pub(crate) struct Env<A, F> {
    access: A,
    kernel: F,
}

/// A kernel with its bound accesses, without their types: what a recorder does with it is compiled once.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    vtable: &'static VTable,
    env: *const u8,
    of: PhantomData<&'a ()>,
}

impl<A, F> Env<A, F>
where
    A: Accesses,
    F: for<'a> Fn(A::Params<'a>) + Copy + Send + Sync + 'static,
{
    /// A kernel with its bound accesses.
    pub(crate) fn new(access: A, kernel: F) -> Self {
        Self { access, kernel }
    }

    /// The same without types.
    pub(crate) fn bound(&self) -> Bound<'_> {
        Bound { vtable: &VTableOf::<A, F>::VTABLE, env: (&raw const *self).cast(), of: PhantomData }
    }
}

type RetargetFn = unsafe fn(*mut u8, usize, Retarget);

struct VTable {
    call_direct: CallFn,
    call_view: CallFn,
    layout: Layout,
    retarget: RetargetFn,
    add_ops: fn(usize) -> Option<AddOps>,
}

unsafe fn call<A, F, const DIRECT: bool>(env: *const u8, ctx: *const Ctx)
where
    A: Accesses,
    F: for<'a> Fn(A::Params<'a>),
{
    // SAFETY: `env` holds an `Env<A, F>` (it stands beside this function in a `VTable`); the rest is `Op::run`'s contract.
    unsafe {
        let env = &*env.cast::<Env<A, F>>();
        if !A::IS_CONDITION || env.access.runs(&*ctx) {
            (env.kernel)(env.access.get::<DIRECT>(&*ctx));
        } else {
            env.access.skip();
        }
    }
}

unsafe fn retarget<A: Accesses, F>(env: *mut u8, position: usize, to: Retarget) {
    // SAFETY: `env` holds an `Env<A, F>` that nobody else uses yet.
    unsafe { (*env.cast::<Env<A, F>>()).access.retarget(position, to) }
}

/// Of a task that adds nothing.
unsafe fn nothing_to_retarget(_: *mut u8, _: usize, _: Retarget) {}

fn no_add_ops(_: usize) -> Option<AddOps> {
    None
}

struct VTableOf<A, F>(PhantomData<(A, F)>);

impl<A, F> VTableOf<A, F>
where
    A: Accesses,
    F: for<'a> Fn(A::Params<'a>) + Copy + Send + Sync + 'static,
{
    const VTABLE: VTable = VTable {
        call_direct: call::<A, F, true>,
        // Only adders ask where additions go.
        call_view: if A::ADDS { call::<A, F, false> as CallFn } else { call::<A, F, true> },
        layout: Layout::new::<Env<A, F>>(),
        retarget: if A::ADDS { retarget::<A, F> as RetargetFn } else { nothing_to_retarget },
        add_ops: if A::ADDS { A::add_ops } else { no_add_ops },
    };
}

/// A task's kernel without its types.
#[derive(Clone, Copy)]
pub struct Erased {
    vtable: &'static VTable,
    env: *const u8,
    group: u32,
}
// SAFETY: as for `Op`.
unsafe impl Send for Erased {}
// SAFETY: as for `Op`.
unsafe impl Sync for Erased {}

#[repr(align(128))]
#[derive(Clone, Copy)]
struct Line(#[allow(dead_code, reason = "reached by the address of its words")] [u64; 16]);

/// One worker's view of one group: its bank of scalars and its lists of partial sums.
pub struct Frame {
    bank: NonNull<[Line]>,
    dots: NonNull<[DotList]>,
    ctx: Box<Ctx>,
    types: Box<[ScalarType]>,
    group: u32,
    table: Arc<()>,
    keeper: SlotKeeper,
    generation: u64,
}
// SAFETY: the pointers lead into its own boxes and to slots, which are used under `Op::run`'s contract.
unsafe impl Send for Frame {}
// SAFETY: as above: who runs an op beside others that use the frame promises that they do not conflict.
unsafe impl Sync for Frame {}

impl Frame {
    /// The context to pass to ops of this group.
    pub fn ctx(&self) -> *const Ctx {
        &raw const *self.ctx
    }

    /// Sets all scalars to zero, as at the start of a run.
    pub fn clear(&mut self) {
        // SAFETY: the bank is this frame's; `&mut self`: no task of this stream runs.
        unsafe { self.bank.as_mut() }.fill(Line([0; 16]));
    }

    /// The word of scalar `index`.
    pub fn word(&self, index: u32) -> u64 {
        // SAFETY: the address is within the bank (asserted); no task of this stream runs while its owner reads.
        unsafe { *self.word_address(index) }
    }

    /// Sets scalar `index`.
    ///
    /// # Panics
    /// If there is no scalar of this number and type.
    pub(crate) fn set_value<T: ScalarValue>(&mut self, index: u32, value: T) {
        assert_eq!(self.types.get(index as usize), Some(&T::TYPE), "a scalar of another type");
        // SAFETY: as in `word`; kernels find a value of the scalar's type there.
        unsafe { *self.word_address(index) = value.to_word() }
    }

    /// The address of the word of scalar `index`. Who writes there must leave a value of the scalar's type.
    ///
    /// # Panics
    /// If there is no such scalar.
    pub fn word_address(&self, index: u32) -> *mut u64 {
        assert!((index as usize) < self.bank.len() * size_of::<Line>() / 8, "a scalar of another group");
        // SAFETY: within the bank (asserted).
        unsafe { self.ctx.bank.add(index as usize) }
    }

    /// The value of a scalar of this group.
    pub fn value<T: ScalarValue>(&self, scalar: Scalar<T>) -> T {
        assert_eq!(scalar.group(), self.group, "a scalar of another group");
        T::from_word(self.word(scalar.index()))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: both came from boxes in `TaskTable::frame`.
        unsafe { drop((Box::from_raw(self.bank.as_ptr()), Box::from_raw(self.dots.as_ptr()))) }
    }
}

/// The kernels of a program, by task.
pub struct TaskTable {
    tasks: Vec<Erased>,
    running: Vec<(u32, u32, RunningSum)>,
    arena: EnvArena,
    keeper: SlotKeeper,
    identity: Arc<()>,
}

impl TaskTable {
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            tasks: Vec::new(),
            running: Vec::new(),
            arena: EnvArena::default(),
            keeper: store.keeper(),
            identity: Arc::new(()),
        }
    }

    /// An empty table in the memory of one that has served.
    pub(crate) fn renew(mut self, store: &Store) -> Self {
        self.tasks.clear();
        self.running.clear();
        self.arena.clear();
        // Frames tell tables apart by this.
        if Arc::get_mut(&mut self.identity).is_none() {
            self.identity = Arc::new(());
        }
        self.keeper.follow(store);
        self
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is no task.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether the tasks were recorded on the same store as those of another table.
    pub(crate) fn is_of_same_store(&self, other: &Self) -> bool {
        self.keeper.is_of_same_store(&other.keeper)
    }

    /// Whether the tasks were recorded on this store.
    pub fn belongs_to(&self, store: &Store) -> bool {
        store.is_kept_by(&self.keeper)
    }

    /// Stores a kernel with its bound accesses.
    pub(crate) fn store(&mut self, bound: Bound<'_>, group: u32) -> Erased {
        let Bound { vtable, env: from, .. } = bound;
        let env = self.arena.reserve(vtable.layout);
        // SAFETY: both have this layout (`from` is the `Env` that the vtable is of); environments are `Copy`.
        unsafe { std::ptr::copy_nonoverlapping(from, env, vtable.layout.size()) };
        Erased { vtable, env, group }
    }

    pub(crate) fn push(&mut self, task: Erased) {
        self.tasks.push(task);
    }

    /// Takes over a kernel of another table, under a number of its own.
    pub(crate) fn adopt(&mut self, id: usize, from: &Self, task: usize, group: u32) {
        let Erased { vtable, env, .. } = from.tasks[task];
        let copy = self.arena.reserve(vtable.layout);
        // SAFETY: both have this layout; environments are `Copy`.
        unsafe { std::ptr::copy_nonoverlapping(env, copy, vtable.layout.size()) };
        let erased = Erased { vtable, env: copy, group };
        match self.tasks.get_mut(id) {
            Some(place) => *place = erased,
            None => {
                assert_eq!(id, self.tasks.len(), "numbers of tasks are dense");
                self.tasks.push(erased);
            }
        }
    }

    /// Forgets a kernel: its number and memory may be used again.
    pub(crate) fn release(&mut self, id: usize) {
        let Erased { vtable, env, .. } = self.tasks[id];
        self.arena.release(env, vtable.layout);
    }

    /// Size of a kernel's environment.
    pub fn layout(&self, id: usize) -> EnvLayout {
        EnvLayout(self.tasks[id].vtable.layout)
    }

    /// Moves a kernel to another group, whose scalars and dot products have the same numbers.
    pub(crate) fn set_group(&mut self, id: usize, group: u32) {
        self.tasks[id].group = group;
    }

    /// Takes over which slots another table keeps alive.
    pub(crate) fn keep_slots_of(&mut self, other: &Self) {
        if other.keeper.is_ahead_of(&self.keeper) {
            self.keeper = other.keeper.clone();
        }
    }

    /// Notes the function that computes the next running term of a dot product.
    pub(crate) fn add_running_term<D: InnerProduct>(&mut self, group: u32, dot: u32) {
        self.running.push((group, dot, running_sum::<D>));
    }

    /// To be called when recording ends: slots created since the start live as long as the table.
    pub(crate) fn seal(&mut self, store: &Store) {
        self.keeper.follow(store);
    }

    /// A worker's view of group `group`, which has these scalars and dot products.
    pub(crate) fn frame(&self, group: u32, scalars: &[ScalarType], dots: &[DotInfo], store: &Store) -> Frame {
        assert!(self.belongs_to(store), "a program of another store");
        let bank = vec![Line([0; 16]); scalars.len().div_ceil(16).max(1)].into_boxed_slice();
        let dots: Box<[DotList]> =
            dots.iter().enumerate().map(|(i, dot)| self.dot_list(group, i as u32, dot, store)).collect();
        let (bank, dots) = (NonNull::from(Box::leak(bank)), NonNull::from(Box::leak(dots)));
        let ctx = Ctx {
            bank: bank.as_ptr().cast(),
            params: self.keeper.page.address(),
            dots: dots.as_ptr().cast(),
        };
        Frame {
            bank,
            dots,
            ctx: Box::new(ctx),
            types: scalars.into(),
            group,
            table: self.identity.clone(),
            keeper: self.keeper.clone(),
            generation: store.generation(),
        }
    }

    /// Renews the addresses of partial sums if buffers have moved; to be called before each run.
    pub(crate) fn refresh(&self, frame: &mut Frame, scalars: &[ScalarType], dots: &[DotInfo], store: &Store) {
        if frame.generation != store.generation() {
            self.refresh_dots(frame, scalars, dots, store);
        }
    }

    /// Renews the lists of partial sums.
    ///
    /// # Panics
    /// If the group has got other scalars or dot products since the frame was made.
    pub(crate) fn refresh_dots(
        &self,
        frame: &mut Frame,
        scalars: &[ScalarType],
        dots: &[DotInfo],
        store: &Store,
    ) {
        assert!(store.is_kept_by(&frame.keeper), "a program of another store");
        assert!(*scalars == *frame.types && dots.len() == frame.dots.len(), "a frame of another group");
        frame.keeper = self.keeper.clone();
        for (i, dot) in dots.iter().enumerate() {
            let list = self.dot_list(frame.group, i as u32, dot, store);
            // SAFETY: the lists are this frame's; `&mut Frame`: no task of this stream runs.
            unsafe { frame.dots.as_mut()[i] = list };
        }
        frame.generation = store.generation();
    }

    fn dot_list(&self, group: u32, index: u32, dot: &DotInfo, store: &Store) -> DotList {
        let mut list = DotList::default();
        let functions = self.running.iter().filter(|(g, d, _)| (*g, *d) == (group, index)).map(|r| r.2);
        let vectors = dot.terms.iter().filter_map(|t| t.vectors);
        list.running = vectors
            .zip(functions)
            .map(|((a, b), f)| (store.slot(a).cast_const(), store.slot(b).cast_const(), f))
            .collect();
        let mut blocked: Vec<_> = dot.terms.iter().filter(|t| t.vectors.is_none()).collect();
        blocked.sort_by_key(|t| t.object);
        for term in blocked {
            assert!(store.is_of_type::<f64>(term.partial), "partial sums of another store");
            let slot = store.slot(term.partial);
            // SAFETY: slots change only under `&mut Store`; the address of each entry is within the buffer.
            let entries = unsafe { (0..(*slot).len).map(|i| (*slot).ptr.cast::<f64>().add(i).cast_const()) };
            list.partials.extend(entries);
        }
        list
    }

    /// Runs a task with all additions in place.
    ///
    /// # Panics
    /// If the frame or the store belongs to another program or group; or if the kernel does.
    #[inline]
    pub(crate) fn call_direct(&self, task: usize, frame: &mut Frame, store: &mut Store) {
        let Erased { vtable, env, group } = self.tasks[task];
        assert!(
            Arc::ptr_eq(&self.identity, &frame.table)
                && frame.group == group
                && store.is_kept_by(&self.keeper),
            "a frame or store of another program"
        );
        // SAFETY: the table owns `env`; `&mut Store` and `&mut Frame` exclude every other task.
        unsafe { (vtable.call_direct)(env, &raw const *frame.ctx) }
    }

    /// How to log and replay the additions of the access at `position` of a task.
    fn add_ops(&self, task: usize, position: usize) -> Option<AddOps> {
        (self.tasks[task].vtable.add_ops)(position)
    }
}

/// What an instance of a task does with the additions of one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addition {
    /// Nothing: another worker computes the same and keeps them.
    Discard,
    /// Appends them to this log of the plan.
    Log(u32),
}

/// Makes the instances of tasks that a plan asks for.
pub struct Instances<'a> {
    table: &'a TaskTable,
    store: &'a mut Store,
    logs: Vec<Option<(DataId, TypeId)>>,
    n_logs: Vec<(TypeId, usize)>,
}

impl<'a> Instances<'a> {
    /// For a plan on the store that the table was recorded on.
    pub fn new(table: &'a TaskTable, store: &'a mut Store) -> Self {
        assert!(table.belongs_to(store), "a program of another store");
        Self { table, store, logs: Vec::new(), n_logs: Vec::new() }
    }

    /// An instance of `task` in `arena`; `additions` lists the accesses whose additions are not done in place.
    pub fn task(&mut self, task: usize, additions: &[(usize, Addition)], arena: &mut EnvArena) -> Op {
        let Erased { vtable, env, .. } = self.table.tasks[task];
        let copy = arena.reserve(vtable.layout);
        // SAFETY: `env` and `copy` both have this layout; environments are `Copy`.
        unsafe { std::ptr::copy_nonoverlapping(env, copy, vtable.layout.size()) };
        for &(position, addition) in additions {
            let to = match addition {
                Addition::Discard => Retarget::Discard,
                Addition::Log(log) => {
                    let ops =
                        self.table.add_ops(task, position).expect("additions of an accumulating access");
                    Retarget::Log(self.log(log, ops))
                }
            };
            // SAFETY: `copy` holds this environment, and nobody uses it yet; the log is of the access's type.
            unsafe { (vtable.retarget)(copy, position, to) };
        }
        Op { call: if additions.is_empty() { vtable.call_direct } else { vtable.call_view }, env: copy }
    }

    /// A reducer that replays `logs`, each written by the access at `position` of `task`, into buffer `target`.
    pub fn reducer(&mut self, target: DataId, logs: &[(usize, usize, u32)], arena: &mut EnvArena) -> Op {
        let (task, position, _) = logs[0];
        let ops = self.table.add_ops(task, position).expect("additions of an accumulating access");
        assert!((ops.is_target)(self.store, target), "a reducer of another type");
        let (head, list) = (Layout::new::<ReduceEnv>(), Layout::array::<*mut Slot>(logs.len()));
        let (layout, offset) = head.extend(list.expect("few logs")).expect("few logs");
        assert_eq!(offset, size_of::<ReduceEnv>());
        let env = arena.reserve(layout);
        // SAFETY: the arena reserved room for the head and the list.
        unsafe {
            env.cast::<ReduceEnv>().write(ReduceEnv { target: self.store.slot(target), n_logs: logs.len() });
            for (i, &(task, position, log)) in logs.iter().enumerate() {
                let other = self.table.add_ops(task, position).expect("additions of an accumulating access");
                assert_eq!(other.element, ops.element, "a reducer of several types");
                env.add(offset).cast::<*mut Slot>().add(i).write(self.log(log, ops));
            }
        }
        Op { call: ops.reduce, env }
    }

    /// The slot of a log of the plan, for elements of the type of `ops`.
    fn log(&mut self, log: u32, ops: AddOps) -> *mut Slot {
        let log = log as usize;
        if self.logs.len() <= log {
            self.logs.resize(log + 1, None);
        }
        let id = match self.logs[log] {
            Some((id, element)) => {
                assert_eq!(element, ops.element, "a log of two types");
                id
            }
            None => {
                let known = self.n_logs.iter().position(|(t, _)| *t == ops.element);
                let kind = known.unwrap_or_else(|| {
                    self.n_logs.push((ops.element, 0));
                    self.n_logs.len() - 1
                });
                let id = (ops.log)(self.store, self.n_logs[kind].1);
                self.n_logs[kind].1 += 1;
                self.logs[log] = Some((id, ops.element));
                id
            }
        };
        self.store.slot(id)
    }

    /// The store that the instances work on.
    pub fn store(&self) -> &Store {
        self.store
    }

    /// Keeps the slots of logs alive for as long as the ops of the plan.
    pub fn keep(&self) -> Keeper {
        Keeper(self.store.keeper())
    }

    /// Lets a keeper keep the slots that came since, too.
    pub fn keep_in(&self, keeper: &mut Keeper) {
        keeper.0.follow(self.store);
    }
}

/// Keeps slots alive.
pub struct Keeper(SlotKeeper);

impl Keeper {
    /// Whether it keeps the slots of this store.
    pub fn is_of(&self, store: &Store) -> bool {
        store.is_kept_by(&self.0)
    }
}
