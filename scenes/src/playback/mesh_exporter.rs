//! `MeshExporter`: a topology at the points of a state, in several formats.

use sim_core::component::attributes::{Attributes, Word};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::scene::ComponentId;

use super::exporter::{Elements, ExportTimes, Points, Shared, topology};

/// Writes a topology at the present points of its state as a mesh file.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    shared: Shared,
    /// the format; ALL for all of them
    #[attribute(default = "ALL")]
    format: Format,
    /// points; those of the state if not given, else those of the topology [m]
    position: Vec<Vec3>,
    /// whether edges are written
    #[attribute(default = "1")]
    edges: bool,
    /// whether triangles are written
    #[attribute(default = "1")]
    triangles: bool,
    /// whether quadrangles are written; an OBJ file has them only where there are no triangles, as in SOFA
    #[attribute(default = "1")]
    quads: bool,
    /// whether tetrahedra are written
    #[attribute(default = "1")]
    tetras: bool,
    /// whether hexahedra are written
    #[attribute(default = "1")]
    hexas: bool,
}

#[derive(Clone, Copy, Word)]
enum Format {
    #[word("ALL")]
    All,
    #[word("vtkxml")]
    VtkXml,
    Vtk,
    Netgen,
    Tetgen,
    Gmsh,
    Obj,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "MeshExporter", build);

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFile {
    /// VTK's XML format (`.vtu`).
    VtkXml,
    /// VTK's legacy format (`.vtk`).
    Vtk,
    /// Netgen's neutral format (`.mesh`).
    Netgen,
    /// TetGen's nodes, elements and faces (`.node`, `.ele`, `.face`).
    Tetgen,
    /// Gmsh's format 2 (`.gmsh`).
    Gmsh,
    /// Wavefront's format (`.obj`).
    Obj,
}

/// What is written of a topology, and when.
///
/// **Source:** SOFA's `MeshExporter`, with nine significant digits (in Gmsh's and Wavefront's formats with all). In the file's name `%n` is the number of steps, `%p` that of points,
/// `%e` that of volumes (or faces, or edges, or points), `%E` that of all elements. SOFA counts six points for a hexahedron in `.vtu`
/// and writes more faces than it announces to Netgen and TetGen, which nobody could read; here the numbers are right. `.vtk` files call their
/// numbers `float`, as SOFA's do: readers round them to 24 bits, and `MeshVTKLoader` does, too.
#[derive(Clone, Debug)]
pub struct MeshFiles {
    /// When, and into which files.
    pub times: ExportTimes,
    /// The topology.
    pub topology: ComponentId,
    /// Its points.
    pub points: Points,
    /// Which of its elements.
    pub elements: Elements,
    /// The formats.
    pub formats: Vec<MeshFile>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = topology(b)?;
    let formats = match s.format {
        Format::All => vec![
            MeshFile::VtkXml,
            MeshFile::Vtk,
            MeshFile::Netgen,
            MeshFile::Tetgen,
            MeshFile::Gmsh,
            MeshFile::Obj,
        ],
        Format::VtkXml => vec![MeshFile::VtkXml],
        Format::Vtk => vec![MeshFile::Vtk],
        Format::Netgen => vec![MeshFile::Netgen],
        Format::Tetgen => vec![MeshFile::Tetgen],
        Format::Gmsh => vec![MeshFile::Gmsh],
        Format::Obj => vec![MeshFile::Obj],
    };
    let points = Points::given_or_of(b, s.position, topology)?;
    let has_both = b.scene.topology(topology).is_some_and(|t| {
        // Of grids both are there, of the same faces.
        !t.quads.is_empty() && !t.triangles.is_empty() && t.triangles.len() != 2 * t.quads.len()
    });
    if has_both && s.triangles && s.quads && formats.contains(&MeshFile::Obj) {
        let message = "as in SOFA, an OBJ file has no quadrangles where there are triangles; `triangles='0'` writes them alone";
        b.warn(Some("format"), message.to_owned());
    }
    let elements = Elements {
        edges: s.edges,
        triangles: s.triangles,
        quads: s.quads,
        tetrahedra: s.tetras,
        hexahedra: s.hexas,
    };
    let times = s.shared.times(b);
    b.keep(Some(MeshFiles { times, topology, points, elements, formats }));
    Ok(())
}
