//! The panels over the picture.

mod attributes;
mod control;
mod execution;
mod help;
mod measured;
mod number;
mod plot;
mod scene;
#[cfg(test)]
mod tests;
mod workers;

use std::collections::VecDeque;

use crate::app::{App, Wish};
use crate::draw_kiss3d::egui;
use crate::execution::Choices;
use crate::history::History;
use crate::snapshot::Snapshot;
use crate::timeline::Timeline;

/// Width of plots [points].
const WIDTH: f32 = 230.0;

/// What the panels show.
pub(crate) struct Facts<'a> {
    /// The newest state.
    pub snapshot: &'a Snapshot,
    /// The last steps.
    pub history: &'a History,
    /// What the workers did in the last steps, oldest first; empty where nobody looks.
    pub timelines: &'a VecDeque<Timeline>,
    /// What can be chosen of who computes.
    pub choices: &'a Choices,
    /// What happened last, for a while.
    pub message: Option<&'a str>,
}

/// What was typed and chosen in the panels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panels {
    scene: scene::SceneState,
}

/// Shows all panels; what the user wants is added to `wishes`.
pub(crate) fn show(
    context: &egui::Context,
    panels: &mut Panels,
    app: &mut App,
    facts: &Facts<'_>,
    wishes: &mut Vec<Wish>,
) {
    if app.panels {
        control::show(context, app, facts, wishes);
        scene::show(context, &mut panels.scene, &facts.snapshot.outline, wishes);
    }
    if app.timeline {
        workers::show(context, facts.timelines);
    }
    if app.help {
        help::show(context, app);
    }
    notices(context, facts);
}

/// What must be seen even without panels.
fn notices(context: &egui::Context, facts: &Facts<'_>) {
    let red = |text: &'_ str| (text.to_owned(), egui::Color32::from_rgb(190, 30, 30));
    let Snapshot { failure, refusal, .. } = facts.snapshot;
    let mut notices: Vec<_> = failure.iter().chain(refusal).map(|text| red(text)).collect();
    notices.extend(facts.message.map(|m| (m.to_owned(), egui::Color32::from_gray(110))));
    if notices.is_empty() {
        return;
    }
    egui::Area::new(egui::Id::new("notices")).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -12.0]).show(
        context,
        |ui| {
            egui::Frame::window(ui.style()).show(ui, |ui| {
                for (text, color) in notices {
                    ui.colored_label(color, text);
                }
            });
        },
    );
}
