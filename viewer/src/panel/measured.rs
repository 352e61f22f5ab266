//! How the simulation is doing: plots over the last steps.

use super::{Facts, WIDTH, plot};
use crate::app::App;
use crate::draw_kiss3d::egui::{Color32, Ui};
use crate::snapshot::{Busiest, Snapshot};

const KINETIC: Color32 = Color32::from_rgb(70, 140, 220);
const POTENTIAL: Color32 = Color32::from_rgb(225, 130, 40);
const SLOW: Color32 = Color32::from_rgb(215, 120, 40);
const TOTAL: Color32 = Color32::from_rgb(90, 170, 90);

/// Shows the plots.
pub(super) fn show(ui: &mut Ui, app: &mut App, facts: &Facts<'_>) {
    let history = facts.history;
    let Snapshot { step, time, rests, .. } = facts.snapshot;
    // Its clock is drawn now and then only.
    let rest = if *rests { ", at rest" } else { "" };
    ui.label(format!("step {step}, {time:.2} s{rest}"));
    let seconds = history.step_seconds().map_or_else(|| "-".to_owned(), |s| format!("{:.2} ms", 1e3 * s));
    let values = || history.samples();
    plot::line(ui, WIDTH, &format!("step {seconds}"), values().map(|s| 1e3 * s.seconds as f32));
    let factor = history.real_time_factor(facts.snapshot.dt);
    let factor = factor.map_or_else(|| "-".to_owned(), |f| format!("{f:.2}"));
    // Frames drawn, from egui's own clock.
    let rate = ui.input(|i| 1.0 / i.unstable_dt.max(1e-4));
    ui.label(format!("{factor} x real time, {rate:.0} pictures/s"));
    if let Some(Busiest { class, share }) = &facts.snapshot.busiest {
        let text = format!("slower than real time; {class}: {:.0} %", 100.0 * share);
        ui.colored_label(SLOW, text).on_hover_text("the components of this class take most of a step");
    }
    let last = history.last().copied().unwrap_or_default();
    plot::line(ui, WIDTH, &format!("{} contact points", last.contacts), values().map(|s| s.contacts as f32));
    let iterations = format!("{} CG iterations", last.cg_iterations);
    plot::line(ui, WIDTH, &iterations, values().map(|s| s.cg_iterations as f32));
    ui.checkbox(&mut app.energy, "energy");
    if app.energy {
        energy(ui, facts);
    }
}

/// Kinetic and potential energy and their sum, and what it leaves out.
fn energy(ui: &mut Ui, facts: &Facts<'_>) {
    let history = facts.history;
    let Some(last) = history.energy() else {
        ui.weak("from the next step on");
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.colored_label(KINETIC, format!("kinetic {}", joules(last.kinetic)));
        ui.colored_label(POTENTIAL, format!("potential {}", joules(last.potential)));
        ui.colored_label(TOTAL, format!("both {}", joules(last.total())));
    });
    let n = history.samples().len().max(2) as f32 - 1.0;
    let energies = history.samples().enumerate().filter_map(|(k, s)| {
        let e = s.energy?;
        Some((k as f32 / n, [e.kinetic, e.potential, e.total()].map(|e| e as f32)))
    });
    plot::curves(ui, WIDTH, [KINETIC, POTENTIAL, TOTAL], energies);
    let without = &facts.snapshot.without_energy;
    if !without.is_empty() {
        ui.weak(format!("without {}", without.join(", ")));
    }
}

fn joules(energy: f64) -> String {
    let is_plain = energy == 0.0 || (1e-2..1e5).contains(&energy.abs());
    if is_plain { format!("{energy:.2} J") } else { format!("{energy:.2e} J") }
}
