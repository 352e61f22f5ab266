//! `Monitor`: some points of a state as tables.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::StateId;

/// Writes positions, velocities and forces of some points as tables for Gnuplot, a row for each step.
#[derive(Attributes)]
#[attributes(
    ignored(
        "showPositions",
        "PositionsColor",
        "showVelocities",
        "VelocitiesColor",
        "showForces",
        "ForcesColor"
    ),
    ignored(
        "showMinThreshold",
        "showTrajectories",
        "TrajectoriesPrecision",
        "TrajectoriesColor",
        "sizeFactor"
    )
)]
struct Settings {
    /// numbers of the points
    indices: Vec<i64>,
    /// whether positions are written, into the file with `_x.txt` behind its name
    #[attribute(name = "ExportPositions")]
    positions: bool,
    /// whether velocities are written, into the file with `_v.txt` behind its name
    #[attribute(name = "ExportVelocities")]
    velocities: bool,
    /// whether the forces that the step has left are written, into the file with `_f.txt` behind its name
    #[attribute(name = "ExportForces")]
    forces: bool,
    /// beginning of the files' names; the component's name if not given (with its path, `/` as `_`, where two would write one file)
    file_name: Option<String>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "Monitor", build);

/// Which points of a state are written after each step.
///
/// **Source:** SOFA's `Monitor`: two lines that begin with `#`, then after each step its time and the coordinates of the points, with
/// tabs between. Forces are those of `WriteState`.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// The state.
    pub state: StateId,
    /// Numbers of the points.
    pub indices: Vec<u32>,
    /// Whether positions are written.
    pub positions: bool,
    /// Whether velocities are written.
    pub velocities: bool,
    /// Whether forces are written.
    pub forces: bool,
    /// Beginning of the files' names; none for the component's name.
    pub filename: Option<String>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    let n = b.scene.initial(state).len();
    let index = |i: &i64| u32::try_from(*i).ok().filter(|i| (*i as usize) < n);
    let indices: Option<Vec<u32>> = s.indices.iter().map(index).collect();
    let indices = indices.ok_or_else(|| {
        BuildError::attribute("indices", format!("`indices` holds a number that none of the {n} points has"))
    })?;
    let filename = s.file_name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let (positions, velocities, forces) = (s.positions, s.velocities, s.forces);
    if !(positions || velocities || forces) {
        b.warn(None, "writes nothing; set `ExportPositions`, `ExportVelocities` or `ExportForces`");
    }
    b.keep(Some(Monitor { state, indices, positions, velocities, forces, filename }));
    Ok(())
}
