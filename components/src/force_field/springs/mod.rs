//! Springs between points: what the spring force fields have in common.
//!
//! [`spring`] has one spring as arithmetic, plainly; [`blocks`] has eight at a time, with vector instructions and to the
//! same bits, for the fields that act on one state of points in space; [`one_by_one`] has those on one state of any type; [`pair`] has
//! springs of other laws, on one state or two. [`following`] says what becomes of them when points go.

pub mod blocks;
pub mod following;
pub mod kind;
pub mod one_by_one;
pub mod pair;
pub mod spring;

pub use blocks::{BlockSprings, SpringBlock, TangentBlock, pack};
pub use kind::SpringKind;
pub use one_by_one::SpringsOneByOne;
pub use spring::{Spring, Tangent};
