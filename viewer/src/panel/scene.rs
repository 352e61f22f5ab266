//! The scene's tree, with search, and a component's attributes.

use super::attributes::{self, Typing};
use crate::app::Wish;
use crate::draw_kiss3d::egui::{self, Rect, ScrollArea, Ui, WindowDrag};
use crate::outline::{CONTROLS, Outline, OutlineComponent};

/// What was typed and chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneState {
    search: String,
    /// Path of the chosen component.
    chosen: Option<String>,
    typing: Option<Typing>,
    /// Where the window's right border was [points].
    right: Option<f32>,
}

/// Width of the panel [points].
const WIDTH: f32 = 258.0;
/// Between the panel and the border of the picture [points].
const GAP: f32 = 12.0;

/// Components listed by a search.
const MOST_FOUND: usize = 200;

/// Shows the panel, and says where it is.
pub(super) fn show(
    context: &egui::Context,
    state: &mut SceneState,
    outline: &Outline,
    wishes: &mut Vec<Wish>,
) -> Option<Rect> {
    let right = context.content_rect().right();
    let corner = [right - GAP, GAP];
    let window = egui::Window::new("Scene").pivot(egui::Align2::RIGHT_TOP).default_pos(corner);
    // It stays at the border that has moved.
    let is_moved = state.right.replace(right).is_some_and(|before| before != right);
    // egui puts a window that is dragged by its title back to where it was, at once.
    let window = if is_moved { window.current_pos(corner).drag_area(WindowDrag::Anywhere) } else { window };
    // A window that was small has squeezed it, and egui keeps what it was.
    let width = WIDTH.min(right - 2.0 * GAP).max(0.0);
    let shown = window.default_width(width).min_width(width).default_open(outline.opens.is_some()).show(
        context,
        |ui| {
            ui.add(egui::TextEdit::singleline(&mut state.search).hint_text("class or path"));
            ScrollArea::vertical().id_salt("tree").max_height(320.0).show(ui, |ui| {
                if state.search.is_empty() {
                    tree(ui, outline, &mut state.chosen, None);
                } else {
                    found(ui, outline, state);
                }
            });
            let chosen = state.chosen.as_deref().or(outline.opens.as_deref());
            if let Some(c) = chosen.and_then(|path| outline.component(path)) {
                ui.separator();
                component(ui, c, &mut state.typing, wishes);
            }
        },
    );
    shown.map(|s| s.response.rect)
}

/// What a component is called in the tree: its class, or its name where the class says no more than that these are controls.
fn label(c: &OutlineComponent) -> &str {
    if c.class == CONTROLS { &c.name } else { c.class }
}

fn entry(ui: &mut Ui, c: &OutlineComponent, label: &str, chosen: &mut Option<String>) {
    let is_chosen = chosen.as_deref() == Some(c.path.as_str());
    if ui.selectable_label(is_chosen, label).clicked() {
        *chosen = Some(c.path.clone());
    }
}

/// A node and all below it; `place` is its place among its siblings, none for the root.
fn tree(ui: &mut Ui, node: &Outline, chosen: &mut Option<String>, place: Option<usize>) {
    let name = if node.name.is_empty() { "(no name)" } else { node.name.as_str() };
    // Nodes without a name have their path in common.
    let header = egui::CollapsingHeader::new(name).id_salt((&node.path, place)).default_open(place.is_none());
    header.show(ui, |ui| {
        node.components.iter().for_each(|c| entry(ui, c, label(c), chosen));
        node.children.iter().enumerate().for_each(|(i, c)| tree(ui, c, chosen, Some(i)));
    });
}

fn found(ui: &mut Ui, outline: &Outline, state: &mut SceneState) {
    let mut all = Vec::new();
    outline.search(&state.search, &mut all);
    let n = all.len();
    for c in all.into_iter().take(MOST_FOUND) {
        entry(ui, c, &format!("{} {}", c.class, c.path), &mut state.chosen);
    }
    if n == 0 || n > MOST_FOUND {
        ui.weak(format!("{n} components"));
    }
}

fn component(ui: &mut Ui, c: &OutlineComponent, typing: &mut Option<Typing>, wishes: &mut Vec<Wish>) {
    ui.strong(c.class);
    ui.label(&c.path);
    if !c.place.is_empty() {
        ui.weak(&c.place);
    }
    ScrollArea::both().id_salt("attributes").max_height(260.0).show(ui, |ui| {
        attributes::show(ui, c, typing, wishes);
    });
}
