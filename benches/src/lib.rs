//! Benchmarks and speedup studies of Weft.

pub mod bare_pass;
pub mod character;
pub mod joint_costs;
