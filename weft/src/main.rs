//! The program `weft`: see `weft --help`.

use std::process::ExitCode;

use weft::prelude::Registry;

fn main() -> ExitCode {
    weft::program::main(Registry::with_builtins())
}
