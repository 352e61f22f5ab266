//! Scripts in a small runtime of their own.

mod bench;
mod faults;
mod files;
mod language;
mod nodes;
mod types;
