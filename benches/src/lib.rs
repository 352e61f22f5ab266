//! Benchmarks and speedup studies of Weft.

pub mod bare_pass;
