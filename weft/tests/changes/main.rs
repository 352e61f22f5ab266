//! What changes while a scene runs: force fields and objects, numbers of components, and who computes.

mod attributes;
mod contacts;
mod every_class;
mod execution;
mod following;
mod force_fields;
mod links;
mod loads;
mod mapped;
mod multipliers;
mod objects;
mod parts;
mod rest;
mod sleep;
mod solvers;
mod support;
mod topology;
