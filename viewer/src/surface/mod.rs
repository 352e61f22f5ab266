//! What can be seen of a scene: surfaces, each with what moves it. Plain data, made once; no window is needed.

mod behavior;
mod collision;
mod color;
mod faces;
mod force;
mod motion;
mod shading;
mod visual;

use sim_core::scene::StateId;
use sim_core::visitor::world::World;

pub use color::{Color, parse_color, parse_material};
pub use faces::Faces;
pub use motion::{Motion, Rows};
pub use shading::Shaded;

/// For whom a surface is: SOFA's display flags switch these on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A visual model.
    Visual,
    /// Degrees of freedom and the elements between them.
    Behavior,
    /// What collides.
    Collision,
    /// The elements that a force field acts between.
    Force,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Color of the surface.
    pub color: Color,
    /// Texture coordinates, shape `[n_points]`; empty where there are none.
    pub tex_coords: Vec<[f32; 2]>,
    /// The image on it.
    pub texture: Option<std::path::PathBuf>,
}

impl From<Color> for Look {
    fn from(color: Color) -> Self {
        Self { color, tex_coords: Vec::new(), texture: None }
    }
}

/// A surface, a set of lines or of points.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Path of the component that it shows.
    pub path: String,
    /// For whom it is.
    pub role: Role,
    /// The object that it belongs to: its place in `World::objects`.
    pub object: Option<u32>,
    /// What moves its points.
    pub motion: Motion,
    /// What is between its points.
    pub faces: Faces,
    /// How it looks.
    pub look: Look,
}

/// All that can be seen of a scene.
///
/// `order` are the states in the order in which their positions will be given.
pub fn surfaces(world: &World, order: &[StateId]) -> Vec<Surface> {
    let mut all = visual::surfaces(world, order);
    all.extend(behavior::surfaces(world, order));
    all.extend(collision::surfaces(world, order));
    all.extend(force::surfaces(world, order));
    all
}

/// The surfaces that show a scene best: visual models, and the behavior models of objects that have none.
pub fn seen(all: &[Surface]) -> impl Iterator<Item = &Surface> {
    let dressed: Vec<u32> = all.iter().filter(|s| s.role == Role::Visual).filter_map(|s| s.object).collect();
    all.iter().filter(move |s| match s.role {
        Role::Visual => true,
        Role::Behavior => s.object.is_none_or(|o| !dressed.contains(&o)),
        Role::Collision | Role::Force => false,
    })
}

/// The object that carries a state.
fn object_of(world: &World, state: StateId) -> Option<u32> {
    world.objects.iter().position(|o| o.states.contains(&state)).map(|o| o as u32)
}
