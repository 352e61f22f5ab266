//! What a prediction knows of a program: costs on one worker, sizes.

use engine::data::DataId;

use super::plan::LoopRun;

/// What was measured of a program on one worker.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// Time of each task, by number, once [ns].
    pub task_ns: &'a [f64],
    /// How the loops ran, by number.
    pub loops: &'a [LoopRun],
    /// Time of a run beside its stages [ns].
    pub overhead_ns: f64,
    /// Size of each buffer [bytes].
    pub bytes_of: &'a dyn Fn(DataId) -> usize,
    /// Cache of a core [bytes]; zero: everything fits.
    pub cache: f64,
}
