//! Values of any type that tasks work in: a factorisation of a library's, with the memory that it needs.
#![allow(unsafe_code, reason = "the value is reached through a slot; the plan orders tasks that work in it")]

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::access::{Access, AccessKind, Binder, Target};
use super::handle::{Data, DataId, ObjectId, Role};
use super::list::{DataList, Many, ReadAll, read_all};
use super::op::Ctx;
use super::store::Store;

/// A value of any type that belongs to an object, for tasks to work in.
///
/// It is for what cannot be a plain buffer. It is scratch: no checkpoint holds it, so that what a task computes must not depend
/// on what earlier steps left in it. A factorisation whose pattern is kept as long as it fits is such a value.
pub struct Workspace<T> {
    address: Data<Address>,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for Workspace<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Workspace<T> {}
impl<T> fmt::Debug for Workspace<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Workspace").field(&self.address.id()).finish()
    }
}

impl<T> Workspace<T> {
    /// The workspace of a number, which the caller knows to be one with a `T`.
    pub(super) fn of(id: DataId) -> Self {
        Self { address: Data { id, kind: PhantomData }, kind: PhantomData }
    }

    /// Its number among the buffers of its store.
    pub fn id(self) -> DataId {
        self.address.id()
    }
}

/// Where the value is: what the slot of a workspace holds.
#[derive(Clone, Copy, Debug)]
struct Address(NonNull<u8>);
// SAFETY: values are `Send + Sync`, and reached only through the store or an access to their slot.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// The values of a store, each with what drops it.
#[derive(Default)]
pub(super) struct Workspaces(BTreeMap<DataId, Kept>);

struct Kept {
    address: Address,
    of_type: std::any::TypeId,
    drop: unsafe fn(NonNull<u8>),
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: `create` boxed a value of the type that `drop` was made for; it is dropped once, here.
        unsafe { (self.drop)(self.address.0) }
    }
}

impl Workspaces {
    /// Drops the value of a buffer that is freed.
    pub(super) fn free(&mut self, id: DataId) {
        self.0.remove(&id);
    }
}

/// # Safety
/// The address is that of a boxed `T` that no one uses any more.
unsafe fn drop_boxed<T>(address: NonNull<u8>) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(address.cast::<T>().as_ptr()) });
}

impl Store {
    /// A new workspace that holds `value` and belongs to `object`.
    pub fn workspace<T: Send + Sync + 'static>(
        &mut self,
        name: impl Into<String>,
        object: ObjectId,
        value: T,
    ) -> Workspace<T> {
        let address = Address(NonNull::from(Box::leak(Box::new(value))).cast());
        let data = self.create(name, object, Role::Scratch, vec![address]);
        let kept = Kept { address, of_type: std::any::TypeId::of::<T>(), drop: drop_boxed::<T> };
        self.workspaces().0.insert(data.id(), kept);
        Workspace { address: data, kind: PhantomData }
    }

    /// The value of a workspace, to be changed between steps.
    ///
    /// # Panics
    /// If the handle is of another store, or was freed.
    pub fn workspace_mut<T: Send + Sync + 'static>(&mut self, workspace: Workspace<T>) -> &mut T {
        let kept = self.workspaces().0.get(&workspace.id());
        let kept = kept.filter(|k| k.of_type == std::any::TypeId::of::<T>());
        let address = kept.expect("a workspace of this store").address;
        // SAFETY: the value is a boxed `T` (checked above), and `&mut self` excludes every other user.
        unsafe { address.0.cast::<T>().as_mut() }
    }

    /// The value of a workspace.
    ///
    /// # Panics
    /// As [`Self::workspace_mut`].
    pub fn workspace_ref<T: Send + Sync + 'static>(&self, workspace: Workspace<T>) -> &T {
        let kept = self.kept_workspaces().0.get(&workspace.id());
        let kept = kept.filter(|k| k.of_type == std::any::TypeId::of::<T>());
        let address = kept.expect("a workspace of this store").address;
        // SAFETY: the value is a boxed `T` (checked above); no task runs while the caller holds `&Store`.
        unsafe { address.0.cast::<T>().as_ref() }
    }
}

/// Works in a [`Workspace`]: the kernel receives `&mut T`.
pub struct WorkIn<T>(Target<Address>, PhantomData<fn() -> T>);

impl<T> Clone for WorkIn<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for WorkIn<T> {}

