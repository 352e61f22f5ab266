//! `weft run` of a character.

use std::io::Write;
use std::path::PathBuf;

use super::engine::options;
use super::source::CharacterSource;
use crate::characters::{CharacterShapes, CharacterSimulation, PoseLines};
use crate::execution::SimulationOptions;
use crate::output::obj::Surfaces;
use crate::program::arguments::RunArguments;
use crate::program::command::frames::{Exports, refuse_mechanics, run_frames};
use crate::program::command::rigs::DEFAULT_FRAMES;
use crate::program::command::sink::{Sink, broken, create};
use crate::program::failure::Failure;

/// Runs a character.
///
/// # Errors
/// See [`Failure`].
pub fn run(source: &CharacterSource, arguments: &RunArguments) -> Result<(), Failure> {
    refuse_mechanics(&arguments.output, "a character", "--export-pose writes its joints")?;
    let (options, choices) = options(source, &arguments.engine, arguments.dt)?;
    let frames = arguments.steps.unwrap_or(DEFAULT_FRAMES);
    let character = source.load()?;
    let other = arguments.compare.then(|| character.clone());
    let simulation = source.simulation_of(character, &options)?;
    let exports = Exported::open(arguments)?;
    let options = SimulationOptions { threads: 1, ..options };
    let one = other.map(|character| source.simulation_of(character, &options)).transpose()?;
    run_frames(arguments, choices, frames, (simulation, one), exports)
}

/// Poses and meshes that are written.
struct Exported {
    poses: Option<(PathBuf, PoseLines<Sink>)>,
    meshes: Option<Meshes>,
}

/// Snapshots of what is seen.
struct Meshes {
    folder: PathBuf,
    every: u64,
    /// Known after the first frame.
    seen: Option<(CharacterShapes, Surfaces)>,
}

impl Exported {
    /// Opens the files, so that a path that cannot be written is known before the first frame.
    fn open(arguments: &RunArguments) -> Result<Self, Failure> {
        let poses = match &arguments.export_pose {
            Some(path) => Some((path.clone(), PoseLines::new(create(path)?))),
            None => None,
        };
        let meshes = match &arguments.output.export_mesh {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(|e| Failure::output(folder, e))?;
                Some(Meshes { folder: folder.clone(), every: arguments.output.every, seen: None })
            }
            None => None,
        };
        Ok(Self { poses, meshes })
    }
}

impl Meshes {
    fn write(&mut self, frame: u64, simulation: &CharacterSimulation) -> Result<(), Failure> {
        if !frame.is_multiple_of(self.every) {
            return Ok(());
        }
        let (shapes, surfaces) = self.seen.get_or_insert_with(|| {
            let shapes = CharacterShapes::of(simulation);
            let surfaces = Surfaces::of(shapes.surfaces(simulation));
            (shapes, surfaces)
        });
        let path = self.folder.join(format!("step_{frame:06}.obj"));
        let mut sink = create(&path)?;
        let mut positions = Vec::new();
        shapes.positions(&simulation.shown(), &mut positions);
        surfaces.write(&mut sink, &positions).and_then(|()| sink.flush()).map_err(broken(&path))
    }
}

impl Exports<CharacterSimulation> for Exported {
    fn write(&mut self, simulation: &CharacterSimulation) -> Result<(), Failure> {
        let frame = simulation.frames() - 1;
        let time = frame as f64 * simulation.dt();
        if let Some((path, lines)) = &mut self.poses {
            lines.write(frame, time, simulation).map_err(broken(path))?;
        }
        match &mut self.meshes {
            Some(meshes) => meshes.write(frame, simulation),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        if let Some((path, lines)) = self.poses {
            lines.finish().map_err(broken(&path))?;
            written.push(path);
        }
        written.extend(self.meshes.map(|meshes| meshes.folder));
        Ok(written)
    }
}
