//! Contacts with friction as plain data: who computes a step by itself also follows what friction remembers.

use crate::component::collision::FormerContact;
use crate::math::Vec3;

/// A contact of the last detection, with what its friction is defined by.
#[derive(Clone, Debug)]
pub struct FrictionalContact {
    /// Which contact of the two models it is, and between which elements. The id is the same in consecutive steps where it goes
    /// on.
    pub between: FormerContact,
    /// Where it acts on the first and on the second state.
    pub ends: [ContactEnd; 2],
    /// Unit vector from the first to the second.
    pub normal: Vec3,
    /// Distance along the normal below which it pushes [m].
    pub distance: f64,
    /// Stiffness along the normal [N/m].
    pub stiffness: f64,
    /// Stiffness against sliding where it sticks [N/m].
    pub tangential_stiffness: f64,
    /// The greatest tangential force, relative to the normal one.
    pub coefficient: f64,
    /// The greatest moment against rolling, relative to the normal force [m].
    pub rolling: f64,
}

/// How an end of a contact hangs on its state.
#[derive(Clone, Debug)]
pub enum ContactEnd {
    /// On points, each with a weight. Where there are three or more, the first, second and last tell how it turns.
    Points(Vec<(usize, f64)>),
    /// At a place in a frame [m].
    Frame(usize, Vec3),
}
