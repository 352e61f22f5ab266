//! The study `rig`: what evaluating dependency graphs of characters takes, and what the paper on LibEE reports of it.
//!
//! Where a figure of the paper needs more cores than there are, the recorded tasks with their measured costs are walked with a clock per
//! worker (`partition::simulate`), and the page says so.
//!
//! **Source:** Watt et al., *LibEE: A Multithreaded Dependency Graph for Character Animation*, SIGGRAPH 2013 courses.

mod cases;
mod exact;
mod frames;
mod hero;
mod predicted;
mod threading;
mod why;
mod workers;

use std::fmt::Write;

/// What may go wrong in the study.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How large the study is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes of the hero.
    pub hero: usize,
    /// Nodes of the character whose threading is compared.
    pub threading: usize,
    /// Nodes of characters of which several are evaluated at once.
    pub small: usize,
    /// Evaluations of which the median counts.
    pub rounds: usize,
    /// Edits of controls.
    pub edits: usize,
}

impl Size {
    /// As in the requirements, or small enough to try it.
    pub fn new(quick: bool) -> Self {
        if quick {
            Self { hero: 3000, threading: 3000, small: 2000, rounds: 3, edits: 200 }
        } else {
            Self { hero: 150_000, threading: 50_000, small: 10_000, rounds: 41, edits: 10_000 }
        }
    }
}

/// Does the study; what the page says below its heading.
///
/// # Errors
/// If a rig cannot be built, evaluated or predicted.
pub fn parts(size: Size) -> Outcome<String> {
    let mut page = String::new();
    for part in [hero::part, exact::part, threading::part, why::part, frames::part, cases::part] {
        writeln!(page, "\n{}", part(size)?)?;
    }
    Ok(page)
}
