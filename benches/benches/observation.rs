//! What observing a step costs: `cargo bench -p benches --bench observation`.
//!
//! One simulation, its steps in turn observed, not observed, and not observed again, in all orders. The second ratio
//! says how steady the machine is: let it be idle otherwise.

use scenes::load::{LoadOptions, load_elements};
use weft::output::statistics::Spread;
use weft::simulation::{Simulation, SimulationOptions};

/// Scene, steps before it is measured, threes of steps.
const SCENES: [(&str, u64, usize); 2] = [("falling", 640, 60), ("bars", 20, 120)];

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]];

fn main() -> anyhow::Result<()> {
    for (name, first, rounds) in SCENES {
        for threads in [1, 2] {
            let elements = scenes::gallery::find(name).map_err(|e| anyhow::anyhow!("{e:?}"))?.elements(&[])?;
            let loaded = load_elements(elements, &LoadOptions::default())?;
            let options = SimulationOptions { threads, ..SimulationOptions::default() };
            let mut simulation = Simulation::new(loaded.scene, options)?;
            while simulation.step_index() < first {
                simulation.step()?;
            }
            measure(name, threads, &mut simulation, rounds)?;
        }
    }
    Ok(())
}

fn measure(name: &str, threads: usize, simulation: &mut Simulation, rounds: usize) -> anyhow::Result<()> {
    let mut ns = [(); 3].map(|()| Vec::with_capacity(rounds));
    let mut n_activities = 0;
    for round in 0..rounds {
        for which in ORDERS[round % ORDERS.len()] {
            simulation.observe(which == 0);
            ns[which].push(simulation.step()?.total_ns as f64);
            n_activities = simulation.record().map_or(n_activities, |r| r.n_activities());
            // What was looked up lies in the cache; let that not be the next step's affair.
            simulation.observe(false);
            simulation.step()?;
        }
    }
    // Medians of the ratios of neighbors, and ratios of the fastest tenth: on a machine that others use too, those are
    // the steps that nobody interrupted.
    let ratio = |a: usize, b: usize| {
        let neighbors = Spread::of(ns[a].iter().zip(&ns[b]).map(|(a, b)| a / b)).median;
        (neighbors, fastest(&ns[a]) / fastest(&ns[b]))
    };
    let ((observed, observed_fastest), (control, control_fastest)) = (ratio(0, 1), ratio(2, 1));
    println!(
        "{name}, {threads} workers: observed / not {observed:.4} (fastest tenth {observed_fastest:.4}), \
         not / not {control:.4} ({control_fastest:.4}); fastest tenth {:.3} ms a step, {n_activities} activities",
        fastest(&ns[1]) * 1e-6
    );
    Ok(())
}

/// Mean of the fastest tenth.
fn fastest(ns: &[f64]) -> f64 {
    let mut sorted = ns.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len().div_ceil(10);
    sorted[..n].iter().sum::<f64>() / n as f64
}
