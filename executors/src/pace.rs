//! Whether a team runs with all its threads or with the caller's alone.
//!
//! Streams are state, not threads, so any number of threads can run them, with the same bits. All threads are best as
//! long as each has a core to itself. Once another program takes turns on one of these cores, every wait for the
//! thread there may last a time slice of the system (milliseconds), and one thread alone is faster. Nothing needs to
//! know why: what a run takes is compared with the work that it holds.
//!
//! - *All*: runs that take longer than their work would on one thread add to a loss, faster ones pay it back. When the
//!   loss is worth many runs, the team rests. One hiccup is not enough.
//! - *Alone*: the caller's thread runs everything, for a while that grows as trials fail.
//! - *Trial*: all threads, for a number of runs. If these are faster than alone, the team is back; a trial that goes badly
//!   ends at once, and the next one waits until this one's cost is a few per cent.

/// A trial is given up, and a run's part in the loss is cut off, at this much [ns].
const HICCUP_NS: f64 = 8e6;
/// The team rests after a loss of so many runs, and of at least some time [ns].
const LOSS_RUNS: f64 = 24.0;
const LOSS_NS: f64 = 3e6;
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

/// What is known about the time of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanTime {
    /// Least work of a run, over the present and the previous window of runs [ns].
    least: [Option<f64>; 2],
    runs: u32,
    /// Mean duration of the latest runs on one thread [ns].
    alone: Option<f64>,
}

impl PlanTime {
    const WINDOW: u32 = 64;

    fn add_work(&mut self, work_ns: f64) {
        if self.runs.is_multiple_of(Self::WINDOW) {
            self.least = [None, self.least[0]];
        }
        self.runs = self.runs.wrapping_add(1);
        self.least[0] = Some(self.least[0].map_or(work_ns, |least| least.min(work_ns)));
    }

    /// Expected duration of a run on one thread: the work, had nothing disturbed it [ns].
    fn work(&self) -> Option<f64> {
        self.least.iter().flatten().copied().reduce(f64::min)
    }

    fn add_alone(&mut self, wall_ns: f64) {
        self.alone = Some(self.alone.map_or(wall_ns, |mean| mean + (wall_ns - mean) / 8.0));
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    All { loss: f64, elapsed: f64 },
    Alone { left: f64 },
    Trial { runs: u32, elapsed: f64, excess: f64 },
}

/// Chooses, run by run, between all threads and one.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    mode: Mode,
    /// Length of the latest rest [ns].
    rest: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { mode: Mode::All { loss: 0.0, elapsed: 0.0 }, rest: 0.0 }
    }
}

impl Pace {
    /// Whether the caller's thread runs everything.
    pub fn is_alone(&self) -> bool {
        matches!(self.mode, Mode::Alone { .. })
    }

    /// Books a run of a plan: how long it took, and how long all threads together worked for it [ns].
    pub fn book(&mut self, plan: &mut PlanTime, wall_ns: u64, work_ns: u64) {
        let wall = wall_ns as f64;
        match &mut self.mode {
            Mode::All { loss, elapsed } => {
                plan.add_work(work_ns as f64);
                let Some(work) = plan.work() else { return };
                let limit = (LOSS_RUNS * work).max(LOSS_NS);
                *elapsed += wall;
                *loss = (*loss + (wall - work).min(limit / 3.0)).max(0.0);
                if *loss > limit {
                    // After a short return the next rest is longer, so that the two do not alternate.
                    let rest = if *elapsed < 20.0 * self.rest { 2.0 * self.rest } else { 0.0 };
                    self.rest(rest);
                }
            }
            Mode::Alone { left } => {
                plan.add_alone(wall);
                *left -= wall;
                if *left <= 0.0 {
                    self.mode = Mode::Trial { runs: 0, elapsed: 0.0, excess: 0.0 };
                }
            }
            Mode::Trial { runs, elapsed, excess } => {
                *runs += 1;
                *elapsed += wall;
                let alone = plan.alone.or(plan.work()).unwrap_or(wall);
                // The first run finds the threads asleep.
                if *runs > 1 {
                    *excess += wall - GAIN * alone;
                }
                let is_bad = *excess > HICCUP_NS.max(4.0 * alone);
                if is_bad || (*runs >= TRIAL_RUNS && *elapsed >= TRIAL_NS) {
                    if *excess > 0.0 {
                        let rest = (2.0 * self.rest).max(REST_PER_EXCESS * *excess);
                        self.rest(rest);
                    } else {
                        self.mode = Mode::All { loss: 0.0, elapsed: 0.0 };
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
        plan: PlanTime,
        run: u64,
        total: f64,
        alone_runs: u64,
    }

    impl Machine {
        fn new() -> Self {
            let (pace, plan) = (Pace::default(), PlanTime::default());
            Self { pace, plan, run: 0, total: 0.0, alone_runs: 0 }
        }

        fn run(&mut self, runs: u64, team: u64, alone: u64, slice: u64, every: u64) {
            for _ in 0..runs {
                self.run += 1;
                let is_alone = self.pace.is_alone();
                self.alone_runs += u64::from(is_alone);
                let late = if slice > 0 && self.run.is_multiple_of(every) { slice } else { 0 };
                let wall = if is_alone { alone } else { team + late };
                self.total += wall as f64;
                self.pace.book(&mut self.plan, 1000 * wall, 1000 * alone);
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
    fn a_plan_too_small_to_be_shared_is_run_alone() {
        let mut machine = Machine::new();
        machine.run(5_000, 60, 40, 0, 1);
        assert!(machine.alone_runs > 4_000, "{} runs alone", machine.alone_runs);
    }

    #[test]
    fn work_that_grows_is_no_loss() {
        let mut machine = Machine::new();
        for k in 0..2_000 {
            machine.run(1, 400 + k, 700 + 2 * k, 0, 1);
        }
        assert_eq!(machine.alone_runs, 0);
    }
}
