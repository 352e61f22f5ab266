//! The mathematics of nodes, as functions of numbers: no graph, no buffers.

pub mod affine;
pub mod aim;
pub mod curve;
pub mod deform;
pub mod ik;
pub mod quaternion;
pub mod vector;
