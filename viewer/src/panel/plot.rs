//! A little plot over the last steps.

use crate::draw_kiss3d::egui::{Color32, CornerRadius, Pos2, Sense, Shape, Stroke, Ui, vec2};

const HEIGHT: f32 = 34.0;

/// A line from the oldest to the newest value, from zero up to the greatest, with a label above it.
pub(super) fn line(ui: &mut Ui, width: f32, label: &str, values: impl ExactSizeIterator<Item = f32> + Clone) {
    ui.label(label);
    let (response, painter) = ui.allocate_painter(vec2(width, HEIGHT), Sense::hover());
    let area = response.rect;
    painter.rect_filled(area, CornerRadius::same(2), ui.visuals().extreme_bg_color);
    let most = values.clone().fold(0.0, f32::max);
    if values.len() < 2 || most <= 0.0 {
        return;
    }
    let step = area.width() / (values.len() - 1) as f32;
    let points: Vec<Pos2> = values
        .enumerate()
        .map(|(k, v)| area.left_bottom() + vec2(k as f32 * step, -(v / most) * (area.height() - 2.0)))
        .collect();
    painter.add(Shape::line(points, Stroke::new(1.2, Color32::from_rgb(70, 140, 220))));
}
