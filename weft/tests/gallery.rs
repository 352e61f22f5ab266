//! The gallery runs: every scene stays finite, and the sheet of `cloth` moves alike however it is cut.

use scenes::gallery;
use scenes::load::{LoadOptions, load_elements};
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

fn simulation(name: &str, set: &[(&str, &str)]) -> Simulation {
    let set: Vec<(String, String)> = set.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let root = gallery::find(name).and_then(|s| s.elements(&set)).expect("a gallery scene");
    let loaded = load_elements(root, &LoadOptions::default()).expect("it loads");
    let options =
        SimulationOptions { executor: ExecutorKind::Sequential, pin: false, ..SimulationOptions::default() };
    Simulation::new(loaded.scene, options).expect("it can be simulated")
}

#[test]
fn every_scene_runs_and_stays_finite() {
    for scene in gallery::all() {
        // The large ones in a small version.
        let set: &[(&str, &str)] = match scene.name {
            "falling" => &[("objects", "5")],
            "bars" => &[("objects", "2")],
            _ => &[],
        };
        let mut s = simulation(scene.name, set);
        for step in 0..60 {
            s.step().unwrap_or_else(|e| panic!("{}, step {step}: {e}", scene.name));
        }
        for state in s.states() {
            let finite = state.position.iter().flatten().all(|c| c.is_finite());
            assert!(finite, "{}: {}", scene.name, state.path);
        }
    }
}

/// Where every particle of the sheet is after so many steps, by where it began.
fn sheet(size: &str, pieces: &str, steps: usize) -> Vec<(String, Vec<f64>)> {
    let mut s = simulation("cloth", &[("size", size), ("pieces", pieces)]);
    let begin: Vec<Vec<f64>> = s.states().into_iter().flat_map(|v| v.position).collect();
    for _ in 0..steps {
        s.step().expect("a step");
    }
    let end = s.states().into_iter().flat_map(|v| v.position);
    let mut sheet: Vec<_> = begin.iter().map(|p| format!("{p:?}")).zip(end).collect();
    sheet.sort_by(|a, b| a.0.cmp(&b.0));
    sheet
}

#[test]
fn pieces_of_cloth_together_move_as_the_uncut_sheet() {
    let whole = sheet("20", "1", 100);
    assert_eq!(whole.len(), 400);
    let fallen = whole.iter().map(|(_, p)| p[1]).fold(0.0, f64::min);
    assert!(fallen < -2.0, "the sheet hardly moved: {fallen}");
    let large = sheet("48", "1", 30);
    for (whole, size, pieces, steps) in [
        (&whole, "20", "2", 100),
        (&whole, "20", "6", 100),
        (&whole, "20", "10", 100),
        (&large, "48", "auto", 30),
    ] {
        let cut = sheet(size, pieces, steps);
        let mut difference: f64 = 0.0;
        for ((at, x), (again, y)) in whole.iter().zip(&cut) {
            assert_eq!(at, again);
            difference = x.iter().zip(y).map(|(a, b)| (a - b).abs()).fold(difference, f64::max);
        }
        assert!(difference <= 1e-9, "{pieces} pieces: {difference}");
        println!("{pieces} pieces differ by {difference:e} m at most");
    }
}

/// Crates, rolls and barrels: all lie still after a while, in the tray, and none is pressed into another.
#[test]
fn crates_come_to_rest() {
    let mut s = simulation("crates", &[("objects", "30"), ("sleeping", "0")]);
    for step in 0..1500 {
        s.step().unwrap_or_else(|e| panic!("step {step}: {e}"));
    }
    for state in s.states().iter().filter(|s| s.path.contains("/objects/")) {
        let (x, v) = (&state.position[0], &state.velocity[0]);
        let speed = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!(speed < 0.05, "{}: {speed}", state.path);
        assert!(x[1] > 0.1 && x[1] < 2.0 && x[0].abs() < 2.6 && x[2].abs() < 2.6, "{}: {x:?}", state.path);
    }
    let mut s = simulation("crates", &[("objects", "30")]);
    for step in 0..1500 {
        s.step().unwrap_or_else(|e| panic!("step {step}: {e}"));
    }
    assert_eq!(s.n_asleep(), 30, "all sleep");
}
