//! Rigs without meaning: nodes of many kinds, bound at random.

use super::seed::Seed;
use crate::rig::error::RigError;
use crate::rig::expression::Expression;
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::nodes::{
    Aim, AnimationCurve, Arithmetic, ChainIk, Closure, Compose, Decompose, Joint, Local, MapPoints,
    Operation, Orient, Parent, Point, Switch, TwoBoneIk, Vector, Work,
};
use crate::rig::rig::{Control, NodeId, Rig};
use crate::rig::value::PortType;

/// A rig of so many nodes. All kinds and all classes of safety come up; values stay finite for controls between -1 and 1.
///
/// # Errors
/// None.
pub fn random(nodes: usize, seed: u64) -> Result<Rig, RigError> {
    let mut seed = Seed::new(seed);
    let mut rig = Rig::new("random");
    let mut controls = Vec::new();
    for k in 0..4 + seed.below(4) {
        let of = if k % 2 == 0 { PortType::Scalar } else { PortType::Vec3 };
        let default = (0..of.len()).map(|_| seed.between(-1.0, 1.0)).collect();
        controls.push(rig.control(Control {
            name: format!("c{k}"),
            of,
            range: Some((-1.0, 1.0)),
            default,
        })?);
    }
    let mut outputs: Vec<(NodeId, usize, PortType)> = Vec::new();
    for k in 0..nodes {
        rig.component(["body", "face", "hair"][seed.below(3)]);
        let kind = rig.shared_kind(kind(&mut seed));
        let node = rig.add(format!("n{k}"), kind)?;
        for input in 0..rig.ports(node).inputs.len() {
            let port = rig.ports(node).inputs[input].clone();
            let fits: Vec<_> = outputs.iter().filter(|(.., of)| *of == port.of).copied().collect();
            let control = controls.iter().find(|c| rig.controls()[c.0 as usize].of == port.of).copied();
            let is_index = port.of == PortType::Index;
            if is_delicate(rig.kind_of(node), &port.name) {
                continue;
            }
            if !fits.is_empty() && seed.below(4) > 0 {
                let (from, output, _) = fits[seed.below(fits.len())];
                rig.bind(from, output, node, input)?;
            } else if let Some(control) = control.filter(|_| seed.below(2) == 0 && !is_index) {
                rig.bind_control(control, node, input)?;
            } else if is_index {
                bind_index(&mut rig, &mut seed, node, input, &outputs)?;
            } else if port.default.is_none() || seed.below(3) == 0 {
                let value: Vec<f64> = port.of.neutral().iter().map(|v| v + seed.between(-0.2, 0.2)).collect();
                rig.set(node, input, &value)?;
            }
        }
        let ports = &rig.ports(node).outputs;
        outputs.extend(ports.iter().enumerate().map(|(at, output)| (node, at, output.of)));
    }
    for k in 0..(nodes / 5).clamp(1, 8).min(outputs.len()) {
        let (node, port, _) = outputs[outputs.len() - 1 - seed.below(outputs.len().min(12))];
        // The same one may have come up already under another name.
        rig.output(format!("o{k}"), node, port)?;
    }
    Ok(rig)
}

/// Whether values at random may fail a node: lengths below zero, maps that are flat.
fn is_delicate(kind: &str, input: &str) -> bool {
    matches!((kind, input), ("two-bone-ik", "upper" | "lower") | ("local", "parent"))
}

/// An index from a number of the rig, or a constant.
fn bind_index(
    rig: &mut Rig,
    seed: &mut Seed,
    node: NodeId,
    input: usize,
    outputs: &[(NodeId, usize, PortType)],
) -> Result<(), RigError> {
    let numbers: Vec<_> = outputs.iter().filter(|o| o.2 == PortType::Index).collect();
    if numbers.is_empty() || seed.below(3) == 0 {
        return rig.set(node, input, &[seed.below(2) as f64]);
    }
    let (from, output, _) = numbers[seed.below(numbers.len())];
    rig.bind(*from, *output, node, input)
}

fn kind(seed: &mut Seed) -> std::sync::Arc<dyn NodeKind> {
    use std::sync::Arc;
    let of = [PortType::Scalar, PortType::Vec3, PortType::Points(3)][seed.below(3)];
    match seed.below(20) {
        0..3 => Arc::new(Joint),
        3 => Arc::new(Local),
        4 => Arc::new(TwoBoneIk),
        5 => Arc::new(ChainIk { points: 3, turns: 5, tolerance: 1e-6 }),
        6 => Arc::new(Point { targets: 2 }),
        7 => Arc::new(Orient { targets: 2 }),
        8 => Arc::new(Parent { targets: 2 }),
        9 => Arc::new(Aim),
        10 => Arc::new(AnimationCurve { keys: 2 }),
        11 => Arc::new(Vector),
        12 => Arc::new(Compose),
        13 => Arc::new(Decompose),
        14 => Arc::new(MapPoints { points: 3 }),
        15 => Arc::new(Switch { branches: 2, of: [PortType::Scalar, PortType::Matrix][seed.below(2)] }),
        16 => match Expression::new("sin(a)*v.x + if(a > 0, v.y, v.z)*0.5") {
            Ok(expression) => Arc::new(expression),
            Err(_) => Arc::new(Vector),
        },
        17 => Arc::new(choice()),
        18 => {
            let safety = [
                Safety::Reentrant,
                Safety::Threadsafe,
                Safety::TypeUnsafe,
                Safety::GroupUnsafe("library".into()),
                Safety::GloballyUnsafe,
            ];
            Arc::new(Work { inputs: 2, rounds: 3, safety: safety[seed.below(5)].clone() })
        }
        _ => Arc::new(Arithmetic {
            operation: [Operation::Add, Operation::Min, Operation::Subtract][seed.below(3)],
            of,
        }),
    }
}

/// A node that makes an index: zero or one.
fn choice() -> impl NodeKind {
    let ports = PortList::new().input("a", PortType::Scalar).output("index", PortType::Index);
    let choice = Closure::new("choice", ports, |p| {
        let a = p.scalar(0);
        p.set_scalar(0, f64::from(u8::from(a.abs() > 0.4)));
    });
    choice.safe(Safety::Reentrant)
}
