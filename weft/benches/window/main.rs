//! What the window costs the simulation, how soon a step feels the mouse, and the memory of both.
//!
//! `cargo bench -p weft --bench window` prints a table. It runs the program itself, on a display of its own (Xvfb) with
//! one worker and one thread of the software renderer (`LP_NUM_THREADS=1`), in turns with `weft run` without a window;
//! medians count. The mouse is moved by the X server (XTEST), so that a move goes its whole way: event, window, command,
//! step. Times between processes are taken where a line of the program's log arrives here.

#[path = "../../tests/view/desktop.rs"]
mod desktop;
mod headless;
mod log;
#[path = "../../tests/view/program.rs"]
mod program;
mod watched;

use std::process::Command;

use watched::Watched;

/// Rounds of one run with a window and one without.
const ROUNDS: usize = 5;
/// Steps of each run, and from which on they count: before, objects are still in the air.
const STEPS: u64 = 320;
const FROM: u64 = 250;
const SCENE: &str = "falling";

/// The program, which says when it draws, obeys and has computed a step.
fn weft() -> Command {
    let mut command = program::weft();
    command.env("RUST_LOG", "error,viewer::window=trace,weft::live=trace");
    command
}

fn main() {
    let (mut without, mut with, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut memory) = (Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..ROUNDS {
        let alone = headless::run();
        let Some(mut watched) = Watched::start(&["--fast", "--threads", "1"]) else { return };
        let seen = watched.run();
        without.push(alone.step_ms);
        with.push(seen.step_ms);
        ratios.push(seen.step_ms / alone.step_ms);
        rates.push(seen.frames_per_second);
        memory[0].push(alone.resident_mb);
        memory[1].push(seen.resident_mb);
    }
    println!("{SCENE}, steps {FROM} to {STEPS}, one worker, medians of {ROUNDS} rounds:");
    println!("step without a window    {:.3} ms", median(&mut without));
    println!("step with a window       {:.3} ms", median(&mut with));
    println!("ratio of each round      {:.3}", median(&mut ratios));
    println!("frames per second        {:.1}", median(&mut rates));
    println!("memory without a window  {:.0} MB", median(&mut memory[0]));
    println!("memory with a window     {:.0} MB", median(&mut memory[1]));
    let Some(mut watched) = Watched::start(&["--fast", "--threads", "1"]) else { return };
    let mut moves = watched.pull();
    println!("mouse move to the end of the first step that feels it, {} moves:", moves.len());
    moves.sort_by(f64::total_cmp);
    let of = |share: f64| {
        moves.get((share * (moves.len().max(1) - 1) as f64) as usize).copied().unwrap_or(f64::NAN)
    };
    println!("median, 95 of 100        {:.1}, {:.1} ms", of(0.5), of(0.95));
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
