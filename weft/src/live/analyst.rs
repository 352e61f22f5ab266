//! What the workers did and what a step's length hangs on, found out beside the simulation: it hands over a few steps a second,
//! and does not wait for what becomes of them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use viewer::snapshot::TimelineFeed;

use super::timeline::timeline;
use crate::record::StepRecord;

/// Steps in a row: as many as a window shows.
const STEPS: usize = 5;
/// Between the beginnings of two rows, so that a user can read one: at most 20 steps a second are looked at.
const PERIOD: Duration = Duration::from_millis(250);
/// A step that takes so long need not wait for others.
const LONG: Duration = Duration::from_millis(50);
/// Rows that wait for the analysis at most.
const ROWS: usize = 2;
/// The analysis rests so many times as long as it worked: it has a tenth of a core at most.
const REST: u32 = 9;

/// Steps that followed each other.
struct Row {
    steps: Vec<StepRecord>,
    /// Whether no other row follows by itself: then it is shown in any case.
    is_last: bool,
}

/// The simulation's side of the analysis.
pub(super) struct Analyst {
    steps: Vec<StepRecord>,
    /// When the next row may begin.
    due: Instant,
    rows: SyncSender<Row>,
}

impl Analyst {
    /// Starts the thread that analyzes, which ends with what is returned. It has the cores of the calling thread, which
    /// should not be pinned.
    pub(super) fn start(feed: TimelineFeed) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (rows, to_analyze) = sync_channel(ROWS);
        let run = move || analyze(&to_analyze, &feed);
        let thread = std::thread::Builder::new().name("analysis".to_owned()).spawn(run)?;
        Ok((Self { steps: Vec::new(), due: Instant::now(), rows }, thread))
    }

    /// Whether the step that has just ended is to be handed over.
    pub(super) fn wants(&self) -> bool {
        !self.steps.is_empty() || Instant::now() >= self.due
    }

    /// Takes over a step; `goes_on` where another one follows by itself.
    pub(super) fn take(&mut self, record: StepRecord, goes_on: bool) {
        if self.steps.is_empty() {
            self.due = Instant::now() + PERIOD;
        }
        let is_long = Duration::from_nanos(record.wall_ns) >= LONG;
        self.steps.push(record);
        if !goes_on || is_long || self.steps.len() == STEPS {
            self.hand_over(!goes_on);
        }
    }

    /// Hands over what it has: no more steps follow.
    pub(super) fn hand_over(&mut self, is_last: bool) {
        if !self.steps.is_empty() {
            let steps = std::mem::take(&mut self.steps);
            // Where the analysis lags behind, or nobody looks any more, the row is dropped.
            let _ = self.rows.try_send(Row { steps, is_last });
        }
    }

    /// Drops what it has: the next step has nothing to do with it.
    pub(super) fn forget(&mut self) {
        self.steps.clear();
        self.due = Instant::now();
    }
}

fn analyze(rows: &Receiver<Row>, feed: &TimelineFeed) {
    let mut rested = Instant::now();
    for Row { steps, is_last } in rows {
        let begin = Instant::now();
        if begin < rested && !is_last {
            continue;
        }
        steps.iter().for_each(|record| feed.send(timeline(record)));
        rested = Instant::now() + REST * begin.elapsed();
    }
}

#[cfg(test)]
mod tests {
    use viewer::snapshot::link;

    use super::*;

    /// The steps that come to a window of those that are handed over: length [ms], and whether another one follows.
    fn seen(steps: &[(u64, bool)]) -> Vec<u64> {
        let (publisher, link) = link();
        let (mut analyst, thread) = Analyst::start(publisher.timelines()).expect("a thread");
        for (k, (ms, goes_on)) in (0..).zip(steps) {
            if analyst.wants() {
                let (wall_ns, runs, sections) = (ms * 1_000_000, Vec::new(), Vec::new());
                let beside = Vec::new();
                let record =
                    StepRecord { step: k, start_ns: 0, wall_ns, n_workers: 1, runs, sections, beside };
                analyst.take(record, *goes_on);
            }
        }
        drop(analyst);
        thread.join().expect("it ends with its other side");
        link.timelines.try_iter().map(|t| t.step).collect()
    }

    #[test]
    fn steps_come_in_rows_and_alone_where_one_would_wait_for_them() {
        assert_eq!(seen(&[(1, true); 4]), [0; 0], "a row is not full yet");
        // How many rows follow depends on the clock.
        assert!(seen(&[(1, true); 20]).starts_with(&[0, 1, 2, 3, 4]));
        assert_eq!(seen(&[(1, true), (1, true), (1, false)]), [0, 1, 2], "nothing follows by itself");
        assert!(seen(&[(60, true), (60, true)]).starts_with(&[0]), "a long step is shown at once");
    }
}
