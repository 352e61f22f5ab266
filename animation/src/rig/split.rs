//! Parallelism inside nodes: one that moves many points becomes several that move some each.
//!
//! The parts are nodes like all others, so workers share them like all others: there are no loops inside tasks that would need
//! workers of their own, or wait for a worker that waits for them.

use std::sync::Arc;

use super::error::RigError;
use super::node::NodeKind;
use super::nodes::Merge;
use super::rig::{KindId, NodeId, Rig, Source};
use super::value::PortType;

/// Loops inside nodes shorter than this are not worth threads [ns].
///
/// **Source:** Watt et al., *LibEE* (2013): 10,000 cycles for a parallel region, here at three a nanosecond.
pub const LOOP_NS: f64 = 3300.0;

/// The loop inside a node that was divided.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The node.
    pub node: NodeId,
    /// Its kind, as it was before.
    pub kind: &'static str,
    /// How many points it goes through.
    pub points: usize,
    /// Its parts.
    pub parts: usize,
    /// What they take together [ns].
    pub cost_ns: f64,
    /// What the longest of them takes [ns].
    pub longest_ns: f64,
}

impl Rig {
    /// Leaves a node whole when the rig is divided: its loop is serial.
    pub fn set_whole(&mut self, node: NodeId, is_whole: bool) {
        self.nodes[node.0 as usize].is_whole = is_whole;
    }

    /// The loops of nodes that were divided, by what they take, the longest first.
    pub fn loops(&self) -> Vec<Loop> {
        let mut loops: std::collections::BTreeMap<NodeId, Loop> = Default::default();
        for (id, node) in (0..).map(NodeId).zip(&self.nodes) {
            let Some(whole) = node.part_of else { continue };
            let points = || self.ports(whole).outputs.first().and_then(|o| o.of.elements()).unwrap_or(0);
            let (kind, cost) = (self.kind_of(id), self.cost_ns(id));
            let of = loops.entry(whole).or_insert_with(|| {
                let points = points() as usize;
                Loop { node: whole, kind, points, parts: 0, cost_ns: 0.0, longest_ns: 0.0 }
            });
            (of.parts, of.cost_ns, of.longest_ns) =
                (of.parts + 1, of.cost_ns + cost, of.longest_ns.max(cost));
        }
        let mut loops: Vec<Loop> = loops.into_values().collect();
        loops.sort_by(|a, b| b.cost_ns.total_cmp(&a.cost_ns).then(a.node.cmp(&b.node)));
        loops
    }

    /// The same rig with nodes that take longer than `grain_ns` divided into parts that take about as long, and merged under their
    /// name. Values are the same, to the bit. Controls and outputs keep their numbers, nodes their names.
    ///
    /// Divided are nodes whose kind can ([`NodeKind::part`]), and of which nothing but the first output is read; unless
    /// [`Self::set_whole`] says otherwise. [`LOOP_NS`] is a grain that is worth it. Which of it is threaded, `Threading` says at run time.
    ///
    /// # Errors
    /// If a name of a part is taken: `NAME part K`.
    pub fn divided(&self, grain_ns: f64) -> Result<Self, RigError> {
        let mut rig = Self::new(self.name.clone());
        for control in self.controls() {
            rig.control(control.clone())?;
        }
        let mut kinds: Vec<Option<KindId>> = vec![None; self.kinds.len()];
        let others = self.read_otherwise();
        // By node: what stands for it, and its parts.
        let mut new: Vec<(NodeId, Vec<NodeId>)> = Vec::with_capacity(self.n_nodes());
        for (id, node) in (0..).map(NodeId).zip(&self.nodes) {
            rig.component(&self.components[node.component as usize]);
            let code = &self.kinds[node.kind.0 as usize].code;
            let parts = if others[id.0 as usize] { Vec::new() } else { self.parts(id, grain_ns) };
            if parts.is_empty() {
                let kind = match kinds[node.kind.0 as usize] {
                    Some(kind) => kind,
                    None => rig.shared_kind(code.clone()),
                };
                kinds[node.kind.0 as usize] = Some(kind);
                let added = rig.add(node.name.clone(), kind)?;
                rig.set_safety(added, node.safety.clone());
                rig.nodes[added.0 as usize].is_whole = node.is_whole;
                rig.places.set_as(added.0, &self.places, id.0);
                new.push((added, vec![added]));
                continue;
            }
            let mut nodes = Vec::with_capacity(parts.len());
            let mut sizes = Vec::with_capacity(parts.len());
            for (k, part) in parts.into_iter().enumerate() {
                let kind = rig.shared_kind(part);
                let added = rig.add(format!("{} part {k}", node.name), kind)?;
                rig.set_safety(added, node.safety.clone());
                rig.places.set_as(added.0, &self.places, id.0);
                sizes.push(rig.ports(added).outputs[0].of.elements().unwrap_or(0));
                nodes.push(added);
            }
            let merged = rig.node(node.name.clone(), Merge { parts: sizes })?;
            rig.places.set_as(merged.0, &self.places, id.0);
            for (k, part) in nodes.iter().enumerate() {
                rig.bind(*part, 0, merged, k)?;
                rig.nodes[part.0 as usize].part_of = Some(merged);
            }
            new.push((merged, nodes));
        }
        for (node, (_, parts)) in self.nodes.iter().zip(&new) {
            for (input, source) in node.sources.iter().enumerate() {
                for part in parts {
                    match source {
                        Source::Unbound => {}
                        Source::Output(from, port) => {
                            rig.bind(new[from.0 as usize].0, *port as usize, *part, input)?;
                        }
                        Source::Control(control) => rig.bind_control(*control, *part, input)?,
                        Source::Value(value) => rig.set(*part, input, value)?,
                    }
                }
            }
        }
        rig.safety_of_kinds.clone_from(&self.safety_of_kinds);
        rig.triangles.clone_from(&self.triangles);
        for (name, node, port) in &self.outputs {
            rig.output(name.clone(), new[node.0 as usize].0, *port as usize)?;
        }
        Ok(rig)
    }

