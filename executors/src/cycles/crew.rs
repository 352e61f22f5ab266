//! Threads that serve until they return.

use std::thread::JoinHandle;

/// Threads, each of which runs one function once. Those that have returned are joined when this is dropped; the others as
/// [`Self::leave`] says.
#[derive(Debug, Default)]
pub struct Crew {
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Starts a thread with a name; whether the system has given one.
    pub fn start(&mut self, name: String, serve: impl FnOnce() + Send + 'static) -> bool {
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
