//! The protocol's small types under all interleavings.
//!
//! `RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=2 cargo test -p weft-executors --test loom`
#![cfg(loom)]

mod cycles;
mod long_work;
mod protocol;
mod tasks;
