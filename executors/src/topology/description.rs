//! Described machines: `NxC`, `NxCxT`, or lines of text.
//!
//! ```text
//! # anything after a # is a comment
//! node 0 cpus 0-3,8-11 package 0 memory 64G     (package and memory may be left out)
//! node 1 cpus 4-7,12-15 package 1 memory 64G
//! core 0,8                                      (hardware threads of one core; others are cores of their own)
//! cache 1 data 48K 0,8
//! distance 0 1 21                               (both ways, unless the other way is given as well)
//! ```

use std::fmt;
use std::path::Path;

use super::{Cache, CacheKind, Core, NumaNode, Source, Topology, TopologyError, cpu_list};

/// Distance of a node from itself, and from another one where nothing is said: those of the firmware's tables.
///
/// **Source:** ACPI specification, System Locality Information Table.
const NEAR: u32 = 10;
const FAR: u32 = 20;

/// More hardware threads than this are taken for a mistake.
const MOST_THREADS: usize = 1 << 14;

/// The topology that a command line names: `NxC`, `NxCxT`, or a file with a description.
///
/// # Errors
/// There is no such file, or the description is wrong.
pub fn argument(text: &str) -> Result<Topology, TopologyError> {
    let path = Path::new(text);
    if product(text).is_none() && (path.exists() || text.contains(['.', '/'])) {
        let text = std::fs::read_to_string(path)
            .map_err(|error| TopologyError::File { path: path.to_path_buf(), error })?;
        return Topology::described(&text);
    }
    Topology::described(text)
}

