//! What is measured of a run frame by frame.

use serde::Serialize;

use crate::execution::{FrameFailure, FrameReport, Stepped};
use crate::output::report::Choices;
use crate::output::statistics::Spread;
use crate::profile::{Amdahl, Cascade};
use crate::record::StepRecord;

const MS: f64 = 1e-6;
/// Frames that are observed to see what share of them brings events on.
const OBSERVED: usize = 16;

/// What is run frame by frame and is no physics.
pub trait FrameByFrame: Stepped {
    /// What its report says of it beside its times.
    type Facts: Facts;

    /// Computes the next frame.
    ///
    /// # Errors
    /// Why it cannot be completed.
    fn frame(&mut self) -> Result<FrameReport, FrameFailure>;

    /// Takes what it has to say since the last call, a line each.
    fn take_lines(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// No frame follows: what it does then, it does now.
    fn end(&mut self) {}

    /// What its report says of it now.
    fn facts(&self) -> Self::Facts;

    /// A hash of the exact bits of what it computes.
    fn hash(&self) -> String;
}

/// What a report says of a scene beside its times: keys of its JSON object, and lines for people.
pub trait Facts: Serialize {
    /// Labels, and what they say.
    fn lines(&self) -> Vec<(&'static str, String)>;
}

/// The report: what was run, and how it went, as one JSON object.
#[derive(Clone, Debug, Serialize)]
pub struct Report<F> {
    /// The scene as it was called.
    pub scene: String,
    /// Frames that were computed.
    pub steps: u64,
    /// Statistics are of the frames from this one on.
    pub report_from: u64,
    /// Time from frame to frame \[s\].
    pub dt: f64,
    /// Number of workers.
    pub workers: usize,
    /// How it was run.
    #[serde(flatten)]
    pub choices: Choices,
    /// What is said of this kind of scene.
    #[serde(flatten)]
    pub facts: F,
    /// Milliseconds of a frame.
    pub step_ms: Spread,
    /// Of these, in tasks.
    pub run_ms: Spread,
    /// Recording, placing and loading tasks, all frames together \[ms\].
    pub plan_ms: f64,
    /// The whole run \[s\].
    pub seconds: f64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// Why it ended early, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Hash of the bits of what it computed at the end, where somebody asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_hash: Option<String>,
    /// The same on one worker, if it ran beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compared>,
}

/// Beside the same on one worker.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Compared {
    /// How many times as long a frame takes on one worker.
    pub speedup: f64,
    /// Milliseconds of a frame on one worker.
    pub one_worker_step_ms: Spread,
    /// Whether both ended with the same bits.
    pub same_state: bool,
    /// What the speedup cannot exceed, of an event graph: found on one worker after the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amdahl: Option<Amdahl>,
}

fn step_ms(frames: &[FrameReport]) -> Spread {
    Spread::of(frames.iter().map(|f| f.total_ns as f64 * MS))
}

impl<F: Facts> Report<F> {
    /// Of the frames that were computed.
    pub fn new<S: FrameByFrame<Facts = F>>(
        scene: &str,
        simulation: &S,
        frames: &[FrameReport],
        report_from: u64,
        choices: Choices,
    ) -> Self {
        let chosen = &frames[frames.len().min(report_from as usize)..];
        Self {
            scene: scene.to_owned(),
            steps: simulation.steps_done(),
            report_from,
            dt: simulation.time_step(),
            workers: simulation.workers(),
            choices,
            facts: simulation.facts(),
            step_ms: step_ms(chosen),
            run_ms: Spread::of(chosen.iter().map(|f| f.run_ns as f64 * MS)),
            plan_ms: frames.iter().map(|f| f.plan_ns).sum::<u64>() as f64 * MS,
            seconds: 0.0,
            interrupted: false,
            failure: None,
            state_hash: None,
            compare: None,
        }
    }

    /// Sets it beside frames on one worker, and the hash of these.
    pub fn compare(&mut self, one_worker: &[FrameReport], hash: &str) {
        let chosen = &one_worker[one_worker.len().min(self.report_from as usize)..];
        let one_worker_step_ms = step_ms(chosen);
        let speedup = one_worker_step_ms.median / self.step_ms.median;
        let same_state = self.state_hash.as_deref() == Some(hash);
        self.compare = Some(Compared { speedup, one_worker_step_ms, same_state, amdahl: None });
    }

    /// Plays on for some frames on one worker, which nobody counts, to find Amdahl's bound for this run's workers.
    pub fn find_bound(&mut self, one_worker: &mut impl Stepped) {
        if let Some(compare) = self.compare.as_mut().filter(|_| one_worker.has_cascade()) {
            let mut cascade = Cascade::default();
            one_worker.observe(true);
            for _ in 0..OBSERVED {
                if one_worker.step_timed().is_err() {
                    break;
                }
                one_worker.record().filter(StepRecord::is_complete).iter().for_each(|r| cascade.add(r));
            }
            one_worker.observe(false);
            compare.amdahl = Some(cascade.bound(self.workers));
        }
    }

    /// What a person reads after a run.
    pub fn text(&self) -> String {
        let mut lines = self.facts.lines();
        let s = &self.step_ms;
        let from = match self.report_from {
            0 => String::new(),
            frame => format!(", from frame {frame} on"),
        };
        let text =
            format!("median {:.3}, p95 {:.3}, min {:.3}, max {:.3}{from}", s.median, s.p95, s.min, s.max);
        lines.push(("ms per frame", text));
        lines.push(("  in tasks", format!("median {:.3}", self.run_ms.median)));
        lines.push(("plan", format!("{:.3} ms in all", self.plan_ms)));
        if let Some(c) = &self.compare {
            let same = if c.same_state { "the same bits" } else { "OTHER BITS" };
            let one = c.one_worker_step_ms.median;
            let text = format!("{:.2} against one worker ({one:.3} ms a frame); {same}", c.speedup);
            lines.push(("speedup", text));
            lines.extend(c.amdahl.map(|bound| ("Amdahl's bound", bound.text())));
        }
        let lines: Vec<String> = lines.iter().map(|(label, what)| format!("{label:14} {what}")).collect();
        lines.join("\n")
    }
}
