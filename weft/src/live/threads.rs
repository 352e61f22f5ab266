//! A session on a thread of its own, with its analyst on another.

use std::sync::mpsc::sync_channel;
use std::thread::{Builder, JoinHandle};

use viewer::snapshot::{Link, Publisher, link};
use viewer::viewed::Viewed;

use super::analyst::Analyst;

/// The two threads; they end when the other end of their link is dropped.
pub(super) struct Threads([JoinHandle<()>; 2]);

impl Threads {
    /// Begins a session on a thread called `name`. `begin` makes it there, not here, since an executor binds the thread that makes it; it
    /// says how the session is looked at, and what runs it.
    ///
    /// # Errors
    /// What `begin` says.
    pub fn start<R: FnOnce(), E: Send + 'static>(
        name: &str,
        begin: impl FnOnce(Publisher, Analyst) -> Result<(Viewed, R), E> + Send + 'static,
    ) -> Result<(Self, Viewed, Link), E> {
        let (publisher, link) = link();
        // Started here: the session's thread may be pinned to a core, and would leave that to it.
        let (analyst, analysis) =
            Analyst::start(publisher.timelines()).expect("the system starts one more thread");
        let (tell, told) = sync_channel(1);
        let session = move || match begin(publisher, analyst) {
            Ok((viewed, run)) => {
                if tell.send(Ok(viewed)).is_ok() {
                    run();
                }
            }
            Err(e) => drop(tell.send(Err(e))),
        };
        let thread = Builder::new().name(name.to_owned()).spawn(session);
        let thread = thread.expect("the system starts one more thread");
        let viewed = told.recv().expect("the thread says how it began before it ends")?;
        Ok((Self([thread, analysis]), viewed, link))
    }

    /// Waits until both have ended; goes on with a panic of theirs.
    pub fn join(self) {
        for thread in self.0 {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}
