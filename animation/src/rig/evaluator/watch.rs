//! What is asked for: outputs of the rig, and of nodes that somebody looks at.

use super::Evaluator;
use crate::rig::error::RigError;
use crate::rig::rig::{NodeId, OutputId};

impl Evaluator {
    /// Asks for some outputs only, from the next evaluation on.
    ///
    /// # Errors
    /// If an output is not there.
    pub fn request(&mut self, outputs: &[OutputId]) -> Result<(), RigError> {
        self.request_with(outputs, &[])
    }

    /// Asks for some outputs of the rig, and beside them for outputs of nodes, from the next evaluation on.
    ///
    /// # Errors
    /// If an output is not there.
    pub fn request_with(&mut self, outputs: &[OutputId], ports: &[(NodeId, usize)]) -> Result<(), RigError> {
        let mut wanted = Vec::with_capacity(outputs.len() + ports.len());
        for output in outputs {
            let Some(attribute) = self.structure.outputs.get(output.0 as usize) else {
                let name = output.0.to_string();
                return Err(RigError::Unknown { what: "output", name, of: None, suggestion: None });
            };
            wanted.push(*attribute);
        }
        for (node, port) in ports {
            self.rig.output_type(*node, *port)?;
            wanted.push(self.attribute_of(*node, *port));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let known = self.requests.iter().position(|r| *r == wanted);
        self.request = known.unwrap_or_else(|| {
            self.requests.push(wanted.clone());
            self.requests.len() - 1
        }) as u32;
        self.requested = wanted;
        Ok(())
    }

    /// The value of a node's output in a frame, as it was evaluated last: whoever reads it has asked for it.
    pub fn port_value(&self, frame: usize, node: NodeId, port: usize) -> &[f64] {
        self.attribute(frame, self.attribute_of(node, port))
    }

    fn attribute_of(&self, node: NodeId, port: usize) -> u32 {
        let step = self.structure.step_of[node.0 as usize];
        self.structure.code.steps[step as usize].first_attribute + port as u32
    }
}
