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

/// Several lines over the same range of values, least to greatest; each value has its place from 0 to 1.
pub(super) fn curves<const N: usize>(
    ui: &mut Ui,
    width: f32,
    colors: [Color32; N],
    values: impl Iterator<Item = (f32, [f32; N])> + Clone,
) {
    let (response, painter) = ui.allocate_painter(vec2(width, 2.0 * HEIGHT), Sense::hover());
    let area = response.rect;
    painter.rect_filled(area, CornerRadius::same(2), ui.visuals().extreme_bg_color);
    let all = values.clone().flat_map(|(_, v)| v);
    let (least, most) = all.fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(v), b.max(v)));
    let span = (most - least).max(f32::MIN_POSITIVE);
    for (k, color) in colors.into_iter().enumerate() {
        let place = |(x, v): (f32, [f32; N])| {
            let up = (v[k] - least) / span * (area.height() - 4.0) + 2.0;
            area.left_bottom() + vec2(x * area.width(), -up)
        };
        let points: Vec<Pos2> = values.clone().map(place).collect();
        painter.add(Shape::line(points, Stroke::new(1.2, color)));
    }
}
