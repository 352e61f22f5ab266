//! `VisualModelOBJExporter`: what is seen, with its colors.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::NodeId;

use super::exporter::{ExportTimes, Shared};

/// Writes the visual models of its node and below as a Wavefront OBJ file, with their colors in an MTL file.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    shared: Shared,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "VisualModelOBJExporter", build)
        .old_names(&["OBJExporter", "ObjExporter"]);

/// Visual models that are written, and when.
#[derive(Clone, Debug)]
pub struct ObjFile {
    /// When, and into which files.
    pub times: ExportTimes,
    /// The visual models of this node and below.
    pub node: NodeId,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let times = s.shared.times(b);
    let node = b.node;
    b.keep(Some(ObjFile { times, node }));
    Ok(())
}
