//! The study `crowd`: what many skinned characters take, and what Intel's paper on skeletal animation reports.
//!
//! **Source:** Intel, *Optimized Skeletal Animation on Many Cores*; costs by joint and vertex beside those of ozz-animation.

mod costs;
mod crowds;
mod four_cores;
mod intervals;
mod lifetime;
mod memory;
mod overlap;
mod workers;

use std::fmt::Write;

/// What may go wrong in the study.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How large the study is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Models of a large crowd.
    pub large: usize,
    /// Models of a small one.
    pub small: usize,
    /// Frames of which the median counts.
    pub frames: u64,
    /// Frames in which a camera looks about.
    pub looks: u64,
}

impl Size {
    /// As in the requirements, or small enough to try it.
    pub fn new(quick: bool) -> Self {
        if quick {
            Self { large: 20, small: 12, frames: 12, looks: 100 }
        } else {
            Self { large: 1000, small: 100, frames: 121, looks: 10_000 }
        }
    }
}

/// Does the study; what the page says below its heading.
///
/// # Errors
/// If a crowd cannot be made or animated, or what must be exact is not.
pub fn parts(size: Size) -> Outcome<String> {
    let mut page = String::new();
    for part in [
        memory::part,
        workers::part,
        overlap::part,
        four_cores::part,
        intervals::part,
        lifetime::part,
        costs::part,
    ] {
        writeln!(page, "\n{}", part(size)?)?;
    }
    page += "\n## What is not here\n\n";
    page += "The paper compares skinning here with skinning on a graphics card of 2007 (3.5 to 4.2 times on two cores): there is none here. \
             Of ozz's C++ only the stated costs are here, not the program.\n";
    Ok(page)
}
