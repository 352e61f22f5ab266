//! Threads begin and end with the engine that they belong to.
//!
//! One test in a binary of its own, so that no other's threads are counted.
#![cfg(target_os = "linux")]

use weft::prelude::*;
use weft::simulation::{Execution, ExecutorKind, PartitionerKind};

fn n_threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("the system tells").count()
}

/// Waits for threads that end by themselves: those of rayon's pools are not joined. Only a test that fails waits to the end.
fn settles_at(n: usize) -> bool {
    (0..24_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        n_threads() == n
    })
}

/// The cores that this thread may use.
fn cores() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("the system tells");
    status.lines().find(|l| l.starts_with("Cpus_allowed_list")).expect("a line").to_owned()
}

#[test]
fn an_exchanged_engine_leaves_no_threads_and_no_pinned_caller() {
    use ExecutorKind::{ForkJoin, Replay, Sequential, Stealing};
    let (threads_before, cores_before) = (n_threads(), cores());
    let root = weft::gallery::find("stack").expect("it is in the gallery").elements(&[]).expect("defaults");
    let loaded = scenes::load_elements(root, &LoadOptions::default()).expect("it loads");
    let mut s = Simulation::new(loaded.scene, SimulationOptions::default()).expect("it begins");
    for round in 0..3 {
        for (executor, threads) in
            [(Replay, 2), (Stealing, 3), (ForkJoin, 2), (Replay, 3), (Sequential, 3), (Replay, 1)]
        {
            let partitioner = PartitionerKind::Metis;
            s.set_execution(Execution { threads, partitioner, executor }).expect("it can be changed");
            s.step().expect("a step");
            // A pool of rayon's has threads besides the caller's, as many as it is asked for.
            let further = if executor == ForkJoin && s.threads_started() > 1 { 0 } else { 1 };
            let expected = threads_before + s.threads_started() - further;
            assert!(settles_at(expected), "round {round}, {executor:?}: {} of {expected}", n_threads());
        }
        assert_eq!(cores(), cores_before, "one worker is not pinned");
    }
    s.set_execution(Execution { threads: 2, ..s.execution() }).expect("it can be changed");
    drop(s);
    assert!(settles_at(threads_before), "{} of {threads_before}", n_threads());
    assert_eq!(cores(), cores_before);
}
