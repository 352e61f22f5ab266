//! Threads that serve until they return.

use std::thread::JoinHandle;

use crate::affinity;

/// Threads, each of which runs one function once. Those that have returned are joined when this is dropped; the others as
/// [`Self::leave`] says.
#[derive(Debug, Default)]
pub struct Crew {
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// A core for each of so many threads, the caller's first; none where there are fewer cores.
    pub fn cores(threads: usize) -> Vec<usize> {
        let cores = affinity::allowed_cores();
        if cores.len() < threads { Vec::new() } else { cores }
    }

    /// Starts a thread with a name, which stays on a core if one is given; whether the system has given a thread.
    pub fn start(
        &mut self,
        name: String,
        core: Option<usize>,
        serve: impl FnOnce() + Send + 'static,
    ) -> bool {
        let serve = move || {
            if core.is_some_and(|core| !affinity::pin_to(&[core])) {
                log::warn!("a thread could not be pinned");
            }
            serve();
        };
        match std::thread::Builder::new().name(name).spawn(serve) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                log::warn!("no further thread: {error}");
                return false;
            }
        }
        true
    }

    /// Number of threads.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Waits for all threads but those that the caller gives up, by their place.
    pub fn leave(&mut self, is_given_up: impl Fn(usize) -> bool) {
        for (k, thread) in self.threads.drain(..).enumerate() {
            if !is_given_up(k) {
                // A thread ends without a panic: those of tasks are caught.
                let _ = thread.join();
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.leave(|_| false);
    }
}
