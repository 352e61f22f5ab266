//! `soft-limit`: an angle that comes to rest before it leaves a range, as a joint's does. The whole kind of nodes is in this file.

use std::sync::Arc;

use weft::rigs::node::*;

/// y = m + h tanh((x - m) / h), with the middle m and the half h of a range. Inputs: `value`, `low`, `high`. Output: `value`, and by how much
/// it is less than the input, as `lost`.
#[derive(Clone, Copy, Debug)]
pub struct SoftLimit {
    /// How much of the range is left as it is, from 0 to 1.
    pub stiff: f64,
}

/// What the registry is told.
pub const DESCRIPTION: NodeDescription = NodeDescription {
    kind: "soft-limit",
    make,
    sample: r#""stiff": 0.5, "inputs": { "value": 0.8, "low": -1, "high": 1 }"#,
};

fn make(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    let stiff = a.number_or("stiff", 0.0);
    if !(0.0..1.0).contains(&stiff) {
        a.wrong("stiff", format!("{stiff} is no share of the range from 0 to less than 1"));
        return None;
    }
    Some(Arc::new(SoftLimit { stiff }))
}

impl NodeKind for SoftLimit {
    fn kind(&self) -> &'static str {
        "soft-limit"
    }

    fn ports(&self) -> PortList {
        PortList::new()
            .required("value", PortType::Scalar)
            .input_or("low", PortType::Scalar, vec![-1.0])
            .input_or("high", PortType::Scalar, vec![1.0])
            .output("value", PortType::Scalar)
            .output("lost", PortType::Scalar)
    }

    fn evaluate(&self, p: &mut Ports<'_>) {
        let (value, low, high) = (p.scalar(0), p.scalar(1), p.scalar(2));
        if low > high {
            p.fail(format!("the range is empty: {low} to {high}"));
            return;
        }
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (off, free) = (value - middle, self.stiff * half);
        let soft = half - free;
        let beyond = (off.abs() - free).max(0.0);
        let kept = if soft > 0.0 { soft * (beyond / soft).tanh() } else { 0.0 };
        let limited = middle + (off.abs().min(free) + kept).copysign(off);
        p.set_scalar(0, limited);
        p.set_scalar(1, value - limited);
    }

    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Side by side on all executors, with random values around the sample's.
#[test]
fn may_run_as_it_declares() {
    assert_eq!(weft::rigs::testing::node(DESCRIPTION), Ok(()));
}
