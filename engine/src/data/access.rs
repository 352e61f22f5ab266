//! Accesses: what a task declares, and what its kernel receives for it.
#![allow(unsafe_code, reason = "parameters are built from slots; the plan orders conflicting tasks")]

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use super::addition::{AddOps, Retarget};
use super::handle::{Data, DataId, Datum, Dot, ObjectId, Scalar, ScalarType, ScalarValue, StepParameter};
use super::list::ListOfSlots;
use super::op::Ctx;
use super::store::{Slot, Store};

// `Set` hands out a reference to the first bytes of a word.
const _: () = assert!(cfg!(target_endian = "little"), "banks of scalars assume a little-endian machine");

/// How a task touches something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// Reads a buffer.
    Read,
    /// Overwrites a whole buffer.
    Write,
    /// Reads and writes a buffer.
    Update,
    /// Changes a buffer's contents and length.
    Grow,
    /// Adds to a buffer.
    Accumulate,
    /// Writes the partial sums of one object of a dot product.
    Part,
    /// Sums a dot product; the number is the dot's in its group.
    Gather,
    /// Reads a scalar of the group; the number is the scalar's.
    ScalarRead,
    /// Writes a scalar of the group; the number is the scalar's.
    ScalarWrite,
    /// Reads a step parameter; the number is the parameter's.
    Parameter,
    /// Holds a lock while it runs; the number is the lock's.
    Lock,
}

impl AccessKind {
    /// Whether this is exclusive access to a buffer.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Self::Write | Self::Update | Self::Grow | Self::Part)
    }
    /// Whether this touches a buffer of the store (else a dot, scalar or parameter).
    pub fn is_data(self) -> bool {
        self.is_exclusive() || matches!(self, Self::Read | Self::Accumulate)
    }
}

/// One declared access, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessDecl {
    /// How.
    pub kind: AccessKind,
    /// What: the number of a buffer, dot, scalar or parameter.
    pub id: u32,
    /// The object that a buffer belongs to.
    pub object: ObjectId,
    /// What it has to do with the tuple of accesses.
    pub meaning: Meaning,
}

impl AccessDecl {
    /// Whether the task writes what this names, or adds to it.
    pub fn is_written(&self) -> bool {
        self.kind.is_exclusive() || self.kind == AccessKind::Accumulate
    }

    /// Whether this asks for a resource.
    pub fn is_resource(&self) -> bool {
        self.meaning == Meaning::Resource
    }

    /// Whether this says if the task runs.
    pub fn is_condition(&self) -> bool {
        self.meaning == Meaning::Condition
    }
}

/// What a declared access has to do with the tuple of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// It is one of the tuple.
    One,
    /// It is one of the tuple, and says whether the task runs.
    Condition,
    /// It is one buffer of a list, which is the last of the tuple.
    Listed,
    /// It is one of the tuple, and stands for something that one task at a time may use.
    Resource,
}

/// One object's contribution to a dot product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DotTerm {
    /// The object.
    pub object: ObjectId,
    /// The buffer of its partial sums, one per chunk (unused with running sums).
    pub partial: DataId,
    /// The two vectors, where the sum is a running one.
    pub vectors: Option<(DataId, DataId)>,
}

/// A dot product of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotInfo {
    /// Its name, for traces.
    pub name: &'static str,
    /// The contributions, in recorded order.
    pub terms: Vec<DotTerm>,
    /// Whether a task already gathers it, so that no term may follow.
    pub gathered: bool,
}

/// Resolves handles to slots while a task is recorded, and collects what it declares.
pub struct Binder<'a> {
    pub(crate) store: &'a mut Store,
    /// Number of the recorder among those of its store.
    pub(crate) recorder: u32,
    pub(crate) group: u32,
    /// The scalars of the group.
    pub(crate) scalars: &'a [ScalarType],
    pub(crate) dots: &'a mut Vec<DotInfo>,
    /// How many partial sums this recording has asked for, per object.
    pub(crate) n_partials: &'a mut Vec<u32>,
    pub(crate) decls: &'a mut Vec<AccessDecl>,
}

