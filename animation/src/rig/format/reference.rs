//! The manual has all kinds of nodes, with their ports and what they ask for as they are.

use std::fmt::Write;
use std::path::Path;

use super::attributes::Attributes;
use super::{Catalogue, read_loose};
use crate::located::Text;
use crate::rig::node::Input;
use crate::rig::rig::NodeId;
use crate::rig::value::PortType;

fn manual() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rigs.md");
    std::fs::read_to_string(path).expect("the manual")
}

/// The attributes that a kind reads beside its inputs.
fn asked(catalogue: &Catalogue, kind: &str, file: &str) -> Vec<&'static str> {
    let node = &file
        [file.find("\"nodes\": [ ").expect("nodes") + 11..file.rfind(" ], \"outputs\"").expect("an end")];
    let text = Text::new("sample", node);
    let root = text.read().expect("it is JSON");
    let attributes = Attributes::new(&text, &root, kind).unwrap_or_else(|wrong| panic!("{wrong}"));
    let _ = catalogue.constructor(kind).expect("a kind")(&attributes);
    attributes.names()
}

/// A port in words: those of many are one, and a type that a file says is that of the attribute `type`.
fn port(name: &str, of: PortType, is_said: bool) -> Option<String> {
    let (base, number) = name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    let of = if is_said { "of `type`" } else { of.word() };
    match number {
        "" => Some(format!("`{name}` {of}")),
        "0" => Some(format!("`{base}0`, `{base}1`, ... {of}")),
        _ => None,
    }
}

fn default(input: &Input) -> String {
    let Some(values) = &input.default else { return ", required".to_owned() };
    if matches!(input.of, PortType::Matrix | PortType::Quaternion) {
        return " = identity".to_owned();
    }
    let all_same = values.windows(2).all(|pair| pair[0] == pair[1]);
    let shown = if all_same { &values[..values.len().min(1)] } else { &values[..] };
    shown.iter().fold(" =".to_owned(), |mut text, value| {
        let _ = write!(text, " {value}");
        text
    })
}

/// The first columns of a kind in the manual's table.
fn row(catalogue: &Catalogue, kind: &str, file: &str, asked: &[&str]) -> String {
    let rig = read_loose(kind, file, catalogue).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    let ports = rig.ports(NodeId(0));
    let is_said = |of: PortType| asked.contains(&"type") && ports.outputs.iter().any(|o| o.of == of);
    let input = |i: &Input| Some(port(&i.name, i.of, is_said(i.of))? + &default(i));
    let inputs: Vec<String> = match kind {
        "expression" => vec!["its variables, required".to_owned()],
        _ => ports.inputs.iter().filter_map(input).collect(),
    };
    let outputs = ports.outputs.iter().filter_map(|o| port(&o.name, o.of, is_said(o.of)));
    format!("| `{kind}` | {} | {} |", inputs.join("; "), outputs.collect::<Vec<_>>().join("; "))
}

#[test]
fn the_manual_has_every_kind_as_it_is() {
    let (manual, catalogue) = (manual(), Catalogue::new());
    let mut missing = String::new();
    for kind in catalogue.kinds() {
        let file = catalogue.sample_file(kind).expect("a sample");
        let asked = asked(&catalogue, kind, &file);
        let row = row(&catalogue, kind, &file, &asked);
        let rest = manual.lines().find_map(|line| line.strip_prefix(&row));
        let is_told = |name: &&&str| !rest.is_some_and(|rest| rest.contains(&format!("`{name}`")));
        let untold: Vec<&&str> = asked.iter().filter(is_told).collect();
        if rest.is_none() || !untold.is_empty() {
            let _ = writeln!(missing, "{row} {untold:?}");
        }
    }
    assert!(missing.is_empty(), "docs/rigs.md lacks:\n{missing}");
}

#[test]
fn the_manual_has_every_function_of_expressions() {
    let manual = manual();
    for name in crate::rig::expression::function_names() {
        assert!(manual.contains(&format!("`{name}")), "{name}");
    }
}
