//! Fields for numbers of any size.

use crate::draw_kiss3d::egui::{DragValue, Ui};

/// A number to be dragged, or typed and confirmed by Enter; says whether it changed.
pub(super) fn number(ui: &mut Ui, value: &mut f64) -> bool {
    let speed = if *value == 0.0 { 0.01 } else { 0.005 * value.abs() };
    let before = *value;
    ui.add(confirmed(DragValue::new(value).speed(speed)));
    // egui says that something changed with every letter.
    *value != before
}

/// A field with all digits, in which what is typed counts once it is confirmed: half a number is none, and may be out of range.
pub(super) fn confirmed(field: DragValue<'_>) -> DragValue<'_> {
    field.update_while_editing(false).custom_formatter(|v, _| digits(v))
}

/// All digits of a number, as short as possible.
pub(super) fn digits(v: f64) -> String {
    let is_plain = v == 0.0 || (1e-4..1e7).contains(&v.abs());
    if is_plain { v.to_string() } else { format!("{v:e}") }
}
