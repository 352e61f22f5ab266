//! Visual models: seen, not simulated. What a window or a mesh export needs of them is kept with the component.

mod color;
mod materials;
mod model;

pub use color::{Color, parse_color, parse_material};
pub use materials::VisualPart;
pub use model::{Follows, VisualModel, all};
pub(crate) use model::{attach, is_mapped};
