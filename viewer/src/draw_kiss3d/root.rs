//! What all that is drawn hangs on.

use std::cell::RefCell;
use std::rc::Rc;

use kiss3d::glamx::Vec3;
use kiss3d::prelude::SceneNode3d;
use kiss3d::resource::GpuMesh3d;

use super::matte::Material;

/// The root of what is drawn.
pub(super) struct Root {
    pub(super) node: SceneNode3d,
    /// What meshes are made of, if it is not kiss3d's own.
    pub(super) material: Option<Material>,
}

impl Root {
    /// Nothing yet, to be made of a material.
    pub(super) fn new(material: Option<Material>) -> Self {
        Self { node: SceneNode3d::empty(), material }
    }

    /// Adds a mesh.
    pub(super) fn add(&mut self, mesh: GpuMesh3d) -> SceneNode3d {
        let mut node = self.node.add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE);
        if let Some(material) = &self.material {
            node.set_material(material.clone());
        }
        node
    }
}
