//! Changes of a recording in proportion to what changes: the tasks of single objects and pairs come, go, or move to another
//! group. Parts that were recorded apart fit together since positions and keys do not depend on what else was recorded; where tasks
//! ask for resources, `turns` says who stands elsewhere once all changes are made.

use super::chain::Key;
use super::program::{Group, GroupId, Program, Recording, Stage, StageKind, position, sweep_of};
use super::task::{Base, Place, TaskId};
use super::turns;
use crate::data::{AccessDecl, AccessKind};

/// One step of a change of a recording; new parts are taken from the same group of another recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpliceOp {
    /// Forgets all tasks of an object or pair.
    Remove {
        /// Where.
        group: GroupId,
        /// Whose.
        place: Place,
    },
    /// Takes over all tasks of an object or pair.
    Adopt {
        /// Where.
        group: GroupId,
        /// Whose.
        place: Place,
    },
    /// Moves all tasks of an object or pair to another group.
    Transfer {
        /// From where.
        from: GroupId,
        /// Where to.
        to: GroupId,
        /// Whose.
        place: Place,
    },
    /// Adds a group without objects.
    AddGroup {
        /// Its number.
        group: GroupId,
        /// Its place in the order of execution.
        order: u32,
    },
    /// Forgets a group whose objects have all gone.
    RemoveGroup {
        /// Its number.
        group: GroupId,
    },
    /// Takes over a group's replicated tasks and name, and gives it its place in the order of execution.
    Renew {
        /// Its number.
        group: GroupId,
        /// Its place in the order of execution.
        order: u32,
    },
}

/// A task in its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Position of the stage.
    pub position: u32,
    /// Place in the stage.
    pub key: Key,
    /// Its number.
    pub task: TaskId,
}

fn holds(kind: StageKind, place: Place) -> bool {
    match place {
        Place::Own(_) => kind == StageKind::Own,
        Place::Joint(..) => kind == StageKind::Joint,
        Place::Replicated => kind == StageKind::Replicated,
    }
}

impl Group {
    /// Takes out all tasks of an object or pair, and the stages that this leaves empty.
    fn take(&mut self, place: Place, taken: &mut Vec<(Stage, Key, TaskId)>) {
        self.stages.retain_mut(|stage| {
            if !holds(stage.kind, place) {
                return true;
            }
            let Stage { position, kind, name, in_loop, .. } = *stage;
            let head = || Stage { position, kind, name, in_loop, tasks: Default::default() };
            stage.tasks.remove_all(place.pair(), |key, task| taken.push((head(), key, task)));
            !stage.tasks.is_empty()
        });
    }

    /// The stage at a position, without its tasks.
    pub(super) fn head(&self, position: u32) -> Option<Stage> {
        let &Stage { position, kind, name, in_loop, .. } = self.stage(position)?;
        Some(Stage { position, kind, name, in_loop, tasks: Default::default() })
    }

    /// Puts a task in; its stage is made if it is not there.
    pub(super) fn put(&mut self, head: Stage, key: Key, task: TaskId) {
        let at = match self.stages.binary_search_by_key(&head.position, |s| s.position) {
            Ok(at) => at,
            Err(at) => {
                self.stages.insert(at, head);
                at
            }
        };
        let before = self.stages[at].tasks.insert(key, task);
        assert!(before.is_none(), "two tasks at one place of stage {}", self.stages[at].name);
    }

    /// The tasks of an object or pair, in order of execution.
    pub fn tasks_of(&self, place: Place) -> impl Iterator<Item = Located> {
        self.stages.iter().filter(move |s| holds(s.kind, place)).flat_map(move |stage| {
            let located = |(key, &task): (Key, &TaskId)| Located { position: stage.position, key, task };
            stage.tasks.iter_of(place.pair()).map(located)
        })
    }
}

impl Recording {
    /// Adds a group of another recording, without the tasks of its objects and pairs.
    ///
    /// # Panics
    /// If the place in the order of execution is taken.
    pub fn add_group(&mut self, id: GroupId, order: u32, from: &Recording, like: GroupId) {
        let groups = &mut self.program.groups;
        if groups.len() <= id.0 as usize {
            groups.resize_with(id.0 as usize + 1, || None);
        }
        let mut group = from.program.group(like).clone();
        group.dots.iter_mut().for_each(|d| d.terms.clear());
        group.stages.retain(|s| s.kind.is_control());
        group.asking.clear();
        groups[id.0 as usize] = Some(group);
        let before = self.program.order.insert(order, id);
        assert!(before.is_none(), "two groups at place {order}");
        self.adopt(id, Place::Replicated, from, like);
    }

    /// Gives a group another name, and another place in the order of execution.
    pub fn rename_group(&mut self, id: GroupId, order: u32, name: &str) {
        self.program.order.retain(|_, known| *known != id);
        self.program.order.insert(order, id);
        let group = self.program.group_mut(id);
        if group.name != name {
            name.clone_into(&mut group.name);
        }
    }

