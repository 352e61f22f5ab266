//! The recorder: visitors emit tasks into it, and it arranges them in stages.
//!
//! Within a sweep, tasks of single objects come before tasks of pairs, which are sorted by pair; where a task depends on
//! another one of the same sweep in a way that this order would not keep, or that would cross objects inside a
//! stage, it moves to stages of the next depth. Conflicts other than between two accumulations keep recorded order.

use super::program::{GroupId, GroupInfo, LoopId, LoopInfo, Program, Recording, Stage, StageKind};
use super::task::{ComponentTag, Place, Task};
use crate::data::{
    AccessDecl, AccessKind, Accesses, Binder, Data, DataId, Dot, DotInfo, DotTerm, Erased, InnerProduct,
    ObjectId, Scalar, ScalarValue, Store, TaskTable, dot_blocked, new_scalar, part_of, read,
};

/// How dot products are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sums {
    /// Partial sums in blocks and lanes, gathered in canonical order.
    #[default]
    Blocked,
    /// One running sum per vector, as SOFA's, computed by every worker of the group.
    Sofa,
}

/// Elements per partial sum of a dot product.
const CHUNK: usize = 8192;
/// In `Depth`: touched by tasks of several objects, or by tasks of pairs.
const SEVERAL: u32 = u32::MAX;

/// Where the accesses to a buffer in the present sweep stand. Positions: `2 * depth + (pair ? 1 : 0) + 1`, 0: none.
#[derive(Clone, Copy, Default)]
struct Depth {
    sweep: u32,
    exclusive: u32,
    exclusive_by: u32,
    read: u32,
    read_by: u32,
    accumulate: u32,
}

struct Pending {
    task: Task,
    erased: Erased,
    position: u32,
}

/// Records one program.
pub struct Recorder<'a> {
    store: &'a mut Store,
    table: TaskTable,
    program: Program,
    sums: Sums,
    group: GroupId,
    open_loops: Vec<LoopId>,
    n_partials: Vec<u32>,
    sweep_name: &'static str,
    sweep: u32,
    pending: Vec<Pending>,
    /// The pending tasks are replicated ones.
    replicated: bool,
    depths: Vec<Depth>,
}

impl<'a> Recorder<'a> {
    /// Begins to record a program on a store, in the step's own group.
    pub fn new(store: &'a mut Store) -> Self {
        let step = GroupInfo { name: "step".into(), scalars: 0, dots: Vec::new() };
        Self {
            table: TaskTable::new(store),
            store,
            program: Program { groups: vec![step], ..Program::default() },
            sums: Sums::Blocked,
            group: GroupId(0),
            open_loops: Vec::new(),
            n_partials: Vec::new(),
            sweep_name: "",
            sweep: 1,
            pending: Vec::new(),
            replicated: false,
            depths: Vec::new(),
        }
    }

    /// The store that is recorded on.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    /// Chooses how dot products are summed from here on.
    pub fn set_sums(&mut self, sums: Sums) {
        self.sums = sums;
    }

    /// Begins a solver group: its tasks share scalars and dot products, its loops are iterated by its workers alone.
    ///
    /// # Panics
    /// If another group or a loop is open.
    pub fn begin_group(&mut self, name: impl Into<String>) -> GroupId {
        assert!(self.group.0 == 0 && self.open_loops.is_empty(), "a group inside a group or loop");
        self.flush();
        self.group = GroupId(self.program.groups.len() as u32);
        self.program.groups.push(GroupInfo { name: name.into(), scalars: 0, dots: Vec::new() });
        self.group
    }

    /// Ends the group: what follows belongs to the step.
    pub fn end_group(&mut self) {
        assert!(self.open_loops.is_empty(), "a loop that its group does not end");
        self.flush();
        self.group = GroupId(0);
    }

    /// The present group.
    pub fn group(&self) -> GroupId {
        self.group
    }