/// A size in bytes: `48K`, `2M`, `64G`, `123`.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The shortest way to write a size.
fn size(bytes: u64) -> String {
    let unit = [(1u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let fits = unit.iter().find(|(u, _)| bytes >= *u && bytes.is_multiple_of(*u));
    fits.map_or_else(|| bytes.to_string(), |(u, name)| format!("{}{name}", bytes / u))
}

/// The numbers of `NxC` or `NxCxT`.
fn product(text: &str) -> Option<(u32, u32, u32)> {
    let factors: Option<Vec<u32>> = text.trim().split('x').map(|f| f.parse().ok()).collect();
    match factors?[..] {
        [nodes, cores] => Some((nodes, cores, 1)),
        [nodes, cores, threads] => Some((nodes, cores, threads)),
        _ => None,
    }
}

impl Topology {
    /// A machine by description: `NxC` (nodes, cores each), `NxCxT` (hardware threads of each core), or lines of text
    /// as [`Display`](fmt::Display) writes them.
    ///
    /// # Errors
    /// The description is wrong; the message says where and what may stand there.
    pub fn described(text: &str) -> Result<Self, TopologyError> {
        match product(text) {
            Some((nodes, cores, threads)) => uniform(nodes, cores, threads),
            None => lines(text),
        }
    }
}

fn uniform(nodes: u32, cores: u32, threads: u32) -> Result<Topology, TopologyError> {
    let all = [nodes, cores, threads].iter().try_fold(1usize, |n, &f| n.checked_mul(f as usize));
    if !all.is_some_and(|n| (1..=MOST_THREADS).contains(&n)) {
        let message = format!("{nodes}x{cores}x{threads} makes not 1 to {MOST_THREADS} hardware threads");
        return Err(TopologyError::Description { line: 1, message });
    }
    let n = nodes * cores;
    let core = |c: u32| Core {
        node: (c / cores) as usize,
        package: c / cores,
        threads: (0..threads).map(|t| t * n + c).collect(),
    };
    let row = |from| (0..nodes).map(|to| if from == to { NEAR } else { FAR }).collect();
    Ok(Topology {
        source: Source::Described,
        nodes: (0..nodes).map(|number| NumaNode { number, memory: None }).collect(),
        cores: (0..n).map(core).collect(),
        caches: Vec::new(),
        distances: (0..nodes).map(row).collect(),
    })
}

/// What the lines say, before it is put together.
#[derive(Default)]
struct Lines {
    nodes: Vec<NumaNode>,
    /// Per hardware thread: its number, its node's position, its package.
    threads: Vec<(u32, usize, u32)>,
    cores: Vec<Vec<u32>>,
    caches: Vec<Cache>,
    distances: Vec<(u32, u32, u32)>,
}

fn lines(text: &str) -> Result<Topology, TopologyError> {
    let mut read = Lines::default();
    let mut last = 0;
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        last = number + 1;
        read.line(&words).map_err(|message| TopologyError::Description { line: last, message })?;
    }
    read.finish().map_err(|message| TopologyError::Description { line: last.max(1), message })
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

fn list(word: &str) -> Result<Vec<u32>, String> {
    cpu_list::parse(word).map_err(|e| e.to_string())
}

impl Lines {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            [] => Ok(()),
            ["node", n, "cpus", cpus, rest @ ..] => self.node(number(n)?, &list(cpus)?, rest),
            ["node", n, rest @ ..] => self.node(number(n)?, &[], rest),
            ["core", threads] => {
                self.cores.push(list(threads)?);
                Ok(())
            }
            ["cache", level, kind, bytes_text, threads] => {
                let kind = match *kind {
                    "data" => CacheKind::Data,
                    "instruction" => CacheKind::Instruction,
                    "unified" => CacheKind::Unified,
                    other => return Err(format!("`{other}` is not data, instruction or unified")),
                };
                let bytes =
                    bytes(bytes_text).ok_or_else(|| format!("`{bytes_text}` is no size such as 48K"))?;
                self.caches.push(Cache { level: number(level)?, kind, bytes, threads: list(threads)? });
                Ok(())
            }
            ["distance", from, to, distance] => {
                self.distances.push((number(from)?, number(to)?, number(distance)?));
                Ok(())
            }
            [word, ..] => Err(format!(
                "`{word}`: write NxC, NxCxT, `node N cpus LIST`, `core LIST`, `cache LEVEL KIND SIZE LIST` or \
                 `distance N N D`"
            )),
        }
    }

    fn node(&mut self, number_of: u32, cpus: &[u32], mut rest: &[&str]) -> Result<(), String> {
        let (mut package, mut memory) = (number_of, None);
        while let [name, value, more @ ..] = rest {
            match *name {
                "package" => package = number(value)?,
                "memory" => {
                    memory = Some(bytes(value).ok_or_else(|| format!("`{value}` is no size such as 64G"))?);
                }
                other => return Err(format!("`{other}` is not package or memory")),
            }
            rest = more;
        }
        if let [name] = rest {
            return Err(format!("`{name}` lacks its value"));
        }
        if self.nodes.iter().any(|n| n.number == number_of) {
            return Err(format!("node {number_of} is described twice"));
        }
        if let Some(cpu) = cpus.iter().find(|c| self.threads.iter().any(|t| t.0 == **c)) {
            return Err(format!("cpu {cpu} is on two nodes"));
        }
        let position = self.nodes.len();
        self.nodes.push(NumaNode { number: number_of, memory });
        self.threads.extend(cpus.iter().map(|&c| (c, position, package)));
        Ok(())
    }

    fn finish(mut self) -> Result<Topology, String> {
        if self.threads.is_empty() {
            return Err("there must be a node with cpus".to_owned());
        }
        // Nodes are kept ascending; threads follow their node.
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&i| self.nodes[i].number);
        let place: Vec<usize> =
            (0..order.len()).map(|i| order.iter().position(|&o| o == i).unwrap_or(i)).collect();
        self.threads.iter_mut().for_each(|t| t.1 = place[t.1]);
        self.threads.sort_unstable();
        self.nodes.sort_by_key(|n| n.number);
        let nodes = std::mem::take(&mut self.nodes);
        let position = |n: u32| nodes.iter().position(|node| node.number == n);

        let mut cores: Vec<Core> = Vec::new();
        for threads in &self.cores {
            let known: Option<Vec<_>> = threads.iter().map(|&t| self.thread(t)).collect();
            let Some(known) = known.filter(|k| !k.is_empty() && k.windows(2).all(|p| p[0] == p[1])) else {
                return Err(format!("core {}: not cpus of one node", cpu_list::write(threads)));
            };
            if cores.iter().any(|c| c.threads.iter().any(|t| threads.contains(t))) {
                return Err(format!("core {}: a cpu of two cores", cpu_list::write(threads)));
            }
            cores.push(Core { node: known[0].0, package: known[0].1, threads: threads.clone() });
        }
        for &(thread, node, package) in &self.threads {
            if !cores.iter().any(|c| c.threads.contains(&thread)) {
                cores.push(Core { node, package, threads: vec![thread] });
            }
        }
        let n = nodes.len();
        let mut distances = vec![vec![FAR; n]; n];
        (0..n).for_each(|i| distances[i][i] = NEAR);
        for both in [true, false] {
            for &(a, b, distance) in &self.distances {
                let (Some(a), Some(b)) = (position(a), position(b)) else {
                    return Err(format!("distance {a} {b}: no such node"));
                };
                distances[a][b] = distance;
                if both {
                    distances[b][a] = distance;
                }
            }
        }
        let caches = self.caches;
        Ok(Topology { source: Source::Described, nodes, cores, caches, distances }.sorted())
    }

    /// Node and package of a hardware thread.
    fn thread(&self, thread: u32) -> Option<(usize, u32)> {
        self.threads.iter().find(|t| t.0 == thread).map(|t| (t.1, t.2))
    }
}

