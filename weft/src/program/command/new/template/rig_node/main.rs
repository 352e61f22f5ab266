//! The whole of `weft`, with nodes of the kind `template-kind`: `cargo run --release -- --help`.

use std::process::ExitCode;

use weft::prelude::*;

fn main() -> ExitCode {
    let mut registry = Registry::with_builtins();
    registry.register_rig_node(template_node::DESCRIPTION);
    weft::program::main(registry)
}
