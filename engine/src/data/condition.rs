//! Tasks that run only if a flag says so.
#![allow(unsafe_code, reason = "a flag is read under the contract of accesses")]

use super::access::{Access, Binder, Read, Val, read, val};
use super::handle::{Data, Scalar};
use super::op::Ctx;

/// What [`when`] can look at: the first element of a buffer, or a scalar of the group.
pub trait Flag: Copy {
    /// The access that looks at it.
    type Access: Access;
    /// The access that looks at it.
    fn when(self) -> Self::Access;
}

/// Runs the task only if the flag is true: the kernel receives nothing for it.
///
/// The flag is read as [`read`] and [`val`] read, so a task that writes it comes first. A task that does not run leaves all
/// that it would write as it was, and adds nothing. The next value of a state cannot be left so (it holds what was there two
/// steps before): the recorder refuses a program in which only tasks with conditions write it.
pub fn when<F: Flag>(flag: F) -> F::Access {
    flag.when()
}

/// See [`when`].
#[derive(Clone, Copy)]
pub struct WhenData(Read<bool>);

/// See [`when`].
#[derive(Clone, Copy)]
pub struct WhenScalar(Val<bool>);

impl Flag for Data<bool> {
    type Access = WhenData;
    fn when(self) -> WhenData {
        WhenData(read(self))
    }
}

impl Flag for Scalar<bool> {
    type Access = WhenScalar;
    fn when(self) -> WhenScalar {
        WhenScalar(val(self))
    }
}

impl Access for WhenData {
    type Param<'a> = ();
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0.bind(binder);
        binder.is_condition();
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {}
    #[inline(always)]
    unsafe fn runs(&self, ctx: &Ctx) -> bool {
        // SAFETY: the contract of `get` is that of `runs`.
        unsafe { self.0.get::<true>(ctx) }.first().is_some_and(|flag| *flag)
    }
}

impl Access for WhenScalar {
    type Param<'a> = ();
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0.bind(binder);
        binder.is_condition();
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Self::Param<'a> {}
    #[inline(always)]
    unsafe fn runs(&self, ctx: &Ctx) -> bool {
        // SAFETY: as above.
        unsafe { self.0.get::<true>(ctx) }
    }
}
