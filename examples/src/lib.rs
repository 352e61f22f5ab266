//! Weft from outside: [`attractor_force_field`] is a force field that Weft does not have, in one file; the programs in
//! `src/bin` register and use it, and build a scene without XML.

pub mod attractor_force_field;
