//! What is seen of a simulation.
//!
//! Without features this is plain data and arithmetic: [`surface`] collects what can be seen of a scene and what moves it,
//! [`snapshot`] joins a running simulation and a window, [`camera`] looks. The feature `window` adds the window itself
//! (kiss3d on wgpu, with egui's panels), which brings some three hundred crates.
//!
//! It is *not* the simulation: that runs elsewhere, on its own thread at its own rate, and publishes finished states.

pub mod app;
pub mod attribute;
pub mod camera;
pub mod display;
#[cfg(feature = "window")]
mod draw_kiss3d;
pub mod execution;
pub mod history;
pub mod outline;
#[cfg(feature = "window")]
mod panel;
pub mod pick;
pub mod snapshot;
pub mod surface;
pub mod timeline;
pub mod viewed;
pub mod viewpoint;
#[cfg(feature = "window")]
pub mod window;
