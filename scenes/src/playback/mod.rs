//! Components that read or write files while a scene runs: states, meshes, tables.
//!
//! They are plain data: what is read is read when the scene is loaded, what is to be written, and when, stands with the component. A
//! simulation gives states what was read; a program writes files if it wants to (`weft run` does), outside of any step.

mod compressed;
mod exporter;
mod mesh_exporter;
mod monitor;
mod read_state;
mod state_text;
mod stl_exporter;
mod visual_model_obj_exporter;
mod vtk_exporter;
mod write_state;
mod write_topology;

use sim_core::component::description::ComponentDescription;

pub use compressed::{TextSink, read_text};
pub use exporter::{Elements, ExportTimes, Points};
pub use mesh_exporter::{MeshFile, MeshFiles};
pub use monitor::Monitor;
pub use read_state::{ReadingPlace, StateComparison, StateFile};
pub use state_text::{Frame, StateVector, parse_frames, write_frame};
pub use stl_exporter::StlFile;
pub use visual_model_obj_exporter::ObjFile;
pub use vtk_exporter::{Field, FieldSource, VtkFile};
pub use write_state::{StateWriter, Stop};
pub use write_topology::{TopologyWriter, write_elements};

/// The descriptions of all of them.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        read_state::READ,
        read_state::COMPARE,
        write_state::DESCRIPTION,
        write_topology::DESCRIPTION,
        monitor::DESCRIPTION,
        mesh_exporter::DESCRIPTION,
        stl_exporter::DESCRIPTION,
        visual_model_obj_exporter::DESCRIPTION,
        vtk_exporter::DESCRIPTION,
    ]
}
