//! `STLExporter`: a surface as a file of facets.

use sim_core::component::attributes::{Attributes, Deferred, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::exporter::{ExportTimes, Points, Shared};
use crate::visual::VisualModel;

/// Writes a surface as an STL file.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    shared: Shared,
    /// whether the file is binary; text otherwise
    #[attribute(default = "1")]
    binaryformat: bool,
    /// points; those of the visual model of this node if not given, else those of its topology as it was loaded, which do not move (a link to
    /// the state's `position` does) [m]
    position: Vec<Vec3>,
    /// triangles, if points are given
    #[attribute(alias = "triangles")]
    triangle: Deferred<IndexRows<3>>,
    /// quadrangles, if points are given and triangles are not; each becomes two triangles
    #[attribute(alias = "quads")]
    quad: Deferred<IndexRows<4>>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "STLExporter", build);

/// A surface that is written, and when.
///
/// **Source:** SOFA's `STLExporter`; normals are 0, which readers take from the vertices. SOFA writes text where `binaryformat` is true
/// and binary files without their header where it is false; here it means what it says, and the header is there. Text has nine significant
/// digits (six decimals in SOFA, which makes 0 of small lengths). As in SOFA, the points of a topology are those that it was loaded with, which
/// do not move; there is a warning. SOFA writes nothing of a topology without positions (that a mapping fills); here its points are
/// those of the state.
#[derive(Clone, Debug)]
pub struct StlFile {
    /// When, and into which file.
    pub times: ExportTimes,
    /// The points.
    pub points: Points,
    /// The facets.
    pub triangles: Vec<[u32; 3]>,
    /// Whether the file is binary.
    pub binary: bool,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n_given = s.position.len();
    let (points, mut triangles, quads) = if let Some(points) = Points::given(b, s.position) {
        (points, s.triangle.get(b)?.below(n_given)?, s.quad.get(b)?.below(n_given)?)
    } else if let Some((component, model)) = visual_model(b) {
        (Points::Visual(component), model.triangles.clone(), model.quads.clone())
    } else if let Some(t) = b.topology(TopologySearch::FirstHere) {
        let found = (Points::loaded_or_of_state(b, t)?, t.triangles.clone(), t.quads.clone());
        if matches!(found.0, Points::Fixed(_)) && b.scene.state_in(b.node).is_some() {
            b.warn(
                Some("position"),
                "the points of a topology do not move, as in SOFA; link `position` to the state's",
            );
        }
        found
    } else {
        return Err(BuildError::new(
            "there is neither a visual model nor a topology in this node; give `position` and `triangle`",
        ));
    };
    if triangles.is_empty() {
        triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    }
    if triangles.is_empty() {
        return Err(BuildError::new("there are neither triangles nor quadrangles to write"));
    }
    let times = s.shared.times(b);
    b.keep(Some(StlFile { times, points, triangles, binary: s.binaryformat }));
    Ok(())
}

/// The first visual model of the component's node.
fn visual_model<'b>(b: &'b Builder<'_>) -> Option<(sim_core::scene::ComponentId, &'b VisualModel)> {
    let mut all = b.scene.components_of(b.node);
    all.find_map(|c| Some((c, b.scene.component(c).extension::<VisualModel>()?)))
}
