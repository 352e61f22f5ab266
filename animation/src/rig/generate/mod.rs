//! Rigs that are made up, with fixed seeds: for tests, studies and pictures.
//!
//! - [`biped`]: a human character of any number of nodes, and several of them;
//! - [`film`]: such a character with the serial parts of real ones;
//! - [`cases`]: the three cases of the paper, before and after;
//! - [`random`]: rigs without meaning, of all kinds of nodes;
//! - [`without_mathematics`]: the same graph with nodes that do nothing.

pub mod biped;
pub mod cases;
pub mod film;
mod hero;
pub mod random;
mod seed;

pub use seed::Seed;

use super::error::RigError;
use super::nodes::Pass;
use super::rig::{Control, KindId, NodeId, Rig, Source};
use super::value::PortType;

/// The same graph with nodes that do nothing but pass on their first input: what is left is the cost of evaluation itself.
///
/// # Errors
/// None that a rig could cause.
pub fn without_mathematics(of: &Rig) -> Result<Rig, RigError> {
    let mut rig = Rig::new(of.name.clone());
    let mut kinds: Vec<Option<KindId>> = Vec::new();
    for control in of.controls() {
        let (range, default) = (control.range, vec![control.default.first().copied().unwrap_or(0.0)]);
        rig.control(Control { name: control.name.clone(), of: PortType::Scalar, range, default })?;
    }
    let is_bound = |s: &&Source| matches!(s, Source::Output(..) | Source::Control(_));
    for node in &of.nodes {
        let n = node.sources.iter().filter(is_bound).count();
        if kinds.len() <= n {
            kinds.resize(n + 1, None);
        }
        let kind = match kinds[n] {
            Some(kind) => kind,
            None => rig.kind(Pass { inputs: n as u32 }),
        };
        kinds[n] = Some(kind);
        rig.component(&of.components[node.component as usize]);
        rig.add(node.name.clone(), kind)?;
    }
    for (to, node) in (0..).map(NodeId).zip(&of.nodes) {
        for (input, source) in node.sources.iter().filter(is_bound).enumerate() {
            match source {
                Source::Output(from, _) => rig.bind(*from, 0, to, input)?,
                Source::Control(control) => rig.bind_control(*control, to, input)?,
                Source::Unbound | Source::Value(_) => {}
            }
        }
    }
    for (name, node, _) in &of.outputs {
        rig.output(name.clone(), *node, 0)?;
    }
    Ok(rig)
}
