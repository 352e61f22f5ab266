//! Built-in components of Weft: masses, force fields, mappings, constraints, topologies, collision.

pub mod topology;
