//! Springs between points: what the spring force fields have in common.
//!
//! [`spring`] has one spring as arithmetic, plainly; [`blocks`] has eight at a time, with vector instructions and to the
//! same bits, for the fields that act on one state.

pub mod blocks;
pub mod spring;

pub use blocks::{BlockSprings, SpringBlock, SpringKind, TangentBlock, pack};
pub use spring::{Spring, Tangent};
