//! Rigs with all executors: bits, counts, classes of safety, failures, frames in flight.

mod backends;
mod case_studies;
mod classes;
mod failures;
mod frames;
mod meaning;
mod oracle;
mod random_rigs;
mod seen;
mod threading;
