//! The whole of `weft`, with a force field that Weft does not have: `run`, `profile`, `predict`, `check`, `list`, and `view`
//! with `--features weft/view`.
//!
//! `cargo run --manifest-path examples/Cargo.toml --bin attract -- run examples/scenes/planets.scn`

use std::process::ExitCode;

use weft::prelude::*;
use weft_examples::attractor_force_field;

fn main() -> ExitCode {
    let mut registry = Registry::with_builtins();
    registry.register(attractor_force_field::DESCRIPTION);
    weft::program::main(registry)
}
