//! Runs of a scheduler, in virtual time and for real.

use std::fmt::Write;
use std::time::{Duration, Instant};

use ::game::{
    CycleScheduler, Options, Outcome as Ended, Overheads, Profile, Supply, VirtualScheduler, WorkerProfile,
};

use super::Outcome;

/// Tasks of a kind: so many, each so long.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Number of tasks in a cycle.
    pub tasks: usize,
    /// What each takes.
    pub length: Duration,
    /// Number of cycles.
    pub cycles: u64,
    /// What the host does between cycles.
    pub host: Duration,
}

/// What came of a run.
pub struct Ran {
    /// From the beginning of the first cycle to the end of what the host did after the last one.
    pub time: Duration,
    /// Number of cycles.
    pub cycles: u64,
    /// What the workers did.
    pub profile: Profile,
}

impl Ran {
    /// A part of the time of all workers [%], that of the host counted as idle, as in the thesis.
    pub fn percent(&self, part: impl Fn(&WorkerProfile) -> Duration) -> f64 {
        let total = self.time.as_secs_f64() * self.profile.workers.len() as f64;
        let part: f64 = self.profile.workers.iter().map(|worker| part(worker).as_secs_f64()).sum();
        100.0 * part / total
    }

    /// What is left of the time of all workers [%].
    pub fn idle(&self) -> f64 {
        let busy = |w: &WorkerProfile| w.search + w.cycle_tasks + w.long_term + w.parallel_for;
        (100.0 - self.percent(busy)).max(0.0)
    }

    /// What a cycle with what the host did after it took on average [s].
    pub fn cycle(&self) -> f64 {
        self.time.as_secs_f64() / self.cycles as f64
    }

    /// Search, tasks, idle [%], cycle and all [s], as cells of a table.
    pub fn cells(&self) -> String {
        format!(
            "{:.2} % | {:.2} % | {:.2} % | {:.4} | {:.3}",
            self.percent(|w| w.search),
            self.percent(|w| w.cycle_tasks),
            self.idle(),
            self.cycle(),
            self.time.as_secs_f64()
        )
    }
}

/// Adds tasks that make progress for ever to the queue.
pub fn queue(load: Load) -> impl Fn(&mut Supply) + Copy {
    move |supply| {
        for _ in 0..load.tasks {
            let task = supply.tasks.add(::game::TaskInfo::new("task", load.length), |_| Ended::Progress);
            supply.queue.submit(task);
        }
    }
}

/// What the workers' steps take here with such a supply; a few cycles tell.
pub fn overheads(options: Options, supply: impl Fn(&mut Supply)) -> Overheads {
    Overheads::measure(options, 4, supply)
}

/// A run in virtual time.
///
/// # Errors
/// If a cycle fails, or did not execute as many tasks as it should.
pub fn in_virtual_time(
    options: Options,
    overheads: Overheads,
    load: Load,
    supply: impl Fn(&mut Supply),
) -> Outcome<Ran> {
    let mut scheduler = VirtualScheduler::new(options, overheads);
    scheduler.edit(|all| supply(all));
    for number in 0..load.cycles {
        let report = scheduler.cycle(Duration::from_millis(16) * number as u32)?;
        exact("tasks in a cycle", report.executed, load.tasks as u64)?;
        scheduler.host(load.host);
    }
    Ok(Ran { time: scheduler.now(), cycles: load.cycles, profile: scheduler.profile() })
}

/// A run on this machine.
///
/// # Errors
/// If a cycle fails, or did not execute as many tasks as it should.
pub fn for_real(options: Options, load: Load, supply: impl Fn(&mut Supply)) -> Outcome<Ran> {
    let mut scheduler = CycleScheduler::new(options);
    scheduler.edit(|all| supply(all));
    let began = Instant::now();
    scheduler.reset_profile();
    for number in 0..load.cycles {
        let report = scheduler.cycle(Duration::from_millis(16) * number as u32)?;
        exact("tasks in a cycle", report.executed, load.tasks as u64)?;
        spin(load.host);
    }
    Ok(Ran { time: began.elapsed(), cycles: load.cycles, profile: scheduler.profile() })
}

/// Adds tasks to the queue that keep their core busy for their length.
pub fn busy_queue(load: Load) -> impl Fn(&mut Supply) + Copy {
    move |supply| {
        for _ in 0..load.tasks {
            let task = supply.tasks.add(::game::TaskInfo::new("task", load.length), move |_| {
                spin(load.length);
                Ended::Progress
            });
            supply.queue.submit(task);
        }
    }
}

/// Keeps the core busy.
pub fn spin(length: Duration) {
    let began = Instant::now();
    while began.elapsed() < length {
        std::hint::spin_loop();
    }
}

/// What must be exact.
///
/// # Errors
/// If it is not.
pub fn exact(what: &str, found: u64, expected: u64) -> Outcome<()> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}, not {expected}").into()) }
}

/// The overheads in words.
pub fn said(overheads: &Overheads) -> String {
    let mut said = String::new();
    let parts = [
        ("looking", overheads.look),
        ("own queue", overheads.own),
        ("asking", overheads.query),
        ("each task asked for", overheads.query_task),
        ("stealing", overheads.steal),
        ("each task stolen", overheads.steal_task),
        ("bringing back", overheads.report),
        ("beginning and ending a task", overheads.run),
        ("waking", overheads.wake),
    ];
    for (k, (name, time)) in parts.into_iter().enumerate() {
        let _ = write!(said, "{}{name} {} ns", if k == 0 { "" } else { ", " }, time.as_nanos());
    }
    said
}

/// Adds tasks to the queue, each of a fixed number of operations, some ten microseconds.
pub fn busy_work(load: Load) -> impl Fn(&mut Supply) + Copy {
    move |supply| {
        for _ in 0..load.tasks {
            let task = supply.tasks.add(::game::TaskInfo::new("task", load.length), |_| {
                let mut sum = 1_u64;
                for k in 0..20_000_u64 {
                    sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(k));
                }
                Ended::Progress
            });
            supply.queue.submit(task);
        }
    }
}
