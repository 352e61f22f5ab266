//! Snapshots of what is seen, as OBJ files: visual models, and the surface of objects that have none.

use std::io::{self, Write};

use scenes::mesh::write_obj::{ObjObject, write_obj};
use sim_core::math::Vec3;
use viewer::surface::{Rows, Surface, seen, surfaces};

use crate::simulation::Simulation;

/// What is seen of a simulation.
pub struct Surfaces {
    surfaces: Vec<Surface>,
    /// How often topologies had changed when they were collected.
    changes: u64,
}

impl Surfaces {
    /// Collects what is seen.
    pub fn new(simulation: &Simulation) -> Self {
        let all = surfaces(simulation.world(), &simulation.state_order());
        let surfaces = seen(&all).filter(|s| !s.faces.is_empty()).cloned().collect();
        Self { surfaces, changes: simulation.topology_changes() }
    }

    /// Collects them anew, if topologies have changed since.
    pub fn follow(&mut self, simulation: &Simulation) {
        if self.changes != simulation.topology_changes() {
            *self = Self::new(simulation);
        }
    }

    /// Of surfaces that are all seen.
    pub fn of(surfaces: Vec<Surface>) -> Self {
        Self { surfaces: surfaces.into_iter().filter(|s| !s.faces.is_empty()).collect(), changes: 0 }
    }

    /// Whether nothing is seen.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Writes one snapshot; `states` are the positions as a snapshot has them.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut impl Write, states: &[Rows]) -> io::Result<()> {
        let points: Vec<Vec<Vec3>> = self.surfaces.iter().map(|s| s.motion.points(states)).collect();
        let objects: Vec<ObjObject<'_>> = self
            .surfaces
            .iter()
            .zip(&points)
            .map(|(Surface { path, faces, .. }, positions)| ObjObject {
                name: path,
                material: None,
                positions,
                edges: &faces.lines,
                triangles: &faces.triangles,
                quads: &faces.quads,
            })
            .collect();
        write_obj(out, &objects)
    }
}
