//! The kinds of nodes that come with the library.

mod arithmetic;
mod blend_shape;
mod closure;
mod constraint;
mod curve;
mod ik;
mod joint;
mod parts;
mod skin;
mod switch;
mod work;

pub use arithmetic::{Arithmetic, Operation};
pub use blend_shape::BlendShape;
pub use closure::Closure;
pub use constraint::{Aim, Orient, Parent, Point};
pub use curve::{AnimationCurve, FixedCurve};
pub use ik::{ChainIk, TwoBoneIk};
pub use joint::{Joint, Local};
pub use parts::{Compose, Decompose, MapPoints, Merge, Vector};
pub use skin::Skin;
pub use switch::Switch;
pub use work::{Pass, Work};