impl Binder<'_> {
    /// The access that was declared last says whether the task runs.
    pub(super) fn is_condition(&mut self) {
        if let Some(last) = self.decls.last_mut() {
            last.meaning = Meaning::Condition;
        }
    }

    /// The access that was declared last asks for a resource.
    pub(super) fn is_resource(&mut self) {
        if let Some(last) = self.decls.last_mut() {
            last.meaning = Meaning::Resource;
        }
    }

    /// Declares that the buffers of a list are read.
    pub(super) fn listed(&mut self, ids: &[DataId]) {
        let store = &*self.store;
        let decl = |&id: &DataId| AccessDecl {
            kind: AccessKind::Read,
            id,
            object: store.info(id).object,
            meaning: Meaning::Listed,
        };
        self.decls.extend(ids.iter().map(decl));
    }

    pub(super) fn list(&self, index: usize) -> Option<Arc<ListOfSlots>> {
        self.store.lists().get(index).cloned()
    }

    pub(super) fn lock(&self, index: usize) -> Option<&Mutex<()>> {
        self.store.locks().get(index).map(|lock| &**lock)
    }

    pub(super) fn data<T: 'static>(&mut self, target: Target<T>, kind: AccessKind) -> Target<T> {
        let id = target.0.addr() as DataId;
        assert!(self.store.is_of_type::<T>(id), "a handle of another store: number {id}");
        let object = self.store.info(id).object;
        self.decls.push(AccessDecl { kind, id, object, meaning: Meaning::One });
        Target(self.store.slot(id), PhantomData)
    }

    pub(super) fn other(&mut self, kind: AccessKind, id: u32) {
        self.decls.push(AccessDecl { kind, id, object: ObjectId(0), meaning: Meaning::One });
    }

    fn scalar<T: ScalarValue>(&mut self, kind: AccessKind, scalar: Scalar<T>) {
        assert_eq!(scalar.recorder, self.recorder, "a scalar of another recorder");
        assert_eq!(scalar.group, self.group, "a scalar of another group");
        // Recorders of two stores may have the same number.
        let known = self.scalars.get(scalar.index as usize);
        assert_eq!(known, Some(&T::TYPE), "a scalar of another store");
        self.other(kind, scalar.index);
    }

    fn dot(&mut self, dot: Dot) -> &mut DotInfo {
        assert_eq!(dot.recorder, self.recorder, "a dot product of another recorder");
        assert_eq!(dot.group, self.group, "a dot product of another group");
        self.dots.get_mut(dot.index as usize).expect("a dot product of this store")
    }

    /// A new term of a dot product, with its buffer of `chunks` partial sums.
    pub(crate) fn new_part(&mut self, dot: Dot, object: ObjectId, chunks: usize) -> Data<f64> {
        assert!(
            !self.dot(dot).gathered,
            "a term of the dot product {} after its gathering",
            self.dot(dot).name
        );
        let k = object.0 as usize;
        if self.n_partials.len() <= k {
            self.n_partials.resize(k + 1, 0);
        }
        let data = self.store.partial(object, self.n_partials[k] as usize, chunks);
        self.n_partials[k] += 1;
        self.dot(dot).terms.push(DotTerm { object, partial: data.id, vectors: None });
        data
    }
}

/// A handle's number before binding, the address of its slot afterwards.
pub struct Target<T>(pub(super) *mut Slot, pub(super) PhantomData<fn() -> T>);

