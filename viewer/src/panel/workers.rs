//! What the workers do: a row per worker, the last steps from left to right, the critical path below it.

use std::collections::VecDeque;

use crate::display::worker_color;
use crate::draw_kiss3d::egui::{self, Color32, CornerRadius, Rect, Sense, pos2, vec2};
use crate::timeline::{CELLS, Cell, Timeline};

const ROW: f32 = 18.0;
const WIDTH: f32 = 640.0;
const WAIT: Color32 = Color32::from_rgb(190, 190, 190);
const REDUCTION: Color32 = Color32::from_rgb(235, 140, 30);
/// Nothing else in a window is so yellow.
const PATH: Color32 = Color32::from_rgb(255, 225, 0);
/// Height of the strip that marks the critical path.
const STRIP: f32 = 5.0;

/// Shows the panel, and says where it is.
pub(super) fn show(context: &egui::Context, timelines: &VecDeque<Timeline>) -> Option<Rect> {
    let bottom = context.content_rect().bottom();
    let window = egui::Window::new("Workers").pivot(egui::Align2::LEFT_BOTTOM);
    let window = window.default_pos([12.0, bottom - 12.0]).resizable(false);
    let shown = window.show(context, |ui| {
        let n_workers = timelines.iter().map(|t| t.workers.len()).max().unwrap_or(0);
        let total: f64 = timelines.iter().map(|t| t.seconds).sum();
        if n_workers == 0 || total <= 0.0 {
            ui.weak("the next step will be shown here");
            return;
        }
        let (response, painter) = ui.allocate_painter(vec2(WIDTH, ROW * n_workers as f32), Sense::hover());
        let area = response.rect;
        painter.rect_filled(area, CornerRadius::ZERO, ui.visuals().extreme_bg_color);
        let mut left = area.left();
        for t in timelines {
            let width = (t.seconds / total) as f32 * WIDTH;
            for worker in 0..t.workers.len() {
                let top = area.top() + worker as f32 * ROW;
                for (cell, from, n) in t.stretches(worker) {
                    let Some(color) = color(cell, worker) else { continue };
                    let x = |k: usize| left + k as f32 / CELLS as f32 * width;
                    let bar =
                        Rect::from_min_max(pos2(x(from), top + 1.0), pos2(x(from + n), top + ROW - 1.0));
                    painter.rect_filled(bar, CornerRadius::ZERO, color);
                }
                for (from, n) in t.path_stretches(worker) {
                    let x = |k: usize| left + k as f32 / CELLS as f32 * width;
                    let bottom = top + ROW - 1.0;
                    let strip = Rect::from_min_max(pos2(x(from), bottom - STRIP), pos2(x(from + n), bottom));
                    painter.rect_filled(strip, CornerRadius::ZERO, PATH);
                }
            }
            painter.vline(left, area.y_range(), (1.0, Color32::BLACK));
            left += width;
        }
        ui.horizontal(|ui| {
            ui.colored_label(WAIT, "waits");
            ui.colored_label(REDUCTION, "reductions");
            ui.label("otherwise tasks, in the color of the worker");
            for worker in 0..n_workers {
                let busy = timelines.iter().map(|t| t.busy(worker) * t.seconds).sum::<f64>() / total;
                ui.label(format!("{worker}: {:.0} %", 100.0 * busy));
            }
        });
        path(ui, timelines, total);
    });
    shown.map(|s| s.response.rect)
}

fn color(cell: Cell, worker: usize) -> Option<Color32> {
    match cell {
        Cell::Idle => None,
        Cell::Wait => Some(WAIT),
        Cell::Reduction => Some(REDUCTION),
        Cell::Task => {
            let [r, g, b, _] = worker_color(worker as u32).map(|c| (255.0 * c) as u8);
            Some(Color32::from_rgb(r, g, b))
        }
    }
}

/// What the critical path says: how much of the time it is, and what no number of workers can beat.
fn path(ui: &mut egui::Ui, timelines: &VecDeque<Timeline>, total: f64) {
    let path: f64 = timelines.iter().map(|t| t.path).sum();
    let work: f64 = timelines.iter().map(|t| t.work).sum();
    if path <= 0.0 {
        return;
    }
    ui.horizontal(|ui| {
        ui.colored_label(PATH, "critical path");
        let (share, bound) = (100.0 * path / total, work / path);
        ui.label(format!("{share:.0} % of the step; work / critical path = {bound:.1}"))
            .on_hover_text("no number of workers can be so many times faster than one");
    });
}
