//! A simulation that runs on its own thread, at its own rate, while somebody looks; another thread analyzes its steps.
//!
//! It publishes each finished state through three buffers and takes commands between steps: it never waits for a window,
//! and no window waits for it. Nothing here draws; see the crate `viewer`.

mod analyst;
mod behind;
pub(crate) mod execution;
mod frames;
mod hand;
mod meter;
mod orders;
mod session;
mod timeline;
mod watched;

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;

use viewer::snapshot::{Lamp, Link, Snapshot, link};
use viewer::surface::{Rows, links, surfaces};
use viewer::viewed::Viewed;

use crate::simulation::Simulation;
use analyst::Analyst;
pub use execution::choices;
pub use frames::LiveFrames;
use session::Session;
pub use watched::{Played, Watched};

/// How a simulation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Runs at once, or waits to be told.
    pub running: bool,
    /// Is held to the clock on the wall.
    pub paced: bool,
}

/// A simulation on its own thread; it ends when the other end of its link is dropped.
pub struct Live {
    threads: [JoinHandle<()>; 2],
}

impl Live {
    /// Makes a simulation on a thread of its own; `make` is called again whenever it is to begin anew.
    ///
    /// # Errors
    /// What `make` says the first time.
    pub fn start<E: Send + ToString + 'static>(
        title: &str,
        beginning: Beginning,
        mut make: impl FnMut() -> Result<Simulation, E> + Send + 'static,
    ) -> Result<(Self, Viewed, Link), E> {
        let (publisher, link) = link();
        // Started here: the simulation's thread may be pinned to a core, and would leave that to it.
        let (analyst, analysis) =
            Analyst::start(publisher.timelines()).expect("the system starts one more thread");
        let (tell, told) = sync_channel(1);
        let title = title.to_owned();
        let run = move || {
            // The simulation is made here, not moved here: its executor binds the thread that makes it.
            let first = match make() {
                Ok(simulation) => simulation,
                Err(e) => return drop(tell.send(Err(e))),
            };
            let viewed = viewed(&title, &first);
            let again = Box::new(move || make().map_err(|e| e.to_string()));
            let mut session = Session::new(first, again, (publisher, analyst), beginning);
            session.publish();
            if tell.send(Ok(viewed)).is_ok() {
                session.run();
            }
        };
        let thread = std::thread::Builder::new().name("simulation".to_owned()).spawn(run);
        let thread = thread.expect("the system starts one more thread");
        let viewed = told.recv().expect("the thread says how it began before it ends")?;
        Ok((Self { threads: [thread, analysis] }, viewed, link))
    }

    /// Waits until it has ended, which it does after the step that it is at once its link is dropped.
    pub fn join(self) {
        for thread in self.threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// A scene as it is looked at.
pub fn viewed(title: &str, simulation: &Simulation) -> Viewed {
    let (world, order) = (simulation.world(), simulation.state_order());
    Viewed {
        title: title.to_owned(),
        surfaces: surfaces(world, &order).into_iter().map(Arc::new).collect(),
        links: links(world, &order),
        gravity: simulation.gravity(),
    }
}

/// Writes the positions of all states over `out`, whose lists keep their memory.
pub fn positions(simulation: &Simulation, out: &mut Vec<Rows>) {
    let order = simulation.state_order();
    out.resize_with(order.len(), Rows::default);
    for (rows, state) in out.iter_mut().zip(order) {
        rows.values.clear();
        rows.stride = simulation.append_positions(state, &mut rows.values);
    }
}

fn lamp(lamp: &x3d::shape::Lamp) -> Lamp {
    Lamp {
        at: lamp.at.into(),
        color: lamp.color.map(|c| c as f32),
        radius: lamp.radius,
        attenuation: lamp.attenuation,
    }
}

impl Watched for Simulation {
    const STEP: &'static str = "step";

    fn advance(&mut self) -> Result<(), String> {
        self.step().map(drop).map_err(|e| e.to_string())
    }
    fn steps_done(&self) -> u64 {
        self.step_index()
    }
    fn seconds(&self) -> f64 {
        self.time()
    }
    fn viewed(&self, title: &str) -> Viewed {
        viewed(title, self)
    }
    fn show(&self, into: &mut Snapshot) {
        positions(self, &mut into.states);
        into.lamps.clear();
        into.lamps.extend(self.lamps().iter().map(lamp));
    }
}
