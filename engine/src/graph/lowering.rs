//! What makes schedules of programs, as those who record programs see it.

use super::delta::Delta;
use super::program::{Program, Recording};
use super::schedule::{Assignment, Schedule};
use super::splice::SpliceOp;
use crate::data::ObjectId;

/// A change of a recorded program.
#[derive(Clone, Copy)]
pub struct Change<'c> {
    /// Objects that have come, with their workers.
    pub placed: &'c [(ObjectId, u32)],
    /// What comes and goes, in order.
    pub ops: &'c [SpliceOp],
    /// The parts that come.
    pub parts: &'c Recording,
}

/// Makes schedules of programs. `partition::control::Upkeep` is one that keeps them up to date; a function makes each anew.
pub trait Lowering: Send {
    /// A schedule of a program whose objects are placed on workers.
    fn lower(&mut self, program: &Program, placed: &Assignment) -> Schedule;

    /// Changes the program that a schedule was made for last, and its schedule with it; notes in `delta` what changed. Where it returns
    /// false, the change needs a schedule made anew, and the program may have been changed or not.
    fn splice(&mut self, _: Change<'_>, _: &mut Recording, _: &mut Schedule, _: &mut Delta) -> bool {
        false
    }
}

impl<F: FnMut(&Program, &Assignment) -> Schedule + Send> Lowering for F {
    fn lower(&mut self, program: &Program, placed: &Assignment) -> Schedule {
        self(program, placed)
    }
}
