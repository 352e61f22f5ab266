//! `weft check` of a rig.

use std::fmt::Write;

use animation::rig::ControlId;

use super::source::{RigSource, refused};
use crate::execution::{ExecutorKind, SimulationOptions};
use crate::program::command::scene::count;
use crate::program::failure::Failure;
use crate::program::say::{complain, say};
use crate::rigs::RigSimulation;

/// Nodes that are evaluated for validation at most, over and over.
const MOST_NODES: usize = 3_000_000;
/// Controls and outputs that are listed.
const LISTED: usize = 20;

/// Checks a rig: reads it, puts it into tasks and says what it has.
///
/// # Errors
/// It would not run.
pub fn check(source: &RigSource, name: &str) -> Result<(), Failure> {
    let (rig, warnings) = match source.load()? {
        Ok(loaded) => loaded,
        Err(found) => {
            found.iter().for_each(|d| complain(&d.to_string()));
            say(&format!("{name}: would not run ({})", count(&found)));
            return Err(Failure::Said(1, String::new()));
        }
    };
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let mut simulation = RigSimulation::unmeasured(rig, &options).map_err(|wrong| refused(&wrong))?;
    source.set(&mut simulation)?;
    warnings.iter().for_each(|d| complain(&d.to_string()));
    for line in simulation.evaluator().warnings() {
        complain(&format!("note: {line}"));
    }
    let (rig, structure) = (simulation.rig(), simulation.evaluator().structure());
    say(&format!(
        "{name}: would run ({}): {} nodes, {} edges; {} on {}",
        count(&warnings),
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
    validate(&mut simulation, name)
}

/// Edits controls one after the other, and compares what is evaluated then with an evaluation of everything.
fn validate(simulation: &mut RigSimulation, name: &str) -> Result<(), Failure> {
    let first = simulation.evaluate();
    let controls = simulation.rig().controls().to_vec();
    let some = (MOST_NODES / simulation.rig().n_nodes().max(1)).clamp(1, controls.len().max(1));
    let mut wrong: Vec<String> = first.err().into_iter().collect();
    for (k, control) in controls.iter().enumerate().take(some) {
        let id = ControlId(k as u32);
        let value: Vec<f64> =
            simulation.evaluator().control(0, id).iter().map(|v| nudged(*v, control.range)).collect();
        if !wrong.is_empty() || simulation.set(id, &value).is_err() {
            break;
        }
        wrong.extend(simulation.evaluate().err());
        wrong.extend(simulation.evaluator().validate(0).iter().map(ToString::to_string));
    }
    for line in simulation.take_not_finite() {
        complain(&format!("warning: {line}"));
    }
    if wrong.is_empty() {
        let n = some.min(controls.len());
        say(&format!(
            "validated: {} edited one by one, as if all were evaluated anew",
            several(n, "control")
        ));
        return Ok(());
    }
    wrong.iter().for_each(|message| complain(&format!("error: {message}")));
    say(&format!("{name}: does not evaluate as it says ({})", several(wrong.len(), "error")));
    Err(Failure::Said(1, String::new()))
}

/// Another value of a control's range.
fn nudged(value: f64, range: Option<(f64, f64)>) -> f64 {
    match range {
        Some((low, high)) if value + 0.1 > high => low.max(value - 0.1),
        _ => value + 0.1,
    }
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
