//! Where values lie, and which nodes are one task.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fixed::Fixed;
use super::threading::chunks;
use super::{Block, Code, From, Fusion, Guard, NO_SWITCH, Step, Structure, Threading};
use crate::graph::{Rows, Structure as Order};
use crate::rig::error::RigError;
use crate::rig::node::Safety;
use crate::rig::ports::{FIXED, OTHERS, OWN, Place};
use crate::rig::rig::{NodeId, Rig, Source};

/// What nodes must have in common to be in one block.
type Class = (Guard, bool, u16);

/// The class of each node, as a number, and what the numbers mean.
fn classes(rig: &Rig) -> (Vec<u32>, Vec<Class>, Vec<String>) {
    let (mut groups, mut known) = (Vec::new(), BTreeMap::new());
    let mut of_node = Vec::with_capacity(rig.n_nodes());
    let mut classes = Vec::new();
    for id in (0..rig.n_nodes() as u32).map(NodeId) {
        let (safety, _) = rig.safety(id);
        let guard = match Structure::group_name(rig.kind_of(id), &safety) {
            Some(name) => {
                let at = groups.iter().position(|known| *known == name);
                Guard::Group(at.unwrap_or_else(|| {
                    groups.push(name);
                    groups.len() - 1
                }) as u32)
            }
            None if safety == Safety::GloballyUnsafe => Guard::Everything,
            None => Guard::None,
        };
        let class = (guard, safety == Safety::Threadsafe, rig.nodes[id.0 as usize].component);
        of_node.push(*known.entry(class).or_insert_with(|| {
            classes.push(class);
            classes.len() as u32 - 1
        }));
    }
    (of_node, classes, groups)
}

fn count(n: usize) -> Result<u32, RigError> {
    u32::try_from(n).map_err(|_| RigError::TooLarge)
}

/// What tasks are to last, so that each worker has enough of them to fill gaps with, and none lasts so short that it is not worth it.
pub(super) fn grain(rig: &Rig, workers: u32) -> Fusion {
    const OF_EACH_WORKER: f64 = 32.0;
    if workers < 2 {
        return Fusion::default();
    }
    let all: f64 = (0..rig.n_nodes() as u32).map(|k| rig.cost_ns(NodeId(k))).sum();
    let share = all / (f64::from(workers) * OF_EACH_WORKER);
    Fusion::On { grain_ns: share.clamp(2000.0, 35_000.0) as u32 }
}

/// Lays a checked rig out.
pub(super) fn lay_out(
    rig: &Rig,
    order: &Order,
    fusion: Fusion,
    threading: Threading,
) -> Result<Structure, RigError> {
    let (mut class_of, classes, groups) = classes(rig);
    if !threading.nodes {
        // A whole runs with its parts, and as they do.
        for (k, node) in rig.nodes.iter().enumerate() {
            if let Some(whole) = node.part_of {
                class_of[whole.0 as usize] = class_of[k];
            }
        }
    }
    let chunks = chunks(rig, order, fusion, threading, &|n| class_of[n.0 as usize]);
    let (mut node_of, mut step_of) = (Vec::with_capacity(rig.n_nodes()), vec![0_u32; rig.n_nodes()]);
    let mut blocks = Vec::with_capacity(chunks.len());
    let mut block_of = Vec::with_capacity(rig.n_nodes());
    for chunk in 0..chunks.len() as u32 {
        let first = node_of.len() as u32;
        for &component in chunks.components(chunk) {
            let node = NodeId(order.members(component)[0]);
            step_of[node.0 as usize] = node_of.len() as u32;
            node_of.push(node);
            block_of.push(chunk);
        }
        let node: Option<&NodeId> = node_of.get(first as usize);
        let class = node.map(|n| class_of[n.0 as usize]);
        let (mut guard, is_one_frame, component) =
            class.map_or((Guard::None, false, 0), |class| classes[class as usize]);
        let is_part = node.is_some_and(|n| rig.nodes[n.0 as usize].part_of.is_some());
        if !(threading.graph || threading.nodes && is_part) {
            guard = Guard::Everything;
        }
        blocks.push(Block {
            steps: first..node_of.len() as u32,
            before: chunks.before(chunk).to_vec(),
            level: chunks.level(chunk),
            guard,
            is_one_frame,
            len: 0,
            cost_ns: chunks.cost(chunk) as f64,
            component,
        });
    }
    let steps = steps(rig, &node_of, &block_of, &mut blocks)?;
    let outputs = {
        let attribute =
            |node: NodeId, port: u32| steps[step_of[node.0 as usize] as usize].first_attribute + port;
        rig.outputs.iter().map(|(_, node, port)| attribute(*node, *port)).collect()
    };
    let n_levels = blocks.iter().map(|b| b.level + 1).max().unwrap_or(0);
    let mut structure = Structure {
        code: Arc::new(Code {
            kinds: Vec::new(),
            steps: Vec::new(),
            places: Vec::new(),
            outputs: Vec::new(),
        }),
        from: Vec::new(),
        step_of_input: Vec::new(),
        step_of_attribute: Vec::new(),
        readers: Rows::default(),
        control_readers: Rows::default(),
        fixed: Vec::new(),
        control_at: Vec::new(),
        rules: rig.kinds.iter().map(|k| k.rules.clone()).collect(),
        blocks,
        block_of,
        node_of,
        step_of,
        switches: Vec::new(),
        switch_of: Vec::new(),
        outputs,
        groups,
        n_levels,
        threading,
    };
    wire(rig, steps, &mut structure)?;
    find_switches(&mut structure);
    Ok(structure)
}

