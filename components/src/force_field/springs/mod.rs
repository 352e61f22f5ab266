//! Springs between points: what the spring force fields have in common.
//!
//! [`spring`] has one spring as arithmetic, plainly. For fields that act on one state of points in space, two modules compute eight
//! at a time, with vector instructions and to the same bits: [`blocks`] adds forces spring after spring, [`runs`] has nets whose
//! points lie in line; [`field`] chooses. [`one_by_one`] has springs on one state of any type; [`pair`] has springs of other laws, on
//! one state or two. [`listed`] reads lists of springs, [`following`] says what becomes of springs when points go.

pub mod blocks;
pub mod field;
pub mod following;
mod incidence;
pub mod kind;
mod lanes;
pub mod listed;
pub mod one_by_one;
pub mod pair;
mod plan;
pub mod runs;
pub mod spring;

pub use blocks::{BlockSprings, SpringBlock, pack};
pub use kind::SpringKind;
pub use lanes::TangentBlock;
pub use one_by_one::SpringsOneByOne;
pub use runs::{RunPart, RunSprings};
pub use spring::{Spring, Tangent};
