//! Scripts in a small runtime of their own.

mod bench;
mod faults;
mod language;
mod nodes;
mod types;
