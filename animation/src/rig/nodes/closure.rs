//! Nodes that a user writes as a function.

use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;

/// A function of its declared inputs.
///
/// Unless its author says what may run at the same time, nothing may: see [`Self::safe`].
/// ```
/// use weft_animation::rig::node::{PortList, Safety};
/// use weft_animation::rig::nodes::Closure;
/// use weft_animation::rig::value::PortType;
///
/// let ports = PortList::new().input("angle", PortType::Scalar).output("sine", PortType::Scalar);
/// let sine = Closure::new("sine", ports, |ports| {
///     let angle = ports.scalar(0);
///     ports.set_scalar(0, angle.sin());
/// });
/// let sine = sine.safe(Safety::Reentrant);
/// ```
pub struct Closure<F> {
    kind: &'static str,
    ports: PortList,
    safety: Option<Safety>,
    cost_ns: f64,
    function: F,
}

impl<F: Fn(&mut Ports<'_>) + Send + Sync + 'static> Closure<F> {
    /// A function with its ports.
    pub fn new(kind: &'static str, ports: PortList, function: F) -> Self {
        Self { kind, ports, safety: None, cost_ns: 100.0, function }
    }

    /// The same, with what may run at the same time.
    pub fn safe(self, safety: Safety) -> Self {
        Self { safety: Some(safety), ..self }
    }

    /// The same, with what it takes, roughly [ns].
    pub fn cost_ns(self, cost_ns: f64) -> Self {
        Self { cost_ns, ..self }
    }
}

impl<F: Fn(&mut Ports<'_>) + Send + Sync + 'static> NodeKind for Closure<F> {
    fn kind(&self) -> &'static str {
        self.kind
    }
    fn ports(&self) -> PortList {
        self.ports.clone()
    }
    fn evaluate(&self, ports: &mut Ports<'_>) {
        (self.function)(ports);
    }
    fn safety(&self) -> Option<Safety> {
        self.safety.clone()
    }
    fn cost_ns(&self) -> f64 {
        self.cost_ns
    }
}
