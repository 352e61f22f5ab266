//! Visitors: walks over a scene that record tasks.

pub mod erased;