/// Works in a workspace: the kernel receives `&mut T`.
pub fn work_in<T: Send + Sync + 'static>(workspace: Workspace<T>) -> WorkIn<T> {
    WorkIn(Target::of(workspace.address), PhantomData)
}

impl<T: Send + Sync + 'static> Access for WorkIn<T> {
    type Param<'a> = &'a mut T;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        check::<T>(self.0, binder);
        self.0 = binder.data(self.0, AccessKind::Update);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> &'a mut T {
        // SAFETY: the contract of `get`: no other task touches the slot, nor the value, which is reached through it alone;
        // binding checked the value's type. It lives as long as its slot, whose store outlives the run.
        unsafe { self.0.shared()[0].0.cast::<T>().as_mut() }
    }
}

/// Looks into a [`Workspace`]: the kernel receives `&T`.
pub struct LookIn<T>(Target<Address>, PhantomData<fn() -> T>);

impl<T> Clone for LookIn<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for LookIn<T> {}

/// Looks into a workspace, as other tasks may at the same time: the kernel receives `&T`.
pub fn look_in<T: Send + Sync + 'static>(workspace: Workspace<T>) -> LookIn<T> {
    LookIn(Target::of(workspace.address), PhantomData)
}

impl<T: Send + Sync + 'static> Access for LookIn<T> {
    type Param<'a> = &'a T;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        check::<T>(self.0, binder);
        self.0 = binder.data(self.0, AccessKind::Read);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> &'a T {
        // SAFETY: the contract of `get`: no task works in the value, which is reached through its slot alone; binding
        // checked the value's type. It lives as long as its slot, whose store outlives the run.
        unsafe { self.0.shared()[0].0.cast::<T>().as_ref() }
    }
}

/// Some workspaces of one type, in an order of the caller's; it lives as long as its store.
pub struct WorkspaceList<T>(DataList<Address>, PhantomData<fn() -> T>);

impl<T> Clone for WorkspaceList<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for WorkspaceList<T> {}
impl<T> fmt::Debug for WorkspaceList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Store {
    /// A list of workspaces, to be looked into as one; equal lists share their memory.
    ///
    /// # Panics
    /// If a handle is of another store.
    pub fn workspace_list<T: Send + Sync + 'static>(&mut self, of: &[Workspace<T>]) -> WorkspaceList<T> {
        for workspace in of {
            check_id::<T>(workspace.id(), self);
        }
        let slots: Vec<Data<Address>> = of.iter().map(|w| w.address).collect();
        WorkspaceList(self.list(&slots), PhantomData)
    }
}

/// Looks into all workspaces of a list: the kernel receives [`Looks`]. It stands last in the tuple of accesses.
pub struct LookInAll<T>(ReadAll<Address>, PhantomData<fn() -> T>);

impl<T> Clone for LookInAll<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for LookInAll<T> {}

/// Looks into all workspaces of a list, as other tasks may at the same time: the kernel receives [`Looks`]. It stands last in
/// the tuple of accesses.
pub fn look_in_all<T: Send + Sync + 'static>(list: WorkspaceList<T>) -> LookInAll<T> {
    LookInAll(read_all(list.0), PhantomData)
}

impl<T: Send + Sync + 'static> Access for LookInAll<T> {
    type Param<'a> = Looks<'a, T>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        let first = binder.decls.len();
        self.0.bind(binder);
        // A list of another store may have the number of one of this.
        for decl in &binder.decls[first..] {
            check_id::<T>(decl.id, binder.store);
        }
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, ctx: &'a Ctx) -> Looks<'a, T> {
        // SAFETY: the contract of `get`.
        Looks(unsafe { self.0.get::<DIRECT>(ctx) }, PhantomData)
    }
}

/// The values of a list of workspaces, to be looked at.
pub struct Looks<'a, T>(Many<'a, Address>, PhantomData<&'a T>);

impl<T> Clone for Looks<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Looks<'_, T> {}
impl<T> fmt::Debug for Looks<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Looks").field(&self.0.len()).finish()
    }
}

impl<'a, T> Looks<'a, T> {
    /// Number of workspaces.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there is no workspace.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The value of a workspace.
    ///
    /// # Panics
    /// If there is no workspace of this number.
    #[inline(always)]
    pub fn get(self, k: usize) -> &'a T {
        // SAFETY: the contract of `Access::get`: no task works in the value meanwhile, which is reached through its slot alone;
        // binding checked that each slot of the list is that of a workspace with a `T`. It lives as long as its slot, whose
        // store outlives the run.
        unsafe { self.0.get(k)[0].0.cast::<T>().as_ref() }
    }

    /// The values in the order of the list.
    pub fn iter(self) -> impl Iterator<Item = &'a T> {
        (0..self.len()).map(move |k| self.get(k))
    }
}

