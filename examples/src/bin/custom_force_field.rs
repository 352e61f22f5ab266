//! Registers a force field of one's own and uses it by name in a scene file.
//!
//! `cargo run --manifest-path examples/Cargo.toml --bin custom_force_field`

use std::path::Path;

use weft::prelude::*;
use weft_examples::attractor_force_field;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::with_builtins();
    registry.register(attractor_force_field::DESCRIPTION);

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/planets.scn");
    let loaded = load_file(&file, &LoadOptions { registry, ..LoadOptions::default() })?;
    let options = SimulationOptions { threads: 2, ..SimulationOptions::default() };
    let mut simulation = Simulation::new(loaded.scene, options)?;

    // The planet at a distance of 1 m needs 2 pi seconds for one turn.
    let steps = (std::f64::consts::TAU / simulation.dt()).round() as u64;
    for _ in 0..steps {
        simulation.step()?;
    }
    let planets = &simulation.states()[0].position;
    for (name, x) in ["inner", "middle", "outer"].iter().zip(planets) {
        let distance = x.iter().map(|c| c * c).sum::<f64>().sqrt();
        println!("{name:6} planet at {:7.4} {:7.4} {:7.4}, {distance:.4} m away", x[0], x[1], x[2]);
    }
    let back = (planets[0][0] - 1.0).abs() < 0.01 && planets[0][1].abs() < 0.01;
    if !back {
        return Err(format!("after one turn the inner planet is not back, but at {:?}", planets[0]).into());
    }
    println!("after {:.2} s the inner planet is back where it began", simulation.time());
    Ok(())
}
