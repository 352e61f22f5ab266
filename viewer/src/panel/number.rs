//! Fields for numbers of any size.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use crate::draw_kiss3d::egui::emath::Numeric;
use crate::draw_kiss3d::egui::{DragValue, Slider, Ui};

/// What there is to say of a field after it was shown.
pub(super) struct Shown {
    /// Whether it has another number.
    pub changed: bool,
    /// What was typed, where that is not the number that it has now.
    pub other: Option<Typed>,
}

/// A text that does not hold as it was typed.
pub(super) struct Typed {
    text: String,
    /// The number that it is, if it is one.
    pub number: Option<f64>,
}

impl Typed {
    /// What takes its place, and why.
    pub fn said(&self, name: &str, why: &str, taken: f64) -> String {
        let (text, taken) = (&self.text, digits(taken));
        match self.number {
            Some(_) => format!("{name}: {text} {why}; {taken} is taken"),
            None => format!("{name}: `{text}` is no number; {taken} stays"),
        }
    }
}

/// What was typed into a field, as long as it is shown.
#[derive(Default)]
struct Note(RefCell<Option<String>>);

impl Note {
    fn parse(&self, text: &str) -> Option<f64> {
        self.0.replace(Some(text.trim().to_owned()));
        parse(text)
    }

    fn shown(self, before: f64, now: f64) -> Shown {
        let typed = self.0.into_inner().map(|text| Typed { number: parse(&text), text });
        Shown { changed: now != before, other: typed.filter(|typed| typed.number != Some(now)) }
    }
}

fn parse(text: &str) -> Option<f64> {
    text.split_whitespace().collect::<String>().replace('\u{2212}', "-").parse().ok()
}

/// A number to be dragged, or typed and confirmed by Enter.
pub(super) fn number(ui: &mut Ui, value: &mut f64) -> Shown {
    let speed = if *value == 0.0 { 0.01 } else { 0.005 * value.abs() };
    field(ui, value, |field| field.speed(speed))
}

/// A field with all digits, in which what is typed counts once it is confirmed: half a number is none, and may be out of range.
pub(super) fn field<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    adjust: impl FnOnce(DragValue<'_>) -> DragValue<'_>,
) -> Shown {
    let (note, before) = (Note::default(), value.to_f64());
    let field = DragValue::new(value).update_while_editing(false).custom_formatter(|v, _| digits(v));
    ui.add(adjust(field.custom_parser(|text| note.parse(text))));
    note.shown(before, value.to_f64())
}

/// A slider with a field, in which what is typed counts once it is confirmed.
pub(super) fn slider<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    range: RangeInclusive<N>,
    adjust: impl FnOnce(Slider<'_>) -> Slider<'_>,
) -> Shown {
    let (note, before) = (Note::default(), value.to_f64());
    let slider = Slider::new(value, range).update_while_editing(false);
    ui.add(adjust(slider.custom_parser(|text| note.parse(text))));
    note.shown(before, value.to_f64())
}

/// All digits of a number, as short as possible.
pub(super) fn digits(v: f64) -> String {
    let is_plain = v == 0.0 || (1e-4..1e7).contains(&v.abs());
    if is_plain { v.to_string() } else { format!("{v:e}") }
}