    /// Forgets a group whose tasks have all gone.
    pub fn remove_group(&mut self, id: GroupId) {
        self.remove(id, Place::Replicated);
        self.program.order.retain(|_, known| *known != id);
        self.program.groups[id.0 as usize] = None;
    }

    /// Forgets all tasks of an object or pair.
    pub fn remove(&mut self, group: GroupId, place: Place) {
        let mut taken = Vec::new();
        let info = self.program.group_mut(group);
        info.take(place, &mut taken);
        if let Place::Own(object) = place {
            info.dots.iter_mut().for_each(|d| d.terms.retain(|t| t.object != object));
        }
        for (head, _, task) in taken {
            if turns::asks(self.program.pool.accesses_of(task)) {
                self.program.group_mut(group).count_asking(sweep_of(head.position), -1);
            }
            if matches!(place, Place::Own(_)) {
                // An object's own tasks alone write its next state.
                let Program { pool, written_states, .. } = &mut self.program;
                let writes = |a: &&AccessDecl| a.kind.is_data() && a.kind != AccessKind::Read;
                for access in pool.accesses_of(task).iter().filter(writes) {
                    if let Ok(at) = written_states.binary_search(&access.id) {
                        written_states.remove(at);
                    }
                }
            }
            self.table.release(task.0 as usize);
            self.program.pool.release(task);
        }
    }

    /// Takes over all tasks of an object or pair from another recording of the same store.
    pub fn adopt(&mut self, group: GroupId, place: Place, from: &Recording, like: GroupId) {
        let source = from.program.group(like);
        assert!(self.table.is_of_same_store(&from.table), "parts that were recorded on another store");
        assert!(
            self.program.group(group).has_bank_of(source),
            "parts of a group with other scalars or dot products"
        );
        let fits = source.asking.is_empty() || self.program.group(group).outline == source.outline;
        assert!(fits, "parts of a group with another outline");
        self.table.keep_slots_of(&from.table);
        for Located { position: at, task, .. } in source.tasks_of(place) {
            let Some(mut head) = source.head(at) else { continue };
            let accesses = from.program.accesses_of(task);
            for id in accesses.iter().filter(|a| a.kind.is_data()).map(|a| a.id) {
                let written = &mut self.program.written_states;
                if from.program.written_states.binary_search(&id).is_ok()
                    && let Err(at) = written.binary_search(&id)
                {
                    written.insert(at, id);
                }
            }
            // Whose turn it was there says nothing here.
            let Base { depth, sequence } = from.program.task(task).base;
            head.position = position(sweep_of(at), depth);
            let id = self.program.pool.adopt(from.program.task(task), accesses);
            self.program.pool.task_mut(id).sequence = sequence;
            self.table.adopt(id.0 as usize, &from.table, task.0 as usize, group.0);
            let info = self.program.group_mut(group);
            if turns::asks(accesses) {
                info.count_asking(sweep_of(at), 1);
            }
            let (first, second) = place.pair();
            info.put(head, Key(first, second, sequence), id);
        }
        if let Place::Own(object) = place {
            let dots = &mut self.program.group_mut(group).dots;
            for (dot, theirs) in dots.iter_mut().zip(&source.dots) {
                let at = dot.terms.partition_point(|t| t.object < object);
                dot.terms.splice(at..at, theirs.terms.iter().filter(|t| t.object == object).copied());
            }
        }
    }

    /// Moves all tasks of an object or pair to another group of the same outline.
    pub fn transfer(&mut self, from: GroupId, to: GroupId, place: Place) {
        let fits = self.program.group(from).has_bank_of(self.program.group(to));
        assert!(fits, "a transfer between groups with other scalars or dot products");
        let mut taken = Vec::new();
        let mut terms = Vec::new();
        let source = self.program.group_mut(from);
        source.take(place, &mut taken);
        if let Place::Own(object) = place {
            for dot in &mut source.dots {
                terms.push(dot.terms.extract_if(.., |t| t.object == object).collect::<Vec<_>>());
            }
        }
        for (head, key, task) in taken {
            self.table.set_group(task.0 as usize, to.0);
            if turns::asks(self.program.pool.accesses_of(task)) {
                let sweep = sweep_of(head.position);
                self.program.group_mut(from).count_asking(sweep, -1);
                self.program.group_mut(to).count_asking(sweep, 1);
            }
            self.program.group_mut(to).put(head, key, task);
        }
        let target = self.program.group_mut(to);
        for (dot, terms) in target.dots.iter_mut().zip(terms) {
            if let Some(first) = terms.first() {
                let at = dot.terms.partition_point(|t| t.object < first.object);
                dot.terms.splice(at..at, terms);
            }
        }
    }
}
