//! `weft check` of a rig.

use std::fmt::Write;

use super::source::{RigSource, refused};
use crate::execution::{ExecutorKind, SimulationOptions};
use crate::program::command::scene::count;
use crate::program::failure::Failure;
use crate::program::say::{complain, say};
use crate::rigs::RigSimulation;

/// Controls and outputs that are listed.
const LISTED: usize = 20;

/// Checks a rig: reads it, puts it into tasks and says what it has.
///
/// # Errors
/// It would not run.
pub fn check(source: &RigSource, name: &str) -> Result<(), Failure> {
    let rig = match source.load()? {
        Ok(rig) => rig,
        Err(found) => {
            found.iter().for_each(|d| complain(&d.to_string()));
            say(&format!("{name}: would not run ({})", count(&found)));
            return Err(Failure::Said(1));
        }
    };
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let mut simulation = RigSimulation::unmeasured(rig, &options).map_err(|wrong| refused(&wrong))?;
    source.set(&mut simulation)?;
    for line in simulation.evaluator().warnings() {
        complain(&format!("note: {line}"));
    }
    let (rig, structure) = (simulation.rig(), simulation.evaluator().structure());
    say(&format!(
        "{name}: would run ({}): {} nodes, {} edges; {} on {}",
        count(&[]),
        rig.n_nodes(),
        rig.n_bindings(),
        several(structure.n_blocks(), "task"),
        several(structure.n_levels() as usize, "level"),
    ));
    let controls = rig.controls().iter().map(|c| {
        let range = c.range.map_or_else(String::new, |(low, high)| format!(" from {low} to {high}"));
        (c.name.as_str(), format!("{}{range}", c.of))
    });
    say(&listed("control", controls.collect()));
    let outputs = rig.outputs().zip((0..).map(animation::rig::OutputId)).map(|(name, output)| {
        let (node, port) = rig.output_port(output);
        let triangles = match rig.triangles(output).len() {
            0 => String::new(),
            n => format!(", {}", several(n, "triangle")),
        };
        (name, format!("{}{triangles}", rig.ports(node).outputs[port].of))
    });
    say(&listed("output", outputs.collect()));
    Ok(())
}

fn several(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// How many there are, and the first of them with what they are.
fn listed(what: &str, all: Vec<(&str, String)>) -> String {
    let mut text = several(all.len(), what);
    for (name, of) in all.iter().take(LISTED) {
        let _ = write!(text, "\n    {name}: {of}");
    }
    if all.len() > LISTED {
        let _ = write!(text, "\n    and {} more", all.len() - LISTED);
    }
    text
}