impl<T> Clone for Target<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Target<T> {}
// SAFETY: the slot is reached only inside `Access::get`, whose contract orders conflicting tasks; `T: Send + Sync`.
unsafe impl<T> Send for Target<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    pub(super) fn of(data: Data<T>) -> Self {
        Self(std::ptr::without_provenance_mut(data.id as usize), PhantomData)
    }
    /// # Safety
    /// Bound, and no other task writes the slot for `'a`.
    #[inline(always)]
    pub(super) unsafe fn shared<'a>(self) -> &'a [T] {
        // SAFETY: the caller's promise; slots hold `len` initialized elements of the type that binding checked.
        unsafe { std::slice::from_raw_parts((*self.0).ptr.cast(), (*self.0).len) }
    }
    /// # Safety
    /// Bound, and no other task touches the slot for `'a`.
    #[inline(always)]
    pub(super) unsafe fn exclusive<'a>(self) -> &'a mut [T] {
        // SAFETY: as in `shared`, exclusively.
        unsafe { std::slice::from_raw_parts_mut((*self.0).ptr.cast(), (*self.0).len) }
    }
}

/// One access of a task.
pub trait Access: Copy + Send + Sync + 'static {
    /// What the kernel receives.
    type Param<'a>;
    /// Whether it adds (for `Accumulate` only): kernels of tasks that add nothing are compiled once.
    const ADDS: bool = false;
    /// Whether it says if the task is to run (for [`when`](super::when) only).
    const IS_CONDITION: bool = false;
    /// Declares itself, and turns its handle into an address.
    fn bind(&mut self, binder: &mut Binder<'_>);
    /// Builds the parameter. `DIRECT` promises that additions are done in place.
    ///
    /// # Safety
    /// Bound to a living store, and no task with a conflicting access to the same slot runs while the parameter
    /// lives (record: a handle occurs once; dependence: conflicts are ordered; lowering: every order is kept by a
    /// stream or a wait).
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> Self::Param<'a>;
    /// Whether the task is to run (for [`when`](super::when) only).
    ///
    /// # Safety
    /// As of [`Self::get`].
    #[inline(always)]
    unsafe fn runs(&self, _: &Ctx) -> bool {
        true
    }
    /// Does what is left to do where the task does not run: nothing is added (for `Accumulate` only).
    ///
    /// # Safety
    /// As of [`Self::get`].
    #[inline(always)]
    unsafe fn skip(&self) {}
    /// Says where additions go (for `Accumulate` only).
    fn retarget(&mut self, _to: Retarget) {}
    /// How to log and replay additions (for `Accumulate` only).
    fn add_ops() -> Option<AddOps> {
        None
    }
}

