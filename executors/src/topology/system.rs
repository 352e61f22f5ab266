//! The topology as the system's files tell it (`/sys/devices/system` of Linux).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use super::{Cache, CacheKind, Core, NumaNode, Source, Topology, TopologyError, cpu_list};
use crate::affinity;

/// Where Linux keeps its files.
const ROOT: &str = "/sys/devices/system";

impl Topology {
    /// The machine that this runs on, restricted to the cores that the process may use; looked at once.
    ///
    /// From hwloc if this was built with the feature `hwloc`, else from the system's files; where neither says
    /// anything, one node with as many cores as the standard library counts.
    pub fn system() -> &'static Self {
        static SYSTEM: OnceLock<Topology> = OnceLock::new();
        SYSTEM.get_or_init(|| {
            let allowed: Vec<u32> = affinity::allowed_cores().iter().map(|&c| c as u32).collect();
            #[cfg(feature = "hwloc")]
            match super::hwloc::read(&allowed) {
                Ok(topology) => return topology,
                Err(error) => log::warn!("{error}; the system's files are read instead"),
            }
            read(Path::new(ROOT), &allowed).unwrap_or_else(|error| {
                log::info!("{error}");
                Self::flat(affinity::n_cores())
            })
        })
    }
}

/// Reads the topology from files laid out as in `/sys/devices/system`, restricted to the hardware threads `allowed`.
///
/// What is missing there is left out: without `node/` there is one node, without `cpu/*/topology` each hardware thread is
/// a core, without `cpu/*/cache` no cache is known.
///
/// # Errors
/// No hardware thread is allowed, or a list of numbers cannot be read.
pub fn read(root: &Path, allowed: &[u32]) -> Result<Topology, TopologyError> {
    if allowed.is_empty() || !root.join("cpu").is_dir() {
        return Err(TopologyError::Empty { path: root.to_path_buf() });
    }
    let (nodes, node_of, distances) = nodes(&root.join("node"))?;
    let mut cores: BTreeMap<Vec<u32>, Core> = BTreeMap::new();
    let mut caches: Vec<Cache> = Vec::new();
    for &thread in allowed {
        let cpu = root.join(format!("cpu/cpu{thread}"));
        let threads = siblings(&cpu, thread, allowed)?;
        let node = node_of.get(&thread).copied().unwrap_or(0);
        let package = number(&cpu.join("topology/physical_package_id")).unwrap_or(0);
        cores.entry(threads.clone()).or_insert(Core { node, package, threads });
        for cache in caches_of(&cpu, allowed)? {
            if !caches.contains(&cache) {
                caches.push(cache);
            }
        }
    }
    let cores = cores.into_values().collect();
    Ok(Topology { source: Source::System, nodes, cores, caches, distances }.sorted())
}

/// A file's first line without white space around it.
fn line(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.lines().next().unwrap_or_default().trim().to_owned())
}

/// A file's number. Negative ones mean "unknown".
fn number(path: &Path) -> Option<u32> {
    line(path)?.parse().ok()
}

/// The nodes, the node of each hardware thread, the distances.
#[expect(
    clippy::type_complexity,
    reason = "three things that are read together, named where they are taken apart"
)]
fn nodes(directory: &Path) -> Result<(Vec<NumaNode>, BTreeMap<u32, usize>, Vec<Vec<u32>>), TopologyError> {
    let mut numbers: Vec<u32> = std::fs::read_dir(directory)
        .map(|entries| {
            let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
            names.filter_map(|n| n.strip_prefix("node")?.parse().ok()).collect()
        })
        .unwrap_or_default();
    numbers.sort_unstable();
    let (mut nodes, mut node_of, mut distances) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (position, &number) in numbers.iter().enumerate() {
        let node = directory.join(format!("node{number}"));
        for thread in cpu_list::parse(&line(&node.join("cpulist")).unwrap_or_default())? {
            node_of.insert(thread, position);
        }
        let row = line(&node.join("distance")).unwrap_or_default();
        distances.push(row.split_whitespace().filter_map(|d| d.parse().ok()).collect::<Vec<u32>>());
        nodes.push(NumaNode { number, memory: memory(&node.join("meminfo")) });
    }
    if distances.iter().any(|row| row.len() != nodes.len()) {
        distances.clear();
    }
    if nodes.is_empty() {
        nodes.push(NumaNode { number: 0, memory: None });
    }
    Ok((nodes, node_of, distances))
}

/// The memory of a node [bytes]: the line `Node 0 MemTotal: 24576 kB`.
fn memory(path: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|l| l.contains("MemTotal:"))?;
    let kilobytes: u64 = line.split("MemTotal:").nth(1)?.trim().trim_end_matches("kB").trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The hardware threads of a thread's core that may be used, ascending.
fn siblings(cpu: &Path, thread: u32, allowed: &[u32]) -> Result<Vec<u32>, TopologyError> {
    let files = ["topology/core_cpus_list", "topology/thread_siblings_list"];
    let list = files.iter().find_map(|f| line(&cpu.join(f))).unwrap_or_default();
    let mut threads = restricted(&list, allowed)?;
    if !threads.contains(&thread) {
        threads = vec![thread];
    }
    Ok(threads)
}

fn restricted(list: &str, allowed: &[u32]) -> Result<Vec<u32>, TopologyError> {
    let mut threads = cpu_list::parse(list)?;
    threads.retain(|t| allowed.contains(t));
    Ok(threads)
}

