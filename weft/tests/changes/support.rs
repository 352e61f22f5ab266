//! A heap that falls while its scene changes, run in every way there is.

use scenes::element::Element;
use scenes::gallery;
use scenes::load::{LoadOptions, load_elements, load_text};
use weft::simulation::{AccumulateMode, ExecutorKind, PartitionerKind, Simulation, SimulationOptions};

/// The gallery's falling objects. Without a group manager, contacts between them act outside all solvers.
pub fn falling(objects: &str, merges: bool, options: SimulationOptions) -> Simulation {
    let set = [("objects".to_owned(), objects.to_owned())];
    let mut root = gallery::find("falling").and_then(|s| s.elements(&set)).expect("a gallery scene");
    root.children.retain(|e| merges || e.class != "CollisionGroupManager");
    of_elements(root, SimulationOptions { dt: Some(0.02), ..options })
}

/// A scene from its elements.
pub fn of_elements(root: Element, options: SimulationOptions) -> Simulation {
    let loaded = load_elements(root, &LoadOptions::default()).expect("it loads");
    Simulation::new(loaded.scene, SimulationOptions { pin: false, ..options }).expect("it can be simulated")
}

/// A scene from its text.
pub fn scene(text: &str, options: SimulationOptions) -> Simulation {
    let loaded = load_text(text, "test.scn", &LoadOptions::default()).expect("it loads");
    Simulation::new(loaded.scene, SimulationOptions { pin: false, ..options }).expect("it can be simulated")
}

/// All bits of the state.
pub fn bits(s: &Simulation) -> Vec<u64> {
    let states = s.states();
    let all = states.iter().flat_map(|v| v.position.iter().chain(&v.velocity)).flatten();
    all.map(|c| c.to_bits()).collect()
}

/// The reference: recorded order, one thread.
pub fn sequential() -> SimulationOptions {
    SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() }
}

/// All other ways to run a scene.
pub fn ways() -> Vec<SimulationOptions> {
    use AccumulateMode::{Auto, Mirror, Reduce};
    use ExecutorKind::{ForkJoin, Replay, Stealing};
    use PartitionerKind::{Metis, Owner};
    [
        (Replay, 1, Owner, Auto),
        (Replay, 2, Metis, Auto),
        (Replay, 3, Owner, Mirror),
        (Replay, 2, Owner, Reduce),
        (Stealing, 2, Owner, Auto),
        (ForkJoin, 2, Owner, Auto),
    ]
    .into_iter()
    .map(|(executor, threads, partitioner, accumulate)| SimulationOptions {
        executor,
        threads,
        partitioner,
        accumulate,
        ..SimulationOptions::default()
    })
    .collect()
}

/// Runs the same course of events in every way and compares all bits at its end.
pub fn same_bits_everywhere(course: impl Fn(SimulationOptions) -> Vec<u64>) {
    let expected = course(sequential());
    for options in ways() {
        let name = format!("{options:?}");
        assert!(course(options) == expected, "{name}");
    }
}