    /// A new scalar of the present group; it is zero at the start of each run.
    pub fn scalar_value<T: ScalarValue>(&mut self) -> Scalar<T> {
        let group = &mut self.program.groups[self.group.0 as usize];
        group.scalars += 1;
        new_scalar(group.scalars - 1, self.group.0)
    }

    /// Begins a sweep of a visitor: a stage, or a few.
    pub fn sweep(&mut self, name: &'static str) {
        self.flush();
        self.sweep_name = name;
    }

    /// Records a task of one object.
    ///
    /// # Panics
    /// If a handle occurs more than once and not only to be read, or a scalar is written.
    pub fn own<A, F>(
        &mut self,
        name: &'static str,
        component: ComponentTag,
        object: ObjectId,
        accesses: A,
        kernel: F,
    ) where
        A: Accesses,
        F: for<'p> Fn(A::Params<'p>) + Copy + Send + Sync + 'static,
    {
        self.record(name, component, Place::Own(object), accesses, kernel);
    }

    /// Records a task of a pair of objects; within a sweep these are sorted by pair.
    ///
    /// # Panics
    /// As [`Recorder::own`]; so an interaction whose two ends are one object must be recorded by `own`.
    pub fn joint<A, F>(
        &mut self,
        name: &'static str,
        component: ComponentTag,
        objects: (ObjectId, ObjectId),
        accesses: A,
        kernel: F,
    ) where
        A: Accesses,
        F: for<'p> Fn(A::Params<'p>) + Copy + Send + Sync + 'static,
    {
        self.record(name, component, Place::Joint(objects.0, objects.1), accesses, kernel);
    }

    /// Records a task that every worker of the group runs; it writes only scalars.
    ///
    /// # Panics
    /// As [`Recorder::own`]; or if it writes a buffer.
    pub fn scalar<A, F>(&mut self, name: &'static str, component: ComponentTag, accesses: A, kernel: F)
    where
        A: Accesses,
        F: for<'p> Fn(A::Params<'p>) + Copy + Send + Sync + 'static,
    {
        self.record(name, component, Place::Replicated, accesses, kernel);
    }

    /// A new dot product of the present group.
    pub fn dot(&mut self, name: &'static str) -> Dot {
        let dots = &mut self.program.groups[self.group.0 as usize].dots;
        dots.push(DotInfo { name, terms: Vec::new(), gathered: false });
        Dot { group: self.group.0, index: dots.len() as u32 - 1 }
    }

    /// One object's term `a . b` of a dot product; read the sum with [`crate::data::gather`] in a scalar task.
    pub fn dot_product<D: InnerProduct>(
        &mut self,
        dot: Dot,
        component: ComponentTag,
        object: ObjectId,
        a: Data<D>,
        b: Data<D>,
    ) {
        let info = &mut self.program.groups[dot.group as usize].dots[dot.index as usize];
        let name = info.name;
        if self.sums == Sums::Sofa {
            assert_eq!(dot.group, self.group.0, "a dot product of another group");
            assert!(!info.gathered, "a term of the dot product {name} after its gathering");
            info.terms.push(DotTerm { object, partial: 0, vectors: Some((a.id(), b.id())) });
            self.table.add_running_term::<D>(dot.group, dot.index);
            return;
        }
        let chunks = self.store.len(a).div_ceil(CHUNK).max(1);
        let mut decls = Vec::new();
        let partial = self.binder(&mut decls).new_part(dot, object, chunks);
        if a == b {
            self.own(name, component, object, (part_of(partial), read(a)), |(out, a)| dot_blocked(a, a, out));
        } else {
            let accesses = (part_of(partial), read(a), read(b));
            self.own(name, component, object, accesses, |(out, a, b)| dot_blocked(a, b, out));
        }
    }

    /// Begins a loop of at most `limit` iterations (zero: none).
    pub fn begin_loop(&mut self, limit: Scalar<u32>) -> LoopId {
        assert_eq!(limit.group(), self.group.0, "a scalar of another group");
        self.flush();
        let id = LoopId(self.program.loops.len() as u32);
        let count = self.scalar_value::<u32>();
        let parent = self.open_loops.last().copied();
        let begin = self.program.stages.len() as u32;
        self.program.loops.push(LoopInfo {
            group: self.group,
            limit: limit.index(),
            count: count.index(),
            parent,
            begin,
            end: begin,
        });
        self.open_loops.push(id);
        self.control("begin loop", StageKind::BeginLoop(id));
        id
    }

    /// Leaves the innermost loop if `condition` is true.
    pub fn break_if(&mut self, condition: Scalar<bool>) {
        assert_eq!(condition.group(), self.group.0, "a scalar of another group");
        self.flush();
        let id = *self.open_loops.last().expect("break_if inside a loop");
        self.control("break", StageKind::Break(id, condition.index()));
    }

    /// Ends the innermost loop.
    pub fn end_loop(&mut self) {
        self.flush();
        let id = *self.open_loops.last().expect("end_loop inside a loop");
        self.program.loops[id.0 as usize].end = self.program.stages.len() as u32;
        self.control("end loop", StageKind::EndLoop(id));
        self.open_loops.pop();
    }

    /// The number of iterations of a loop that reached its end; inside the loop, the number of those before.
    pub fn loop_count(&self, of: LoopId) -> Scalar<u32> {
        let info = &self.program.loops[of.0 as usize];
        new_scalar(info.count, info.group.0)
    }

    /// Ends the recording.
    ///
    /// # Panics
    /// If a loop is open.
    pub fn finish(mut self) -> Recording {
        assert!(self.open_loops.is_empty(), "a loop that is not ended");
        self.flush();
        let is_written = |a: &&AccessDecl| a.kind.is_exclusive() || a.kind == AccessKind::Accumulate;
        let written = self.program.accesses.iter().filter(is_written).map(|a| a.id);
        let mut states: Vec<DataId> = written.filter(|&id| self.store.is_next_state(id)).collect();
        states.sort_unstable();
        states.dedup();
        self.program.written_states = states;
        self.table.seal(self.store);
        Recording { program: self.program, table: self.table }
    }

    fn binder<'b>(&'b mut self, decls: &'b mut Vec<AccessDecl>) -> Binder<'b> {
        Binder {
            store: self.store,
            group: self.group.0,
            dots: &mut self.program.groups[self.group.0 as usize].dots,
            n_partials: &mut self.n_partials,
            decls,
        }
    }

    fn record<A, F>(
        &mut self,
        name: &'static str,
        component: ComponentTag,
        place: Place,
        mut accesses: A,
        kernel: F,
    ) where
        A: Accesses,
        F: for<'p> Fn(A::Params<'p>) + Copy + Send + Sync + 'static,
    {
        let replicated = place == Place::Replicated;
        if replicated != self.replicated {
            self.flush();
            self.replicated = replicated;
        }
        let begin = self.program.accesses.len();
        let mut decls = std::mem::take(&mut self.program.accesses);
        accesses.bind(&mut self.binder(&mut decls));
        self.program.accesses = decls;
        check(name, place, &self.program.accesses[begin..]);
        let position = self.place(place, begin);
        let erased = self.table.erase(accesses, kernel, self.group.0);
        let task = Task {
            name,
            component,
            place,
            accesses: begin as u32..self.program.accesses.len() as u32,
            sequence: self.pending.len() as u32,
        };
        self.pending.push(Pending { task, erased, position });
    }

    /// The first position in the sweep that keeps the order of conflicts; notes the accesses from `begin` on there.
    fn place(&mut self, place: Place, begin: usize) -> u32 {
        let (parity, by) = match place {
            Place::Own(object) => (0, object.0),
            Place::Joint(..) => (1, SEVERAL),
            Place::Replicated => return 0,
        };
        let n_data = self.store.n_data();
        if self.depths.len() < n_data {
            self.depths.resize(n_data, Depth::default());
        }
        let mut position = 1 + parity;
        let data = self.program.accesses[begin..].iter().filter(|a| a.kind.is_data());
        for access in data.clone() {
            let d = &mut self.depths[access.id as usize];
            if d.sweep != self.sweep {
                *d = Depth { sweep: self.sweep, ..Depth::default() };
            }
            let after = |at: u32, of: u32| if at == 0 || (of == by && by != SEVERAL) { at } else { at + 1 };
            let mut least = after(d.exclusive, d.exclusive_by);
            if access.kind != AccessKind::Accumulate && d.accumulate > 0 {
                least = least.max(d.accumulate + 1);
            }
            if access.kind != AccessKind::Read {
                least = least.max(after(d.read, d.read_by));
            }
            position = position.max(least);
        }
        // Odd positions are own tasks, even ones tasks of pairs.
        if position % 2 == parity {
            position += 1;
        }
        for access in data {
            let d = &mut self.depths[access.id as usize];
            match access.kind {
                AccessKind::Read => {
                    d.read_by = if d.read == 0 || d.read_by == by { by } else { SEVERAL };
                    d.read = d.read.max(position);
                }
                AccessKind::Accumulate => d.accumulate = d.accumulate.max(position),
                _ => (d.exclusive, d.exclusive_by) = (position, by),
            }
        }
        position
    }

    fn control(&mut self, name: &'static str, kind: StageKind) {
        let at = self.program.tasks.len() as u32;
        let in_loop = self.open_loops.last().copied();
        self.program.stages.push(Stage { group: self.group, kind, name, tasks: at..at, in_loop });
    }

    /// Turns the pending tasks into stages.
    fn flush(&mut self) {
        self.sweep += 1;
        let mut pending = std::mem::take(&mut self.pending);
        let key = |p: &Pending| match p.task.place {
            Place::Own(a) => (p.position, a.0, 0, p.task.sequence),
            Place::Joint(a, b) => (p.position, a.0, b.0, p.task.sequence),
            Place::Replicated => (0, 0, 0, p.task.sequence),
        };
        pending.sort_unstable_by_key(key);
        let mut previous = u32::MAX;
        for Pending { task, erased, position } in pending.drain(..) {
            if position != previous {
                let kind = match task.place {
                    Place::Own(_) => StageKind::Own,
                    Place::Joint(..) => StageKind::Joint,
                    Place::Replicated => StageKind::Replicated,
                };
                let name = if self.replicated { task.name } else { self.sweep_name };
                self.control(name, kind);
                previous = position;
            }
            self.program.tasks.push(task);
            self.table.push(erased);
            let stage = self.program.stages.last_mut().expect("a stage was begun");
            stage.tasks.end += 1;
        }
        self.pending = pending;
    }
}

