//! `weft predict` of a game: its cycles in virtual time, with more workers than there are cores.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use animation::game::flock::{Flock, Play, Propagation};
use game::{Options, Overheads, VirtualScheduler, WorkerKind};

use super::source::GameSource;
use crate::program::arguments::PredictArguments;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Numbers of workers, if nobody names any.
const WORKERS: [u32; 5] = [1, 2, 4, 8, 16];

/// Plays a game in virtual time, where a batch lasts what its estimated weight says and workers' steps what they are measured to last here,
/// and says how long a cycle is.
///
/// # Errors
/// See [`Failure`].
pub fn predict(source: &GameSource, arguments: &PredictArguments) -> Result<(), Failure> {
    for (is_given, option) in [
        (arguments.verify, "--verify"),
        (arguments.csv.is_some(), "--csv"),
        (arguments.svg.is_some(), "--svg"),
    ] {
        if is_given {
            let message = format!("{option}: not for games, whose cycles are predicted in virtual time");
            return Err(Failure::Usage(message));
        }
    }
    let workers = if arguments.workers.is_empty() { WORKERS.to_vec() } else { arguments.workers.clone() };
    let cycles = u64::from(arguments.samples);
    let mut text = format!(
        "{}: {cycles} cycles after {} in virtual time on {} workers of this machine; batches last as estimated\n",
        source.name(),
        arguments.steps,
        source.options().kind.name(),
    );
    let _ = writeln!(text, "workers   ms per cycle   speedup   search %");
    let one = cycle(source, 1, arguments.steps, cycles)?;
    for workers in workers {
        let (length, search) = cycle(source, workers as usize, arguments.steps, cycles)?;
        let speedup = one.0.as_secs_f64() / length.as_secs_f64();
        let _ = writeln!(
            text,
            "{workers:7} {:14.3} {speedup:9.2} {:10.2}",
            1e3 * length.as_secs_f64(),
            100.0 * search
        );
    }
    say(text.trim_end());
    Ok(())
}

/// What a cycle lasts on average after some that are not counted, and the share of searching.
fn cycle(source: &GameSource, workers: usize, before: u64, cycles: u64) -> Result<(Duration, f64), Failure> {
    let options = source.options();
    let flock = Arc::new(Flock::new(&options.flock).map_err(|e| Failure::Input(e.to_string()))?);
    let chosen = Options::new(workers).kind(options.kind);
    let mut scheduler = VirtualScheduler::new(chosen, Overheads::default());
    let groups = options.kind == WorkerKind::Locking;
    let begin = |supply: &mut _| Play::begin(&flock, supply, Propagation::Serial, groups);
    let play = scheduler.edit(begin).map_err(|found| {
        Failure::Input(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })?;
    let mut began = Duration::ZERO;
    for n in 0..before + cycles {
        if n == before {
            began = scheduler.now();
        }
        let time = Duration::from_secs_f64(flock.time());
        scheduler.cycle(time).map_err(|e| Failure::Simulation(e.to_string()))?;
        play.result().map_err(|e| Failure::Simulation(e.to_string()))?;
    }
    let length = scheduler.now().saturating_sub(began) / cycles.max(1) as u32;
    Ok((length, scheduler.profile().share(|worker| worker.search)))
}
