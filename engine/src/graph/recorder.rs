//! The recorder: visitors emit tasks into it, and it arranges them in stages.
//!
//! Within a sweep, tasks of single objects come before tasks of pairs, which are sorted by pair; where a task depends on
//! another one of the same sweep in a way that this order would not keep, or that would cross objects inside a
//! stage, it moves to stages of the next depth. Conflicts other than between two accumulations keep recorded order.

use super::chain::Key;
use super::conflicts::Conflicts;
use super::program::{
    Group, GroupId, Heading, HeadingKind, LoopId, LoopInfo, MAX_DEPTH, Program, Recording, Stage, StageKind,
    position,
};
use super::spare::Spare;
use super::task::{Base, ComponentTag, Place, Task};
use super::{conditions, declarations, turns};
use crate::data::{
    AccessDecl, Accesses, Binder, Bound, CHUNK, Data, DataId, Dot, DotInfo, DotTerm, Env, Erased,
    InnerProduct, ObjectId, Part, Scalar, ScalarValue, Store, TaskTable, dot_blocked, new_scalar, part_of,
    read, set,
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

struct Pending {
    task: Task,
    erased: Erased,
    depth: u32,
}

/// The memory of a recorder, to be used again by the next one.
#[derive(Default)]
pub struct RecorderMemory {
    conflicts: Conflicts,
    n_partials: Vec<u32>,
    pending: Vec<Pending>,
    /// How many tasks of the present sweep ask for a resource, and its greatest depth without them.
    asking: u32,
    greatest: u32,
    /// Next values of states that are written in any case, by tasks that are not kept.
    always_written: Vec<DataId>,
    spare: Spare,
}

impl RecorderMemory {
    /// Takes back a recording that is no longer needed, such as a part that was spliced into another one: the next one is
    /// made in its memory.
    pub fn take_back(&mut self, recording: Recording) {
        self.spare.take_back(recording);
    }
}

/// Records one program.
pub struct Recorder<'a> {
    store: &'a mut Store,
    table: TaskTable,
    program: Program,
    sums: Sums,
    keeps_own: bool,
    /// The present group; none where the step's own code may go on.
    group: Option<GroupId>,
    is_solver_group: bool,
    /// Its number among those of its store: handles of another one are told by it.
    number: u32,
    open_loops: Vec<LoopId>,
    sweep_name: &'static str,
    /// What the pending tasks are.
    mode: Mode,
    memory: RecorderMemory,
}

/// What is being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing was begun since a loop's beginning or end.
    Nothing,
    /// Tasks of objects and pairs.
    Sweep,
    /// Replicated tasks.
    Replicated,
}

impl<'a> Recorder<'a> {
    /// Begins to record a program on a store, in the step's own group.
    pub fn new(store: &'a mut Store) -> Self {
        Self::with_memory(store, RecorderMemory::default())
    }

    /// Begins to record a program, with the memory of an earlier recorder.
    pub fn with_memory(store: &'a mut Store, mut memory: RecorderMemory) -> Self {
        let mut recorder = Self {
            table: memory.spare.table(store),
            number: store.next_recorder(),
            store,
            program: memory.spare.program(),
            sums: Sums::Blocked,
            keeps_own: true,
            group: None,
            is_solver_group: false,
            open_loops: Vec::new(),
            sweep_name: "",
            mode: Mode::Nothing,
            memory,
        };
        recorder.memory.n_partials.clear();
        recorder.memory.always_written.clear();
        recorder.open_group(GroupId(0), 0, "step");
        recorder
    }

    /// The store that is recorded on.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    /// Chooses how dot products are summed from here on.
    pub fn set_sums(&mut self, sums: Sums) {
        self.sums = sums;
    }

    /// Chooses whether tasks of single objects are kept from here on. A part in which only pairs come needs their objects'
    /// tasks, which are in the plan already, just to find where those of the pairs stand.
    pub fn keep_own_tasks(&mut self, keep: bool) {
        self.keeps_own = keep;
    }

    /// Begins a solver group: its tasks share scalars and dot products, its loops are iterated by its workers alone.
    ///
    /// # Panics
    /// If another group or a loop is open.
    pub fn begin_group(&mut self, name: impl AsRef<str>) -> GroupId {
        let id = GroupId(self.program.groups.len() as u32);
        self.begin_group_as(id, id.0, name);
        id
    }

