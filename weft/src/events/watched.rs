//! An event graph that somebody looks at, and points at.

use std::io::Write;
use std::sync::Arc;

use viewer::snapshot::{Command, Snapshot};
use viewer::surface::Surface;
use viewer::viewed::{Viewed, with_gone};
use viewer::viewpoint::Viewpoint;
use x3d::shape::Shapes;

use super::eye::{key_of, viewer_at, viewpoint_of};
use super::pointer::Mouse;
use super::seen::{colors, positions, shapes, surfaces, viewed};
use super::structure::Structure;
use super::{EventLines, EventSimulation};
use crate::execution::Stepped;
use crate::live::{Played, Watched};
use crate::record::StepRecord;

/// An event graph with its shapes, which are found anew when nodes come or go.
pub struct WatchedEvents {
    simulation: EventSimulation,
    shapes: Shapes,
    /// The version of the structure that the shapes are of.
    version: u64,
    structure: Structure,
    /// The surfaces in the beginning.
    begin: Vec<Arc<Surface>>,
    /// Surfaces that look otherwise than in the beginning.
    changed: Arc<Vec<Arc<Surface>>>,
    mouse: Mouse,
    viewpoint: Option<Viewpoint>,
    lines: Option<EventLines<Box<dyn Write + Send>>>,
}

impl WatchedEvents {
    /// Of a graph; each event that travels along a route is written to `lines`, if its log is on.
    pub fn new(simulation: EventSimulation, lines: Option<EventLines<Box<dyn Write + Send>>>) -> Self {
        let (shapes, version) = (shapes(&simulation), simulation.graph().version());
        let (changed, mouse, structure) = (Arc::default(), Mouse::default(), Structure::of(&simulation));
        let begin = surfaces(&shapes).map(Arc::new).collect();
        let viewpoint = None;
        let mut watched =
            Self { simulation, shapes, version, structure, begin, changed, mouse, viewpoint, lines };
        watched.find_viewpoint();
        watched
    }

    /// Finds from where the scene wants to be looked at now.
    fn find_viewpoint(&mut self) {
        self.viewpoint = self.simulation.viewpoint().map(|viewer| viewpoint_of(&viewer));
    }
}

impl Drop for WatchedEvents {
    /// The run ends, as the window closes or begins anew: Scripts are shut down, and may have something to say.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.simulation.end();
        for said in self.simulation.take_said() {
            log::warn!("{said}");
        }
    }
}

impl Watched for WatchedEvents {
    const STEP: &'static str = "frame";

    fn advance(&mut self) -> Result<(), String> {
        self.mouse.tell(&mut self.simulation, &self.shapes);
        let Self { simulation, lines, .. } = self;
        let report = simulation.step().map_err(|e| e.to_string())?;
        if let Some(lines) = lines {
            let written = lines.write(report.frame, simulation).and_then(|()| lines.flush());
            written.map_err(|e| format!("events cannot be written: {e}"))?;
        }
        for said in simulation.take_said() {
            log::warn!("{said}");
        }
        if self.version != simulation.graph().version() || self.structure.has_changed(simulation) {
            self.structure = Structure::of(simulation);
            self.version = simulation.graph().version();
            self.shapes = shapes(simulation);
            self.changed = Arc::new(with_gone(&self.begin, surfaces(&self.shapes).collect()));
        }
        self.find_viewpoint();
        Ok(())
    }

    fn steps_done(&self) -> u64 {
        self.simulation.frames()
    }

    fn seconds(&self) -> f64 {
        self.simulation.time()
    }

    fn viewed(&self, title: &str) -> Viewed {
        viewed(title, &self.shapes)
    }

    fn show(&self, into: &mut Snapshot) {
        into.changed.clone_from(&self.changed);
        positions(&self.simulation, &self.shapes, &mut into.states);
        colors(&self.simulation, &self.shapes, &mut into.colors);
        into.viewpoint = self.viewpoint;
        into.wants = self.simulation.wants();
    }
}

impl Played for WatchedEvents {
    fn frame_time(&self) -> f64 {
        self.simulation.dt()
    }

    fn observe(&mut self, on: bool) {
        Stepped::observe(&mut self.simulation, on);
    }

    fn record(&mut self) -> Option<StepRecord> {
        Stepped::record(&mut self.simulation)
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Point(bearing) => self.mouse.point(bearing),
            Command::Button(down) => {
                if !self.mouse.button(&self.simulation, &self.shapes, down) {
                    return Err("no sensor listens to what is there".to_owned());
                }
            }
            Command::Grasp(..) => return Err("no sensor listens to this shape".to_owned()),
            Command::Pull(_) | Command::LetGo => {}
            Command::SetAttribute { .. } | Command::SetExecution(_) => {
                return Err("not while an event graph runs".to_owned());
            }
            Command::Look(from, aspect) => self.simulation.look(viewer_at(&from, aspect)),
            Command::Type(key, down) => self.simulation.press(key_of(key), down),
            _ => return Err("an event graph has no mechanics".to_owned()),
        }
        Ok(())
    }
}
