//! Tasks of one resource take turns.
//!
//! Where a task stands in its sweep follows from the data that it touches: that is its *base*, a depth and a place among the
//! tasks of its object or pair there. It does not depend on what else was recorded. Tasks of one resource that have the same
//! depth then get stages of their own, one after the other, ascending by base and object; what depends on them in the sweep
//! follows. So the order is a function of which tasks there are, however they came: a program into which they were spliced equals
//! one that was recorded at once.

use super::chain::Key;
use super::conflicts::Conflicts;
use super::program::{Group, GroupId, Program, Recording, position, sweep_of};
use super::task::{Base, Place, TaskId};
use crate::data::AccessDecl;

/// Whether a task asks for a resource.
pub(super) fn asks(accesses: &[AccessDecl]) -> bool {
    accesses.iter().any(AccessDecl::is_resource)
}

/// A task that has to stand elsewhere in its sweep, since tasks that ask for resources came or went.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Whose task it is.
    pub place: Place,
    task: TaskId,
    from: (u32, Key),
    to: (u32, Key),
}

/// Finds where tasks stand; keeps its memory.
#[derive(Default)]
pub struct Turns {
    conflicts: Conflicts,
    standing: Vec<Standing>,
    turns: Vec<Turn>,
}

struct Standing {
    place: Place,
    task: TaskId,
    base: Base,
    at: (u32, Key),
    depth: u32,
}

impl Turns {
    /// The tasks of a group that have to stand elsewhere.
    ///
    /// # Cost
    /// That of the tasks of all sweeps in which tasks ask for resources, or did before the last changes; nothing where there are
    /// none.
    pub fn find(&mut self, program: &Program, group: GroupId) -> &[Turn] {
        self.turns.clear();
        for &(sweep, _) in program.find_group(group).iter().flat_map(|info| &info.asking) {
            self.find_in(program, program.group(group), sweep);
        }
        &self.turns
    }

    fn find_in(&mut self, program: &Program, info: &Group, sweep: u32) {
        let Self { conflicts, standing, turns } = self;
        standing.clear();
        let begin = info.stages.partition_point(|s| s.position < position(sweep, 0));
        for stage in info.stages[begin..].iter().take_while(|s| sweep_of(s.position) == sweep) {
            for (key, &task) in stage.tasks.iter() {
                let (place, base) = (program.task(task).place, program.task(task).base);
                standing.push(Standing { place, task, base, at: (stage.position, key), depth: 0 });
            }
        }
        standing.sort_unstable_by_key(|s| (s.base.depth, s.place.pair(), s.base.sequence));
        conflicts.begin_sweep();
        for s in &mut *standing {
            let accesses = program.accesses_of(s.task);
            let n_data = accesses.iter().filter(|a| a.kind.is_data()).map(|a| a.id as usize + 1).max();
            s.depth = conflicts.place(s.place, accesses, n_data.unwrap_or(0), true);
        }
        standing.sort_unstable_by_key(|s| (s.depth, s.place.pair(), s.base));
        let mut previous = None;
        for &Standing { place, task, at, depth, .. } in &*standing {
            let sequence = match previous {
                Some((d, p, before)) if (d, p) == (depth, place) => before + 1,
                _ => 0,
            };
            previous = Some((depth, place, sequence));
            let (first, second) = place.pair();
            let to = (position(sweep, depth), Key(first, second, sequence));
            if to != at {
                turns.push(Turn { place, task, from: at, to });
            }
        }
    }
}

impl Group {
    /// Counts tasks of a sweep that ask for resources; a sweep that has none any more is kept until [`Recording::take_turns`].
    pub(super) fn count_asking(&mut self, sweep: u32, by: i32) {
        match self.asking.binary_search_by_key(&sweep, |(sweep, _)| *sweep) {
            Ok(at) => self.asking[at].1 = self.asking[at].1.saturating_add_signed(by),
            Err(at) => self.asking.insert(at, (sweep, by.max(0).unsigned_abs())),
        }
    }
}

impl Recording {
    /// Puts tasks of a group where [`Turns::find`] wants them.
    pub fn take_turns(&mut self, group: GroupId, turns: &[Turn]) {
        let Some(info) = self.program.groups.get_mut(group.0 as usize).and_then(Option::as_mut) else {
            return;
        };
        if info.asking.is_empty() {
            return;
        }
        let heads: Vec<_> = turns.iter().map(|turn| info.head(turn.from.0)).collect();
        for Turn { from: (position, key), .. } in turns {
            if let Ok(at) = info.stages.binary_search_by_key(position, |s| s.position) {
                info.stages[at].tasks.remove(*key);
            }
        }
        for (Turn { task, to: (position, key), .. }, head) in turns.iter().zip(heads) {
            let Some(mut head) = head else { continue };
            head.position = *position;
            info.put(head, *key, *task);
            self.program.pool.task_mut(*task).sequence = key.2;
        }
        info.stages.retain(|s| s.kind.is_control() || !s.tasks.is_empty());
        info.asking.retain(|(_, n)| *n > 0);
    }
}
