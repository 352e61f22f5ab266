//! The whole of `weft`, with `TemplateForceField`: `cargo run --release -- --help`.

use std::process::ExitCode;

use weft::prelude::*;

fn main() -> ExitCode {
    let mut registry = Registry::with_builtins();
    registry.register(template_force_field::DESCRIPTION);
    weft::program::main(registry)
}
