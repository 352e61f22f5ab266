//! Whether a plan is run by all threads of a team or by the caller's alone.
//!
//! Streams are state, not threads, so any number of threads can run them, with the same bits. All threads are best as
//! long as each has a core to itself. Once another program takes turns on one of these cores, every wait for the
//! thread there may last a time slice of the system (milliseconds), and one thread alone is faster. Nothing needs to
//! know why: what a run takes is compared with the work that it holds. Each plan has a pace of its own, since what is too
//! short to be shared says nothing of what is long.
//!
//! - *All*: runs that take longer than their work would on one thread add to a loss, faster ones pay it back. When the
//!   loss is worth many runs, the team rests. One hiccup is not enough. To know the work, all threads must look at the time
//!   that they had on their cores, which takes a microsecond, so of short runs only some are looked at; the others
//!   are taken to hold the same share of work, unless one takes so much longer that a core must have been missing.
//! - *Alone*: the caller's thread runs everything, for a while that grows as trials fail.
//! - *Trial*: all threads, for a number of runs. If these are faster than alone, the team is back; a trial that goes badly
//!   ends at once, and the next one waits until this one's cost is a few per cent.

/// Time between two looks at the work of a run [ns]; three plans a step cost some thousandths.
const LOOK_EVERY_NS: f64 = 1e6;
/// A run that takes so much longer than others was without a core [ns].
const LATE_NS: f64 = 1e6;
/// A trial is given up, and a run's part in the loss is cut off, at this much [ns].
const HICCUP_NS: f64 = 8e6;
/// What one thread that runs everything loses a run by fetching what other cores have in their caches, and leaving its
/// results to be fetched [ns]: a guess, which matters to the shortest runs alone.
const FETCH_NS: f64 = 5e3;
/// The team rests after a loss of so many runs, and of at least and at most some time [ns].
const LOSS_RUNS: f64 = 24.0;
const LOSS_NS: f64 = 12e6;
const LARGEST_LOSS_NS: f64 = 80e6;
/// A trial is at least so many runs, and some time [ns]: several time slices of a system.
const TRIAL_RUNS: u32 = 8;
const TRIAL_NS: f64 = 15e6;
/// What a team must gain over one thread to be worth its cores.
const GAIN: f64 = 0.97;
/// Time alone between two trials [ns].
const SHORTEST_REST_NS: f64 = 50e6;
const LONGEST_REST_NS: f64 = 2e9;
/// A failed trial costs at most one part in so many.
const REST_PER_EXCESS: f64 = 40.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The latest run that was looked at and not late took `usual` for its `work`.
    All {
        loss: f64,
        elapsed: f64,
        work: f64,
        usual: f64,
        unseen: f64,
    },
    Alone {
        left: f64,
    },
    Trial {
        runs: u32,
        elapsed: f64,
        excess: f64,
    },
}

impl Mode {
    fn all() -> Self {
        // The first run is looked at.
        Self::All { loss: 0.0, elapsed: 0.0, work: 0.0, usual: 0.0, unseen: LOOK_EVERY_NS }
    }
}

/// Chooses, run by run of a plan, between all threads and one.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    mode: Mode,
    /// Length of the latest rest [ns].
    rest: f64,
    /// Mean duration of the latest runs on one thread [ns].
    alone: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { mode: Mode::all(), rest: 0.0, alone: 0.0 }
    }
}

impl Pace {
    /// Whether the caller's thread runs everything.
    pub fn is_alone(&self) -> bool {
        matches!(self.mode, Mode::Alone { .. })
    }

    /// Whether the work of the next run is wanted.
    pub fn looks(&self) -> bool {
        matches!(self.mode, Mode::All { unseen, .. } if unseen >= LOOK_EVERY_NS)
    }

    /// Books a run: how long it took, and if it was looked at how long one undisturbed thread would have worked for it [ns].
    pub fn book(&mut self, wall_ns: u64, work_ns: Option<u64>) {
        let wall = wall_ns as f64;
        match &mut self.mode {
            Mode::All { loss, elapsed, work, usual, unseen } => {
                *elapsed += wall;
                *unseen += wall;
                let lost = if let Some(seen) = work_ns.map(|ns| ns as f64) {
                    *unseen = 0.0;
                    if *usual == 0.0 || wall - seen < LATE_NS {
                        (*work, *usual) = (seen, wall);
                    }
                    wall - seen
                } else if *usual == 0.0 {
                    return;
                } else if wall - *usual > LATE_NS {
                    wall - *work
                } else {
                    wall * (1.0 - *work / *usual)
                };
                let limit = (LOSS_RUNS * *work).clamp(LOSS_NS, LARGEST_LOSS_NS);
                *loss = (*loss + (lost - FETCH_NS).min(limit / 3.0)).max(0.0);
                if *loss > limit {
                    // After a short return the next rest is longer, so that the two do not alternate.
                    let rest = if *elapsed < 20.0 * self.rest { 2.0 * self.rest } else { 0.0 };
                    self.alone = *work;
                    self.rest(rest);
                }
            }
            Mode::Alone { left } => {
                self.alone += (wall - self.alone) / 8.0;
                *left -= wall;
                if *left <= 0.0 {
                    self.mode = Mode::Trial { runs: 0, elapsed: 0.0, excess: 0.0 };
                }
            }
            Mode::Trial { runs, elapsed, excess } => {
                *runs += 1;
                *elapsed += wall;
                // The first run finds the threads asleep.
                if *runs > 1 {
                    *excess += wall - GAIN * self.alone;
                }
                let is_bad = *excess > HICCUP_NS.max(4.0 * self.alone);
                if is_bad || (*runs >= TRIAL_RUNS && *elapsed >= TRIAL_NS) {
                    if *excess > 0.0 {
                        let rest = (2.0 * self.rest).max(REST_PER_EXCESS * *excess);
                        self.rest(rest);
                    } else {
                        self.mode = Mode::all();
                    }
                }
            }
        }
    }