    /// Begins a solver group of a given number at a given place in the order of execution, so that it fits into a program
    /// which was recorded before.
    ///
    /// # Panics
    /// If another group or a loop is open, or number or place are taken.
    pub fn begin_group_as(&mut self, id: GroupId, order: u32, name: impl AsRef<str>) {
        assert!(!self.is_solver_group && self.open_loops.is_empty(), "a group inside a group or loop");
        self.flush();
        self.open_group(id, order, name.as_ref());
        self.is_solver_group = true;
    }

    /// Ends the group: what follows belongs to the step.
    pub fn end_group(&mut self) {
        assert!(self.open_loops.is_empty(), "a loop that its group does not end");
        self.flush();
        (self.group, self.is_solver_group) = (None, false);
    }

    fn open_group(&mut self, id: GroupId, order: u32, name: &str) {
        let groups = &mut self.program.groups;
        if groups.len() <= id.0 as usize {
            groups.resize_with(id.0 as usize + 1, || None);
        }
        assert!(groups[id.0 as usize].is_none(), "group {} is there twice", id.0);
        let group = groups[id.0 as usize].insert(self.memory.spare.group());
        group.name.push_str(name);
        let before = self.program.order.insert(order, id);
        assert!(before.is_none(), "two groups at place {order}");
        (self.group, self.mode) = (Some(id), Mode::Nothing);
    }

    /// The present group. Code of the step that follows a solver group is a group of its own.
    pub fn group(&mut self) -> GroupId {
        match self.group {
            Some(id) => id,
            None => {
                let id = GroupId(self.program.groups.len() as u32);
                self.open_group(id, id.0, "step");
                id
            }
        }
    }

    fn present(&mut self) -> &mut Group {
        let id = self.group();
        self.program.group_mut(id)
    }

    /// A new scalar of the present group; it is zero at the start of each run.
    pub fn scalar_value<T: ScalarValue>(&mut self) -> Scalar<T> {
        let id = self.group();
        let number = self.number;
        let scalars = &mut self.present().scalars;
        scalars.push(T::TYPE);
        new_scalar(scalars.len() as u32 - 1, id.0, number)
    }

    /// Begins a sweep of a visitor: a stage, or a few.
    pub fn sweep(&mut self, name: &'static str) {
        self.head(HeadingKind::Sweep, name, Mode::Sweep);
        self.sweep_name = name;
    }

    fn head(&mut self, kind: HeadingKind, name: &'static str, mode: Mode) {
        self.flush();
        self.present().outline.push(Heading { kind, name });
        self.mode = mode;
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
        let group = self.group().0;
        let terms = self.memory.spare.terms();
        let dots = &mut self.present().dots;
        dots.push(DotInfo { name, terms, gathered: false });
        Dot { group, index: dots.len() as u32 - 1, recorder: self.number }
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
        let Some(part) = self.dot_part(dot, object, a, b) else { return };
        let name = self.program.group_mut(GroupId(dot.group)).dots[dot.index as usize].name;
        if a == b {
            self.own(name, component, object, (part, read(a)), |(out, a)| dot_blocked(a, a, out));
        } else {
            self.own(name, component, object, (part, read(a), read(b)), |(out, a, b)| dot_blocked(a, b, out));
        }
    }

    /// One object's term `a . b` of a dot product, for a task that leaves the partial sums of [`dot_blocked`] beside what else it
    /// does; `None` where sums are running ones, which are taken where they are gathered.
    pub fn dot_part<D: InnerProduct>(
        &mut self,
        dot: Dot,
        object: ObjectId,
        a: Data<D>,
        b: Data<D>,
    ) -> Option<Part> {
        let group = self.group().0;
        assert_eq!(dot.recorder, self.number, "a dot product of another recorder");
        assert_eq!(dot.group, group, "a dot product of another group");
        let info = &mut self.program.group_mut(GroupId(dot.group)).dots[dot.index as usize];
        if self.sums == Sums::Sofa {
            assert!(!info.gathered, "a term of the dot product {} after its gathering", info.name);
            let is_known = self.store.is_of_type::<D>(a.id()) && self.store.is_of_type::<D>(b.id());
            assert!(is_known, "a handle of another store: number {} or {}", a.id(), b.id());
            info.terms.push(DotTerm { object, partial: 0, vectors: Some((a.id(), b.id())) });
            self.table.add_running_term::<D>(dot.group, dot.index);
            return None;
        }
        let chunks = self.store.len(a).div_ceil(CHUNK).max(1);
        Some(part_of(self.binder(&mut Vec::new()).new_part(dot, object, chunks)))
    }

