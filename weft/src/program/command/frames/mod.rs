//! Runs of what is no physics, frame by frame: event graphs, rigs, characters. What they write by themselves are their [`Exports`].

mod exports;
mod files;
mod report;
mod run;

pub use exports::{Exports, refuse_mechanics};
pub use report::{Facts, FrameByFrame};
pub use run::run_frames;
