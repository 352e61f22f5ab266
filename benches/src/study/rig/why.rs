//! Questions that users of rigs ask in vain elsewhere: why is this serial, and why was that done anew.

use std::fmt::Write;

use animation::rig::generate::film::film;
use animation::rig::node::{PortList, Safety};
use animation::rig::nodes::Closure;
use animation::rig::value::PortType;
use animation::rig::{NodeId, Settings, Threading};

use super::workers::{evaluator, replay};
use super::{Outcome, Size};

/// The answers for a character of which some nodes are not safe.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Why is this node serial, and why was this rebuilt\n\n".to_owned();
    text += "Answers of `why_serial`, `warnings` and `why_rebuilt` for `film`, with two readers of files and a script added.\n\n";
    let mut rig = film(size.small, 1)?;
    let time = rig.find_control("time")?;
    for (name, kind, safety) in [
        ("cloth cache", "cache-reader", Some(Safety::TypeUnsafe)),
        ("hair cache", "cache-reader", Some(Safety::TypeUnsafe)),
        ("props", "script", None),
    ] {
        let ports = PortList::new().input("time", PortType::Scalar).output("value", PortType::Scalar);
        let node = Closure::new(kind, ports, |p| {
            let time = p.scalar(0);
            p.set_scalar(0, time);
        });
        let node = rig.node(
            name,
            match safety {
                Some(safety) => node.safe(safety),
                None => node,
            },
        )?;
        rig.bind_control(time, node, 0)?;
        rig.output(name, node, 0)?;
    }
    let mut e = evaluator(rig, replay(2), Settings::default())?;
    e.evaluate()?;
    text += "| node | why it is serial |\n|---|---|\n";
    for name in ["cloth cache", "props", "motion 3", "left thumb 3", "body corrective 0"] {
        let why: Vec<String> = e.why_serial(e.rig().find(name)?).iter().map(ToString::to_string).collect();
        let why = if why.is_empty() { "it is not".to_owned() } else { why.join("; ") };
        writeln!(text, "| `{name}` | {why} |")?;
    }
    for warning in e.warnings() {
        writeln!(text, "\nWarning: {warning}.")?;
    }
    let wrist = e.rig().find_control("left wrist rotate")?;
    for angle in [0.1, 0.2] {
        e.set(wrist, &[angle; 3])?;
        e.evaluate()?;
    }
    let props: NodeId = e.rig().find("props")?;
    e.override_safety(props, Some(Safety::Reentrant)).map_err(|wrong| wrong[0].clone())?;
    e.set_threading(Threading { graph: false, nodes: true }).map_err(|wrong| wrong[0].clone())?;
    text += "\nAfter two edits of the left wrist, a class overridden and a switch turned, these are the reasons, the oldest first:\n\n";
    for why in e.why_rebuilt() {
        writeln!(text, "- {why}")?;
    }
    Ok(text)
}
