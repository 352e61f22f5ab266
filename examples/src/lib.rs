//! Weft from outside: [`attractor_force_field`] is a force field that Weft does not have, and [`soft_limit_node`] a kind of rig nodes, each in
//! one file; the programs in `src/bin` register and use them, and build a scene without XML.

pub mod attractor_force_field;
pub mod soft_limit_node;
