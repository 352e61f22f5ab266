//! Animation curves.

use crate::rig::math::curve::sample;
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A curve whose keys come in by an input, in any order. Inputs: `keys`, `time`. Output: `value`.
#[derive(Clone, Copy, Debug)]
pub struct AnimationCurve {
    /// Number of keys.
    pub keys: u32,
}

impl NodeKind for AnimationCurve {
    fn kind(&self) -> &'static str {
        "animation-curve"
    }
    fn ports(&self) -> PortList {
        let list = PortList::new().required("keys", PortType::Curve(self.keys));
        list.input("time", PortType::Scalar).output("value", PortType::Scalar)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = sample(p.input(0), p.scalar(1));
        p.set_scalar(0, value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        25.0
    }
}

/// A curve whose keys are the node's own. Input: `time`. Output: `value`.
#[derive(Clone, Debug)]
pub struct FixedCurve {
    keys: Vec<f64>,
}

impl FixedCurve {
    /// A curve of keys: time, value, slope before and slope behind of each.
    ///
    /// # Errors
    /// If there is no key, numbers are left over, times do not ascend, or a time or value is not finite.
    pub fn new(keys: Vec<f64>) -> Result<Self, String> {
        if keys.is_empty() {
            return Err("there is no key".into());
        }
        if !keys.len().is_multiple_of(4) {
            return Err(format!("{} numbers are no keys of four", keys.len()));
        }
        let key = |k: usize| &keys[4 * k..4 * k + 4];
        let n = keys.len() / 4;
        if let Some(k) = (0..n).find(|&k| !key(k)[0].is_finite() || !key(k)[1].is_finite()) {
            return Err(format!("key {k} is not finite"));
        }
        match (1..n).find(|&k| key(k)[0] <= key(k - 1)[0]) {
            Some(k) => Err(format!("key {k} is not later than the one before it")),
            None => Ok(Self { keys }),
        }
    }
}

impl NodeKind for FixedCurve {
    fn kind(&self) -> &'static str {
        "curve"
    }
    fn ports(&self) -> PortList {
        PortList::new().input("time", PortType::Scalar).output("value", PortType::Scalar)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = sample(&self.keys, p.scalar(0));
        p.set_scalar(0, value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        25.0
    }
}
