//! How to load a scene.

use std::path::PathBuf;

use crate::diagnostics::SeverityMode;
use crate::pieces::Pieces;
use crate::registry::Registry;

/// How to load.
#[derive(Clone, Default)]
pub struct LoadOptions {
    /// Where meshes and includes are found, besides the directory of the scene.
    pub data_paths: Vec<PathBuf>,
    /// What counts as an error.
    pub mode: SeverityMode,
    /// The classes of components.
    pub registry: Registry,
    /// Replaces the scene's time step [s].
    pub dt: Option<f64>,
    /// Cuts bodies of finite elements or springs into pieces that a solver holds together.
    pub pieces: Option<Pieces>,
    /// Adds the forces of elements to a point one by one, in the order of the mesh ([`sim_core::scene::Scene::mesh_order`]).
    /// For `Sums::Sofa`; what comes to a running scene follows the scene.
    pub mesh_order: bool,
}
