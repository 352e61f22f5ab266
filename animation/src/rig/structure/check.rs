//! What makes it impossible to evaluate a rig.

use crate::graph::{Graph, NodeKey, Port, Structure};
use crate::rig::error::RigError;
use crate::rig::rig::{NodeId, Rig, Source};

/// The nodes of a rig with their bindings, by the same numbers.
pub(super) fn graph(rig: &Rig) -> Graph {
    let mut graph = Graph::new();
    for _ in 0..rig.n_nodes() {
        graph.add_node();
    }
    for (to, node) in (0..).zip(&rig.nodes) {
        for (input, source) in (0..).zip(&node.sources) {
            if let Source::Output(from, port) = source {
                let from = Port { node: NodeKey(from.0), port: *port };
                graph.connect(from, Port { node: NodeKey(to), port: input });
            }
        }
    }
    graph
}

/// All that is wrong.
pub(super) fn findings(rig: &Rig, order: &Structure) -> Vec<RigError> {
    let mut wrong = Vec::new();
    for component in order.cycles() {
        let mut names: Vec<String> =
            order.cycle(component).iter().map(|n| rig.name_of(NodeId(n.0)).to_owned()).collect();
        names.extend(names.first().cloned());
        wrong.push(RigError::Cycle { names });
    }
    for (id, node) in (0..).map(NodeId).zip(&rig.nodes) {
        let kind = &rig.kinds[node.kind.0 as usize];
        for (input, (port, source)) in kind.ports.inputs.iter().zip(&node.sources).enumerate() {
            if port.default.is_none() && *source == Source::Unbound {
                wrong.push(RigError::Unconnected { to: rig.input_name(id, input), wants: port.of });
            }
        }
        if kind.code.is_switch() {
            let (inputs, outputs) = (&kind.ports.inputs, &kind.ports.outputs);
            let is_one = outputs.len() == 1 && inputs.iter().skip(1).all(|i| i.of == outputs[0].of);
            if !is_one || inputs.first().is_none_or(|i| i.of.len() != 1) {
                wrong.push(RigError::NoSwitch { node: node.name.clone() });
            }
        }
    }
    wrong
}
