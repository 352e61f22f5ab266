//! Tasks that run only if a flag says so.
#![allow(unsafe_code, reason = "a flag is read under the contract of accesses")]

use super::access::{Access, Binder, Read, Val, read, val};
use super::handle::{Data, Scalar};
use super::op::Ctx;

/// What [`when`] can look at: the first element of a buffer, or a scalar of the group.
pub trait Flag: Copy {
    /// The access that reads it.
    type Access: ReadFlag;
    /// The access that reads it.
    fn access(self) -> Self::Access;
}

/// An access to a flag.
pub trait ReadFlag: Access {
    /// Whether a flag that was read is set.
    fn is_set(read: Self::Param<'_>) -> bool;
}

/// Runs the task only if the flag is true: the kernel receives nothing for it.
///
/// The flag is read as [`read`] and [`val`] read, so a task that writes it comes first. A task that does not run leaves all
/// that it would write as it was, and adds nothing. The next value of a state cannot be left so (it holds what was there two
/// steps before): the recorder refuses a program in which only tasks with conditions write it.
pub fn when<F: Flag>(flag: F) -> When<F::Access> {
    When(flag.access())
}

/// See [`when`].
#[derive(Clone, Copy)]
pub struct When<A>(A);

impl Flag for Data<bool> {
    type Access = Read<bool>;
    fn access(self) -> Read<bool> {
        read(self)
    }
}

impl Flag for Scalar<bool> {
    type Access = Val<bool>;
    fn access(self) -> Val<bool> {
        val(self)
    }
}

impl ReadFlag for Read<bool> {
    #[inline(always)]
    fn is_set(read: &[bool]) -> bool {
        read.first().is_some_and(|flag| *flag)
    }
}

impl ReadFlag for Val<bool> {
    #[inline(always)]
    fn is_set(read: bool) -> bool {
        read
    }
}

impl<A: ReadFlag> Access for When<A> {
    type Param<'a> = ();
    const IS_CONDITION: bool = true;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0.bind(binder);
        binder.is_condition();
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {}
    #[inline(always)]
    unsafe fn runs(&self, ctx: &Ctx) -> bool {
        // SAFETY: the contract of `get` is that of `runs`.
        A::is_set(unsafe { self.0.get::<true>(ctx) })
    }
}
