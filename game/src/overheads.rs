//! What a worker's steps take: given, or measured here.

use std::time::Duration;

use animation::game::schedule::{Alone, Context, Cycle, Edits, Supply};
use executors::cycles::{Stopwatch, least_wake};

use crate::item::{Ended, Item, Report};
use crate::options::Options;
use crate::profile::State;
use crate::shared::Shared;
use crate::worker::{Operation, Step, Worker};

/// What a worker's steps take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// Looking for tasks of its groups, for loops, or for tasks that no cycle waits for.
    pub look: Duration,
    /// Looking into its own queue.
    pub own: Duration,
    /// Asking the supplier.
    pub query: Duration,
    /// Each task that it gets from there.
    pub query_task: Duration,
    /// Trying to steal from one worker.
    pub steal: Duration,
    /// Each task that it steals.
    pub steal_task: Duration,
    /// Bringing a task back.
    pub report: Duration,
    /// Beginning to run a task, and ending it: clocks, and what is noted.
    pub run: Duration,
    /// From the moment in which it is woken until it searches.
    pub wake: Duration,
}

impl Overheads {
    /// What an operation takes.
    pub(crate) fn of(&self, operation: Operation) -> Duration {
        match operation {
            Operation::Groups | Operation::Loops | Operation::Long | Operation::LieDown => self.look,
            Operation::Own => self.own,
            Operation::Query { got } => self.query + self.query_task * got as u32,
            // It goes on to the next worker at once.
            Operation::Contended => self.look.max(Duration::from_nanos(10)),
            Operation::Steal { got } => self.steal + self.steal_task * got as u32,
            Operation::Report => self.report,
        }
    }

    /// Measures them on this machine, with what a game supplies: two workers take turns on one thread for some cycles, several times over,
    /// and the least of each counts. So what it takes to fetch a line that another core has written is not in it. Tasks are executed;
    /// what they take is not in it either.
    pub fn measure(options: Options, cycles: u64, supply: impl Fn(&mut Supply)) -> Self {
        let rounds = (0..5).map(|_| round(options, cycles, &supply));
        let mut least = rounds.reduce(Self::least).unwrap_or_default();
        least.wake = least_wake();
        least
    }

    fn least(self, other: Self) -> Self {
        Self {
            look: self.look.min(other.look),
            own: self.own.min(other.own),
            query: self.query.min(other.query),
            query_task: self.query_task.min(other.query_task),
            steal: self.steal.min(other.steal),
            steal_task: self.steal_task.min(other.steal_task),
            report: self.report.min(other.report),
            run: self.run.min(other.run),
            wake: self.wake.min(other.wake),
        }
    }
}

/// How often something happened, with how many tasks, and how long it took.
#[derive(Clone, Copy, Default)]
struct Sum {
    times: u32,
    tasks: u32,
    took: Duration,
}

impl Sum {
    fn add(&mut self, tasks: usize, took: Duration) {
        self.times += 1;
        self.tasks += tasks as u32;
        self.took += took;
    }

    fn mean(&self) -> Duration {
        self.took.checked_div(self.times).unwrap_or_default()
    }

    /// What each task took beyond the given time of each operation.
    fn by_task(&self, base: Duration) -> Duration {
        self.took.saturating_sub(base * self.times).checked_div(self.tasks).unwrap_or_default()
    }
}

/// Sums by operation.
#[derive(Default)]
struct Sums {
    look: Sum,
    own: Sum,
    query: [Sum; 2],
    steal: [Sum; 2],
    report: Sum,
    run: Sum,
}

impl Sums {
    fn add(&mut self, operation: Operation, took: Duration) {
        match operation {
            Operation::Own => self.own.add(0, took),
            Operation::Query { got } => self.query[usize::from(got > 0)].add(got, took),
            Operation::Steal { got } => self.steal[usize::from(got > 0)].add(got, took),
            Operation::Report => self.report.add(0, took),
            _ => self.look.add(0, took),
        }
    }
}

fn round(options: Options, cycles: u64, supply: &impl Fn(&mut Supply)) -> Overheads {
    let (shared, clock, mut sums) =
        (Shared::new(Options { workers: 2, ..options }, 2), Stopwatch::default(), Sums::default());
    let look_at_clock = {
        let began = clock.now();
        (0..1000).for_each(|_| {
            std::hint::black_box(clock.now());
        });
        (clock.now() - began) / 1001
    };
    shared.edit(|all| supply(all));
    let mut workers = [Worker::new(0), Worker::new(1)];
    for number in 0..cycles {
        let frame = Duration::from_millis(16);
        let cycle = Cycle { number, time: frame * number as u32, dt: frame };
        shared.begin_cycle(cycle);
        let mut is_over = false;
        while !is_over {
            for (me, worker) in workers.iter_mut().enumerate() {
                let began = clock.now();
                let step = worker.step(&shared);
                let took = (clock.now() - began).saturating_sub(look_at_clock);
                match step {
                    Step::Next(operation) => sums.add(operation, took),
                    Step::Run(operation, item) => {
                        sums.add(operation, took);
                        run(&shared, worker, me, item, clock, &mut sums.run);
                    }
                    // One that rests searches again in the next round.
                    Step::Rest => shared.sleepers.wake_all(),
                    Step::Help(_) => {}
                    Step::Leave => is_over = true,
                }
                if is_over {
                    break;
                }
            }
        }
    }
    let (query, steal) = (sums.query[0].mean(), sums.steal[0].mean());
    Overheads {
        look: sums.look.mean(),
        own: sums.own.mean(),
        query,
        query_task: sums.query[1].by_task(query),
        steal,
        steal_task: sums.steal[1].by_task(steal),
        report: sums.report.mean(),
        run: sums.run.mean(),
        wake: Duration::ZERO,
    }
}

fn run(shared: &Shared, worker: &mut Worker, me: usize, mut item: Item, clock: Stopwatch, sum: &mut Sum) {
    let began = clock.now();
    shared.desks[me].run(item.info.clone(), item.serial, item.is_long, clock.now());
    let edits = Edits::default();
    let before = clock.now();
    let outcome = item.task.execute(&Context::new(&item.cycle, me, &edits, &Alone));
    let took = clock.now() - before;
    shared.desks[me].enter(State::Search, clock.now());
    worker.bring_back(Report { item, ended: Ended::Outcome(outcome), edits, worker: me });
    sum.add(1, (clock.now() - began).saturating_sub(took));
}

#[cfg(test)]
mod tests {
    use animation::game::schedule::{Outcome, TaskInfo};

    use super::*;

    #[test]
    fn what_is_measured_is_there() {
        let supply = |all: &mut Supply| {
            for _ in 0..100 {
                let task = all.tasks.add(TaskInfo::new("task", Duration::ZERO), |_| Outcome::Progress);
                all.queue.submit(task);
            }
        };
        let measured = Overheads::measure(Options::new(2), 5, supply);
        for part in [measured.query, measured.query_task, measured.report, measured.run, measured.wake] {
            assert!(part > Duration::ZERO && part < Duration::from_secs(1), "{measured:?}");
        }
    }
}
