//! Files while they run.

#[path = "../support/mod.rs"]
mod support;

mod inlines;
mod play;
mod restart;
mod scripts;
