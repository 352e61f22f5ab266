//! Checked ops: each says what it is about to touch, and stops the run if another op touches the same in a way that
//! conflicts; what it should overwrite wholly is filled with a value that must not survive.
//!
//! Plans promise that conflicting tasks never run at the same time, and the unsafe code of accesses rests on it. Here
//! the promise is looked at while the plan runs. It costs some atomic operations per task, so it is for builds with
//! debug assertions ([`crate::Options::checked`]).
#![allow(unsafe_code, reason = "an op around another one")]

use std::sync::Arc;

use engine::data::{AccessKind, Addition, Ctx, DataId, Op, Probe, Store};
use engine::graph::{GroupId, Program, TaskId};

use crate::sync::Mark;

/// A NaN that no arithmetic yields.
const UNWRITTEN: u64 = 0x7FFC_0DEA_DBEE_F001;

/// An op with what it touches.
struct Checked {
    op: Op,
    name: &'static str,
    /// Buffers and logs, and whether they are written.
    touched: Vec<(Arc<Mark>, bool, String)>,
    /// Buffers of floats that it overwrites.
    overwritten: Vec<(Probe, String)>,
}

/// Has entered some marks, and leaves them when dropped, by a panic too.
struct Inside<'a>(&'a [(Arc<Mark>, bool, String)]);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|(mark, writes, _)| mark.leave(*writes));
    }
}

impl Checked {
    fn enter(&self) -> Inside<'_> {
        let mut inside = Inside(&[]);
        for (k, (mark, writes, what)) in self.touched.iter().enumerate() {
            let how = if *writes { "write" } else { "read" };
            assert!(
                mark.enter(*writes),
                "the task {} would {how} {what} while another task uses it: a wait is missing in the plan",
                self.name
            );
            inside.0 = &self.touched[..=k];
        }
        inside
    }
}

/// Runs the op inside `env`.
///
/// # Safety
/// `env` is the address of a living [`Checked`]; for the rest, the contract of [`Op::run`].
unsafe fn run_checked(env: *const u8, ctx: *const Ctx) {
    // SAFETY: `Checks::wrap` made the op from this function and the address of a `Checked` that it keeps.
    let checked = unsafe { &*env.cast::<Checked>() };
    let inside = checked.enter();
    for (probe, _) in &checked.overwritten {
        // SAFETY: the mark of this buffer was entered as its writer; the store lives (contract of `Op::run`).
        unsafe { probe.fill(UNWRITTEN) };
    }
    // SAFETY: the contract of `Op::run`, passed on.
    unsafe { checked.op.run(ctx) };
    for (probe, what) in &checked.overwritten {
        // SAFETY: as above.
        let left = unsafe { probe.find(UNWRITTEN) };
        assert!(
            left.is_none(),
            "the task {} declares that it overwrites {what}, and leaves element {} as it was",
            checked.name,
            left.unwrap_or(0)
        );
    }
    drop(inside);
}

/// Makes checked ops of a plan, and keeps what they need; must outlive them.
#[derive(Default)]
pub(crate) struct Checks {
    is_on: bool,
    buffers: Vec<Arc<Mark>>,
    logs: Vec<Arc<Mark>>,
    #[allow(clippy::vec_box, reason = "ops hold the addresses")]
    checked: Vec<Box<Checked>>,
}
// SAFETY: what a `Checked` points to (probes) is reached under the contract of `Op::run` only.
unsafe impl Send for Checks {}
// SAFETY: as above.
unsafe impl Sync for Checks {}

impl Checks {
    /// Leaves ops as they are unless `is_on`.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    /// Whether ops are checked.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// An instance of a task of a group, whose additions go where `additions` says.
    pub fn task(
        &mut self,
        op: Op,
        (program, store): (&Program, &Store),
        group: GroupId,
        task: TaskId,
        additions: &[(usize, Addition)],
    ) -> Op {
        if !self.is_on {
            return op;
        }
        let (mut touched, mut overwritten) = (Vec::new(), Vec::new());
        // A task that does not run leaves what it would overwrite.
        let always_runs = !program.accesses_of(task).iter().any(|a| a.is_condition());
        for (position, access) in program.accesses_of(task).iter().enumerate() {
            let addition = additions.iter().find(|a| a.0 == position).map(|a| a.1);
            match (access.kind, addition) {
                (AccessKind::Accumulate, Some(Addition::Discard)) => {}
                (AccessKind::Accumulate, Some(Addition::Log(log))) => touched.push(self.log(log, true)),
                (AccessKind::Gather, _) => {
                    for term in &program.group(group).dots[access.id as usize].terms {
                        let read = term.vectors.map_or([term.partial; 2], |(a, b)| [a, b]);
                        touched.extend(read.map(|id| self.buffer(store, id, false)));
                    }
                }
                (kind, _) if kind.is_data() => {
                    touched.push(self.buffer(store, access.id, kind != AccessKind::Read));
                    if let (AccessKind::Write, true, Some(probe)) =
                        (kind, always_runs, store.probe(access.id))
                    {
                        overwritten.push((probe, store.info(access.id).name.clone()));
                    }
                }
                _ => {}
            }
        }
        self.wrap(Checked { op, name: program.task(task).name, touched, overwritten })
    }

    /// A reducer that adds logs (task, position of the access, number) to `target`.
    pub fn reducer(&mut self, op: Op, store: &Store, target: DataId, logs: &[(usize, usize, u32)]) -> Op {
        if !self.is_on {
            return op;
        }
        let mut touched: Vec<_> = logs.iter().map(|log| self.log(log.2, false)).collect();
        touched.push(self.buffer(store, target, true));
        self.wrap(Checked { op, name: "reduce", touched, overwritten: Vec::new() })
    }

    fn buffer(&mut self, store: &Store, id: DataId, writes: bool) -> (Arc<Mark>, bool, String) {
        let name = format!("{} of object {}", store.info(id).name, store.info(id).object.0);
        (mark(&mut self.buffers, id), writes, name)
    }

    fn log(&mut self, log: u32, writes: bool) -> (Arc<Mark>, bool, String) {
        (mark(&mut self.logs, log), writes, format!("log {log}"))
    }

    fn wrap(&mut self, checked: Checked) -> Op {
        let checked = Box::new(checked);
        let env = (&raw const *checked).cast();
        self.checked.push(checked);
        // SAFETY: the box keeps its address until `self` is dropped, after its ops; marks are shared between threads,
        // and probes are used under the contract of `Op::run`.
        unsafe { Op::new(run_checked, env) }
    }
}

fn mark(marks: &mut Vec<Arc<Mark>>, number: u32) -> Arc<Mark> {
    let number = number as usize;
    if marks.len() <= number {
        marks.resize_with(number + 1, Arc::default);
    }
    marks[number].clone()
}
