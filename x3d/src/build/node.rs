//! Nodes: what they are, and where in their parents they stand.

use std::sync::Arc;

use animation::event::field::{FieldType, Value};
use animation::event::scene::{self, FieldDeclaration, NodeType};
use animation::event::{FieldId, NodeId};
use diagnostics::Severity;

use super::field::MOST_FIELDS;
use super::{Builder, Frame, Kind, NOWHERE, What};
use crate::catalogue::{self, Standard};
use crate::names::Name;
use crate::options::LoadOptions;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::{self, Item, Tree};
use crate::syntax::value;

impl Builder<'_> {
    /// A node of a list: a new one, or one that has a name already.
    pub(super) fn child(&mut self, tree: &Tree, frame: Frame, field: Option<Name>, index: u32) {
        let syntax = tree.nodes[index as usize];
        if let Some(name) = syntax.use_of {
            self.used(tree, frame, field, &syntax, name);
            return;
        }
        let Some(kind) = self.kind(tree, frame, &syntax) else {
            self.leave_out(tree, frame, index);
            return;
        };
        let node_type = self.node_type(tree, &syntax, kind);
        let target = self.target(tree, frame, field, kind, syntax.at);
        let Some(node) = self.new_node(tree, frame, &syntax, node_type) else { return };
        self.children.push((target, node));
        self.open.push(true);
        if let Kind::Standard(standard) = kind {
            self.check_profile(tree, frame, standard, syntax.at);
            if matches!(frame.what, What::Scope) {
                self.check_root(tree, frame, standard, node, syntax.at);
            }
        }
        self.frames.push(Frame {
            tree: frame.tree,
            next: syntax.items.first,
            scope: frame.scope,
            what: What::Node(node, kind),
            children_from: self.children.len(),
            given_from: self.given.len(),
        });
    }

    /// Leaves out a node with all that stands in it: their names mean nothing, and routes to them go with them.
    fn leave_out(&mut self, tree: &Tree, frame: Frame, index: u32) {
        let scope = frame.scope;
        let mut stack = vec![index];
        while let Some(node) = stack.pop().map(|k| &tree.nodes[k as usize]) {
            self.scopes[scope].broken.extend(node.def);
            for item in tree.items(node.items) {
                match item {
                    Item::Child { node, .. } => stack.push(node),
                    Item::Declare(k) => {
                        let nodes = tree.declarations[k as usize].nodes;
                        stack.extend(tree.items(nodes).filter_map(|item| match item {
                            Item::Child { node, .. } => Some(node),
                            _ => None,
                        }));
                    }
                    // What a file says inside a node that is left out goes with it; prototypes hold for the rest of the file.
                    Item::Prototype(k) => {
                        let environment = self.scopes[scope].environment;
                        self.declare(tree, frame.tree, k, environment, true);
                    }
                    Item::Route(k) => self.route(tree, scope, k),
                    _ => {}
                }
            }
        }
    }

    /// What the name of a type means here.
    fn kind(&mut self, tree: &Tree, frame: Frame, syntax: &tree::Node) -> Option<Kind> {
        let name = syntax.type_name;
        let environment = self.scopes[frame.scope].environment;
        let may_be_prototype = syntax.is_instance || tree.encoding != Encoding::Xml;
        if may_be_prototype && let Some(prototype) = self.state.prototype(environment, name) {
            let declared = &self.state.prototypes[prototype];
            if declared.tree == frame.tree && tree.prototypes[declared.index as usize].at > syntax.at {
                let text = self.state.names.text(name).clone();
                let message = "the instance stands before its prototype; X3D wants it after that";
                let d = self.finding(Severity::Warning, tree, syntax.at, message);
                self.report(d.component(&*text));
            }
            return self.prototype_of_instance(tree, prototype, syntax.at).map(Kind::Prototype);
        }
        let text = self.state.names.text(name).clone();
        if !syntax.is_instance
            && let Some(standard) = catalogue::standard().get(&text)
        {
            if tree.encoding == Encoding::Vrml97
                && !catalogue::is_of_vrml97(&text)
                && self.is_new_type(frame.tree, standard)
            {
                let message = "VRML97 has no such type of nodes; it is X3D's";
                let d = self.finding(Severity::Warning, tree, syntax.at, message).component(&*text);
                self.report(
                    d.suggestion(Some("begin the file with `#X3D V3.3 utf8` and `PROFILE Full`".to_owned())),
                );
            }
            return Some(Kind::Standard(standard));
        }
        let known = self.prototype_names(environment);
        let standard = catalogue::standard().names().filter(|_| !syntax.is_instance).map(|n| -> &str { n });
        let mut suggestion = self.suggest(&text, known.iter().map(|n| -> &str { n }).chain(standard));
        if tree.encoding == Encoding::Xml && !syntax.is_instance && known.contains(&text) {
            suggestion = Some(format!("a prototype's instance is written `<ProtoInstance name='{text}'>`"));
        }
        let what = if syntax.is_instance { "prototype" } else { "type of nodes" };
        let d = self.finding(Severity::Error, tree, syntax.at, format!("`{text}` is no {what}"));
        self.report_left_out(d.suggestion(suggestion));
        None
    }

    /// The fields of a new node: of its type, and those that it declares itself.
    fn node_type(&mut self, tree: &Tree, syntax: &tree::Node, kind: Kind) -> Arc<NodeType> {
        let standard = match kind {
            Kind::Prototype(k) => return self.state.prototypes[k].node_type.clone(),
            Kind::Standard(standard) if self.is_list_of_layers(tree, syntax, standard) => {
                return with_list(&standard.node_type, "visible");
            }
            Kind::Standard(standard) if !syntax.declares => return standard.node_type.clone(),
            Kind::Standard(standard) => standard,
        };
        if !declares_fields(standard) {
            let message = "declares fields, which only Script and shaders do";
            let d = self.finding(Severity::Error, tree, syntax.at, message);
            self.report_left_out(d.component(&*standard.node_type.name));
            return standard.node_type.clone();
        }
        let mut own = NodeType::clone(&standard.node_type);
        for item in tree.items(syntax.items) {
            let Item::Declare(index) = item else { continue };
            let declared = &tree.declarations[index as usize];
            let name = self.state.names.text(declared.name).clone();
            if own.fields.len() == MOST_FIELDS {
                let d = self.finding(
                    Severity::Error,
                    tree,
                    declared.at,
                    format!("more than {MOST_FIELDS} fields"),
                );
                self.report(d.component(&*own.name));
                break;
            }
            let (field_type, access) = (declared.field_type, declared.access);
            let known = own.fields.iter().position(|f| f.name == name);
            let field = FieldDeclaration { name, field_type, access, default: value::zero(field_type) };
            match known {
                None => own.fields.push(field),
                // VRML97's Scripts have few fields of their own, and their authors use the names of later ones.
                Some(k) if k < standard.node_type.fields.len() && !SCRIPTS_OWN.contains(&&*field.name) => {
                    own.fields[k] = field;
                }
                Some(k) => self.report_again(tree, &own.fields[k], &field, &own.name, declared.at),
            }
        }
        Arc::new(own)
    }

    /// Whether a node is a CADLayer that says of each child whether it is seen, as before X3D 4.
    fn is_list_of_layers(&self, tree: &Tree, syntax: &tree::Node, standard: &Standard) -> bool {
        &*standard.node_type.name == "CADLayer"
            && tree.items(syntax.items).any(|item| {
                let Item::Value { field, text, .. } = item else { return false };
                let words = tree.text(text).split([' ', '\t', '\n', '\r', ',']).filter(|w| !w.is_empty());
                &**self.state.names.text(field) == "visible" && words.count() != 1
            })
    }

    /// A field that is declared once more: harmless where it is the same.
    pub(super) fn report_again(
        &mut self,
        tree: &Tree,
        known: &FieldDeclaration,
        again: &FieldDeclaration,
        owner: &str,
        at: u32,
    ) {
        let is_same = (known.field_type, known.access) == (again.field_type, again.access);
        let (severity, message) = if is_same {
            (Severity::Warning, "the same field is declared once more; it counts once")
        } else {
            (Severity::Error, "there is a field of this name already")
        };
        let d = self.finding(severity, tree, at, message);
        self.report(d.component(owner).attribute(&*again.name));
    }

    /// A new node with its type's values.
    fn new_node(
        &mut self,
        tree: &Tree,
        frame: Frame,
        syntax: &tree::Node,
        node_type: Arc<NodeType>,
    ) -> Option<NodeId> {
        self.values += node_type.fields.len();
        if let Some(message) = self.is_too_large() {
            let mut d = self.finding(Severity::Error, tree, syntax.at, message);
            d = d.suggestion(Some(
                "does a prototype or an Inline multiply? `LoadOptions` has the limits".to_owned(),
            ));
            self.report(d);
            self.stopped = true;
            return None;
        }
        let id = NodeId(self.scene.nodes.len() as u32);
        let def = syntax.def.map(|name| {
            let text = self.state.names.text(name).clone();
            if self.scopes[frame.scope].defs.insert(name, id).is_some() && tree.encoding != Encoding::Vrml97 {
                let message =
                    format!("a second node is called `{text}`; the name means this one from here on");
                self.warn(tree, syntax.at, message);
            }
            text
        });
        self.scene.nodes.push(scene::Node {
            values: node_type.fields.iter().map(|f| f.default.clone()).collect(),
            node_type,
            def,
            context: self.scopes[frame.scope].context,
            location: tree.source.location(syntax.at),
        });
        Some(id)
    }

    /// The field of the parent that a node stands in.
    pub(super) fn target(
        &mut self,
        tree: &Tree,
        frame: Frame,
        field: Option<Name>,
        kind: Kind,
        at: u32,
    ) -> FieldId {
        match frame.what {
            What::Scope => NOWHERE,
            What::Field(_, field) => field,
            What::Node(parent, _) => {
                let otherwise = match kind {
                    Kind::Standard(standard) if field.is_none() => self.field_for(tree, parent, standard, at),
                    Kind::Standard(standard) => standard.container_field,
                    Kind::Prototype(prototype) => self.container_field(parent, prototype),
                };
                self.named_target(tree, frame, field, parent, otherwise, at)
            }
        }
    }

    /// The field that a node stands in where an XML file names none: its type's, and where its parent has no such field the only one that
    /// the node can be meant for, with a warning.
    fn field_for(&mut self, tree: &Tree, parent: NodeId, standard: &Standard, at: u32) -> &'static str {
        let usual = standard.container_field;
        let parent_type = self.scene.node(parent).node_type.clone();
        // What is said about a node stands in its `metadata`, and in a set of such in its `value`.
        if standard.node_type.name.starts_with("Metadata") {
            return if &*parent_type.name == "MetadataSet" { usual } else { "metadata" };
        }
        if parent_type.is_prototype || parent_type.field(usual).is_some() {
            return usual;
        }
        let takes = |name: &str| {
            let field = parent_type.field(name).map(|f| &parent_type.fields[f.0 as usize]);
            field.is_some_and(|f| f.field_type.is_nodes() && f.access.is_written_in_files())
        };
        // Sound takes what makes noise; whoever has children takes what may stand among children.
        let meant = [
            ("X3DSoundSourceNode", "source"),
            ("X3DSoundSourceNode", "children"),
            ("X3DChildNode", "children"),
        ];
        let meant = meant
            .iter()
            .find(|(base, name)| standard.bases.contains(base) && takes(name))
            .map(|(_, name)| *name);
        let only = || {
            let all = catalogue::standard().get(&parent_type.name)?.node_type.fields.iter();
            let mut nodes = all.filter(|f| &*f.name != "metadata" && takes(&f.name));
            match (nodes.next(), nodes.next()) {
                (Some(field), None) if &*field.name != "children" => Some(&*field.name),
                _ => None,
            }
        };
        let Some(found) = meant.or_else(only) else { return usual };
        let message = format!(
            "a {} has no field `{usual}`, which this stands in without a containerField; it goes into `{found}`",
            parent_type.name
        );
        let d = self.finding(Severity::Warning, tree, at, message);
        self.report(d.component(&*standard.node_type.name));
        found
    }
    pub(super) fn named_target(
        &mut self,
        tree: &Tree,
        frame: Frame,
        field: Option<Name>,
        parent: NodeId,
        otherwise: &str,
        at: u32,
    ) -> FieldId {
        let name = field.unwrap_or_else(|| self.state.names.intern(otherwise));
        let Some(found) = self.field_or_report(tree, parent, name, at) else { return NOWHERE };
        let declared = self.scene.field((parent, found));
        if !declared.field_type.is_nodes() {
            let d = self.finding(
                Severity::Error,
                tree,
                at,
                format!("a node in a field of type {}", declared.field_type),
            );
            let d = d.component(self.label(parent)).attribute(&**self.state.names.text(name));
            self.report_left_out(d);
            return NOWHERE;
        }
        if !self.may_be_written(tree, parent, found, at) {
            return NOWHERE;
        }
        self.check_hidden(parent, found, &tree.source.location(at));
        if matches!(frame.what, What::Node(_, Kind::Prototype(_))) {
            self.given.push(found);
        }
        found
    }

    /// Puts a frame's nodes into their fields.
    pub(super) fn take_children(&mut self, tree: &Tree, frame: Frame, parent: NodeId) {
        let children = &mut self.children[frame.children_from..];
        if !children.is_sorted_by_key(|c| c.0) {
            // Stable: within a field the file's order stays.
            children.sort_by_key(|c| c.0);
        }
        let mut surplus = Vec::new();
        let node = &mut self.scene.nodes[parent.0 as usize];
        for run in children.chunk_by(|a, b| a.0 == b.0) {
            let field = run[0].0;
            let Some(declared) = node.node_type.fields.get(field.0 as usize) else { continue };
            let value = &mut node.values[field.0 as usize];
            if declared.field_type == FieldType::MFNode {
                *value = Value::MFNode(run.iter().map(|c| Some(c.1)).collect());
            } else {
                *value = Value::SFNode(run.last().map(|c| c.1));
                if run.len() > 1 {
                    surplus.push((field, run.len()));
                }
            }
        }
        self.children.truncate(frame.children_from);
        for (field, count) in surplus {
            let at = self.scene.node(parent).location.clone();
            let message = format!("{count} nodes in a field that holds one; the last counts");
            let name = self.scene.field((parent, field)).name.clone();
            let d =
                diagnostics::Diagnostic { location: at, ..self.finding(Severity::Warning, tree, 0, message) };
            let d = d.component(self.label(parent)).attribute(&*name);
            self.report(d);
        }
    }

    /// What there is too much of, if there is.
    fn is_too_large(&self) -> Option<String> {
        let LoadOptions { max_nodes, max_values, max_contexts, .. } = *self.options;
        // A node's number has 32 bits.
        let max_nodes = max_nodes.min(u32::MAX as usize - 1);
        if self.scene.nodes.len() >= max_nodes || self.values > max_values {
            return Some(format!(
                "the scene has more than {max_nodes} nodes or {max_values} values of fields, prototypes and inlined files expanded"
            ));
        }
        // The file itself is one.
        let is_crowded = self.scene.contexts.len() - self.first_context > max_contexts.saturating_add(1);
        is_crowded.then(|| {
            format!("the scene has more than {max_contexts} instances of prototypes and inlined files")
        })
    }
}

/// A type with a list of truth values where it has one.
fn with_list(node_type: &NodeType, name: &str) -> Arc<NodeType> {
    let mut own = node_type.clone();
    for field in own.fields.iter_mut().filter(|f| &*f.name == name) {
        (field.field_type, field.default) = (FieldType::MFBool, value::zero(FieldType::MFBool));
    }
    Arc::new(own)
}

/// Fields of a Script that its author cannot declare.
const SCRIPTS_OWN: [&str; 4] = ["url", "directOutput", "mustEvaluate", "metadata"];

/// Whether nodes of a type may have fields of their own.
pub(super) fn declares_fields(standard: &Standard) -> bool {
    matches!(&*standard.node_type.name, "Script" | "ComposedShader" | "PackagedShader" | "ShaderProgram")
}