    /// Whether anything but the first output of a node is read, by node.
    fn read_otherwise(&self) -> Vec<bool> {
        let mut read = vec![false; self.n_nodes()];
        let of_nodes = self.nodes.iter().flat_map(|n| &n.sources).filter_map(|source| match source {
            Source::Output(from, port) => Some((*from, *port)),
            _ => None,
        });
        let of_rig = self.outputs.iter().map(|(_, node, port)| (*node, *port));
        for (node, _) in of_nodes.chain(of_rig).filter(|(_, port)| *port > 0) {
            read[node.0 as usize] = true;
        }
        read
    }

    /// The parts of a node; none if it is not worth it, or cannot be divided.
    fn parts(&self, node: NodeId, grain_ns: f64) -> Vec<Arc<dyn NodeKind>> {
        let Some(PortType::Points(points)) = self.ports(node).outputs.first().map(|o| o.of) else {
            return Vec::new();
        };
        if self.nodes[node.0 as usize].is_whole {
            return Vec::new();
        }
        let n = (self.cost_ns(node) / grain_ns.max(1.0)).ceil().clamp(1.0, 256.0) as u32;
        let n = n.min(points);
        if n < 2 {
            return Vec::new();
        }
        let border = |k: u32| (u64::from(k) * u64::from(points) / u64::from(n)) as u32;
        let code = &self.kinds[self.nodes[node.0 as usize].kind.0 as usize].code;
        let parts: Option<Vec<_>> = (0..n).map(|k| code.part(border(k)..border(k + 1))).collect();
        parts.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::generate::biped::biped;
    use crate::rig::{Backend, Evaluator, OutputId, Settings};

    #[test]
    fn divided_nodes_have_the_bits_of_whole_ones() {
        let mut whole = biped(1700, 5).unwrap();
        let outputs = whole.outputs().count() as u32;
        let mesh =
            (0..outputs).map(OutputId).find(|o| whole.set_triangles(*o, vec![[0, 1, 2]]).is_ok()).unwrap();
        let divided = whole.divided(500.0).unwrap();
        assert_eq!(divided.triangles(mesh), [[0, 1, 2]]);
        assert!(divided.n_nodes() > whole.n_nodes() + 50, "{}", divided.n_nodes());
        let [a, b] = [whole, divided].map(|rig| {
            let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
            let time = e.rig().find_control("time").unwrap();
            e.set(time, &[0.7]).unwrap();
            e.evaluate().unwrap();
            let names: Vec<String> = e.rig().outputs().map(str::to_owned).collect();
            let value = |name: &String| e.value(e.rig().find_output(name).unwrap()).to_vec();
            names.iter().map(value).collect::<Vec<_>>()
        });
        assert_eq!(a, b);
    }
}
