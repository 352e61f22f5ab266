//! The program that measures: `cargo run --release -p benches -- study bars|falling|cloth|rig|events`, or `-- engine`.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;
mod engine;
mod ratio;
mod study;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures Weft.
#[derive(Parser, Debug)]
#[command(name = "benches", version)]
struct Arguments {
    /// What to measure.
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Redo a study of the papers: speedups of all executors, as a share of the machine's own limit; rigs; event graphs
    Study(study::Arguments),
    /// Measure the engine itself: empty tasks, and dependences between workers, beside what the machine allows
    Engine(engine::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Study(arguments) => study::run(&arguments),
        Command::Engine(arguments) => engine::run(&arguments),
    }
}