/// Refuses a handle that is not of a workspace of this store and type.
fn check<T: 'static>(target: Target<Address>, binder: &Binder<'_>) {
    check_id::<T>(target.0.addr() as DataId, binder.store);
}

fn check_id<T: 'static>(id: DataId, store: &Store) {
    let kept = store.kept_workspaces().0.get(&id);
    let is_known = kept.is_some_and(|k| k.of_type == std::any::TypeId::of::<T>());
    assert!(is_known, "a workspace of another store: number {id}");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{read, update};
    use crate::exec::Sequential;
    use crate::graph::{ComponentTag, Recorder};

    #[test]
    fn tasks_work_in_a_value_which_is_dropped_with_its_buffer() {
        let mut store = Store::new();
        let object = ObjectId(0);
        let counted = Arc::new(());
        let list = store.workspace("list", object, (counted.clone(), Vec::<f64>::new()));
        let other = store.workspace("other", object, counted.clone());
        let x = store.create("x", object, Role::Scratch, vec![1.0, 2.0]);
        let sum = store.create("sum", object, Role::Scratch, vec![0.0]);
        let mut rec = Recorder::new(&mut store);
        rec.sweep("fill");
        rec.own("fill", ComponentTag(0), object, (work_in(list), read(x)), |(list, x)| {
            list.1.extend_from_slice(x);
        });
        rec.sweep("sum");
        rec.own("sum", ComponentTag(0), object, (work_in(list), update(sum)), |(list, sum)| {
            sum[0] = list.1.iter().sum();
        });
        let recording = rec.finish();
        Sequential::run_once(&recording, &mut store).unwrap();
        Sequential::run_once(&recording, &mut store).unwrap();
        assert_eq!(store.read(sum), [6.0]);
        assert_eq!(store.workspace_mut(list).1, [1.0, 2.0, 1.0, 2.0]);
        assert_eq!(Arc::strong_count(&counted), 3);
        store.free(other.id());
        assert_eq!(Arc::strong_count(&counted), 2);
        drop(store);
        assert_eq!(Arc::strong_count(&counted), 1);
    }

    #[test]
    fn a_task_looks_into_any_number_of_values() {
        let mut store = Store::new();
        let texts = ["a", "b", "c"].map(|t| store.workspace("text", ObjectId(0), t.to_owned()));
        let all = store.workspace("all", ObjectId(1), String::new());
        let list = store.workspace_list(&[texts[2], texts[0]]);
        let mut rec = Recorder::new(&mut store);
        rec.sweep("change");
        rec.own("change", ComponentTag(0), ObjectId(0), (work_in(texts[0]),), |(text,)| text.push('!'));
        rec.sweep("join");
        rec.own("join", ComponentTag(0), ObjectId(1), (work_in(all), look_in_all(list)), |(all, texts)| {
            assert_eq!(texts.len(), 2);
            texts.iter().for_each(|text| all.push_str(text));
        });
        let recording = rec.finish();
        Sequential::run_once(&recording, &mut store).unwrap();
        assert_eq!(store.workspace_ref(all), "ca!");
    }

    #[test]
    #[should_panic(expected = "a workspace of another store")]
    fn a_list_of_workspaces_of_another_type_is_refused() {
        let (mut store, mut other) = (Store::new(), Store::new());
        let text = other.workspace("text", ObjectId(0), String::new());
        let list = other.workspace_list(&[text]);
        let number = store.workspace("number", ObjectId(0), 1.0);
        store.workspace_list(&[number]);
        let mut rec = Recorder::new(&mut store);
        rec.sweep("look");
        rec.own("look", ComponentTag(0), ObjectId(0), (look_in_all(list),), |(texts,)| {
            assert!(texts.get(0).is_empty());
        });
    }

    #[test]
    #[should_panic(expected = "a workspace of another store")]
    fn a_workspace_of_another_type_is_refused() {
        let (mut store, mut other) = (Store::new(), Store::new());
        let list = other.workspace("list", ObjectId(0), vec![1.0]);
        store.workspace("number", ObjectId(0), 1.0);
        let mut rec = Recorder::new(&mut store);
        rec.sweep("fill");
        rec.own("fill", ComponentTag(0), ObjectId(0), (work_in(list),), |(list,)| list.push(1.0));
    }
}
