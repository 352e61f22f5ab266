//! How much of drawing and of animation happens at the same time.

use std::time::Instant;

use serde::Serialize;

use crate::execution::clock::Stretch;

/// A stretch of time in which somebody drew, beside the tasks of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawing {
    pub start: Instant,
    pub duration_ns: u64,
}

/// How long was drawn and animated, and how much of it at the same time, summed over frames in which something was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Overlap {
    /// Frames in which something was drawn.
    pub frames: u64,
    /// Drawing \[ms\].
    pub draw_ms: f64,
    /// Animation, on all workers side by side \[ms\].
    pub animate_ms: f64,
    /// Both at the same time \[ms\].
    pub both_ms: f64,
}

const MS: f64 = 1e-6;

impl Overlap {
    /// Adds a frame: what ran, and what was drawn beside.
    pub(crate) fn add(&mut self, runs: &[Stretch], drawing: Drawing) {
        let length = drawing.duration_ns as i64;
        let since = |t: Instant| match t.checked_duration_since(drawing.start) {
            Some(after) => after.as_nanos() as i64,
            None => -(drawing.start.duration_since(t).as_nanos() as i64),
        };
        self.frames += 1;
        self.draw_ms += drawing.duration_ns as f64 * MS;
        for run in runs.iter().filter(|mark| mark.run.is_some()) {
            let begin = since(run.start);
            let end = begin + run.duration_ns as i64;
            let both = end.min(length) - begin.max(0);
            self.animate_ms += run.duration_ns as f64 * MS;
            self.both_ms += both.max(0) as f64 * MS;
        }
    }

    /// Which part of drawing went on while models were animated; of the shorter of both. One is complete overlap.
    pub fn share(&self) -> f64 {
        let shorter = self.draw_ms.min(self.animate_ms);
        if shorter > 0.0 { self.both_ms / shorter } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use engine::exec::PlanId;

    use super::*;

    #[test]
    fn what_happens_at_the_same_time_is_counted_once() {
        let start = Instant::now();
        let run = |from_ms: u64, ms: u64| Stretch {
            run: Some(PlanId(0)),
            start: start + Duration::from_millis(from_ms),
            duration_ns: ms * 1_000_000,
        };
        let drawing = |from_ms: u64, ms: u64| Drawing {
            start: start + Duration::from_millis(from_ms),
            duration_ns: ms * 1_000_000,
        };
        let mut overlap = Overlap::default();
        // Inside, around, before and after, partly.
        for (run, drawing, both) in [
            (run(0, 10), drawing(2, 3), 3.0),
            (run(4, 2), drawing(1, 8), 2.0),
            (run(0, 2), drawing(3, 1), 0.0),
            (run(5, 2), drawing(3, 2), 0.0),
            (run(0, 4), drawing(3, 5), 1.0),
        ] {
            let mut one = Overlap::default();
            one.add(&[run], drawing);
            assert!((one.both_ms - both).abs() < 1e-9, "{one:?}");
            overlap.add(&[run], drawing);
        }
        assert_eq!((overlap.frames, overlap.share()), (5, 6.0 / 19.0));
    }
}
