//! Machines by name, size or file, and this one.

use std::path::Path;

use executors::interconnect::{self, Interconnect};
use executors::topology::Topology;
use partition::simulate::{Machine, MachineError};

/// The machine that a word means: `this` (measured now), a preset, `NODESxCORES`, or a JSON file.
///
/// # Errors
/// If it means none, or the file describes none.
pub fn machine(word: &str) -> Result<Machine, MachineError> {
    if word == "this" {
        return Ok(this());
    }
    let path = Path::new(word);
    if path.extension().is_none() {
        return Machine::named(word);
    }
    let wrong = |error: &dyn std::fmt::Display| MachineError::Wrong(word.to_owned(), error.to_string());
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    let machine: Machine = serde_json::from_str(&text).map_err(|e| wrong(&e))?;
    machine.check()?;
    Ok(machine)
}

/// This machine: sizes from the system's files, costs of signals measured now; everything is taken to fit the caches.
fn this() -> Machine {
    let topology = Topology::system();
    let nodes = topology.n_nodes_with_cores().max(1);
    let Interconnect { signal_ns, line_ns, overlap, wake_ns, clock_ns } = interconnect::measure();
    let or_zero = |figures: Vec<f64>| if figures.is_empty() { vec![0.0] } else { figures };
    Machine {
        name: "this".to_owned(),
        source: format!(
            "measured: signal {}, line {} ns, {:.0} % hidden, wake-up {wake_ns:.0} ns, clock {clock_ns:.0} ns",
            list(&signal_ns),
            list(&line_ns),
            overlap * 100.0
        ),
        nodes: nodes as u32,
        cores: topology.cores.len().div_ceil(nodes) as u32,
        signal_ns: or_zero(signal_ns),
        line_ns: or_zero(line_ns),
        overlap,
        wake_ns,
        ..Machine::described()
    }
}

fn list(figures: &[f64]) -> String {
    let figures: Vec<String> = figures.iter().map(|ns| format!("{ns:.0}")).collect();
    if figures.is_empty() { "-".to_owned() } else { figures.join("/") }
}
