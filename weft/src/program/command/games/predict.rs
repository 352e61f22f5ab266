//! `weft predict` of a game: its cycles in virtual time, with more workers than there are cores.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use animation::game::flock::{Flock, Play, Propagation};
use game::{Options, Overheads, Supply, VirtualScheduler, WorkerKind};

use super::source::GameSource;
use crate::games::FlockCosts;
use crate::program::arguments::PredictArguments;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Numbers of workers, if nobody names any.
const WORKERS: [u32; 5] = [1, 2, 4, 8, 16];

/// Plays a game in virtual time, where tasks and workers' steps last what they are measured to last here, and a batch in proportion to its weight,
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
        "{}: {cycles} cycles after {} in virtual time on {} workers of this machine; one after the other is the propagation\n",
        source.name(),
        arguments.steps,
        source.options().kind.name(),
    );
    let _ = writeln!(text, "workers   ms per cycle   speedup   search %");
    let costs =
        FlockCosts::measure(&source.options().flock, MEASURED).map_err(|e| Failure::Input(e.to_string()))?;
    let one = cycle(source, &costs, 1, (arguments.steps, cycles))?;
    for workers in workers {
        let (length, search) = cycle(source, &costs, workers as usize, (arguments.steps, cycles))?;
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

/// Cycles in which costs are measured.
const MEASURED: u64 = 200;

/// What a cycle lasts on average after some that are not counted, and the share of searching.
fn cycle(
    source: &GameSource,
    costs: &FlockCosts,
    workers: usize,
    (before, cycles): (u64, u64),
) -> Result<(Duration, f64), Failure> {
    let options = source.options();
    let chosen = Options::new(workers).kind(options.kind);
    let groups = options.kind == WorkerKind::Locking;
    let of = costs.options(&options.flock);
    let new = || Flock::new(&of).map(Arc::new).map_err(|e| Failure::Input(e.to_string()));
    let begin = |flock: &Arc<Flock>, supply: &mut Supply| {
        Play::begin_costing(flock, supply, Propagation::Serial, groups, |task| costs.of(task)).map_err(
            |found| Failure::Input(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
        )
    };
    let tried = new()?;
    let overheads = Overheads::measure(chosen, 4, |supply| drop(begin(&tried, supply)));
    let (flock, mut scheduler) = (new()?, VirtualScheduler::new(chosen, overheads));
    let play = scheduler.edit(|supply| begin(&flock, supply))?;
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
