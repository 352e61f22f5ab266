//! Start, stop, what is shown, and how the simulation is doing.

use super::number::{Shown, Typed, digits, field};
use super::{Facts, WIDTH, execution, is_roomy, measured};
use crate::app::{App, Key, Wish};
use crate::draw_kiss3d::egui::{self, Rect, Ui};
use crate::snapshot::Command;

/// Shows the panel, and says where it is.
pub(super) fn show(
    context: &egui::Context,
    app: &mut App,
    facts: &Facts<'_>,
    wishes: &mut Vec<Wish>,
) -> Option<Rect> {
    let window = egui::Window::new("Simulation").default_pos([12.0, 12.0]).default_width(WIDTH);
    let shown = window.default_open(is_roomy(context, app.size())).resizable(false).show(context, |ui| {
        buttons(ui, app, wishes);
        ui.separator();
        flags(ui, app, wishes);
        ui.separator();
        if app.is_mechanical {
            parameters(ui, app, facts, wishes);
            ui.separator();
        }
        execution::show(ui, facts, wishes);
        ui.separator();
        measured::show(ui, app, facts);
    });
    shown.map(|s| s.response.rect)
}

/// The range of the stiffness of the mouse's spring [N/m].
const STIFFNESS: std::ops::RangeInclusive<f64> = 0.1..=1e7;

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
                wishes.extend(app.press(key));
            }
        }
    });
    let mut paced = app.paced;
    if ui.checkbox(&mut paced, "held to real time").changed() {
        wishes.extend(app.press(Key::Letter('t')));
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
            wishes.extend(app.press(Key::Digit(6)));
        }
        ui.end_row();
        let flags = &mut app.display;
        ui.checkbox(&mut flags.wireframe, "wireframe");
        ui.checkbox(&mut flags.floor, "floor");
        ui.end_row();
        ui.checkbox(&mut flags.workers, "workers' colors");
        let mut timeline = app.timeline;
        if ui.checkbox(&mut timeline, "timeline").changed() {
            wishes.extend(app.press(Key::Letter('l')));
        }
        ui.end_row();
        ui.checkbox(&mut app.help, "keys");
        ui.end_row();
    });
}

/// Numbers that take effect in the next step. Those that make no sense are for the simulation to refuse: it says why.
fn parameters(ui: &mut Ui, app: &mut App, facts: &Facts<'_>, wishes: &mut Vec<Wish>) {
    ui.horizontal(|ui| {
        ui.label("dt");
        let mut dt = facts.snapshot.dt;
        // The range is that of a drag.
        let speed = 0.01 * facts.snapshot.dt;
        let shown = field(ui, &mut dt, |f| f.speed(speed).range(1e-9..=1e3).max_decimals(9).suffix(" s"));
        if let Some(dt) = wanted("dt", dt, facts.snapshot.dt, &shown, wishes) {
            wishes.push(Wish::Tell(Command::SetDt(dt)));
        }
    });
    ui.horizontal(|ui| {
        ui.label("gravity");
        let mut gravity = facts.snapshot.gravity;
        for (g, before) in gravity.iter_mut().zip(&facts.snapshot.gravity) {
            let shown = field(ui, g, |f| f.speed(0.05).max_decimals(3));
            *g = wanted("gravity", *g, *before, &shown, wishes).unwrap_or(*before);
        }
        if gravity != facts.snapshot.gravity {
            wishes.push(Wish::Tell(Command::SetGravity(gravity)));
        }
    });
    ui.horizontal(|ui| {
        ui.label("pull")
            .on_hover_text("stiffness of the spring by which the mouse pulls; it can be held meanwhile");
        // A drag multiplies: the range is wide.
        let before = app.stiffness;
        let shown = field(ui, &mut app.stiffness, |f| {
            f.speed(0.01 * before).range(STIFFNESS).max_decimals(3).suffix(" N/m")
        });
        if let Some(typed) = shown.other {
            let why = format!("is not from {} to {}", digits(*STIFFNESS.start()), digits(*STIFFNESS.end()));
            wishes.push(Wish::Say(typed.said("pull", &why, app.stiffness)));
        }
        if shown.changed {
            wishes.push(Wish::Tell(Command::SetStiffness(app.stiffness)));
        }
    });
}

/// The number that a user wants in the place of another one, if they do: what was typed is not held to a range.
fn wanted(name: &str, now: f64, before: f64, shown: &Shown, wishes: &mut Vec<Wish>) -> Option<f64> {
    let number = match &shown.other {
        Some(Typed { number: Some(number), .. }) => *number,
        Some(typed) => {
            wishes.push(Wish::Say(typed.said(name, "", before)));
            return None;
        }
        None => now,
    };
    (number != before).then_some(number)
}
