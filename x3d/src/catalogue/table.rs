//! Reads the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use animation::event::field::{Access, FieldType, Value};
use animation::event::scene::{FieldDeclaration, NodeType};

use super::{Catalogue, Standard};
use crate::syntax::value::{self, Style};

macro_rules! tables {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("tables/", $name, ".txt")))),*]
    };
}

/// The tables, abstract types first, other names last.
const TABLES: &[(&str, &str)] = tables! {
    "abstract" "cadgeometry" "core" "cubemaptexturing" "dis" "environmentaleffects" "environmentalsensor" "eventutilities"
    "followers" "geometry2d" "geometry3d" "geospatial" "grouping" "hanim" "interpolation" "keydevicesensor" "layering" "layout"
    "lighting" "navigation" "networking" "nurbs" "particlesystems" "picking" "pointingdevicesensor" "rendering"
    "rigidbodyphysics" "scripting" "shaders" "shape" "sound" "text" "textureprojection" "texturing" "texturing3d" "time"
    "volumerendering" "vrml97"
};

/// A type as the tables are read.
#[derive(Default)]
struct Draft {
    bases: Vec<&'static str>,
    fields: Vec<FieldDeclaration>,
}

#[derive(Default)]
struct Tables {
    drafts: BTreeMap<&'static str, Draft>,
    /// Name, component, level, container field.
    nodes: Vec<(&'static str, &'static str, u32, &'static str)>,
    aliases: Vec<[&'static str; 3]>,
    faults: Vec<String>,
}

/// The catalogue, and what is wrong with the tables.
pub(super) fn read() -> (Catalogue, Vec<String>) {
    let mut tables = Tables::default();
    for (table, text) in TABLES {
        tables.table(table, text);
    }
    let mut catalogue = Catalogue::default();
    for (name, component, level, container_field) in std::mem::take(&mut tables.nodes) {
        let mut bases = BTreeSet::new();
        let mut fields = Vec::new();
        tables.inherit(name, &mut bases, &mut fields);
        bases.remove(name);
        let node_type = Arc::new(NodeType { name: name.into(), fields, is_prototype: false });
        let aliases = Vec::new();
        catalogue
            .types
            .insert(name, Standard { node_type, container_field, component, level, bases, aliases });
    }
    for [owner, theirs, ours] in std::mem::take(&mut tables.aliases) {
        let standard = catalogue.types.get_mut(owner);
        match standard.and_then(|s| Some((s.node_type.field(ours)?, s))) {
            Some((field, standard)) => standard.aliases.push((theirs, field)),
            None => tables.faults.push(format!("`{owner}.{ours}` of an alias is no field")),
        }
    }
    (catalogue, tables.faults)
}

impl Tables {
    fn table(&mut self, table: &str, text: &'static str) {
        let mut component = "";
        let mut open = None;
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (head, bases) = line.split_once(" :").unwrap_or((line, ""));
            let mut words = head.split_ascii_whitespace();
            let known = match words.next() {
                _ if line.starts_with(' ') => open.is_some_and(|owner| self.field(owner, line).is_some()),
                Some("component") => words.next().map(|name| component = name).is_some(),
                Some("alias") => match line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
                    [_, owner, theirs, ours] => {
                        self.aliases.push([owner, theirs, ours]);
                        true
                    }
                    _ => false,
                },
                Some(kind @ ("abstract" | "node")) => {
                    open = words.next();
                    open.is_some_and(|name| {
                        let bases = bases.split_ascii_whitespace().collect();
                        let is_new = self.drafts.insert(name, Draft { bases, fields: Vec::new() }).is_none();
                        let level = words.next().and_then(|l| l.parse().ok());
                        match (kind, level, words.next()) {
                            ("abstract", _, _) => is_new,
                            (_, Some(level), Some(container)) => {
                                self.nodes.push((name, component, level, container));
                                is_new
                            }
                            _ => false,
                        }
                    })
                }
                _ => false,
            };
            if !known {
                self.faults.push(format!("{table}.txt:{}: `{line}`", number + 1));
            }
        }
    }

    /// A field of the type that is open; none where the line is none.
    fn field(&mut self, owner: &str, line: &'static str) -> Option<()> {
        let mut words = line.trim_start().splitn(4, ' ');
        let name = words.next()?;
        let access = match words.next()? {
            "init" => Access::InitializeOnly,
            "in" => Access::InputOnly,
            "out" => Access::OutputOnly,
            "io" => Access::InputOutput,
            _ => return None,
        };
        let field_type = FieldType::of_name(words.next()?)?;
        let default: Value = match words.next() {
            None => value::zero(field_type),
            Some(text) => value::read(field_type, text, Style::Classic).ok()?.0,
        };
        let fields = &mut self.drafts.get_mut(owner)?.fields;
        if fields.iter().any(|f| &*f.name == name) {
            return None;
        }
        fields.push(FieldDeclaration { name: name.into(), field_type, access, default });
        Some(())
    }

    /// The fields of a type after those of its bases, each once.
    fn inherit(
        &mut self,
        name: &'static str,
        seen: &mut BTreeSet<&'static str>,
        fields: &mut Vec<FieldDeclaration>,
    ) {
        // The tables are our own and a few levels deep; `seen` ends a circle.
        if !seen.insert(name) {
            return;
        }
        let Some(draft) = self.drafts.get(name) else {
            self.faults.push(format!("no type `{name}`"));
            return;
        };
        let own = draft.fields.clone();
        for base in draft.bases.clone() {
            self.inherit(base, seen, fields);
        }
        for field in own {
            match fields.iter().find(|f| f.name == field.name) {
                None => fields.push(field),
                Some(inherited) if *inherited == field => {}
                Some(_) => self.faults.push(format!("{name}.{} is inherited as another field", field.name)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sound() {
        let (catalogue, faults) = read();
        assert_eq!(faults, Vec::<String>::new());
        assert!(catalogue.types.len() > 250, "{}", catalogue.types.len());
        for t in catalogue.types() {
            let names: BTreeSet<&str> = t.node_type.fields.iter().map(|f| &*f.name).collect();
            assert_eq!(names.len(), t.node_type.fields.len(), "{}", t.node_type.name);
            for f in &t.node_type.fields {
                assert_eq!(f.default.field_type(), f.field_type, "{}.{}", t.node_type.name, f.name);
            }
        }
    }

    #[test]
    fn some_types() {
        let (catalogue, _) = read();
        let sensor = catalogue.get("TimeSensor").expect("a TimeSensor");
        let interval = sensor.field("set_cycleInterval").expect("a cycleInterval");
        assert_eq!(sensor.node_type.fields[interval.0 as usize].default, Value::SFTime(1.));
        assert!(sensor.bases.contains("X3DChildNode") && sensor.component == "Time");
        let switch = catalogue.get("Switch").expect("a Switch");
        assert_eq!(switch.field("choice"), switch.field("children"));
        assert_eq!(catalogue.get("Box").map(|b| b.container_field), Some("geometry"));
    }
}
