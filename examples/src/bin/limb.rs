//! The whole of `weft`, with a kind of rig nodes that Weft does not have: `run`, `profile`, `predict`, `check`, `list`, and `view` with
//! `--features weft/view`.
//!
//! `cargo run --manifest-path examples/Cargo.toml --bin limb -- run examples/scenes/elbow.rig`

use std::process::ExitCode;

use weft::prelude::*;
use weft_examples::soft_limit_node;

fn main() -> ExitCode {
    let mut registry = Registry::with_builtins();
    registry.register_rig_node(soft_limit_node::DESCRIPTION);
    weft::program::main(registry)
}
