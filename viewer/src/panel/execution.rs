//! Who computes: workers, what places objects on them, what runs the graphs. It can be changed while the simulation runs.

use super::Facts;
use super::number::slider;
use crate::app::Wish;
use crate::draw_kiss3d::egui::{ComboBox, Ui};
use crate::snapshot::Command;

/// Shows the choices.
pub(super) fn show(ui: &mut Ui, facts: &Facts<'_>, wishes: &mut Vec<Wish>) {
    let (choices, present) = (facts.choices, facts.snapshot.execution);
    if choices.most_workers == 0 {
        let plural = if present.workers == 1 { "" } else { "s" };
        ui.label(format!("{} worker{plural}, {}", present.workers, present.executor));
        return;
    }
    let mut wanted = present;
    let most = choices.most_workers.max(present.workers);
    ui.scope(|ui| {
        let shown = slider(ui, &mut wanted.workers, 1..=most, |slider| slider.text("workers"));
        if let Some(typed) = shown.other {
            let why = format!("is no number of them from 1 to {most}");
            wishes.push(Wish::Say(typed.said("workers", &why, wanted.workers as f64)));
        }
    })
    .response
    .on_hover_text("the sequential executor has one, whatever this says");
    ui.horizontal(|ui| {
        choice(ui, "executor", &mut wanted.executor, &choices.executors);
        choice(ui, "partitioner", &mut wanted.partitioner, &choices.partitioners);
    });
    if wanted != present {
        wishes.push(Wish::Tell(Command::SetExecution(wanted)));
    }
}

fn choice(ui: &mut Ui, what: &str, chosen: &mut &'static str, names: &[&'static str]) {
    let shown = ComboBox::from_id_salt(what).width(90.0).selected_text(*chosen).show_ui(ui, |ui| {
        for name in names {
            ui.selectable_value(chosen, name, *name);
        }
    });
    shown.response.on_hover_text(what);
}
