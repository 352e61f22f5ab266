//! Threads for work that lasts longer than a step (`engine::data::LongWork`), beside those that take the steps.
//!
//! They are a convenience: what is needed and was not begun yet, the worker that needs it does. So neither their number nor
//! their speed changes a bit.

use std::sync::Arc;
use std::thread::JoinHandle;

use engine::data::Store;
use engine::exec::{Beside, Job};

use crate::sync::Todo;

/// Threads that do work beside the steps, in the order in which it was begun. They end when this is dropped, which waits for
/// what they are at; what they have not begun is left.
#[derive(Debug)]
pub struct Background {
    todo: Arc<Todo<Waiting>>,
    threads: Vec<JoinHandle<()>>,
}

/// A job that nobody does yet.
struct Waiting(Arc<dyn Job>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a job")
    }
}

impl Default for Background {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Background {
    /// With so many threads; fewer where the system gives no more.
    pub fn new(n_threads: usize) -> Self {
        let todo = Arc::new(Todo::default());
        let mut threads = Vec::new();
        for _ in 0..n_threads {
            let todo: Arc<Todo<Waiting>> = todo.clone();
            let serve = move || {
                while let Some(Waiting(job)) = todo.next() {
                    job.run();
                }
            };
            match std::thread::Builder::new().name("weft background".into()).spawn(serve) {
                Ok(thread) => threads.push(thread),
                Err(error) => log::warn!("no thread for work in the background: {error}"),
            }
        }
        Self { todo, threads }
    }
}

impl Beside for Background {
    fn take_over(&self, job: Arc<dyn Job>) {
        // Where there is no thread, who needs the result does the work.
        if !self.threads.is_empty() {
            self.todo.push(Waiting(job));
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.todo.close();
        for thread in self.threads.drain(..) {
            // It ends without a panic: those of jobs are caught.
            let _ = thread.join();
        }
    }
}

/// Gives a store's long work a thread, if it has none.
pub(crate) fn attend(store: &mut Store) {
    if store.wants_beside() {
        store.set_beside(Arc::new(Background::default()));
    }
}
