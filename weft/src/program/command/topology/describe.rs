//! A machine as a table, and as JSON.

use std::fmt::Write;

use executors::topology::{Cache, CacheKind, Source, Topology, cpu_list};
use serde_json::{Value, json};

/// Columns that a list of cores may fill.
const WIDTH: usize = 100;

/// The machine for people: nodes with their cores and caches, distances, where workers go.
pub fn table(machine: &Topology) -> String {
    let mut text = String::new();
    let packages = packages(machine);
    let counts = [
        count(machine.nodes.len(), "node"),
        count(packages.len(), "package"),
        count(machine.cores.len(), "core"),
        count(machine.n_threads(), "hardware thread"),
    ];
    let _ = writeln!(text, "{} ({})", counts.join(", "), source(&machine.source));
    for (position, node) in machine.nodes.iter().enumerate() {
        let cores: Vec<_> = machine.cores.iter().filter(|c| c.node == position).collect();
        let mut here: Vec<u32> = cores.iter().map(|c| c.package).collect();
        here.dedup();
        let mut facts = Vec::new();
        facts.extend((!here.is_empty()).then(|| format!("package {}", cpu_list::write(&here))));
        facts.extend(node.memory.map(|bytes| size(bytes) + " of memory"));
        facts.extend(cores.is_empty().then(|| "no core that may be used".to_owned()));
        let _ = writeln!(text, "node {}: {}", node.number, facts.join(", "));
        let words = cores.iter().map(|c| c.threads.iter().map(u32::to_string).collect::<Vec<_>>().join("+"));
        for (row, line) in wrapped(words).iter().enumerate() {
            let _ = writeln!(text, "  {:8}{line}", if row == 0 { "cores" } else { "" });
        }
        let is_here = |cache: &&Cache| cache.threads.iter().any(|t| machine.node_of(*t) == Some(position));
        let caches: Vec<&Cache> = machine.caches.iter().filter(is_here).collect();
        let same = |a: &&Cache, b: &&Cache| (a.level, a.kind, a.bytes) == (b.level, b.kind, b.bytes);
        let words = caches.chunk_by(same).map(|run| {
            let Cache { level, kind, bytes, .. } = run[0];
            format!("L{level}{} {} x {}", short(*kind), size(*bytes), run.len())
        });
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            let _ = writeln!(text, "  {:8}{}", "caches", words.join(", "));
        }
    }
    if machine.nodes.len() > 1 && !machine.distances.is_empty() {
        let row = |name: &str, words: &mut dyn Iterator<Item = String>| {
            words.fold(format!("{name:12}"), |line, word| format!("{line} {word:>4}"))
        };
        let numbers = machine.nodes.iter().map(|n| n.number.to_string());
        let _ = writeln!(text, "{}", row("distances", &mut numbers.clone()));
        for (number, distances) in numbers.zip(&machine.distances) {
            let line = row(&format!("  node {number}"), &mut distances.iter().map(u32::to_string));
            let _ = writeln!(text, "{line}");
        }
    }
    let order: Vec<u32> = machine.places().iter().map(|p| p.thread).collect();
    for (row, line) in wrapped(order.iter().map(u32::to_string)).iter().enumerate() {
        let _ = writeln!(text, "{:10}{line}", if row == 0 { "workers" } else { "" });
    }
    if machine.n_nodes_with_cores() == 1 {
        text.push_str("one node has cores: all memory is equally near, and buffers stay where they are\n");
    }
    text
}

/// The machine for programs.
pub fn json(machine: &Topology) -> Value {
    let nodes: Vec<Value> =
        machine.nodes.iter().map(|n| json!({ "node": n.number, "memory_bytes": n.memory })).collect();
    let core = |c: &executors::topology::Core| json!({ "node": machine.nodes[c.node].number, "package": c.package, "threads": c.threads });
    let cache = |c: &Cache| {
        let kind = match c.kind {
            CacheKind::Data => "data",
            CacheKind::Instruction => "instruction",
            CacheKind::Unified => "unified",
        };
        json!({ "level": c.level, "kind": kind, "bytes": c.bytes, "threads": c.threads })
    };
    json!({
        "source": source(&machine.source),
        "nodes": nodes,
        "cores": machine.cores.iter().map(core).collect::<Vec<_>>(),
        "caches": machine.caches.iter().map(cache).collect::<Vec<_>>(),
        "distances": machine.distances,
        "workers": machine.places().iter().map(|p| p.thread).collect::<Vec<_>>(),
    })
}

fn source(source: &Source) -> &'static str {
    match source {
        Source::System => "the system's files",
        Source::Hwloc => "hwloc",
        Source::Described => "described",
        Source::Unknown => "only the number of cores is known",
    }
}

fn short(kind: CacheKind) -> &'static str {
    match kind {
        CacheKind::Data => "d",
        CacheKind::Instruction => "i",
        CacheKind::Unified => "",
    }
}

fn packages(machine: &Topology) -> Vec<u32> {
    let mut packages: Vec<u32> = machine.cores.iter().map(|c| c.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn count(n: usize, name: &str) -> String {
    format!("{n} {name}{}", if n == 1 { "" } else { "s" })
}

/// A size with a binary unit, rounded to one digit behind the point.
fn size(bytes: u64) -> String {
    let unit = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let (of, name) = unit.into_iter().find(|(u, _)| bytes >= *u).unwrap_or((1, "bytes"));
    if bytes.is_multiple_of(of) {
        format!("{} {name}", bytes / of)
    } else {
        format!("{:.1} {name}", bytes as f64 / of as f64)
    }
}

/// Words in lines of at most [`WIDTH`] columns.
fn wrapped(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}
