//! The panels over the picture.

mod attributes;
mod control;
#[cfg(test)]
mod desk;
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
use crate::camera::Free;
use crate::draw_kiss3d::egui::{self, Rect};
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

/// In a smaller window than this, panels are folded at first [points].
const ROOMY: [f32; 2] = [760.0, 480.0];

/// Whether a window of a size [px] has room for panels beside the scene. egui does not know its size before the first frame.
fn is_roomy(context: &egui::Context, size: [f64; 2]) -> bool {
    let per_point = f64::from(context.pixels_per_point());
    size.iter().zip(ROOMY).all(|(size, least)| size / per_point >= f64::from(least))
}

/// Shows all panels, and says what they leave free; what the user wants is added to `wishes`.
pub(crate) fn show(
    context: &egui::Context,
    panels: &mut Panels,
    app: &mut App,
    facts: &Facts<'_>,
    wishes: &mut Vec<Wish>,
) -> Free {
    context.input_mut(leave_out_letters);
    let mut rooms = Vec::new();
    if app.panels {
        rooms.extend(control::show(context, app, facts, wishes));
        rooms.extend(scene::show(context, &mut panels.scene, &facts.snapshot.outline, wishes));
    }
    if app.timeline {
        rooms.extend(workers::show(context, facts.timelines));
    }
    if app.help {
        help::show(context, app);
    }
    notices(context, facts);
    free(context.content_rect(), &rooms)
}

/// Leaves out what keys write while Control is held: then they are commands. (kiss3d says both of a key; Alt and Control together write.)
fn leave_out_letters(input: &mut egui::InputState) {
    let commands = |m: &egui::Modifiers| m.ctrl && !m.alt;
    let mut is_command = commands(&input.modifiers);
    input.events.retain(|event| match event {
        egui::Event::Key { modifiers, .. } => {
            is_command = commands(modifiers);
            true
        }
        egui::Event::Text(_) => !is_command,
        _ => true,
    });
}

/// Panels at a border take it up, unless they are folded or little would be left of the picture.
fn free(all: Rect, panels: &[Rect]) -> Free {
    let share = |r: &Rect| {
        let at = |p: egui::Pos2| {
            let d = p - all.min;
            [f64::from(d.x / all.width().max(1.0)), f64::from(d.y / all.height().max(1.0))]
        };
        Free { min: at(r.min), max: at(r.max) }
    };
    let mut free = Free::default();
    for panel in panels.iter().map(share) {
        let [width, height] = panel.size();
        let mut less = free;
        if width >= height && height > FOLDED && panel.max[1] > 1.0 - BORDER {
            less.max[1] = less.max[1].min(panel.min[1]);
        } else if height > 2.0 * FOLDED && panel.min[0] < BORDER {
            less.min[0] = less.min[0].max(panel.max[0]);
        } else if height > 2.0 * FOLDED && panel.max[0] > 1.0 - BORDER {
            less.max[0] = less.max[0].min(panel.min[0]);
        }
        if less.size().iter().all(|s| *s >= LEAST_FREE) {
            free = less;
        }
    }
    free
}

/// Share of the picture's height up to which a panel is folded.
const FOLDED: f64 = 0.08;
/// So near to a border of the picture a panel is at it.
const BORDER: f64 = 0.04;
/// The least share of the picture's width and height that panels leave free.
const LEAST_FREE: f64 = 0.4;

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
