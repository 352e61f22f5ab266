//! What models of a character do.

use animation::skeleton::Transition;

/// What models of a character do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterOptions {
    /// How many there are.
    pub models: usize,
    /// How many there are from a time on \[s\].
    pub models_at: Vec<(usize, f64)>,
    /// The clip that they play, by its place in the file; none: they are at rest.
    pub clip: Option<usize>,
    /// Clips that come in later.
    pub then: Vec<(usize, Transition)>,
    /// Each is animated every so many frames.
    pub interval: u64,
    /// The same by model, begun again where there are more models; none: as all.
    pub intervals: Vec<u64>,
    /// Priorities by model, begun again where there are more models; none: zero.
    pub priorities: Vec<u32>,
    /// How many models are animated in a frame at most; none: all whose turn it is.
    pub budget: Option<usize>,
    /// The least number of times that a model is animated in a second: longer intervals are shortened.
    pub least_rate: Option<f64>,
    /// The time in which a camera amid the models turns once \[s\]; none: all are in view.
    pub look_around: Option<f64>,
    /// Vertices are drawn for so many frames after the one in which they were moved.
    pub life: u64,
    /// Whether their vertices are moved, too.
    pub skins: bool,
    /// Whether each frame is drawn here, in software, while the next one is computed.
    pub draws: bool,
    /// Whether frames are computed on a thread beside, while the caller does something else. The sequential executor has none.
    pub beside: bool,
}

/// Below so many updates a second people see that a movement jerks, as Intel's paper has it.
const SMOOTH: f64 = 15.0;

/// An interval that keeps a rate, and a note where it would not or where it is seen.
pub(super) fn smooth(interval: u64, dt: f64, least: Option<f64>, notes: &mut Vec<String>) -> u64 {
    let rate = 1.0 / (interval as f64 * dt);
    // A rate that is kept but for rounding is kept.
    let kept = |least: f64| rate >= least * (1.0 - 1e-9);
    match least {
        Some(least) if !kept(least) => {
            let shorter = ((1.0 + 1e-9) / (least * dt)).floor().max(1.0) as u64;
            notes.push(format!(
                "an interval of {interval} frames is {rate:.1} updates a second: it is {shorter}"
            ));
            shorter
        }
        None if interval > 1 && !kept(SMOOTH) => {
            notes
                .push(format!("models are animated {rate:.1} times a second; below {SMOOTH} movements jerk"));
            interval
        }
        _ => interval,
    }
}
