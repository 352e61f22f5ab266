//! What a judge says of a scene.

use std::fmt;

/// What came of running a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs, and ends where SOFA ends.
    Agrees,
    /// It runs, and ends elsewhere.
    Differs,
    /// It is refused, or fails.
    NoRun,
}

/// One scene, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Its path in the suite.
    pub scene: String,
    /// What came of it.
    pub verdict: Verdict,
    /// The largest difference, or why it does not run.
    pub why: String,
}

/// How many scenes there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scenes that agree.
    pub agree: usize,
    /// Scenes that run and differ.
    pub differ: usize,
    /// Scenes that do not run.
    pub no_run: usize,
}

impl Counts {
    /// Counts verdicts.
    pub fn of(judged: &[Judged]) -> Self {
        let count = |verdict| judged.iter().filter(|j| j.verdict == verdict).count();
        Self { agree: count(Verdict::Agrees), differ: count(Verdict::Differs), no_run: count(Verdict::NoRun) }
    }

    /// The sum of two judges' counts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            agree: self.agree + other.agree,
            differ: self.differ + other.differ,
            no_run: self.no_run + other.no_run,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agree, differ, no_run } = self;
        let all = agree + differ + no_run;
        write!(f, "{agree} agree, {differ} differ, {no_run} do not run, of {all}")
    }
}
