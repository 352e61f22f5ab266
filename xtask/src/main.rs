//! Automation of the repository: `cargo xtask ci` is the gate, `cargo xtask tidy` the rules that a machine can check,
//! `cargo xtask judge` the comparison with SOFA, `cargo xtask pages` what the documentation says of components.

mod ci;
mod commands;
mod judges;
mod numa_vm;
mod package;
mod pages;
mod readme;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask ci [--only STEP] | list | tidy | judge [--update [--drop]] [--program WEFT] | pages | numa-vm";

fn main() -> ExitCode {
    let root = root();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["ci"] => ci::run(&root, None),
        ["ci", "--only", step] => ci::run(&root, Some(step)),
        ["list"] => {
            ci::list();
            Ok(())
        }
        ["judge", options @ ..] => match judges::Choice::parse(options) {
            Some(choice) => judges::run(&root, &choice),
            None => Err(anyhow::anyhow!(USAGE)),
        },
        ["pages"] => pages::write(&root),
        ["numa-vm"] => numa_vm::run(&root),
        ["tidy"] => tidy::run(&root),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