    /// Begins a loop of at most `limit` iterations (zero: none).
    pub fn begin_loop(&mut self, limit: Scalar<u32>) -> LoopId {
        self.check_scalar(limit);
        self.begin_region("begin loop", limit.index(), false)
    }

    /// Begins what runs only if `condition` is true. All of it is skipped at the cost of one test on each worker of the group.
    ///
    /// A flag that stands in a buffer becomes a scalar by [`Self::flag`]; for single tasks see [`crate::data::when`], also
    /// for what becomes of data that is not written.
    pub fn begin_if(&mut self, condition: Scalar<bool>) {
        self.check_scalar(condition);
        self.begin_region("begin if", condition.index(), true);
    }

    /// Ends what [`Self::begin_if`] began.
    ///
    /// # Panics
    /// If a loop, or nothing, was begun last.
    pub fn end_if(&mut self) {
        assert!(self.is_in_condition(), "end_if where no condition was begun last");
        self.end_region("end if");
    }

    /// The first element of a buffer as a scalar of the group, as it is here; false if the buffer is empty.
    pub fn flag(&mut self, component: ComponentTag, flag: Data<bool>) -> Scalar<bool> {
        let scalar = self.scalar_value::<bool>();
        self.scalar("flag", component, (set(scalar), read(flag)), |(scalar, flag)| {
            *scalar = flag.first().is_some_and(|flag| *flag);
        });
        scalar
    }

    fn is_in_condition(&mut self) -> bool {
        let innermost = self.open_loops.last().copied();
        innermost.is_some_and(|id| self.present().loops[id.0 as usize].is_condition)
    }

    fn begin_region(&mut self, name: &'static str, limit: u32, is_condition: bool) -> LoopId {
        // What is pending stands before the loop.
        self.flush();
        let count = self.scalar_value::<u32>();
        let parent = self.open_loops.last().copied();
        let id = LoopId(self.present().loops.len() as u32);
        self.open_loops.push(id);
        let begin = self.control(name, StageKind::BeginLoop(id));
        let info = LoopInfo { limit, count: count.index(), parent, begin, end: begin, is_condition };
        self.present().loops.push(info);
        id
    }

    /// Leaves the innermost loop if `condition` is true.
    ///
    /// # Panics
    /// If no loop is open, or a condition was begun in it.
    pub fn break_if(&mut self, condition: Scalar<bool>) {
        assert!(!self.is_in_condition(), "a break inside a condition: end the condition first");
        self.check_scalar(condition);
        let id = *self.open_loops.last().expect("break_if inside a loop");
        self.control("break", StageKind::Break(id, condition.index()));
    }

    /// Ends the innermost loop.
    ///
    /// # Panics
    /// If a condition, or nothing, was begun last.
    pub fn end_loop(&mut self) {
        assert!(!self.is_in_condition(), "end_loop where a condition was begun last");
        self.end_region("end loop");
    }

    fn end_region(&mut self, name: &'static str) {
        let id = *self.open_loops.last().expect("end_loop inside a loop");
        let end = self.control(name, StageKind::EndLoop(id));
        self.present().loops[id.0 as usize].end = end;
        self.open_loops.pop();
    }

    /// The number of iterations of a loop that reached its end; inside the loop, the number of those before.
    pub fn loop_count(&mut self, of: LoopId) -> Scalar<u32> {
        let group = self.group().0;
        new_scalar(self.present().loops[of.0 as usize].count, group, self.number)
    }

