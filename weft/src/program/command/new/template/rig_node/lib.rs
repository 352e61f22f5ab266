//! `template-kind`: y = gain tanh(x). The whole kind of nodes is in this file.

use std::sync::Arc;

use weft::rigs::node::*;

/// Input: `value`. Output: `value`.
#[derive(Clone, Copy, Debug)]
pub struct TemplateNode {
    /// The attribute `gain` of a node in a file.
    pub gain: f64,
}

/// What the registry is told: the word in files, what makes a node of what a file says of it, and such a node's attributes for tests.
pub const DESCRIPTION: NodeDescription =
    NodeDescription { kind: "template-kind", make, sample: r#""gain": 2, "inputs": { "value": 0.5 }"# };

fn make(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    let gain = a.number_or("gain", 1.0);
    if gain < 0.0 {
        a.wrong("gain", format!("{gain} is below zero"));
        return None;
    }
    Some(Arc::new(TemplateNode { gain }))
}

impl NodeKind for TemplateNode {
    fn kind(&self) -> &'static str {
        "template-kind"
    }

    fn ports(&self) -> PortList {
        PortList::new().input("value", PortType::Scalar).output("value", PortType::Scalar)
    }

    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = p.scalar(0);
        p.set_scalar(0, self.gain * value.tanh());
    }

    // It is a function of its inputs and touches nothing else, so that any number of nodes may run at the same time.
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Many nodes side by side on all executors, with random values around the sample's: same bits, finite, no port that is not declared.
#[test]
fn may_run_as_it_declares() {
    assert_eq!(weft::rigs::testing::node(DESCRIPTION), Ok(()));
}
