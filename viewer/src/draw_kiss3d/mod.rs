//! Everything that names kiss3d: a canvas, in a window or without one, on which surfaces are drawn.

mod actor;
mod canvas;
mod canvas_error;
mod caught;
mod input;
mod lens;
mod light;
mod matte;
mod mesh;
mod pen;
mod picture;
mod root;
mod stage;
#[cfg(test)]
mod tests;

pub use canvas::{Canvas, Pictures, has_display};
pub use canvas_error::CanvasError;
pub use kiss3d::egui;
pub use picture::Picture;
