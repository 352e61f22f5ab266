//! What a task does: it evaluates nodes of a block one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::exec::RunFailure;

use super::memo::Memo;
use crate::rig::ports::{Others, Ports};
use crate::rig::structure::{Code, Work};

/// The nodes that one task runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskWork {
    /// Its part of the list of all work.
    pub(super) begin: u32,
    pub(super) end: u32,
    pub(super) frame: u32,
    /// The first step of its block.
    pub(super) first_step: u32,
}

/// A node that could not be evaluated.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) step: u32,
    pub(super) frame: u32,
    pub(super) message: String,
}

/// What the tasks of a recording look at.
pub(super) struct PlanCode {
    pub(super) code: Arc<Code>,
    pub(super) work: Vec<Work>,
    pub(super) tasks: Vec<TaskWork>,
    /// By frame: set by whoever no longer wants it.
    pub(super) cancel: Vec<Arc<AtomicBool>>,
    /// Touched only where a node fails.
    pub(super) failed: Mutex<Vec<Failed>>,
    /// Tasks look by themselves whether they need to run; what they saw lies where the inputs that nodes read are counted otherwise.
    pub(super) memo: Option<Memo>,
}

impl PlanCode {
    pub(super) fn empty(code: Arc<Code>) -> Self {
        let (work, tasks, cancel) = (Vec::new(), Vec::new(), Vec::new());
        Self { code, work, tasks, cancel, failed: Mutex::new(Vec::new()), memo: None }
    }

    /// Runs a task. A node that fails or panics ends it: what follows in the block would be of no use.
    pub(super) fn run(
        &self,
        number: u32,
        values: &mut [f64],
        reads: &mut [u64],
        fixed: &[f64],
        others: Others<'_>,
    ) {
        let task = self.tasks[number as usize];
        if self.memo.as_ref().is_some_and(|memo| memo.is_same(number, reads, fixed, others)) {
            return;
        }
        if self.cancel[task.frame as usize].load(Ordering::Relaxed) {
            return;
        }
        let mut at = task.begin;
        let run = || {
            for work in &self.work[task.begin as usize..task.end as usize] {
                at = work.step;
                let read = match self.evaluate(*work, values, fixed, others) {
                    Ok(read) => read,
                    Err(message) => return Some(message),
                };
                let counted = if self.memo.is_none() { &mut *reads } else { &mut [] };
                if let Some(reads) = counted.get_mut((work.step - task.first_step) as usize) {
                    *reads = read;
                }
            }
            None
        };
        let message = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|payload| Some(format!("it panicked: {}", RunFailure::panic_message(&*payload))));
        if let Some(message) = message {
            if self.memo.is_some() {
                Memo::forget(reads);
            }
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.push(Failed { step: at, frame: task.frame, message });
        }
    }

    #[inline(always)]
    fn evaluate(
        &self,
        work: Work,
        values: &mut [f64],
        fixed: &[f64],
        others: Others<'_>,
    ) -> Result<u64, String> {
        self.code.evaluate_from(work, 0, values, &self.code.places, fixed, others)
    }
}

impl Code {
    /// Evaluates a node of a block whose values begin at `begin`: what of `values` lies before its outputs, it may read.
    #[inline(always)]
    pub(super) fn evaluate_from(
        &self,
        work: Work,
        begin: usize,
        values: &mut [f64],
        places: &[crate::rig::ports::Place],
        fixed: &[f64],
        others: Others<'_>,
    ) -> Result<u64, String> {
        let step = &self.steps[work.step as usize];
        let (before, rest) = values.split_at_mut(begin + step.begin as usize);
        let inputs = step.first_input as usize..(step.first_input + step.n_inputs) as usize;
        let outputs = step.first_attribute as usize..(step.first_attribute + step.n_attributes) as usize;
        // The last bit stands for all further outputs.
        let further = u64::from(work.wanted >> 31) * (u64::MAX << 31);
        let mut ports = Ports {
            inputs: &places[inputs],
            outputs: &self.outputs[outputs],
            wanted: u64::from(work.wanted) | further,
            before,
            fixed,
            others,
            values: &mut rest[..step.len as usize],
            read: 0,
            failure: None,
        };
        self.kinds[step.kind as usize].evaluate(&mut ports);
        match ports.failure {
            None => Ok(ports.read),
            Some(message) => Err(message),
        }
    }
}
