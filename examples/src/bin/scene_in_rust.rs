//! Builds a scene in Rust, without XML: a soft bar, fixed at one end, that bends under its weight.
//!
//! `cargo run --manifest-path examples/Cargo.toml --bin scene_in_rust`

use weft::prelude::*;

/// The bar: `n` hexahedra along each meter.
fn bar(n: usize) -> Element {
    let size = format!("{} {} {}", 4 * n + 1, n + 1, n + 1);
    Element::node("bar")
        .child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.1).with("rayleighMass", 0.1))
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 50)
                .with("tolerance", 1e-9)
                .with("threshold", 1e-9),
        )
        .child(
            Element::new("RegularGridTopology")
                .with("n", size)
                .with("min", "0 -0.5 -0.5")
                .with("max", "4 0.5 0.5"),
        )
        .child(Element::new("MechanicalObject"))
        .child(Element::new("UniformMass").with("totalMass", 40))
        .child(Element::new("BoxROI").with("name", "end").with("box", "-0.01 -1 -1 0.01 1 1"))
        .child(Element::new("FixedProjectiveConstraint").with("indices", "@end.indices"))
        .child(
            Element::new("HexahedronFEMForceField")
                .with("youngModulus", 40_000)
                .with("poissonRatio", 0.3)
                .with("method", "large"),
        )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Element::node("root")
        .with("dt", 0.02)
        .with("gravity", "0 -9.81 0")
        .child(Element::new("DefaultAnimationLoop"))
        .child(bar(2));
    let loaded = load_elements(root, &LoadOptions::default())?;
    let mut simulation = Simulation::new(loaded.scene, SimulationOptions::default())?;
    for _ in 0..100 {
        let report = simulation.step()?;
        if simulation.step_index() % 20 == 0 {
            let lowest = simulation.states()[0].position.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
            let iterations = report.cg_iterations.first().copied().unwrap_or(0);
            println!("{:4.1} s: lowest point {lowest:.3} m, {iterations} CG iterations", simulation.time());
        }
    }
    println!("state hash {}", simulation.state_hash()?);
    Ok(())
}
