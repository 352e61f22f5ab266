//! Files while they run.

#[path = "../support/mod.rs"]
mod support;

mod curves;
mod field_inputs;
mod inlines;
mod layers;
mod play;
mod poses;
mod restart;
mod sai;
mod scripts;
mod told;
