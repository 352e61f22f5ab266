//! What each element says.

use animation::event::field::FieldType;
use diagnostics::did_you_mean;

use super::super::access::{access_of, other_word};
use super::super::encoding::Encoding;
use super::super::tree::{Declaration, Export, Import, Item, List, Node, Place, Prototype, Route};
use super::{Element, Reader, Role, at};
use crate::names::Name;

impl<'t> Reader<'t, '_> {
    /// Takes an element inside one of a role, and says its own.
    pub(super) fn element(&mut self, element: Element<'t>, role: Role) -> Role {
        let name = element.tag_name().name();
        match (role, name) {
            (Role::File, "head") => Role::Head,
            (Role::File, "Scene") => {
                if std::mem::replace(&mut self.has_scene, true) {
                    let message = "a second `Scene`, and a file has one; its nodes are read as if they stood in the first";
                    self.warn(at(element), message.to_owned());
                }
                Role::Scope(Place::Root)
            }
            (Role::File, other) => {
                self.leave_out(at(element), format!("`{other}` stands outside of `Scene`"));
                Role::Ignored
            }
            (Role::Head, "component") => {
                let name = element.attribute("name").unwrap_or_default();
                let level = element.attribute("level").and_then(|l| l.trim().parse().ok()).unwrap_or(1);
                let name = self.names.intern(name);
                self.tree.components.push((name, level, at(element)));
                Role::Ignored
            }
            (Role::Head, "unit") => {
                let word = |name| element.attribute(name).unwrap_or_default().trim();
                if let Err(message) =
                    self.tree.set_unit(word("category"), word("name"), word("conversionFactor"))
                {
                    self.warn(at(element), message);
                }
                Role::Ignored
            }
            (Role::Head, "meta") => {
                if let (Some(name), Some(content)) = (element.attribute("name"), element.attribute("content"))
                {
                    self.tree.metadata.push((name.into(), content.into()));
                }
                Role::Ignored
            }
            (Role::Head | Role::Ignored, _) => Role::Ignored,
            (Role::Prototype(index), "ProtoInterface") => Role::Interface(index),
            (Role::Prototype(index), "ProtoBody") => Role::Scope(Place::Body(index)),
            (Role::Interface(index), "field") => self.declaration(element, Place::Interface(index)),
            (Role::Is(index), "connect") => self.connect(element, index),
            (Role::Prototype(_) | Role::Interface(_) | Role::Is(_), _) => {
                if name != "IS" && name != "Metadata" {
                    self.leave_out(at(element), format!("`{name}` cannot stand here"));
                }
                Role::Ignored
            }
            (Role::Scope(place), _) => self.statement(element, place, None),
            (Role::Node(index), "IS") => Role::Is(index),
            (Role::Node(index), "field") => self.declaration(element, Place::Node(index)),
            (Role::Node(index), "fieldValue") => self.field_value(element, index),
            (Role::Node(index), _) => {
                let field = element.attribute("containerField").map(|f| self.names.intern(f.trim()));
                self.statement(element, Place::Node(index), field)
            }
            (Role::Declaration(index), _) => self.statement(element, Place::Declaration(index), None),
            (Role::FieldValue(index, field), _) => self.statement(element, Place::Node(index), Some(field)),
        }
    }

    /// A statement or a node.
    fn statement(&mut self, element: Element<'t>, place: Place, field: Option<Name>) -> Role {
        match element.tag_name().name() {
            "ROUTE" => self.route(element, place),
            "ProtoDeclare" => self.prototype(element, place, false),
            "ExternProtoDeclare" => self.prototype(element, place, true),
            "IMPORT" => self.import(element, place),
            "EXPORT" => self.export(element, place),
            "ProtoInstance" => self.node(element, place, field, true),
            _ => self.node(element, place, field, false),
        }
    }

    fn node(&mut self, element: Element<'t>, place: Place, field: Option<Name>, is_instance: bool) -> Role {
        let start = at(element);
        let type_name = if is_instance {
            if element.has_attribute("USE") && !element.has_attribute("name") {
                self.names.intern("ProtoInstance")
            } else {
                let Some(name) = self.word(element, &["name"]) else { return Role::Ignored };
                name
            }
        } else {
            self.names.intern(element.tag_name().name())
        };
        let mut name_of = |attribute: &str| {
            let text = element.attribute(attribute)?.trim();
            (!text.is_empty()).then(|| self.names.intern(text))
        };
        let (def, use_of) = (name_of("DEF"), name_of("USE"));
        if let Some(def) = element.attribute("DEF")
            && let Some(fault) = fault_of_name(def.trim())
        {
            self.warn(start, format!("DEF `{def}` is no name: {fault}"));
        }
        let node =
            Node { type_name, def, use_of, is_instance, declares: false, items: List::EMPTY, at: start };
        let index = self.tree.add_node(place, field, node);
        if use_of.is_some() {
            if def.is_some() {
                self.warn(start, "a node with USE is another one, and takes no DEF of its own".to_owned());
            }
            self.check_use(element);
            return Role::Ignored;
        }
        for attribute in element.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || matches!(name, "DEF" | "USE" | "containerField") {
                continue;
            }
            if is_instance {
                if !matches!(name, "name" | "class" | "id" | "style") {
                    let place = attribute.range().start as u32;
                    self.leave_out(
                        place,
                        format!("`{name}` of a ProtoInstance: its fields are given by `fieldValue` elements"),
                    );
                }
                continue;
            }
            let field = self.names.intern(name);
            let (text, at) = self.span(attribute);
            self.tree.push(Place::Node(index), Item::Value { field, text, at });
        }
        Role::Node(index)
    }

    /// What an element with USE says besides is lost.
    fn check_use(&mut self, element: Element<'t>) {
        const TAKEN: [&str; 7] = ["DEF", "USE", "containerField", "name", "class", "id", "style"];
        let is_instance = element.tag_name().name() == "ProtoInstance";
        let is_lost = |name: &str| !TAKEN.contains(&name) || (name == "name" && !is_instance);
        let lost = element.attributes().find(|a| a.namespace().is_none() && is_lost(a.name()));
        if let Some(lost) = lost {
            let message = format!(
                "`{}` of a node with USE: the node is as its DEF says, and this is left out",
                lost.name()
            );
            self.warn(lost.range().start as u32, message);
        }
        if let Some(child) = element.children().find(|c| c.is_element()) {
            let message = format!(
                "`{}` in a node with USE: the node is as its DEF says, and what stands here is left out",
                child.tag_name().name()
            );
            self.warn(at(child), message);
        }
    }

    fn field_value(&mut self, element: Element<'t>, node: u32) -> Role {
        let Some(field) = self.word(element, &["name"]) else {
            return Role::Ignored;
        };
        if let Some(value) = element.attribute_node("value") {
            let (text, at) = self.span(value);
            self.tree.push(Place::Node(node), Item::Value { field, text, at });
        }
        Role::FieldValue(node, field)
    }

    fn declaration(&mut self, element: Element<'t>, place: Place) -> Role {
        let start = at(element);
        let Some(name) = self.word(element, &["name"]) else {
            return Role::Ignored;
        };
        let word = element.attribute("accessType").unwrap_or_default().trim();
        if let Some(own) = other_word(word, Encoding::Xml) {
            self.warn(start, format!("`{word}` is VRML97's word; X3D's is `{own}`"));
        }
        let Some(access) = access_of(word) else {
            let words = ["initializeOnly", "inputOnly", "outputOnly", "inputOutput"];
            let hint = did_you_mean(word, words).unwrap_or_else(|| format!("one of {}", words.join(", ")));
            self.leave_out(start, format!("accessType `{word}` of a field: {hint}"));
            return Role::Ignored;
        };
        let word = element.attribute("type").unwrap_or_default().trim();
        let Some(field_type) = FieldType::of_name(word) else {
            let hint = did_you_mean(word, FieldType::ALL.iter().map(|t| t.name()));
            let hint = hint.map_or_else(String::new, |h| format!("; {h}"));
            self.leave_out(start, format!("`{word}` is no type of fields{hint}"));
            return Role::Ignored;
        };
        let value = element.attribute_node("value").map(|v| self.span(v));
        let is = element.attribute("IS").map(|w| self.names.intern(w.trim()));
        let declared = Declaration {
            name,
            access,
            field_type,
            value: value.map(|v| v.0),
            nodes: List::EMPTY,
            is,
            at: start,
        };
        Role::Declaration(self.tree.declare(place, declared))
    }

    fn connect(&mut self, element: Element<'t>, node: u32) -> Role {
        let field = self.word(element, &["nodeField"]);
        let outer = self.word(element, &["protoField"]);
        if let (Some(field), Some(outer)) = (field, outer) {
            self.tree.push(Place::Node(node), Item::Is { field, outer, at: at(element) });
        }
        Role::Ignored
    }

    fn prototype(&mut self, element: Element<'t>, place: Place, is_extern: bool) -> Role {
        let Some(name) = self.word(element, &["name"]) else {
            return Role::Ignored;
        };
        let url = element.attribute_node("url").filter(|_| is_extern).map(|u| self.span(u).0);
        if is_extern && url.is_none() {
            self.leave_out(at(element), "an ExternProtoDeclare needs a `url`".to_owned());
        }
        let index = self.tree.prototypes.len() as u32;
        let declared = Prototype { name, interface: List::EMPTY, body: List::EMPTY, url, at: at(element) };
        self.tree.prototypes.push(declared);
        self.tree.push(place, Item::Prototype(index));
        if is_extern { Role::Interface(index) } else { Role::Prototype(index) }
    }

    fn route(&mut self, element: Element<'t>, place: Place) -> Role {
        let words = ["fromNode", "fromField", "toNode", "toField"].map(|w| self.word(element, &[w]));
        if let [Some(from), Some(sent), Some(to), Some(received)] = words {
            let index = self.tree.routes.len() as u32;
            self.tree.routes.push(Route { from: (from, sent), to: (to, received), at: at(element) });
            self.tree.push(place, Item::Route(index));
        }
        Role::Ignored
    }

    /// X3D 3.0 wrote `InlineDEF` and `exportedDEF`, 3.1 and later write `inlineDEF` and `importedDEF`.
    fn import(&mut self, element: Element<'t>, place: Place) -> Role {
        let inline = self.word(element, &["inlineDEF", "InlineDEF"]);
        let exported = self.word(element, &["importedDEF", "exportedDEF"]);
        if let (Some(inline), Some(exported)) = (inline, exported) {
            let alias = element.attribute("AS").map_or(exported, |a| self.names.intern(a.trim()));
            let index = self.tree.imports.len() as u32;
            self.tree.imports.push(Import { inline, exported, alias, at: at(element) });
            self.tree.push(place, Item::Import(index));
        }
        Role::Ignored
    }
    fn export(&mut self, element: Element<'t>, place: Place) -> Role {
        if let Some(node) = self.word(element, &["localDEF"]) {
            let alias = element.attribute("AS").map_or(node, |a| self.names.intern(a.trim()));
            let index = self.tree.exports.len() as u32;
            self.tree.exports.push(Export { node, alias, at: at(element) });
            self.tree.push(place, Item::Export(index));
        }
        Role::Ignored
    }

    /// An attribute that has to be there, by the first of its names that is.
    fn word(&mut self, element: Element<'t>, attributes: &[&str]) -> Option<Name> {
        let text =
            attributes.iter().find_map(|a| element.attribute(*a)).map(str::trim).filter(|t| !t.is_empty());
        if text.is_none() {
            let first = attributes.first().copied().unwrap_or_default();
            let element_name = element.tag_name().name();
            let message = format!("`{element_name}` needs the attribute `{first}`");
            // Who names no end of a route means one.
            match element_name {
                "ROUTE" | "IMPORT" | "EXPORT" => self.error(at(element), message),
                _ => self.leave_out(at(element), message),
            }
        }
        text.map(|t| self.names.intern(t))
    }
}

/// Why a text is no name of a node; none if it is one.
fn fault_of_name(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    match first {
        None => Some("it is empty"),
        Some(c) if c.is_ascii_digit() || "+-.".contains(c) => Some("it begins like a number"),
        Some(_) if name.contains(char::is_whitespace) => Some("there is a space in it"),
        Some(_) => name
            .contains(['"', '#', '\'', ',', '[', ']', '\\', '{', '}'])
            .then_some("names have none of \" # ' , [ ] \\ { }"),
    }
}
