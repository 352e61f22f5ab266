//! What can be seen of a scene: surfaces, each with what moves it. Plain data, made once; no window is needed.

mod behavior;
mod circles;
mod collision;
mod faces;
mod force;
mod links;
mod motion;
mod places;
mod region;
mod shading;
mod solids;
mod visual;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::ops::Range;

use sim_core::scene::{ComponentId, StateId};
use sim_core::visitor::world::World;

#[cfg(feature = "window")]
pub(crate) use behavior::color_of;
pub use faces::Faces;
pub use links::{Links, links};
pub use motion::{Motion, Rows};
use places::Places;
pub use scenes::visual::{Color, parse_color, parse_material};
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
    /// The elements that a force field acts between, or its plane.
    Force,
    /// A region in which points are chosen.
    Region,
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
    /// Faces that look otherwise; mostly none.
    pub patches: Vec<Patch>,
}

/// Faces of a surface that look otherwise than the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its quadrangles.
    pub quads: Range<usize>,
    /// Color of the surface there.
    pub color: Color,
    /// The image on it.
    pub texture: Option<std::path::PathBuf>,
}

impl Surface {
    /// A surface of one color.
    pub fn new(
        path: String,
        role: Role,
        object: Option<u32>,
        motion: Motion,
        faces: Faces,
        color: Color,
    ) -> Self {
        Self { path, role, object, motion, faces, look: color.into(), patches: Vec::new() }
    }

    /// Nothing to see of a component.
    pub fn nothing(path: String, role: Role) -> Self {
        Self::new(path, role, None, Motion::Still(Vec::new()), Faces::default(), Color::default())
    }
}

/// All that can be seen of a scene.
///
/// `order` are the states in the order in which their positions will be given.
pub fn surfaces(world: &World, order: &[StateId]) -> Vec<Surface> {
    let places = Places::new(world, order);
    let mut all = visual::surfaces(world, &places);
    all.extend(behavior::surfaces(world, &places));
    all.extend(collision::surfaces(world, &places));
    all.extend(force::surfaces(world, &places));
    all.extend(region::surfaces(world));
    all
}

/// What there is to see of a force field after one of its attributes changed, perhaps nothing; none for other components,
/// of which no attribute that can change is seen.
pub fn changed(world: &World, order: &[StateId], component: ComponentId) -> Option<Surface> {
    let scene = &world.scene;
    let part = scene.parts.force_fields.iter().find(|f| f.component == component)?;
    let surface = force::surface(world, &Places::new(world, order), part);
    Some(surface.unwrap_or_else(|| Surface::nothing(scene.path(component), Role::Force)))
}

/// The surfaces that show a scene best: visual models; of objects that have none, the behavior models, and what collides
/// where these are nothing but points.
pub fn seen<S: Borrow<Surface>>(all: &[S]) -> impl Iterator<Item = &Surface> {
    all.iter().zip(is_seen(all)).filter(|(_, is_seen)| *is_seen).map(|(s, _)| s.borrow())
}

/// Whether each of the surfaces is one of those that show a scene best.
pub fn is_seen<S: Borrow<Surface>>(all: &[S]) -> Vec<bool> {
    let all = all.iter().map(Borrow::borrow);
    let objects = |of: fn(&Surface) -> bool| -> BTreeSet<u32> {
        all.clone().filter(|s| of(s)).filter_map(|s| s.object).collect()
    };
    let dressed = objects(|s| s.role == Role::Visual);
    let shaped = objects(|s| s.role == Role::Behavior && !s.faces.is_empty());
    let is_seen = |s: &Surface| match s.role {
        Role::Visual => true,
        Role::Behavior => s.object.is_none_or(|o| !dressed.contains(&o)),
        Role::Collision => {
            let is_bare = |o: &u32| !dressed.contains(o) && !shaped.contains(o);
            !s.faces.is_empty() && s.object.as_ref().is_some_and(is_bare)
        }
        Role::Force | Role::Region => false,
    };
    all.clone().map(is_seen).collect()
}
