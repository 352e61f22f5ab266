//! Frames of what is not physics.

/// A frame that could not be completed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("frame {frame} (time {time}): {message}")]
pub struct FrameFailure {
    /// Its number.
    pub frame: u64,
    /// Its time stamp \[s\].
    pub time: f64,
    /// What happened.
    pub message: String,
}

/// What a frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Number of the frame; the first is 0.
    pub frame: u64,
    /// Its time stamp \[s\].
    pub time: f64,
    /// The whole frame \[ns\].
    pub total_ns: u64,
    /// In tasks, on all workers side by side \[ns\].
    pub run_ns: u64,
    /// Recording, placing and loading \[ns\].
    pub plan_ns: u64,
}

/// From frame to frame, if nobody says \[s\]: sixty frames a second.
pub(crate) const FRAME_TIME: f64 = 1.0 / 60.0;
