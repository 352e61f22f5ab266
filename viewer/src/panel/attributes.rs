//! A component's attributes, and fields in which they are changed.

use super::number::{self, Shown};
use crate::app::Wish;
use crate::attribute::{Attribute, Edit};
use crate::draw_kiss3d::egui::{self, Key, TextEdit, Ui};
use crate::outline::OutlineComponent;
use crate::snapshot::Command;

/// A text that is being typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typing {
    path: String,
    attribute: String,
    text: String,
}

/// Numbers beside each other.
const IN_A_LINE: usize = 4;
/// Width of a field for text [points].
const TEXT: f32 = 130.0;

/// Shows them; a new value is added to `wishes`.
pub(super) fn show(
    ui: &mut Ui,
    component: &OutlineComponent,
    typing: &mut Option<Typing>,
    wishes: &mut Vec<Wish>,
) {
    egui::Grid::new("attributes").num_columns(2).striped(true).show(ui, |ui| {
        for a in &component.attributes {
            let name = if a.is_default { egui::RichText::new(&*a.name).weak() } else { (&*a.name).into() };
            ui.label(name).on_hover_text(summary(a));
            let field = |ui: &mut Ui| {
                let field = |ui: &mut Ui| field(ui, &component.path, a, typing, wishes);
                // Sliders stand below each other.
                let stands = matches!(a.edit, Edit::Sliders { .. });
                // What would wrap has no place for it: a row of the grid is as high as its first line.
                if stands { ui.vertical(field).inner } else { ui.horizontal(field).inner }
            };
            let written = ui.push_id((&component.path, &a.name), field).inner;
            ui.end_row();
            let (path, attribute) = (component.path.clone(), a.name.to_string());
            wishes.extend(written.map(|value| Wish::Tell(Command::SetAttribute { path, attribute, value })));
        }
    });
}

fn summary(a: &Attribute) -> String {
    let unit = if a.unit.is_empty() { String::new() } else { format!(" [{}]", a.unit) };
    let default = if a.is_default { "; this is the default" } else { "" };
    format!("{}{unit}{default}", a.summary)
}

/// Shows the field of an attribute; gives back its new value as it is written in a scene.
fn field(
    ui: &mut Ui,
    path: &str,
    a: &Attribute,
    typing: &mut Option<Typing>,
    wishes: &mut Vec<Wish>,
) -> Option<String> {
    let mut edit = a.edit.clone();
    // Says what another number is taken for.
    let mut tell = |shown: Shown, why: &str, taken: f64| {
        wishes.extend(shown.other.map(|typed| Wish::Say(typed.said(&a.name, why, taken))));
        shown.changed
    };
    let changed = match &mut edit {
        Edit::Bool(b) => ui.checkbox(b, "").changed(),
        Edit::Integer(i) => {
            let shown = number::field(ui, i, |field| field.speed(0.2));
            tell(shown, "is no whole number", *i as f64)
        }
        // All of them are shown, whichever changed.
        Edit::Numbers(v) => {
            let mut lines = |ui: &mut Ui| {
                v.chunks_mut(IN_A_LINE).fold(false, |changed, line| {
                    let numbers = |ui: &mut Ui| {
                        line.iter_mut().fold(false, |changed, v| {
                            let shown = number::number(ui, v);
                            tell(shown, "is another number here", *v) | changed
                        })
                    };
                    ui.horizontal(numbers).inner | changed
                })
            };
            ui.vertical(|ui| lines(ui)).inner
        }
        Edit::Sliders { values, low, high } => values.iter_mut().fold(false, |changed, v| {
            let shown = number::slider(ui, v, *low..=*high, |slider| slider);
            tell(shown, &format!("is not from {low} to {high}"), *v) | changed
        }),
        Edit::Choice(words, chosen) => {
            let before = chosen.clone();
            egui::ComboBox::from_id_salt("choice").selected_text(&before).show_ui(ui, |ui| {
                for word in *words {
                    ui.selectable_value(chosen, (*word).to_owned(), *word);
                }
            });
            *chosen != before
        }
        Edit::Text(text) => typed(ui, path, &a.name, text, typing),
        Edit::Fixed(why) => {
            let value = if a.value.is_empty() { "-" } else { &a.value };
            ui.weak(value).on_hover_text(why.as_str());
            false
        }
    };
    if !a.unit.is_empty() {
        ui.weak(a.unit);
    }
    changed.then(|| edit.written())
}

/// A text, which counts once Enter is pressed; says whether it was.
fn typed(ui: &mut Ui, path: &str, attribute: &str, text: &mut String, typing: &mut Option<Typing>) -> bool {
    let before = text.clone();
    if let Some(t) = typing.as_ref().filter(|t| t.path == path && t.attribute == attribute) {
        text.clone_from(&t.text);
    }
    let response = ui.add(TextEdit::singleline(text).desired_width(TEXT).hint_text("not set"));
    if response.changed() {
        *typing = Some(Typing { path: path.to_owned(), attribute: attribute.to_owned(), text: text.clone() });
    }
    if !response.lost_focus() {
        return false;
    }
    *typing = None;
    ui.input(|i| i.key_pressed(Key::Enter)) && *text != before
}
