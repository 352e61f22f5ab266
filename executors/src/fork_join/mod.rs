//! Fork-join: what is done where a visitor's tasks are not known to be part of a graph.
//!
//! Each stage is a parallel loop over objects that all threads leave together; loop conditions and sums of dot products are
//! computed by one thread in between. It is the way of parallelizing that a graph of tasks is compared with, and it
//! knows nothing of where data is: rayon hands the objects out anew in every stage.
//!
//! **Source:** Hermann, Raffin, Faure 2009, section 2.1 and figure 2, left.

mod executor;
mod stages;

pub use executor::ForkJoin;
