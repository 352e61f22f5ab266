//! Benchmarks and speedup studies of Weft.