/// The description that [`Topology::described`] reads: what is seen on one machine can be asked for on another.
///
/// A node's package is written once; a node with cores of several packages does not occur.
impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, node) in self.nodes.iter().enumerate() {
            let cores: Vec<&Core> = self.cores.iter().filter(|c| c.node == position).collect();
            let mut threads: Vec<u32> = cores.iter().flat_map(|c| c.threads.iter().copied()).collect();
            threads.sort_unstable();
            write!(f, "node {}", node.number)?;
            if let Some(core) = cores.first() {
                write!(f, " cpus {} package {}", cpu_list::write(&threads), core.package)?;
            }
            if let Some(memory) = node.memory {
                write!(f, " memory {}", size(memory))?;
            }
            writeln!(f)?;
        }
        for core in self.cores.iter().filter(|c| c.threads.len() > 1) {
            writeln!(f, "core {}", cpu_list::write(&core.threads))?;
        }
        for cache in &self.caches {
            let kind = match cache.kind {
                CacheKind::Data => "data",
                CacheKind::Instruction => "instruction",
                CacheKind::Unified => "unified",
            };
            let threads = cpu_list::write(&cache.threads);
            writeln!(f, "cache {} {kind} {} {threads}", cache.level, size(cache.bytes))?;
        }
        for (from, row) in self.nodes.iter().zip(&self.distances) {
            for (to, distance) in self.nodes.iter().zip(row) {
                writeln!(f, "distance {} {} {distance}", from.number, to.number)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO_NODES: &str = "# two packages\n\
        node 1 cpus 2-3,6-7 memory 64G\n\
        node 0 cpus 0-1,4-5 package 0 memory 64G\n\
        core 0,4\ncore 1,5\ncore 2,6\ncore 3,7\n\
        cache 1 data 48K 0,4\n\
        distance 0 1 21\n";

    #[test]
    fn lines_describe_a_machine() {
        let machine = Topology::described(TWO_NODES).expect("a description");
        assert_eq!((machine.nodes.len(), machine.cores.len(), machine.n_threads()), (2, 4, 8));
        assert_eq!(machine.node_of(6), Some(1));
        assert_eq!(machine.nodes[0].memory, Some(64 << 30));
        assert_eq!(machine.distances, [[10, 21], [21, 10]]);
        assert_eq!(machine.caches[0].bytes, 48 << 10);
        assert_eq!(machine.cores[3].threads, [3, 7]);
    }

    #[test]
    fn wrong_descriptions_name_the_line() {
        for (text, line, word) in [
            ("0x4", 1, "hardware threads"),
            ("99999x99999", 1, "hardware threads"),
            ("", 1, "a node with cpus"),
            ("node 0 cpus 0-3\nnode 0 cpus 4", 2, "twice"),
            ("node 0 cpus 0-3\nnode 1 cpus 3", 2, "two nodes"),
            ("node 0 cpus 0-3 memory 5X", 1, "size"),
            ("node 0 cpus 0-3 memory", 1, "lacks"),
            ("node 0 cpus 0\nnode 1 cpus 1\ncore 0,1", 3, "one node"),
            ("node 0 cpus 0-2\ncore 0,1\ncore 1,2", 3, "two cores"),
            ("node 0 cpus 0\ndistance 0 7 20", 2, "no such node"),
            ("nodes 3", 1, "NxC"),
        ] {
            match Topology::described(text) {
                Err(TopologyError::Description { line: l, message }) => {
                    assert!(l == line && message.contains(word), "{text:?}: line {l}: {message}");
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
        assert!(matches!(argument("no/such.file"), Err(TopologyError::File { .. })));
    }

    proptest! {
        #[test]
        fn what_is_displayed_is_read_again(
            nodes in 1..5u32, cores in 1..5u32, threads in 1..4u32, memory in prop::option::of(0..u64::MAX)
        ) {
            let mut machine = uniform(nodes, cores, threads).expect("a machine");
            machine.nodes[0].memory = memory;
            machine.distances[0][nodes as usize - 1] = 17;
            machine.caches.push(Cache { level: 3, kind: CacheKind::Unified, bytes: 3 << 20, threads: vec![0] });
            prop_assert_eq!(Topology::described(&machine.to_string()).expect("a description"), machine);
        }

        #[test]
        fn no_text_makes_it_panic(text in "((node|core|cache|distance|cpus|[0-9x,-]{1,4}) ?\n?){0,9}") {
            if let Ok(machine) = Topology::described(&text) {
                prop_assert!(!machine.places().is_empty());
            }
        }
    }
}