macro_rules! data_access {
    ($(#[$doc:meta])* $name:ident, $make:ident, $method:ident, $kind:ident, $($mutability:tt)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<T>(Target<T>);

        $(#[$doc])*
        pub fn $make<T: Datum>(data: Data<T>) -> $name<T> {
            $name(Target::of(data))
        }

        impl<T: Datum> Access for $name<T> {
            type Param<'a> = &'a $($mutability)? [T];
            fn bind(&mut self, binder: &mut Binder<'_>) {
                self.0 = binder.data(self.0, AccessKind::$kind);
            }
            #[inline(always)]
            unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {
                // SAFETY: the contract of `get`.
                unsafe { self.0.$method() }
            }
        }
    };
}
data_access!(
    /// Reads a buffer: the kernel receives `&[T]`.
    Read, read, shared, Read,
);
data_access!(
    /// Overwrites a whole buffer: the kernel receives `&mut [T]`, with unspecified contents.
    Write, write, exclusive, Write, mut
);
data_access!(
    /// Reads and writes a buffer: the kernel receives `&mut [T]`.
    Update, update, exclusive, Update, mut
);

/// Reads a scalar of the group: the kernel receives the value.
#[derive(Clone, Copy)]
pub struct Val<T>(Scalar<T>);

/// Reads a step parameter: the kernel receives the value.
#[derive(Clone, Copy)]
pub struct ValParameter<T>(StepParameter<T>);

/// What [`val`] can read.
pub trait Valued {
    /// The access that reads it.
    type Access: Access;
    /// The access that reads it.
    fn access(self) -> Self::Access;
}

impl<T: ScalarValue> Valued for Scalar<T> {
    type Access = Val<T>;
    fn access(self) -> Val<T> {
        Val(self)
    }
}

impl<T: ScalarValue> Valued for StepParameter<T> {
    type Access = ValParameter<T>;
    fn access(self) -> ValParameter<T> {
        ValParameter(self)
    }
}

/// Reads a scalar of the group or a step parameter: the kernel receives the value.
pub fn val<V: Valued>(of: V) -> V::Access {
    of.access()
}

impl<T: ScalarValue> Access for Val<T> {
    type Param<'a> = T;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        binder.scalar(AccessKind::ScalarRead, self.0);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> T {
        // SAFETY: the bank has a word for each scalar of the group (record), and belongs to this stream alone.
        unsafe { T::from_word(*ctx.bank.add(self.0.index as usize)) }
    }
}

impl<T: ScalarValue> Access for ValParameter<T> {
    type Param<'a> = T;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        assert!(binder.store.has_parameter(self.0.index), "a step parameter of another store");
        binder.other(AccessKind::Parameter, self.0.index);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> T {
        // SAFETY: the page has a fixed size that `Store::parameter` respects, and is written only between steps.
        unsafe { T::from_word(*ctx.params.add(self.0.index as usize)) }
    }
}

/// Writes a scalar of the group: the kernel receives `&mut T`.
#[derive(Clone, Copy)]
pub struct Set<T>(Scalar<T>);

/// Writes a scalar of the group: the kernel receives `&mut T`, holding the previous value (zero at the start of a run).
pub fn set<T: ScalarValue>(scalar: Scalar<T>) -> Set<T> {
    Set(scalar)
}

impl<T: ScalarValue> Access for Set<T> {
    type Param<'a> = &'a mut T;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        binder.scalar(AccessKind::ScalarWrite, self.0);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> &'a mut T {
        // SAFETY: the word belongs to this stream alone, a handle occurs once per task, and the first bytes of a word
        // are always a valid `T` (`ScalarValue` is sealed; words start at zero, are written as a `T` only, and binding
        // has checked that this is the word of a `T`).
        unsafe { &mut *ctx.bank.add(self.0.index as usize).cast::<T>() }
    }
}

/// Writes one object's partial sums of a dot product: the kernel receives `&mut [f64]`, one per chunk.
#[derive(Clone, Copy)]
pub struct Part {
    target: Target<f64>,
    dot: Option<(Dot, ObjectId)>,
}

/// Writes one object's partial sum of a dot product: the kernel receives `&mut [f64]` with one entry.
pub fn part(dot: Dot, object: ObjectId) -> Part {
    Part { target: Target(std::ptr::null_mut(), PhantomData), dot: Some((dot, object)) }
}

/// Writes the partial sums in a buffer that `Binder::new_part` made.
pub(crate) fn part_of(data: Data<f64>) -> Part {
    Part { target: Target::of(data), dot: None }
}

impl Access for Part {
    type Param<'a> = &'a mut [f64];
    fn bind(&mut self, binder: &mut Binder<'_>) {
        if let Some((dot, object)) = self.dot.take() {
            let known = binder.dot(dot).terms.iter().rev().find(|t| t.object == object);
            let data = match known {
                Some(term) => Data { id: term.partial, kind: PhantomData },
                None => binder.new_part(dot, object, 1),
            };
            self.target = Target::of(data);
        }
        self.target = binder.data(self.target, AccessKind::Part);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> &'a mut [f64] {
        // SAFETY: the contract of `get`.
        unsafe { self.target.exclusive() }
    }
}

/// Sums a dot product over all objects of the group: the kernel receives the value.
#[derive(Clone, Copy)]
pub struct Gather(Dot);

/// Sums a dot product over all objects of the group, in canonical order: the kernel receives the value.
pub fn gather(dot: Dot) -> Gather {
    Gather(dot)
}

