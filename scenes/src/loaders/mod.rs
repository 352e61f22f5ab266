//! Loader components: each reads a file into fields that others link to with `src="@loader"` or `@loader.position`.

pub mod generated;
mod mesh_creators;
mod mesh_loader;
mod sphere_loader;
mod transform;
mod voxel_grid_loader;

use sim_core::component::description::ComponentDescription;

/// The descriptions of all loaders.
pub fn all() -> Vec<ComponentDescription> {
    let mut all = mesh_loader::all();
    all.extend(mesh_creators::ALL);
    all.extend([sphere_loader::DESCRIPTION, voxel_grid_loader::DESCRIPTION]);
    all
}
