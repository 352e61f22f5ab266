//! Visual models: seen, not simulated. What a window or a mesh export needs of them is kept with the component.

mod materials;
mod model;

pub use materials::VisualPart;
pub use model::{Follows, VisualModel, all};
pub(crate) use model::{attach, is_mapped};
