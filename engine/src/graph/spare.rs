//! The memory of recordings that have served: parts that were spliced into a plan are small, many, and alike, so the next
//! one is recorded where the last one was.

use super::chain::SpareChains;
use super::program::{Group, Program, Recording};
use super::task::TaskId;
use crate::data::{DotInfo, DotTerm, Store, TaskTable};

/// Memory of recordings, to be recorded in again.
#[derive(Default)]
pub(super) struct Spare {
    program: Program,
    table: Option<TaskTable>,
    groups: Vec<Group>,
    terms: Vec<Vec<DotTerm>>,
    pub chains: SpareChains<TaskId>,
}

impl Spare {
    /// Takes a recording apart.
    pub fn take_back(&mut self, recording: Recording) {
        let Recording { mut program, table } = recording;
        for mut group in program.groups.drain(..).flatten() {
            let Group { name, scalars, dots, loops, outline, stages, asking } = &mut group;
            name.clear();
            scalars.clear();
            loops.clear();
            outline.clear();
            asking.clear();
            stages.drain(..).for_each(|stage| self.chains.take_back(stage.tasks));
            for DotInfo { mut terms, .. } in dots.drain(..) {
                terms.clear();
                self.terms.push(terms);
            }
            self.groups.push(group);
        }
        program.order.clear();
        program.pool.clear();
        program.written_states.clear();
        self.program = program;
        self.table = Some(table);
    }

    /// An empty program.
    pub fn program(&mut self) -> Program {
        std::mem::take(&mut self.program)
    }

    /// An empty table for kernels on a store.
    pub fn table(&mut self, store: &Store) -> TaskTable {
        self.table.take().map_or_else(|| TaskTable::new(store), |table| table.renew(store))
    }

    /// An empty group.
    pub fn group(&mut self) -> Group {
        self.groups.pop().unwrap_or_default()
    }

    /// An empty list of terms.
    pub fn terms(&mut self) -> Vec<DotTerm> {
        self.terms.pop().unwrap_or_default()
    }
}
