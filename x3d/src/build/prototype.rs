//! Prototypes: declarations and instances.

use std::collections::BTreeSet;
use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::{Access, FieldType};
use animation::event::scene::{self, ContextKind, FieldDeclaration, NodeType};
use diagnostics::Severity;

use super::field::{MOST_FIELDS, style};
use super::state::{EnvironmentIndex, Prototype, PrototypeIndex, TreeIndex, Whereabouts};
use super::{Builder, Frame, What, unit};
use crate::catalogue;
use crate::syntax::tree::{Item, Tree};
use crate::syntax::value;

impl Builder<'_> {
    /// A prototype's declaration; the same one again is the one that is known.
    pub(super) fn declare(
        &mut self,
        tree: &Tree,
        tree_index: TreeIndex,
        index: u32,
        environment: EnvironmentIndex,
        is_of_scene: bool,
    ) -> PrototypeIndex {
        let syntax = tree.prototypes[index as usize];
        let known = self.state.environments[environment].prototypes.get(&syntax.name).copied();
        if let Some(known) = known {
            let prototype = &mut self.state.prototypes[known];
            if (prototype.tree, prototype.index) == (tree_index, index) {
                prototype.is_of_scene |= is_of_scene;
                return known;
            }
            // One that was known beforehand, and another one of the name after it: the name means it from here on.
            let is_it = |p: &Prototype| (p.environment, p.tree, p.index) == (environment, tree_index, index);
            if let Some(again) = self.state.prototypes.iter().position(is_it) {
                self.state.prototypes[again].is_of_scene |= is_of_scene;
                self.state.environments[environment].prototypes.insert(syntax.name, again);
                return again;
            }
            let text = self.state.names.text(syntax.name).clone();
            self.warn(
                tree,
                syntax.at,
                format!("a second prototype is called `{text}`; the name means this one from here on"),
            );
        }
        self.check_prototype_name(tree, index);
        let node_type = self.interface(tree, index);
        let whereabouts = if syntax.url.is_some() { Whereabouts::Elsewhere } else { Whereabouts::Here };
        let prototype = Prototype {
            name: syntax.name,
            tree: tree_index,
            index,
            node_type,
            environment,
            body_environment: None,
            whereabouts,
            is_open: false,
            is_used: false,
            is_of_scene,
        };
        self.state.add_prototype(prototype)
    }

    /// The type of a prototype's instances.
    fn interface(&mut self, tree: &Tree, index: u32) -> Arc<NodeType> {
        let syntax = tree.prototypes[index as usize];
        let owner = self.state.names.text(syntax.name).clone();
        let mut fields: Vec<FieldDeclaration> = Vec::new();
        for item in tree.items(syntax.interface) {
            let Item::Declare(declared) = item else { continue };
            let declared = tree.declarations[declared as usize];
            let name = self.state.names.text(declared.name).clone();
            let (field_type, access) = (declared.field_type, declared.access);
            if fields.len() == MOST_FIELDS {
                let d = self.finding(
                    Severity::Error,
                    tree,
                    declared.at,
                    format!("more than {MOST_FIELDS} fields"),
                );
                self.report(d.component(&*owner));
                break;
            }
            if let Some(known) = fields.iter().find(|f| f.name == name) {
                let again = FieldDeclaration { name, field_type, access, default: value::zero(field_type) };
                self.report_again(tree, known, &again, &owner, declared.at);
                continue;
            }
            let mut default = value::zero(field_type);
            if declared.value.is_none() && syntax.url.is_none() {
                self.check_default(tree, &declared, &owner);
            }
            if let Some(text) = declared.value {
                match value::read(field_type, tree.text(text), style(tree)) {
                    _ if !access.is_written_in_files() => {
                        let message =
                            format!("an {} field, which takes no value; it is left out", access.name());
                        let d = self.finding(Severity::Warning, tree, declared.at, message);
                        self.report(d.component(&*owner).attribute(&*name));
                    }
                    Ok((value, oddity)) => {
                        default = unit::default_in_base_units(tree, value);
                        if let Some(oddity) = oddity {
                            let d = self.finding(
                                Severity::Warning,
                                tree,
                                tree.place(text, 0, declared.at),
                                oddity,
                            );
                            self.report(d.component(&*owner).attribute(&*name));
                        }
                    }
                    Err(fault) => {
                        let message = format!("no {field_type}: {}", fault.message);
                        let at = tree.place(text, fault.at, declared.at);
                        let d = self.finding(Severity::Error, tree, at, message);
                        self.report_left_out(d.component(&*owner).attribute(&*name));
                    }
                }
            }
            fields.push(FieldDeclaration { name, field_type, access, default });
        }
        // Each node may have metadata, an instance of a prototype, too.
        if !fields.iter().any(|f| &*f.name == "metadata") {
            let (field_type, access) = (FieldType::SFNode, Access::InputOutput);
            fields.push(FieldDeclaration {
                name: "metadata".into(),
                field_type,
                access,
                default: value::zero(field_type),
            });
        }
        Arc::new(NodeType { name: owner, fields, is_prototype: true })
    }

    /// The prototype that an instance has, wherever it is written.
    pub(super) fn prototype_of_instance(
        &mut self,
        tree: &Tree,
        prototype: PrototypeIndex,
        at: u32,
    ) -> Option<PrototypeIndex> {
        self.seek(prototype)?;
        if self.body_of(prototype).is_some_and(|body| self.state.prototypes[body].is_open) {
            let text = self.state.names.text(self.state.prototypes[prototype].name).clone();
            let d = self.finding(
                Severity::Error,
                tree,
                at,
                "the prototype's body has an instance of itself, without end",
            );
            self.report(d.component(&*text));
            return None;
        }
        Some(prototype)
    }

    /// The prototype whose body is that of another one's instances; none where it is missing.
    fn body_of(&self, prototype: PrototypeIndex) -> Option<PrototypeIndex> {
        match self.state.prototypes[prototype].whereabouts {
            Whereabouts::Here => Some(prototype),
            Whereabouts::Found(body) => Some(body),
            Whereabouts::Elsewhere | Whereabouts::Sought | Whereabouts::Missing => None,
        }
    }

    /// Begins the body of an instance, whose fields have their values.
    pub(super) fn instantiate(&mut self, frame: Frame, node: NodeId, prototype: PrototypeIndex) {
        self.state.prototypes[prototype].is_used = true;
        let Some(body) = self.body_of(prototype) else { return };
        let Prototype { tree: tree_index, index, environment, body_environment, .. } =
            self.state.prototypes[body];
        let inside = body_environment.unwrap_or_else(|| self.state.new_environment(Some(environment)));
        let described = &mut self.state.prototypes[body];
        described.body_environment = Some(inside);
        described.is_used = true;
        described.is_open = true;
        let tree = self.state.trees[tree_index].clone();
        let parent = self.scene.node(node).context;
        let kind = ContextKind::Prototype(node);
        let context = self.new_context(kind, Some(parent), tree.source.file.clone(), inside, None);
        let syntax = tree.prototypes[index as usize];
        self.open_scope(tree_index, syntax.body, context, inside, Some((node, body)), false);
        // Nodes that the interface has for fields without a value are built first, so that the body finds them.
        let Some(scope_frame) = self.frames.last().copied() else { return };
        let given = self.given[frame.given_from.min(self.given.len())..].to_vec();
        let mut defaults = Vec::new();
        for item in tree.items(syntax.interface) {
            let Item::Declare(declared) = item else { continue };
            let declared = tree.declarations[declared as usize];
            if tree.item(declared.nodes.first).is_some()
                && let Some(field) = self.field(node, declared.name)
                && !given.contains(&field)
            {
                defaults.push((field, declared));
            }
        }
        for (field, declared) in defaults.into_iter().rev() {
            self.nodes_of_field(&tree, scope_frame, node, field, &declared);
        }
    }

    /// The field in which an instance stands where a file does not say: `children`, and where the parent has none, what its first
    /// node would stand in.
    pub(super) fn container_field(&self, parent: NodeId, prototype: PrototypeIndex) -> &'static str {
        let children = "children";
        if self.scene.node(parent).node_type.field(children).is_some() {
            return children;
        }
        let mut body = self.body_of(prototype);
        // A body may begin with an instance of a prototype declared before it.
        for _ in 0..100 {
            let Some(Prototype { tree, index, environment, .. }) = body.map(|b| &self.state.prototypes[b])
            else {
                break;
            };
            let tree = &self.state.trees[*tree];
            let first = tree.items(tree.prototypes[*index as usize].body).find_map(|item| match item {
                Item::Child { node, .. } => Some(tree.nodes[node as usize]),
                _ => None,
            });
            let Some(first) = first else { break };
            if let Some(standard) = catalogue::standard().get(self.state.names.text(first.type_name)) {
                return standard.container_field;
            }
            body = self.state.prototype(*environment, first.type_name).and_then(|p| self.body_of(p));
        }
        children
    }

    /// The names of all prototypes seen from a scope.
    pub(super) fn prototype_names(&self, environment: EnvironmentIndex) -> Vec<Arc<str>> {
        let mut names = BTreeSet::new();
        let mut here = Some(environment);
        while let Some(environment) = here.map(|k| &self.state.environments[k]) {
            names.extend(environment.prototypes.keys().copied());
            here = environment.parent;
        }
        names.into_iter().map(|n| self.state.names.text(n).clone()).collect()
    }

    /// Builds an instance of each prototype that has none, only to find its mistakes.
    pub(super) fn try_unused_prototypes(&mut self) {
        let kept = (self.scene.nodes.len(), self.scene.routes.len(), self.scene.aliases.len());
        let contexts = self.scene.contexts.len();
        let waiting = (self.state.imports.len(), self.state.import_routes.len());
        let (values, roots) = (self.values, self.roots.clone());
        self.is_trial = true;
        let mut next = 0;
        while next < self.state.prototypes.len() && !self.stopped {
            let index = next;
            next += 1;
            let prototype = &self.state.prototypes[index];
            if prototype.is_used || !prototype.is_of_scene || prototype.whereabouts != Whereabouts::Here {
                continue;
            }
            let node_type = prototype.node_type.clone();
            let tree = self.state.trees[prototype.tree].clone();
            let at = tree.prototypes[prototype.index as usize].at;
            let node = NodeId(self.scene.nodes.len() as u32);
            self.scene.nodes.push(scene::Node {
                values: node_type.fields.iter().map(|f| f.default.clone()).collect(),
                node_type,
                def: None,
                context: animation::event::ContextId(0),
                location: tree.source.location(at),
            });
            self.open.push(false);
            let frame = Frame {
                tree: 0,
                next: 0,
                scope: 0,
                what: What::Scope,
                children_from: self.children.len(),
                given_from: self.given.len(),
            };
            self.instantiate(frame, node, index);
            self.run();
            self.scene.nodes.truncate(kept.0);
            self.scene.routes.truncate(kept.1);
            self.scene.aliases.truncate(kept.2);
            self.scene.contexts.truncate(contexts);
            self.state.contexts.truncate(contexts);
            self.state.imports.truncate(waiting.0);
            self.state.import_routes.truncate(waiting.1);
            self.open.truncate(kept.0 - self.first_node);
            self.values = values;
            // Types of the nodes that are gone may be gone, too, and others stand where they stood.
            self.memo = super::field::Memo::default();
        }
        self.is_trial = false;
        self.roots = roots;
    }
}
