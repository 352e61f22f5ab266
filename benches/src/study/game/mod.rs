//! The study `game`: Zettersten's tables 3 to 13, beside what the scheduler does here.
//!
//! Four workers live in virtual time, where a task of 1 ms lasts exactly that and the workers' own steps last what they were measured to
//! last on this machine; two workers run for real.
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.2.2 and appendix.

mod attributes;
mod crowded;
mod flocking;
mod groups;
mod long_term;
mod queue;
mod runs;
mod simulated;
mod tree;

use std::fmt::Write;

/// What may go wrong in the study.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How large the study is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Divides numbers of cycles.
    pub shorter: u64,
    /// Cycles of many tasks that run for real.
    pub real_cycles: u64,
}

impl Size {
    /// As in the thesis, or small enough to try it.
    pub fn new(quick: bool) -> Self {
        if quick { Self { shorter: 10, real_cycles: 1 } } else { Self { shorter: 1, real_cycles: 3 } }
    }
}

/// Does the study; what the page says below its heading.
///
/// # Errors
/// If what must be exact is not, or a cycle fails.
pub fn parts(size: Size) -> Outcome<String> {
    let mut page = String::new();
    type Part = fn(Size) -> Outcome<String>;
    let parts: [Part; 8] = [
        queue::part,
        groups::part,
        long_term::part,
        tree::part,
        attributes::part,
        simulated::part,
        flocking::part,
        crowded::part,
    ];
    for part in parts {
        writeln!(page, "\n{}", part(size)?)?;
    }
    Ok(page)
}