/// The steps, with room for each one's outputs in its block.
fn steps(
    rig: &Rig,
    node_of: &[NodeId],
    block_of: &[u32],
    blocks: &mut [Block],
) -> Result<Vec<Step>, RigError> {
    let (mut first_input, mut first_attribute) = (0, 0);
    let mut steps = Vec::with_capacity(node_of.len());
    for (node, &block) in node_of.iter().zip(block_of) {
        let kind = rig.nodes[node.0 as usize].kind;
        let ports = &rig.kinds[kind.0 as usize].ports;
        let len = count(ports.outputs.iter().map(|o| o.of.len()).sum())?;
        let block = &mut blocks[block as usize];
        let (n_inputs, n_attributes) = (count(ports.inputs.len())?, count(ports.outputs.len())?);
        let begin = block.len;
        steps.push(Step { kind: kind.0, first_input, n_inputs, first_attribute, n_attributes, begin, len });
        block.len = begin.checked_add(len).ok_or(RigError::TooLarge)?;
        first_input += n_inputs;
        first_attribute += n_attributes;
    }
    Ok(steps)
}

/// Where each input's value comes from, and who reads what.
fn wire(rig: &Rig, steps: Vec<Step>, s: &mut Structure) -> Result<(), RigError> {
    let mut fixed = Fixed::default();
    for control in &rig.controls {
        s.control_at.push(fixed.control(&control.default)?);
    }
    let (mut places, mut outputs) = (Vec::new(), Vec::new());
    let (mut readers, mut control_readers) = (Vec::new(), Vec::new());
    for (at, node) in (0..).zip(&s.node_of) {
        let node = &rig.nodes[node.0 as usize];
        let ports = &rig.kinds[node.kind.0 as usize].ports;
        let block = s.block_of[at as usize];
        for (port, source) in ports.inputs.iter().zip(&node.sources) {
            let input = s.from.len() as u32;
            let from = match source {
                Source::Output(from, port) => {
                    let attribute = steps[s.step_of[from.0 as usize] as usize].first_attribute + port;
                    readers.push((attribute, input));
                    From::Attribute(attribute)
                }
                Source::Control(control) => {
                    control_readers.push((control.0, input));
                    From::Fixed(s.control_at[control.0 as usize])
                }
                Source::Value(value) => From::Fixed(fixed.constant(value)?),
                Source::Unbound => From::Fixed(fixed.constant(port.default.as_deref().unwrap_or(&[]))?),
            };
            let len = port.of.len() as u32;
            places.push(match (from, source) {
                (From::Fixed(offset), _) => Place { buffer: FIXED, offset, len },
                (From::Attribute(_), Source::Output(from, port)) => {
                    let source = s.step_of[from.0 as usize];
                    let other = s.block_of[source as usize];
                    let outputs = &rig.kinds[steps[source as usize].kind as usize].ports.outputs;
                    let inside: usize = outputs[..*port as usize].iter().map(|o| o.of.len()).sum();
                    let offset = steps[source as usize].begin + inside as u32;
                    let before = &s.blocks[block as usize].before;
                    let buffer = if other == block {
                        OWN
                    } else {
                        OTHERS + before.partition_point(|b| *b < other) as u32
                    };
                    Place { buffer, offset, len }
                }
                (From::Attribute(_), _) => Place { buffer: FIXED, offset: 0, len: 0 },
            });
            s.from.push(from);
            s.step_of_input.push(at);
        }
        let mut begin = 0;
        for output in &ports.outputs {
            let len = output.of.len() as u32;
            outputs.push((begin, len));
            s.step_of_attribute.push(at);
            begin += len;
        }
    }
    s.readers = Rows::of_pairs(outputs.len(), readers.iter().copied());
    s.control_readers = Rows::of_pairs(rig.controls.len(), control_readers.iter().copied());
    s.fixed = fixed.values;
    let kinds = rig.kinds.iter().map(|k| k.code.clone()).collect();
    s.code = Arc::new(Code { kinds, steps, places, outputs });
    Ok(())
}

/// Which steps are switches.
fn find_switches(s: &mut Structure) {
    for (at, step) in (0..).zip(&s.code.steps) {
        let is_switch = s.code.kinds[step.kind as usize].is_switch();
        s.switch_of.push(if is_switch { s.switches.len() as u32 } else { NO_SWITCH });
        s.switches.extend(is_switch.then_some(at));
    }
}

impl Rig {
    /// What a node takes [ns], measured or said by its kind.
    pub(crate) fn cost_ns(&self, node: NodeId) -> f64 {
        let node = &self.nodes[node.0 as usize];
        node.cost_ns.unwrap_or_else(|| self.kinds[node.kind.0 as usize].code.cost_ns())
    }
}
