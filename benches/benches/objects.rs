//! What it costs when an object comes to a running scene and goes again, or a mouse takes hold of one and lets go, beside
//! recording and planning the whole scene anew, for 10 to 1,000 objects.
//!
//! `cargo bench -p benches --bench objects` prints a table. All is done in turns within one run; medians count.

use std::time::Instant;

use weft::prelude::*;

const ROUNDS: usize = 41;

/// A soft cube with a solver of its own and a collision model that touches nobody.
fn cube(k: usize) -> Element {
    let x = 2.0 * k as f64;
    Element::node(&format!("cube{k}"))
        .child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.1))
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 10)
                .with("tolerance", 1e-9)
                .with("threshold", 1e-9),
        )
        .child(
            Element::new("RegularGridTopology")
                .with("n", "3 3 3")
                .with("min", format!("{x} 0 0"))
                .with("max", format!("{} 1 1", x + 1.0)),
        )
        .child(Element::new("MechanicalObject").with("name", "dofs"))
        .child(Element::new("UniformMass").with("totalMass", 2))
        .child(Element::new("RegularGridSpringForceField").with("stiffness", 300).with("damping", 1))
        .child(Element::new("SphereCollisionModel").with("radius", 0.1))
}

/// A row of cubes; also the time of the first step's plan work [ns], after another simulation has warmed the memory.
fn row(n: usize) -> (Simulation, f64) {
    let mut root = Element::node("root").with("dt", 0.01).with("gravity", "0 0 0");
    for class in ["CollisionPipeline", "BruteForceBroadPhase", "BVHNarrowPhase", "CollisionResponse"] {
        root = root.child(Element::new(class));
    }
    root = root.child(
        Element::new("NewProximityIntersection").with("alarmDistance", 0.1).with("contactDistance", 0.05),
    );
    for k in 0..n {
        root = root.child(cube(k));
    }
    let loaded = load_elements(root, &LoadOptions::default()).expect("the scene loads");
    let options = SimulationOptions { threads: 2, pin: false, ..SimulationOptions::default() };
    let mut simulation = Simulation::new(loaded.scene, options).expect("the scene can be simulated");
    let build_ns = simulation.step().expect("a step").graph_ns as f64;
    (simulation, build_ns)
}

fn timed<T>(times: &mut Vec<f64>, action: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = action();
    times.push(begin.elapsed().as_nanos() as f64);
    result
}

/// In microseconds.
fn median(mut ns: Vec<f64>) -> f64 {
    ns.sort_by(f64::total_cmp);
    ns[ns.len() / 2] / 1e3
}

fn main() {
    println!(
        "{:>7} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "objects", "build us", "load us", "comes us", "goes us", "hold us", "let go us"
    );
    let options = LoadOptions::default();
    for n in [10, 30, 100, 300, 1000] {
        let builds: Vec<f64> = (0..5).map(|_| row(n).1).collect();
        let (mut s, _) = row(n);
        let root = s.world().scene.root();
        let (mut loads, mut comes, mut goes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut holds, mut lets_go) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // What the loader takes of it, for a scene with nothing else.
            let alone = Element::node("root").child(cube(n));
            timed(&mut loads, || load_elements(alone, &options).expect("the cube loads"));
            let element = cube(n);
            let added = timed(&mut comes, || s.add_object(root, element, &options).expect("it fits"));
            s.step().expect("a step");
            timed(&mut goes, || s.remove_object(added.node).expect("it is there"));
            s.step().expect("a step");
            let dofs = s.find_state(&format!("/cube{}/dofs", round % n)).expect("it is there");
            let spring = MouseSpring {
                index: 0,
                local: Vec3::zeros(),
                target: Vec3::zeros(),
                stiffness: 1.0,
                damping: 0.0,
            };
            let held = timed(&mut holds, || s.attach_body(dofs, spring).expect("it can be held"));
            s.step().expect("a step");
            timed(&mut lets_go, || s.remove_force_field(held).expect("it is there"));
            s.step().expect("a step");
        }
        println!(
            "{n:>7} {:>10.0} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1}",
            median(builds),
            median(loads),
            median(comes),
            median(goes),
            median(holds),
            median(lets_go)
        );
    }
    println!("(build: recording and planning all; load: reading the object alone, which `comes` contains)");
}
