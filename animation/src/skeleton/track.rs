//! Keys over time.

use super::error::ClipError;
use super::transform::of_length_one;

/// What lies between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// A straight line; for rotations the arc of a great circle, the shorter way.
    #[default]
    Linear,
    /// A straight line; rotations are made of length one again, which is faster than an arc and not as even.
    Chord,
    /// The value of the key before.
    Step,
    /// A cubic spline with a tangent before and after each key.
    CubicSpline,
}

/// Keys of one joint's translation or scale (N = 3), or rotation (N = 4).
#[derive(Clone, Debug, PartialEq)]
pub struct Track<const N: usize> {
    pub(super) joint: u32,
    pub(super) times: Vec<f32>,
    /// One for each time; for splines three: the tangent before, the value, the tangent after.
    pub(super) values: Vec<[f32; N]>,
    pub(super) interpolation: Interpolation,
    /// For rotations on arcs: by key, the angle to the next key, and one over its sine (zero where a straight line will do).
    pub(super) arcs: Vec<[f32; 2]>,
}

/// Angles below it are straight lines: the arc differs from the line by a millionth of what `f32` can tell.
const STRAIGHT: f32 = 1e-3;

impl<const N: usize> Track<N> {
    /// Of times \[s\] that grow, and values: one for each time; for splines three for each, the tangent before, the value and the tangent
    /// after.
    ///
    /// # Errors
    /// What is wrong with the keys.
    pub fn new(
        joint: u32,
        times: Vec<f32>,
        values: Vec<[f32; N]>,
        interpolation: Interpolation,
    ) -> Result<Self, ClipError> {
        check(&times, values.len(), interpolation)?;
        let per_key = values.len() / times.len();
        if let Some(k) = values.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
            return Err(ClipError::NotFinite { key: k / per_key });
        }
        Ok(Self { joint, times, values, interpolation, arcs: Vec::new() })
    }

    /// The same keys for another joint.
    pub(super) fn of_joint(&self, joint: u32) -> Self {
        Self { joint, ..self.clone() }
    }

    /// The joint that it moves.
    pub fn joint(&self) -> u32 {
        self.joint
    }

    /// The last key's time \[s\].
    pub fn end(&self) -> f32 {
        self.times.last().copied().unwrap_or(0.0)
    }
}

impl Track<4> {
    /// Keys of rotations: unit quaternions as x, y, z, w. Values that are not of length one are made so, but for those of splines: there
    /// the result is.
    ///
    /// **Source:** glTF 2.0, appendix C.
    ///
    /// # Errors
    /// What is wrong with the keys.
    pub fn rotation(
        joint: u32,
        times: Vec<f32>,
        values: Vec<[f32; 4]>,
        interpolation: Interpolation,
    ) -> Result<Self, ClipError> {
        let mut track = Self::new(joint, times, values, interpolation)?;
        let is_spline = interpolation == Interpolation::CubicSpline;
        let (per_key, of) = if is_spline { (3, 1) } else { (1, 0) };
        for (key, value) in track.values.iter_mut().skip(of).step_by(per_key).enumerate() {
            let direction = of_length_one(*value).ok_or(ClipError::NoRotation { key })?;
            if !is_spline {
                *value = direction;
            }
        }
        if matches!(interpolation, Interpolation::Linear | Interpolation::Chord) {
            // q and -q are one rotation: the shorter way is between those that are not opposite.
            for key in 1..track.values.len() {
                let dot: f32 = (0..4).map(|c| track.values[key - 1][c] * track.values[key][c]).sum();
                if dot < 0.0 {
                    track.values[key] = track.values[key].map(|x| -x);
                }
            }
        }
        if interpolation == Interpolation::Linear {
            track.arcs = track.values.windows(2).map(|w| arc(w[0], w[1])).collect();
        }
        Ok(track)
    }
}

/// The angle between two unit quaternions, and one over its sine; zero where a straight line will do.
fn arc(a: [f32; 4], b: [f32; 4]) -> [f32; 2] {
    let dot: f64 = (0..4).map(|c| f64::from(a[c]) * f64::from(b[c])).sum();
    let difference: f64 = (0..4).map(|c| (f64::from(a[c]) - f64::from(b[c])).powi(2)).sum();
    let sum: f64 = (0..4).map(|c| (f64::from(a[c]) + f64::from(b[c])).powi(2)).sum();
    // Well conditioned for all angles, unlike the arc cosine of the product.
    let angle = 2.0 * difference.sqrt().atan2(sum.sqrt());
    debug_assert!(dot >= -1e-6, "the shorter way");
    if (angle as f32) < STRAIGHT { [0.0, 0.0] } else { [angle as f32, (1.0 / angle.sin()) as f32] }
}

/// Checks times, and that values are as many as they ask for.
pub(super) fn check(times: &[f32], given: usize, interpolation: Interpolation) -> Result<(), ClipError> {
    if times.is_empty() {
        return Err(ClipError::Empty);
    }
    if let Some(key) = times.iter().position(|t| !t.is_finite() || *t < 0.0) {
        return Err(ClipError::NotFinite { key });
    }
    if let Some(k) = times.windows(2).position(|w| w[1] <= w[0]) {
        return Err(ClipError::Unsorted { key: k + 1 });
    }
    let wanted = if interpolation == Interpolation::CubicSpline { 3 * times.len() } else { times.len() };
    if given != wanted {
        return Err(ClipError::Count { times: times.len(), wanted, given });
    }
    Ok(())
}
