//! A component's attributes, and fields in which they are changed.

use super::number::number;
use crate::app::Wish;
use crate::attribute::{Attribute, Edit};
use crate::draw_kiss3d::egui::{self, DragValue, Key, Slider, TextEdit, Ui};
use crate::outline::OutlineComponent;
use crate::snapshot::Command;

/// A text that is being typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typing {
    path: String,
    attribute: String,
    text: String,
}

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
                let field = |ui: &mut Ui| field(ui, &component.path, a, typing);
                // Sliders stand below each other.
                let stands = matches!(a.edit, Edit::Sliders { .. });
                if stands { ui.vertical(field).inner } else { ui.horizontal_wrapped(field).inner }
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
fn field(ui: &mut Ui, path: &str, a: &Attribute, typing: &mut Option<Typing>) -> Option<String> {
    let mut edit = a.edit.clone();
    let changed = match &mut edit {
        Edit::Bool(b) => ui.checkbox(b, "").changed(),
        Edit::Integer(i) => {
            let before = *i;
            ui.add(DragValue::new(i).speed(0.2).update_while_editing(false));
            *i != before
        }
        // All of them are shown, whichever changed.
        Edit::Numbers(v) => v.iter_mut().fold(false, |changed, v| number(ui, v) | changed),
        Edit::Sliders { values, low, high } => values
            .iter_mut()
            .fold(false, |changed, v| ui.add(Slider::new(v, *low..=*high)).changed() | changed),
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
