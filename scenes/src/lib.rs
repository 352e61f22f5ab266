//! SOFA scene format, component registry, mesh readers and writers, and the gallery.
//!
//! A scene begins as text ([`parse`]) or as a generated tree of elements ([`element`]), is completed by its includes
//! ([`include`]), and becomes a [`sim_core::scene::Scene`] in [`load`]. Everything that is wrong is a
//! [`diagnostics::Diagnostic`] with its place.
//!
//! ```
//! use weft_scenes::load::{LoadOptions, load_text};
//! let text = "<Node><MechanicalObject position='0 0 1' velocity='1 0 0'/></Node>";
//! let loaded = load_text(text, "example.scn", &LoadOptions::default())?;
//! assert_eq!(loaded.scene.n_states(), 1);
//! # Ok::<(), weft_scenes::load::LoadError>(())
//! ```
//!
//! What this crate is not: it simulates nothing, and prints nothing.

mod alias;
pub mod animated;
mod assemble;
#[cfg(test)]
mod attributes_are_read;
pub mod bodies;
mod check;
mod check_animated;
mod check_assembled;
mod check_attached;
mod check_changes;
mod check_constraints;
mod check_forces;
mod check_systems;
mod cut;
pub mod data_flow;
pub mod diagnostics;
pub mod element;
pub mod files;
pub mod gallery;
mod ignored;
pub mod include;
mod instantiate;
pub mod intake;
mod known;
mod link_values;
pub mod load;
mod loaders;
pub mod markup;
pub mod mesh;
mod options;
mod order;
pub mod parse;
pub mod path;
pub mod pieces;
pub mod playback;
pub mod rebuild;
pub mod registry;
mod repository;
pub mod value_syntax;
pub mod visual;
pub mod write;

pub use load::{LoadError, LoadOptions, LoadedScene, load_below, load_elements, load_file, load_text};
