//! Visual models: seen, not simulated. What a window or a mesh export needs of them is kept with the component.

mod color;
mod materials;
mod model;
mod view;

pub use color::{Color, parse_color, parse_material};
pub use materials::VisualPart;
pub use model::{Follows, VisualModel};
pub(crate) use model::{attach, is_mapped};
pub(crate) use view::is_of_the_view;
pub use view::{Background, DisplayFlags, SceneCamera, first};

use sim_core::component::description::ComponentDescription;

/// The descriptions of all classes of the view; each accepts any attribute.
pub fn all() -> Vec<ComponentDescription> {
    [model::all(), view::all()].concat()
}
