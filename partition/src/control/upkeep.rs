//! A schedule that follows its program.

use engine::graph::{Assignment, Change, Delta, Lowering, Program, Recording, Schedule};

use super::ledger::Ledger;
use super::lower::lower_with_ledger;
use super::placement::Accumulation;
use super::splice::Splice;

/// Makes schedules, and keeps the last one up to date in proportion to what changes.
pub struct Upkeep {
    mode: Accumulation,
    /// Of the last schedule; none before the first one, and of schedules that cannot be updated.
    ledger: Option<Ledger>,
}

impl Upkeep {
    /// Of schedules whose workers add so.
    pub fn new(mode: Accumulation) -> Self {
        Self { mode, ledger: None }
    }
}

impl Lowering for Upkeep {
    fn lower(&mut self, program: &Program, placed: &Assignment) -> Schedule {
        let (schedule, ledger) = lower_with_ledger(program, placed, self.mode);
        self.ledger = ledger;
        schedule
    }

    fn splice(
        &mut self,
        change: Change<'_>,
        recording: &mut Recording,
        schedule: &mut Schedule,
        delta: &mut Delta,
    ) -> bool {
        let mut splice = Splice::new(recording, schedule, self.ledger.as_mut(), delta, self.mode);
        splice.assign(change.placed);
        splice.apply(change.ops, change.parts);
        let is_spliced = splice.finish().is_ok();
        if !is_spliced {
            self.ledger = None;
        }
        is_spliced
    }
}
