//! Simulations to look at, and looking at them.

use viewer::snapshot::{Link, Snapshot};
use weft::live::Beginning;
use weft::prelude::*;

pub const WAITING: Beginning = Beginning { running: false, paced: false };

/// A scene of the gallery.
pub fn gallery(name: &str, threads: usize) -> Result<Simulation, String> {
    let scene = weft::gallery::find(name).expect("it is in the gallery");
    let root = scene.elements(&[]).expect("no parameters");
    let loaded = scenes::load_elements(root, &LoadOptions::default()).map_err(|e| e.to_string())?;
    Simulation::new(loaded.scene, SimulationOptions { threads, ..SimulationOptions::default() })
        .map_err(|e| e.to_string())
}

/// A scene from its text.
pub fn of_text(text: &str) -> Result<Simulation, String> {
    let loaded = load_text(text, "test.scn", &LoadOptions::default()).map_err(|e| e.to_string())?;
    Simulation::new(loaded.scene, SimulationOptions::default()).map_err(|e| e.to_string())
}

/// The first state from now on that is as wanted.
pub fn wait(link: &mut Link, wanted: impl Fn(&Snapshot) -> bool) -> Snapshot {
    loop {
        let snapshot = link.newest();
        if wanted(snapshot) {
            return snapshot.clone();
        }
        std::thread::yield_now();
    }
}