    /// Refuses a scalar that is not the present group's.
    fn check_scalar<T: ScalarValue>(&mut self, scalar: Scalar<T>) {
        assert_eq!(scalar.recorder, self.number, "a scalar of another recorder");
        assert_eq!(scalar.group(), self.group().0, "a scalar of another group");
        let known = self.present().scalars.get(scalar.index() as usize);
        assert_eq!(known, Some(&T::TYPE), "a scalar of another store");
    }

    /// Ends the recording.
    ///
    /// # Panics
    /// If a loop is open, or the next value of a state is written under conditions only.
    pub fn finish(self) -> Recording {
        self.finish_with_memory().0
    }

    /// Ends the recording, and gives the memory back for the next recorder.
    ///
    /// # Panics
    /// As [`Self::finish`].
    pub fn finish_with_memory(mut self) -> (Recording, RecorderMemory) {
        assert!(self.open_loops.is_empty(), "a loop that is not ended");
        self.flush();
        let written = self.program.pool.all_accesses().iter().filter(|a| a.is_written()).map(|a| a.id);
        let mut states = std::mem::take(&mut self.program.written_states);
        states.extend(written.filter(|&id| self.store.is_next_state(id)));
        states.sort_unstable();
        states.dedup();
        self.program.written_states = states;
        conditions::check(&self.program, self.store, &self.memory.always_written);
        for dot in self.program.groups.iter_mut().flatten().flat_map(|g| &mut g.dots) {
            // Running sums are added up in recorded order.
            if dot.terms.iter().all(|t| t.vectors.is_none()) {
                dot.terms.sort_by_key(|t| t.object);
            }
        }
        self.table.seal(self.store);
        (Recording { program: self.program, table: self.table }, self.memory)
    }

