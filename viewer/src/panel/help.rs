//! What the keys do.

use crate::app::{App, KEYS};
use crate::draw_kiss3d::egui;

/// Shows the panel.
pub(super) fn show(context: &egui::Context, app: &mut App) {
    egui::Window::new("Keys").open(&mut app.help).resizable(false).show(context, |ui| {
        egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(*key);
                ui.label(*what);
                ui.end_row();
            }
        });
    });
}
