//! Start, stop, what is shown, and how the simulation is doing.

use super::{Facts, plot};
use crate::app::{App, Key, Wish};
use crate::draw_kiss3d::egui::{self, Ui};
use crate::snapshot::Command;

/// Shows the panel.
pub(super) fn show(context: &egui::Context, app: &mut App, facts: &Facts<'_>, wishes: &mut Vec<Wish>) {
    egui::Window::new("Simulation")
        .default_pos([12.0, 12.0])
        .default_width(PLOT_WIDTH)
        .resizable(false)
        .show(context, |ui| {
            buttons(ui, app, wishes);
            ui.separator();
            flags(ui, app, wishes);
            ui.separator();
            parameters(ui, facts, wishes);
            ui.separator();
            measurements(ui, facts);
        });
}

const PLOT_WIDTH: f32 = 230.0;

/// What the keys do, for who looks for a button.
fn buttons(ui: &mut Ui, app: &mut App, wishes: &mut Vec<Wish>) {
    ui.horizontal(|ui| {
        let run = if app.running { "Stop" } else { "Start" };
        let keys = [
            (run, Key::Space),
            ("Step", Key::Letter('n')),
            ("Reset", Key::Letter('r')),
            ("Picture", Key::Letter('s')),
        ];
        for (label, key) in keys {
            if ui.button(label).clicked() {
                wishes.extend(app.input(crate::app::Input::Key(key)));
            }
        }
    });
    let mut paced = app.paced;
    if ui.checkbox(&mut paced, "held to real time").changed() {
        wishes.extend(app.input(crate::app::Input::Key(Key::Letter('t'))));
    }
}

/// SOFA's display flags.
fn flags(ui: &mut Ui, app: &mut App, wishes: &mut Vec<Wish>) {
    egui::Grid::new("flags").num_columns(2).show(ui, |ui| {
        let flags = &mut app.display;
        ui.checkbox(&mut flags.visual, "visual");
        ui.checkbox(&mut flags.behavior, "behavior");
        ui.end_row();
        ui.checkbox(&mut flags.collision, "collision");
        ui.checkbox(&mut flags.forces, "force fields");
        ui.end_row();
        ui.checkbox(&mut flags.mappings, "mappings");
        let mut contacts = flags.contacts;
        if ui.checkbox(&mut contacts, "contacts").changed() {
            wishes.extend(app.input(crate::app::Input::Key(Key::Digit(6))));
        }
        ui.end_row();
        let flags = &mut app.display;
        ui.checkbox(&mut flags.wireframe, "wireframe");
        ui.checkbox(&mut flags.floor, "floor");
        ui.end_row();
        ui.checkbox(&mut flags.workers, "workers' colors");
        let mut timeline = app.timeline;
        if ui.checkbox(&mut timeline, "timeline").changed() {
            wishes.extend(app.input(crate::app::Input::Key(Key::Letter('l'))));
        }
        ui.end_row();
        ui.checkbox(&mut app.help, "keys");
        ui.end_row();
    });
}

/// Numbers that take effect in the next step.
fn parameters(ui: &mut Ui, facts: &Facts<'_>, wishes: &mut Vec<Wish>) {
    ui.horizontal(|ui| {
        ui.label("dt");
        let mut dt = facts.snapshot.dt;
        let speed = 0.01 * dt;
        let number =
            egui::DragValue::new(&mut dt).speed(speed).range(1e-9..=1e3).max_decimals(9).suffix(" s");
        if ui.add(number).changed() {
            wishes.push(Wish::Tell(Command::SetDt(dt)));
        }
    });
    ui.horizontal(|ui| {
        ui.label("gravity");
        let mut gravity = facts.snapshot.gravity;
        let mut changed = false;
        for g in gravity.iter_mut() {
            changed |= ui.add(egui::DragValue::new(g).speed(0.05).max_decimals(3)).changed();
        }
        if changed {
            wishes.push(Wish::Tell(Command::SetGravity(gravity)));
        }
    });
}

fn measurements(ui: &mut Ui, facts: &Facts<'_>) {
    let history = facts.history;
    ui.label(format!("step {}, {:.2} s", facts.snapshot.step, facts.snapshot.time));
    let seconds = history.step_seconds().map_or_else(|| "-".to_owned(), |s| format!("{:.2} ms", 1e3 * s));
    let values = || history.samples();
    plot::line(ui, PLOT_WIDTH, &format!("step {seconds}"), values().map(|s| 1e3 * s.seconds as f32));
    let factor = history.real_time_factor(facts.snapshot.dt);
    let factor = factor.map_or_else(|| "-".to_owned(), |f| format!("{f:.2}"));
    // Frames drawn, from egui's own clock.
    let rate = ui.input(|i| 1.0 / i.unstable_dt.max(1e-4));
    ui.label(format!("{factor} x real time, {rate:.0} pictures/s"));
    let last = history.last().copied().unwrap_or_default();
    plot::line(
        ui,
        PLOT_WIDTH,
        &format!("{} contact points", last.contacts),
        values().map(|s| s.contacts as f32),
    );
    let iterations = format!("{} CG iterations", last.cg_iterations);
    plot::line(ui, PLOT_WIDTH, &iterations, values().map(|s| s.cg_iterations as f32));
}