/// Refuses declarations that no order of tasks could make safe.
fn check(name: &str, place: Place, accesses: &[AccessDecl]) {
    let is_data_read = |a: &AccessDecl| matches!(a.kind, AccessKind::Read);
    for (i, a) in accesses.iter().enumerate() {
        if place == Place::Replicated {
            assert!(
                !a.kind.is_data() || is_data_read(a),
                "task {name}: a replicated task writes scalars only, and declares {} of buffer {}",
                a.kind,
                a.id
            );
        } else {
            assert!(a.kind != AccessKind::ScalarWrite, "task {name}: only replicated tasks set scalars");
        }
        for b in &accesses[..i] {
            let same_buffer = a.kind.is_data() && b.kind.is_data() && a.id == b.id;
            let is_scalar = |k| matches!(k, AccessKind::ScalarRead | AccessKind::ScalarWrite);
            let same_scalar = is_scalar(a.kind) && is_scalar(b.kind) && a.id == b.id;
            let conflict = (same_buffer && !(is_data_read(a) && is_data_read(b)))
                || (same_scalar && (a.kind == AccessKind::ScalarWrite || b.kind == AccessKind::ScalarWrite));
            assert!(!conflict, "task {name}: {} and {} of the same handle (number {})", b.kind, a.kind, a.id);
        }
    }
}
