//! A simulation that runs on its own thread, at its own rate, while somebody looks; another thread analyzes its steps.
//!
//! It publishes each finished state through three buffers and takes commands between steps: it never waits for a window,
//! and no window waits for it. Nothing here draws; see the crate `viewer`.

mod analyst;
mod behind;
pub(crate) mod execution;
mod frames;
mod hand;
mod helm;
mod meter;
mod orders;
mod session;
mod threads;
mod timeline;
mod watched;

use std::sync::Arc;

use scenes::visual;
use viewer::snapshot::{Lamp, Link, Snapshot};
use viewer::surface::{Rows, Surface, links, surfaces};
use viewer::viewed::{Viewed, with_gone};
use viewer::viewpoint::Viewpoint;

use crate::simulation::Simulation;
pub use execution::choices;
pub use frames::LiveFrames;
use session::Session;
use threads::Threads;
pub use watched::{Played, Publish, Watched};

/// How a simulation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Runs at once, or waits to be told.
    pub running: bool,
    /// Is held to the clock on the wall.
    pub paced: bool,
}

/// A simulation on its own thread; it ends when the other end of its link is dropped.
pub struct Live(Threads);

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
        let title = title.to_owned();
        let (threads, viewed, link) = Threads::start("simulation", move |publisher, analyst| {
            let first = make()?;
            let viewed = viewed(&title, &first);
            let again = Box::new(move || make().map_err(|e| e.to_string()));
            let mut session = Session::new(first, viewed.clone(), again, (publisher, analyst), beginning);
            session.publish();
            Ok((viewed, move || session.run()))
        })?;
        Ok((Self(threads), viewed, link))
    }

    /// Waits until it has ended, which it does after the step that it is at once its link is dropped.
    pub fn join(self) {
        self.0.join();
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
        is_mechanical: true,
        flags: visual::first(&world.scene).unwrap_or_default(),
        viewpoint: visual::first::<visual::SceneCamera>(&world.scene).map(|camera| Viewpoint {
            eye: camera.position,
            back: camera.back,
            up: camera.up,
            angle: camera.field_of_view,
        }),
        background: visual::first::<visual::Background>(&world.scene).map(|b| b.0),
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
    fn surfaces_since(&self, begin: &Viewed) -> Option<Vec<Arc<Surface>>> {
        let all = || surfaces(self.world(), &self.state_order());
        (self.topology_changes() > 0).then(|| with_gone(&begin.surfaces, all()))
    }
}