/// The caches that a hardware thread uses.
fn caches_of(cpu: &Path, allowed: &[u32]) -> Result<Vec<Cache>, TopologyError> {
    let mut caches = Vec::new();
    for index in 0.. {
        let directory = cpu.join(format!("cache/index{index}"));
        let Some(level) = number(&directory.join("level")) else { break };
        let kind = match line(&directory.join("type")).as_deref() {
            Some("Data") => CacheKind::Data,
            Some("Instruction") => CacheKind::Instruction,
            _ => CacheKind::Unified,
        };
        let Some(bytes) = line(&directory.join("size")).and_then(|s| super::description::bytes(&s)) else {
            continue;
        };
        let threads = restricted(&line(&directory.join("shared_cpu_list")).unwrap_or_default(), allowed)?;
        caches.push(Cache { level, kind, bytes, threads });
    }
    Ok(caches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory of the test");
        fs::write(path, text).expect("a file of the test");
    }

    /// The files of a machine of `nodes` x `cores` x `threads`, second threads numbered after all first ones.
    fn machine(nodes: u32, cores: u32, threads: u32) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory for the test");
        let root = directory.path();
        let n = nodes * cores;
        let row = |from: u32| {
            let far = |to| if from == to { "10" } else { "21" };
            (0..nodes).map(far).collect::<Vec<_>>().join(" ")
        };
        for node in 0..nodes {
            let mine = (0..threads).flat_map(|t| (0..cores).map(move |c| t * n + node * cores + c));
            let mine: Vec<u32> = mine.collect();
            put(root, &format!("node/node{node}/cpulist"), &format!("{}\n", cpu_list::write(&mine)));
            put(root, &format!("node/node{node}/distance"), &row(node));
            put(root, &format!("node/node{node}/meminfo"), &format!("Node {node} MemTotal:   1024 kB\n"));
            for &thread in &mine {
                let cpu = format!("cpu/cpu{thread}");
                let core: Vec<u32> = (0..threads).map(|t| t * n + thread % n).collect();
                put(root, &format!("{cpu}/topology/thread_siblings_list"), &cpu_list::write(&core));
                put(root, &format!("{cpu}/topology/physical_package_id"), &node.to_string());
                put(root, &format!("{cpu}/cache/index0/level"), "1");
                put(root, &format!("{cpu}/cache/index0/type"), "Data");
                put(root, &format!("{cpu}/cache/index0/size"), "48K");
                put(root, &format!("{cpu}/cache/index0/shared_cpu_list"), &cpu_list::write(&core));
            }
        }
        put(root, "node/possible", "0-1");
        directory
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn files_of_any_machine_are_read(nodes in 1..4u32, cores in 1..5u32, threads in 1..3u32) {
            let directory = machine(nodes, cores, threads);
            let all: Vec<u32> = (0..nodes * cores * threads).collect();
            let topology = read(directory.path(), &all).expect("a topology");
            prop_assert_eq!(topology.nodes.len() as u32, nodes);
            prop_assert_eq!(topology.cores.len() as u32, nodes * cores);
            prop_assert_eq!(topology.caches.len() as u32, nodes * cores);
            prop_assert_eq!(topology.n_threads(), all.len());
            prop_assert_eq!(topology.nodes[0].memory, Some(1 << 20));
            prop_assert_eq!(topology.distances[0][nodes as usize - 1], if nodes == 1 { 10 } else { 21 });
            for core in &topology.cores {
                prop_assert_eq!(core.package as usize, core.node);
            }
        }

        #[test]
        fn only_what_is_allowed_is_seen(mask in 1..256u32) {
            let directory = machine(2, 2, 2);
            let allowed: Vec<u32> = (0..8).filter(|t| mask >> t & 1 == 1).collect();
            let topology = read(directory.path(), &allowed).expect("a topology");
            let mut seen: Vec<u32> = topology.places().iter().map(|p| p.thread).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, allowed.clone());
            let nodes = [0x33, 0xcc].iter().filter(|&n| mask & n != 0).count();
            prop_assert_eq!(topology.n_nodes_with_cores(), nodes);
            prop_assert!(topology.caches.iter().all(|c| c.threads.iter().all(|t| allowed.contains(t))));
        }
    }

    #[test]
    fn missing_files_leave_one_node_and_a_core_per_thread() {
        let directory = tempfile::tempdir().expect("a directory for the test");
        put(directory.path(), "cpu/online", "0-2");
        let topology = read(directory.path(), &[0, 2]).expect("a topology");
        assert_eq!((topology.nodes.len(), topology.cores.len()), (1, 2));
        assert_eq!(topology.node_of(2), Some(0));
        assert!(topology.caches.is_empty() && topology.distances.is_empty());
        assert!(matches!(read(directory.path(), &[]), Err(TopologyError::Empty { .. })));
    }

    #[test]
    fn a_list_that_makes_no_sense_is_an_error() {
        let directory = machine(1, 1, 1);
        put(directory.path(), "node/node0/cpulist", "0-x");
        assert!(matches!(read(directory.path(), &[0]), Err(TopologyError::List { .. })));
    }

    #[test]
    fn this_machine_has_a_place_for_every_core_that_may_be_used() {
        let system = Topology::system();
        let allowed = affinity::allowed_cores();
        if !allowed.is_empty() {
            assert_eq!(system.n_threads(), allowed.len());
        }
        assert!(!system.places().is_empty());
    }
}
