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
/// Tasks of one resource run one after the other, in the same order for every executor: sweep by sweep as they were recorded,
/// within a sweep as the data that they touch require, and where these leave it open, ascending by object or pair. So a program
/// into which such tasks were spliced runs them as one that was recorded at once ([`turns`](crate::graph::turns)). A joint task
/// that asks for one is never mirrored.
///
/// # Cost
/// A stage for each task of a sweep, and a change of one such task costs as much as the tasks of its sweep. A
/// [`Lock`](super::Lock) asks for no order and costs neither.
pub fn exclusive(resource: Resource) -> Exclusive {
    Exclusive(update(resource.0))
}

impl Access for Exclusive {
    type Param<'a> = ();
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0.bind(binder);
        binder.is_resource();
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {}
}
