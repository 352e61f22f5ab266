//! Causes of waiting.

use serde::{Deserialize, Serialize};

/// Why a worker did not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It was early at an all-gather of partial sums, or done with its share of the integration.
    Imbalance,
    /// It needed data of another worker, such as a contact that the placement cuts.
    Dependence,
    /// It needed logged additions, or a reducer to replay them.
    Reduction,
    /// It entered a loop, or left one.
    LoopCondition,
    /// It was done with its share of bounds or narrow phase, or the broad phase went on.
    CollisionPhase,
    /// A plan was made or changed.
    PlanWork,
    /// It began a graph later than the caller's thread: its core had to notice.
    Start,
    /// The caller's thread did something else alone.
    Serial,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 8] = [
        Self::Imbalance,
        Self::Dependence,
        Self::Reduction,
        Self::LoopCondition,
        Self::CollisionPhase,
        Self::PlanWork,
        Self::Start,
        Self::Serial,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Imbalance => "imbalance",
            Self::Dependence => "dependence",
            Self::Reduction => "reduction",
            Self::LoopCondition => "loop condition",
            Self::CollisionPhase => "collision phase",
            Self::PlanWork => "plan work",
            Self::Start => "start of a graph",
            Self::Serial => "other serial work",
        }
    }
}
