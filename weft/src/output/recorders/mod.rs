//! What a scene itself writes while it runs: states, tables, meshes; and what it compares with files.
//!
//! Nothing of this happens within a step: [`Recorders`] look at a simulation between its steps, and no bit of the state depends on
//! them. Files of other runs are kept ([`Place`]).

mod comparison;
mod files;
mod meshes;
mod monitor;
mod names;
mod place;
mod states;
mod topologies;
mod visual;

use std::path::{Path, PathBuf};

use scenes::playback::{Monitor, StateComparison, StateWriter, TopologyWriter};
use sim_core::scene::{ComponentId, Scene};

use crate::simulation::Simulation;

use comparison::StateComparer;
pub use comparison::StateDifference;
use meshes::MeshRecorder;
use monitor::MonitorRecorder;
pub use place::Place;
use states::StateRecorder;
use topologies::TopologyRecorder;

/// A file of a scene that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{component}{}: cannot write {}: {message}", scene_line(.file, .line), .path.display())]
pub struct RecordError {
    /// Path of the component.
    pub component: String,
    /// The scene file, if the scene came from one.
    pub file: String,
    /// The line in it; 0 where unknown.
    pub line: u32,
    /// The file that it should write.
    pub path: PathBuf,
    /// What is wrong.
    pub message: String,
}

fn scene_line(file: &str, line: &u32) -> String {
    if file.is_empty() { String::new() } else { format!(" ({file}:{line})") }
}

impl RecordError {
    fn new(simulation: &Simulation, component: ComponentId, path: &Path, message: impl ToString) -> Self {
        let scene = &simulation.world().scene;
        let location = &scene.component(component).location;
        Self {
            component: scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            path: path.to_owned(),
            message: message.to_string(),
        }
    }
}

/// All that a scene writes and compares.
#[derive(Default)]
pub struct Recorders {
    place: Place,
    states: Vec<StateRecorder>,
    topologies: Vec<TopologyRecorder>,
    monitors: Vec<MonitorRecorder>,
    meshes: Vec<MeshRecorder>,
    comparisons: Vec<StateComparer>,
}

impl Recorders {
    /// Opens the files of a scene before its first step, and writes what is due then.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(simulation: &Simulation, place: Place) -> Result<Self, RecordError> {
        let names = names::of(simulation, &place)?;
        let mut all = Self { place, ..Self::comparing(simulation) };
        let scene = &simulation.world().scene;
        for c in scene.all_components().filter(|c| scene.has_component(*c)) {
            let Some(name) = names.get(&c) else { continue };
            let component = scene.component(c);
            if let Some(writer) = component.extension::<StateWriter>() {
                all.states.push(StateRecorder::open(simulation, c, writer, &mut all.place)?);
            } else if let Some(writer) = component.extension::<TopologyWriter>() {
                all.topologies.push(TopologyRecorder::open(simulation, c, writer, &mut all.place)?);
            } else if let Some(monitor) = component.extension::<Monitor>() {
                all.monitors.push(MonitorRecorder::open(simulation, c, monitor, name, &mut all.place)?);
            } else if let Some(mut recorder) = MeshRecorder::of(simulation, c, name) {
                recorder.begin(simulation, &mut all.place)?;
                all.meshes.push(recorder);
            }
        }
        Ok(all)
    }

    /// Paths of the components of a scene that write files.
    pub fn writers(scene: &Scene) -> Vec<String> {
        let writes = |c: &ComponentId| {
            let c = scene.component(*c);
            let table = c.extension::<StateWriter>().is_some() || c.extension::<Monitor>().is_some();
            table || c.extension::<TopologyWriter>().is_some() || MeshRecorder::is(c)
        };
        let all = scene.all_components().filter(|c| scene.has_component(*c));
        all.filter(writes).map(|c| scene.path(c)).collect()
    }

    /// What a scene compares, without anything that it writes.
    pub fn comparing(simulation: &Simulation) -> Self {
        let scene = &simulation.world().scene;
        let of =
            |c| Some(StateComparer::new(simulation, c, scene.component(c).extension::<StateComparison>()?));
        let comparisons = scene.all_components().filter(|c| scene.has_component(*c)).filter_map(of).collect();
        Self { comparisons, ..Self::default() }
    }

    /// Before a step: writes states and elements as the step finds them, and compares states.
    ///
    /// # Errors
    /// A file that cannot be filled.
    pub fn before_step(&mut self, simulation: &mut Simulation) -> Result<(), RecordError> {
        self.topologies.iter_mut().try_for_each(|t| t.before_step(simulation))?;
        if self.states.is_empty() && self.comparisons.is_empty() {
            return Ok(());
        }
        // What files give is what the step begins with; if they cannot, the step says so.
        if simulation.read_states().is_err() {
            return Ok(());
        }
        self.comparisons.iter_mut().for_each(|c| c.before_step(simulation));
        self.states.iter_mut().try_for_each(|s| s.before_step(simulation))
    }

    /// After a step: writes rows of tables, and meshes that are due.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn after_step(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        self.monitors.iter_mut().try_for_each(|m| m.after_step(simulation))?;
        self.meshes.iter_mut().try_for_each(|m| m.after_step(simulation, &mut self.place))
    }

    /// How far states were from what files say.
    pub fn differences(&self) -> Vec<StateDifference> {
        self.comparisons.iter().map(|c| c.difference.clone()).collect()
    }

    /// After the last step: writes meshes that are due then, and ends all files; says which there are.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(&mut self, simulation: &Simulation) -> Result<Vec<PathBuf>, RecordError> {
        for mesh in &mut self.meshes {
            mesh.finish(simulation, &mut self.place)?;
        }
        for state in self.states.drain(..) {
            state.finish(simulation)?;
        }
        for topology in self.topologies.drain(..) {
            topology.finish(simulation)?;
        }
        for monitor in self.monitors.drain(..) {
            monitor.finish(simulation)?;
        }
        Ok(self.place.take_written())
    }
}
