//! What is said of nodes once they are there: what may run beside them, what they take, another kind with the same ports.

use super::error::RigError;
use super::node::Safety;
use super::rig::{KindId, NodeId, OutputId, Rig};
use super::value::PortType;

impl Rig {
    /// Says what may run at the same time as a node, whatever its kind says; none: what its kind says.
    pub fn set_safety(&mut self, node: NodeId, safety: Option<Safety>) {
        self.nodes[node.0 as usize].safety = safety;
    }

    /// Says what may run at the same time as nodes of a kind, whatever it says itself; none: what it says.
    pub fn set_safety_of_kind(&mut self, kind: &str, safety: Option<Safety>) {
        match safety {
            Some(safety) => self.safety_of_kinds.insert(kind.into(), safety),
            None => self.safety_of_kinds.remove(kind),
        };
    }

    /// What may run at the same time as a node, and whether somebody has said so.
    pub fn safety(&self, node: NodeId) -> (Safety, bool) {
        let node = &self.nodes[node.0 as usize];
        let code = &self.kinds[node.kind.0 as usize].code;
        let said = node.safety.clone().or_else(|| self.safety_of_kinds.get(code.kind()).cloned());
        let said = said.or_else(|| code.safety());
        (said.clone().unwrap_or(Safety::GloballyUnsafe), said.is_some())
    }

    /// Says which points of an output are a surface: its triangles.
    ///
    /// # Errors
    /// If the output does not hold points, or a triangle names one that is not there.
    pub fn set_triangles(&mut self, output: OutputId, triangles: Vec<[u32; 3]>) -> Result<(), RigError> {
        let (name, node, port) = &self.outputs[output.0 as usize];
        let wrong = |message: String| Err(RigError::Mesh { output: name.clone(), message });
        let of = self.output_type(*node, *port as usize)?;
        let PortType::Points(n) = of else { return wrong(format!("it is {of}, not points")) };
        if let Some(point) = triangles.iter().flatten().find(|point| **point >= n) {
            return wrong(format!("a triangle has the point {point}, and there are {n}"));
        }
        self.triangles.insert(output.0, triangles);
        Ok(())
    }

    /// Notes the measured time of nodes [ns].
    pub fn set_costs(&mut self, costs: impl IntoIterator<Item = (NodeId, f64)>) {
        for (node, cost) in costs {
            self.nodes[node.0 as usize].cost_ns = Some(cost);
        }
    }

    /// Replaces the kind of a node by one with the same ports, such as a faster one.
    ///
    /// # Errors
    /// If an input or output that is bound would have another type.
    pub fn replace_kind(&mut self, node: NodeId, kind: KindId) -> Result<(), RigError> {
        let (new, old) = (&self.kinds[kind.0 as usize].ports, self.ports(node));
        let mut pairs = old.inputs.iter().map(|i| i.of).zip(new.inputs.iter().map(|i| i.of));
        let mut others = old.outputs.iter().map(|o| o.of).zip(new.outputs.iter().map(|o| o.of));
        let differs = pairs.find(|(a, b)| a != b).or_else(|| others.find(|(a, b)| a != b));
        if let Some((of, wants)) = differs {
            let name = self.nodes[node.0 as usize].name.clone();
            return Err(RigError::Mismatch { from: name.clone(), of, to: name, wants });
        }
        if (old.inputs.len(), old.outputs.len()) != (new.inputs.len(), new.outputs.len()) {
            return Err(RigError::NoSwitch { node: self.nodes[node.0 as usize].name.clone() });
        }
        let target = &mut self.nodes[node.0 as usize];
        (target.kind, target.cost_ns) = (kind, None);
        Ok(())
    }
}