    fn binder<'b>(&'b mut self, decls: &'b mut Vec<AccessDecl>) -> Binder<'b> {
        let group = self.group();
        let recorder = self.number;
        let Group { scalars, dots, .. } = self.program.group_mut(group);
        Binder {
            store: self.store,
            recorder,
            group: group.0,
            scalars,
            dots,
            n_partials: &mut self.memory.n_partials,
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
        // There are a thousand kinds of tasks: what does not need their types is compiled once.
        let begin = self.open_task(name, place);
        self.bind(&mut accesses);
        self.close_task(name, component, place, begin, Env::new(accesses, kernel).bound());
    }

    fn bind<A: Accesses>(&mut self, accesses: &mut A) {
        let mut decls = self.program.pool.take_accesses();
        accesses.bind(&mut self.binder(&mut decls));
        self.program.pool.put_accesses(decls);
    }

    /// The number of the first access that a task declares.
    fn open_task(&mut self, name: &'static str, place: Place) -> usize {
        let replicated = place == Place::Replicated;
        if replicated && self.mode != Mode::Replicated {
            self.head(HeadingKind::Replicated, name, Mode::Replicated);
        } else if !replicated && self.mode != Mode::Sweep {
            self.sweep(self.sweep_name);
        }
        self.program.pool.n_accesses()
    }

    fn close_task(
        &mut self,
        name: &'static str,
        component: ComponentTag,
        place: Place,
        begin: usize,
        bound: Bound<'_>,
    ) {
        let is_kept = self.keeps_own || !matches!(place, Place::Own(_));
        if is_kept {
            declarations::check(name, place, self.program.pool.accesses_from(begin));
        }
        let asks = turns::asks(self.program.pool.accesses_from(begin));
        let mut depth = self.depth(place, begin);
        // Each task that asks for a resource moves what follows by two at most: a depth for tasks of objects, one for pairs.
        if depth.max(self.memory.greatest) + 2 * (self.memory.asking + u32::from(asks)) > MAX_DEPTH {
            self.sweep(self.sweep_name);
            depth = self.depth(place, begin);
        }
        self.memory.greatest = self.memory.greatest.max(depth);
        self.memory.asking += u32::from(asks);
        if !is_kept {
            // It is in the plan already; what it writes is still to be counted.
            let group = self.group.map(|id| self.program.group(id));
            let accesses = self.program.pool.accesses_from(begin);
            let states =
                group.map(|group| conditions::always_written(group, &self.open_loops, accesses, self.store));
            self.memory.always_written.extend(states.into_iter().flatten());
            self.program.pool.truncate_accesses(begin);
            return;
        }
        let group = self.group().0;
        let erased = self.table.store(bound, group);
        let task = Task {
            name,
            component,
            place,
            accesses: begin as u32..self.program.pool.n_accesses() as u32,
            sequence: self.memory.pending.len() as u32,
            base: Base::default(),
        };
        self.memory.pending.push(Pending { task, erased, depth });
    }

    fn depth(&mut self, place: Place, begin: usize) -> u32 {
        let accesses = self.program.pool.accesses_from(begin);
        self.memory.conflicts.place(place, accesses, self.store.n_data(), false)
    }

    /// Records loop control; returns its position.
    fn control(&mut self, name: &'static str, kind: StageKind) -> u32 {
        self.head(HeadingKind::Control, name, Mode::Nothing);
        self.begin_stage(name, kind, 0)
    }

    fn begin_stage(&mut self, name: &'static str, kind: StageKind, depth: u32) -> u32 {
        let in_loop = self.open_loops.last().copied();
        let group = self.present();
        let position = position(group.outline.len() as u32 - 1, depth);
        group.stages.push(Stage { position, kind, name, tasks: Default::default(), in_loop });
        position
    }

    /// Turns the pending tasks into stages.
    fn flush(&mut self) {
        let mut pending = std::mem::take(&mut self.memory.pending);
        let key = |p: &Pending| (p.depth, p.task.place.pair(), p.task.sequence);
        pending.sort_unstable_by_key(key);
        count_within_places(&mut pending);
        for Pending { task, depth, .. } in &mut pending {
            task.base = Base { depth: *depth, sequence: task.sequence };
        }
        if self.memory.asking > 0 {
            self.take_turns(&mut pending);
        }
        self.memory.conflicts.begin_sweep();
        (self.memory.asking, self.memory.greatest) = (0, 0);
        let mut previous: Option<u32> = None;
        for Pending { task, erased, depth } in pending.drain(..) {
            if previous.is_none_or(|before| before != depth) {
                let kind = match task.place {
                    Place::Own(_) => StageKind::Own,
                    Place::Joint(..) => StageKind::Joint,
                    Place::Replicated => StageKind::Replicated,
                };
                let name = if kind == StageKind::Replicated { task.name } else { self.sweep_name };
                self.begin_stage(name, kind, depth);
            }
            previous = Some(depth);
            let key = Key::of(&task);
            let id = self.program.pool.push(task);
            self.table.push(erased);
            let group = self.group();
            let stage = self.program.group_mut(group).stages.last_mut().expect("a stage was begun");
            self.memory.spare.chains.push(&mut stage.tasks, key, id);
        }
        self.memory.pending = pending;
    }

    /// Puts the pending tasks of one resource one after the other.
    fn take_turns(&mut self, pending: &mut [Pending]) {
        self.memory.conflicts.begin_sweep();
        for Pending { task, depth, .. } in pending.iter_mut() {
            let accesses = self.program.pool.accesses_in(task.accesses.clone());
            *depth = self.memory.conflicts.place(task.place, accesses, self.store.n_data(), true);
        }
        pending.sort_unstable_by_key(|p| (p.depth, p.task.place.pair(), p.task.base));
        count_within_places(pending);
        let asking = |p: &&Pending| turns::asks(self.program.pool.accesses_in(p.task.accesses.clone()));
        let n = pending.iter().filter(asking).count() as i32;
        if n == 0 {
            // Objects' own tasks ask, which are in the plan already.
            return;
        }
        let group = self.present();
        let sweep = group.outline.len() as u32 - 1;
        group.count_asking(sweep, n);
    }
}

/// Numbers tasks, which are sorted, within object or pair: the number does not depend on what else was recorded.
fn count_within_places(pending: &mut [Pending]) {
    let mut previous: Option<(u32, Place, u32)> = None;
    for Pending { task, depth, .. } in pending {
        let before = previous.filter(|(d, place, _)| (d, place) == (depth, &task.place));
        task.sequence = before.map_or(0, |(_, _, sequence)| sequence + 1);
        previous = Some((*depth, task.place, task.sequence));
    }
}
