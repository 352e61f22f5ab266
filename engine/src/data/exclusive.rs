//! Tasks that must never run together though no data orders them: a library that is not reentrant, a device.
#![allow(unsafe_code, reason = "accesses build their parameters by an unsafe method; this one builds none")]

use super::access::{Access, Binder};
use super::op::Ctx;
use super::{Data, ObjectId, Role, Store, Update, update};

/// Something that one task at a time may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource(Data<u8>);

impl Store {
    /// A new resource.
    pub fn resource(&mut self, name: impl Into<String>) -> Resource {
        Resource(self.create(name, ObjectId(0), Role::Scratch, Vec::<u8>::new()))
    }
}

/// Access to a [`Resource`]: the kernel receives nothing, and runs with no other task of the same resource.
#[derive(Clone, Copy)]
pub struct Exclusive(Update<u8>);

/// Asks for a resource.
///
/// Tasks of one resource run in recorded order: one of the orders that are free, and the same for every executor. A joint
/// task that asks for one is never mirrored.
///
/// In a program that is spliced, tasks of several objects or pairs that use one resource stand in sweeps of their own, one each:
/// their order in a sweep is that in which they were recorded together, which parts that are recorded apart do not know. A
/// [`Lock`](super::Lock) asks for no order and has no such limit.
pub fn exclusive(resource: Resource) -> Exclusive {
    Exclusive(update(resource.0))
}

impl Access for Exclusive {
    type Param<'a> = ();
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0.bind(binder);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {}
}
