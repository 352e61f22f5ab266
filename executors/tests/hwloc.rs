//! The topology by hwloc beside that by the system's files, on the machine of the tests.

use std::path::Path;

use weft_executors::topology::{Source, Topology, read};

#[test]
fn hwloc_and_the_system_agree() {
    let by_hwloc = Topology::system();
    assert_eq!(by_hwloc.source, Source::Hwloc);
    let allowed: Vec<u32> = by_hwloc.cores.iter().flat_map(|c| c.threads.iter().copied()).collect();
    // Fewer where the system limits the time of a group of programs, not their cores.
    let number = std::thread::available_parallelism().expect("the system knows");
    assert!(allowed.len() >= number.get());
    let by_files = read(Path::new("/sys/devices/system"), &allowed).expect("files of the system");
    assert_eq!(by_hwloc.cores, by_files.cores);
    assert_eq!(by_hwloc.nodes.len(), by_files.nodes.len());
    assert_eq!(by_hwloc.caches, by_files.caches);
}