    fn rest(&mut self, ns: f64) {
        self.rest = ns.clamp(SHORTEST_REST_NS, LONGEST_REST_NS);
        self.mode = Mode::Alone { left: self.rest };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine on which a run takes `team` on all threads and `alone` on one, with `team + slice` for every `every`-th
    /// run on all threads while another program uses a core [us].
    struct Machine {
        pace: Pace,
        run: u64,
        total: f64,
        alone_runs: u64,
    }

    impl Machine {
        fn new() -> Self {
            Self { pace: Pace::default(), run: 0, total: 0.0, alone_runs: 0 }
        }

        fn run(&mut self, runs: u64, team: u64, alone: u64, slice: u64, every: u64) {
            for _ in 0..runs {
                self.run += 1;
                let is_alone = self.pace.is_alone();
                self.alone_runs += u64::from(is_alone);
                let late = if slice > 0 && self.run.is_multiple_of(every) { slice } else { 0 };
                let wall = if is_alone { alone } else { team + late };
                self.total += wall as f64;
                let work = self.pace.looks().then_some(1000 * alone);
                self.pace.book(1000 * wall, work);
            }
        }
    }

    #[test]
    fn a_team_with_cores_of_its_own_never_rests() {
        let mut machine = Machine::new();
        machine.run(10_000, 380, 650, 0, 1);
        // A hiccup of two time slices now and then.
        machine.run(10_000, 380, 650, 8_000, 200);
        assert_eq!(machine.alone_runs, 0);
    }

    #[test]
    fn a_team_that_loses_rests_and_its_trials_cost_little() {
        let mut machine = Machine::new();
        machine.run(200, 380, 650, 0, 1);
        machine.run(20_000, 380, 650, 4_000, 7);
        let mean = (machine.total - 200.0 * 380.0) / 20_000.0;
        assert!(machine.alone_runs > 19_000, "{} runs alone", machine.alone_runs);
        assert!(mean < 1.04 * 650.0, "{mean} us a run");
    }

    #[test]
    fn a_loss_of_long_runs_is_seen_after_a_few() {
        let mut machine = Machine::new();
        // Another program has half of one core.
        machine.run(100, 6_500, 12_000, 12_000, 1);
        assert!(machine.alone_runs > 70, "{} runs alone", machine.alone_runs);
    }

    #[test]
    fn a_team_returns_when_its_cores_are_free_again() {
        let mut machine = Machine::new();
        machine.run(5_000, 380, 650, 4_000, 5);
        assert!(machine.pace.is_alone());
        let before = machine.alone_runs;
        // The longest rest is two seconds.
        machine.run(10_000, 380, 650, 0, 1);
        assert!(machine.alone_runs - before < 3_200, "{} runs", machine.alone_runs - before);
        let before = machine.alone_runs;
        machine.run(10_000, 380, 650, 0, 1);
        assert_eq!(machine.alone_runs, before);
    }

    #[test]
    fn short_runs_that_are_rarely_late_are_a_loss_all_the_same() {
        let mut machine = Machine::new();
        // One of 40 is late by a time slice: looks alone would rarely meet it.
        machine.run(20_000, 60, 100, 4_000, 40);
        assert!(machine.alone_runs > 17_000, "{} runs alone", machine.alone_runs);
    }

    #[test]
    fn a_plan_too_small_to_be_shared_is_run_alone() {
        let mut machine = Machine::new();
        machine.run(20_000, 60, 40, 0, 1);
        assert!(machine.alone_runs > 18_000, "{} runs alone", machine.alone_runs);
    }

    #[test]
    fn work_that_grows_or_varies_is_no_loss() {
        let mut machine = Machine::new();
        for k in 0..2_000 {
            machine.run(1, 400 + k, 700 + 2 * k, 0, 1);
        }
        // Iterations of a solver: three times as many in some steps as in others.
        for k in 0..2_000 {
            let iterations = 1 + (k * 7) % 3;
            machine.run(1, 400 * iterations, 700 * iterations, 0, 1);
        }
        assert_eq!(machine.alone_runs, 0);
    }

    #[test]
    fn few_runs_are_looked_at() {
        let mut pace = Pace::default();
        let looks = (0..10_000).filter(|_| {
            let looks = pace.looks();
            pace.book(100_000, looks.then_some(180_000));
            looks
        });
        // A second of runs, looked at every millisecond.
        assert!((900..=1001).contains(&looks.count()));
    }
}