impl Access for Gather {
    type Param<'a> = f64;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        binder.dot(self.0).gathered = true;
        binder.other(AccessKind::Gather, self.0.index);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> f64 {
        // SAFETY: the context has a list for each dot of the group (record), and the parts are complete (contract).
        unsafe { (*ctx.dots.add(self.0.index as usize)).sum() }
    }
}

/// The accesses of a task: a tuple of up to twenty-four.
pub trait Accesses: Copy + Send + Sync + 'static {
    /// What the kernel receives: the tuple of the parameters.
    type Params<'a>;
    /// Whether one of them [adds](Access::ADDS).
    const ADDS: bool;
    /// Whether one of them [is a condition](Access::IS_CONDITION).
    const IS_CONDITION: bool;
    /// See [`Access::bind`].
    fn bind(&mut self, binder: &mut Binder<'_>);
    /// See [`Access::get`].
    ///
    /// # Safety
    /// As of [`Access::get`], for each.
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> Self::Params<'a>;
    /// [`Access::runs`] of all.
    ///
    /// # Safety
    /// As of [`Access::get`], for each.
    unsafe fn runs(&self, ctx: &Ctx) -> bool;
    /// [`Access::skip`] of all.
    ///
    /// # Safety
    /// As of [`Access::get`], for each.
    unsafe fn skip(&self);
    /// [`Access::retarget`] of the access at `position`.
    fn retarget(&mut self, position: usize, to: Retarget);
    /// [`Access::add_ops`] of the access at `position`.
    fn add_ops(position: usize) -> Option<AddOps>;
}

macro_rules! tuple_accesses {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Access),*> Accesses for ($($name,)*) {
            type Params<'a> = ($($name::Param<'a>,)*);
            const ADDS: bool = false $(|| $name::ADDS)*;
            const IS_CONDITION: bool = false $(|| $name::IS_CONDITION)*;
            fn bind(&mut self, _binder: &mut Binder<'_>) {
                $(self.$index.bind(_binder);)*
            }
            #[inline(always)]
            #[allow(clippy::unused_unit, unused_unsafe, reason = "the empty tuple is a tuple too")]
            unsafe fn get<'a, const DIRECT: bool>(&'a self, _ctx: &'a Ctx) -> Self::Params<'a> {
                // SAFETY: the caller's promise holds for each.
                unsafe { ($(self.$index.get::<DIRECT>(_ctx),)*) }
            }
            #[inline(always)]
            #[allow(unused_unsafe, reason = "the empty tuple is a tuple too")]
            unsafe fn runs(&self, _ctx: &Ctx) -> bool {
                // SAFETY: the caller's promise holds for each.
                unsafe { true $(&& self.$index.runs(_ctx))* }
            }
            #[inline(always)]
            #[allow(unused_unsafe, reason = "the empty tuple is a tuple too")]
            unsafe fn skip(&self) {
                // SAFETY: the caller's promise holds for each.
                unsafe { $(self.$index.skip();)* }
            }
            fn retarget(&mut self, position: usize, _to: Retarget) {
                match position {
                    $($index => self.$index.retarget(_to),)*
                    _ => {}
                }
            }
            fn add_ops(position: usize) -> Option<AddOps> {
                match position {
                    $($index => $name::add_ops(),)*
                    _ => None,
                }
            }
        }
    };
}
tuple_accesses!();
tuple_accesses!(A 0);
tuple_accesses!(A 0, B 1);
tuple_accesses!(A 0, B 1, C 2);
tuple_accesses!(A 0, B 1, C 2, D 3);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22);
tuple_accesses!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23);

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Update => "update",
            Self::Grow => "grow",
            Self::Accumulate => "accumulate",
            Self::Part => "part",
            Self::Gather => "gather",
            Self::ScalarRead => "val",
            Self::ScalarWrite => "set",
            Self::Parameter => "parameter",
            Self::Lock => "locked",
        };
        f.write_str(name)
    }
}
