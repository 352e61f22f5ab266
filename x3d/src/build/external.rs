//! Prototypes that are written in other files.

use std::sync::Arc;

use animation::event::field::{Access, FieldType, Value};
use animation::event::scene::{FieldDeclaration, NodeType};
use animation::event::{FieldId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use super::Builder;
use super::field::style;
use super::state::{EnvironmentIndex, PrototypeIndex, TreeIndex, Whereabouts};
use crate::files::{self, Absent};
use crate::syntax::tree::{Item, Tree};
use crate::syntax::value;

impl Builder<'_> {
    /// Finds the body of a prototype that is written elsewhere, which may be written elsewhere again. None, and a report, where the
    /// way leads in a circle or what is there is no use.
    pub(super) fn seek(&mut self, prototype: PrototypeIndex) -> Option<()> {
        let mut chain = Vec::new();
        let mut here = prototype;
        let end = loop {
            match self.state.prototypes[here].whereabouts {
                Whereabouts::Here => break Some(here),
                Whereabouts::Found(body) => break Some(body),
                Whereabouts::Missing => break None,
                Whereabouts::Sought => {
                    self.report_circle(&chain, here);
                    self.settle(&chain, Whereabouts::Missing);
                    return None;
                }
                Whereabouts::Elsewhere => {
                    self.state.prototypes[here].whereabouts = Whereabouts::Sought;
                    chain.push(here);
                    match self.target_of(here) {
                        Ok(Some(target)) => here = target,
                        Ok(None) => break None,
                        Err(found) => {
                            self.settle(&chain, Whereabouts::Missing);
                            found.into_iter().for_each(|d| self.report_left_out(d));
                            return None;
                        }
                    }
                }
            }
        };
        let Some(body) = end else {
            self.settle(&chain, Whereabouts::Missing);
            return Some(());
        };
        self.settle(&chain, Whereabouts::Found(body));
        for link in chain.into_iter().rev() {
            self.adopt(link, body);
        }
        Some(())
    }

    fn settle(&mut self, chain: &[PrototypeIndex], whereabouts: Whereabouts) {
        for link in chain {
            self.state.prototypes[*link].whereabouts = whereabouts;
        }
    }

    /// Gives a prototype the fields of the one that it stands for, which must be as it says.
    fn adopt(&mut self, link: PrototypeIndex, body: PrototypeIndex) {
        let theirs = self.state.prototypes[body].node_type.clone();
        let ours = std::mem::replace(&mut self.state.prototypes[link].node_type, theirs.clone());
        if ours.name != theirs.name {
            let renamed = NodeType { name: ours.name.clone(), ..NodeType::clone(&theirs) };
            self.state.prototypes[link].node_type = Arc::new(renamed);
        }
        let (tree, index) = (self.state.prototypes[link].tree, self.state.prototypes[link].index);
        let tree = self.state.trees[tree].clone();
        self.hide_undeclared(link, &ours);
        for item in tree.items(tree.prototypes[index as usize].interface) {
            let Item::Declare(declared) = item else { continue };
            let declared = tree.declarations[declared as usize];
            let name = self.state.names.text(declared.name).clone();
            let found = theirs.fields.iter().find(|f| f.name == name);
            // A field may be used for less than it can; that is no harm.
            let can_more =
                |f: &FieldDeclaration| f.field_type == declared.field_type && f.access == Access::InputOutput;
            let severity = if found.is_some_and(can_more) { Severity::Warning } else { Severity::Error };
            let message = match found {
                Some(f) if (f.field_type, f.access) == (declared.field_type, declared.access) => continue,
                Some(f) => format!(
                    "declared {} {} here, and {} {} where the prototype is written",
                    declared.access.name(),
                    declared.field_type,
                    f.access.name(),
                    f.field_type
                ),
                None if &*name == "metadata" => continue,
                None => "the prototype has no such field where it is written".to_owned(),
            };
            let suggestion =
                self.suggest(&name, theirs.fields.iter().map(|f| &*f.name).filter(|n| **n != *name));
            let d = self.finding(severity, &tree, declared.at, message);
            self.report(d.component(&*ours.name).attribute(&*name).suggestion(suggestion));
        }
    }

    /// Takes note of the fields that a prototype has where it is written, and that its declaration here does not name.
    fn hide_undeclared(&mut self, link: PrototypeIndex, declared: &NodeType) {
        let node_type = &mut self.state.prototypes[link].node_type;
        let is_hidden = |f: &FieldDeclaration| !declared.fields.iter().any(|d| d.name == f.name);
        let hidden: Vec<Arc<str>> =
            node_type.fields.iter().filter(|f| is_hidden(f)).map(|f| f.name.clone()).collect();
        if hidden.is_empty() {
            return;
        }
        // A type of its own, by which its instances are known from those of the prototype that it stands for.
        *node_type = Arc::new(NodeType::clone(node_type));
        self.state.hidden.push((node_type.clone(), hidden));
    }

    /// A field of an instance that its EXTERNPROTO does not declare.
    pub(super) fn check_hidden(&mut self, node: NodeId, field: FieldId, at: &Location) {
        if self.state.hidden.is_empty() {
            return;
        }
        let node_type = &self.scene.node(node).node_type;
        let name = &node_type.fields[field.0 as usize].name;
        let known = self.state.hidden.iter().find(|(hidden, _)| Arc::ptr_eq(hidden, node_type));
        if known.is_some_and(|(_, hidden)| hidden.contains(name)) {
            let name = name.clone();
            let message =
                "the EXTERNPROTO does not declare this field, and only what it declares may be used";
            let d = Diagnostic::new(Severity::Warning, at, message);
            let d = d.component(self.label(node)).attribute(&*name);
            self.report(d.suggestion(Some("declare it there".to_owned())));
        }
    }

    fn report_circle(&mut self, chain: &[PrototypeIndex], end: PrototypeIndex) {
        let begin = chain.iter().position(|p| *p == end).unwrap_or(0);
        let name = |p: &PrototypeIndex| {
            let p = &self.state.prototypes[*p];
            format!("{}#{}", self.state.trees[p.tree].source.file, self.state.names.text(p.name))
        };
        let way: Vec<String> = chain[begin..].iter().chain([&end]).take(20).map(name).collect();
        let prototype = &self.state.prototypes[end];
        let text = self.state.names.text(prototype.name).clone();
        let tree = self.state.trees[prototype.tree].clone();
        let at = tree.prototypes[prototype.index as usize].at;
        let message = format!("the prototype's file leads back to itself: {}", way.join(" -> "));
        let d = self.finding(Severity::Error, &tree, at, message).component(&*text);
        self.report(d);
    }

    /// The prototype that an address names; none, and a warning, where there is no such file.
    fn target_of(&mut self, prototype: PrototypeIndex) -> Result<Option<PrototypeIndex>, Vec<Diagnostic>> {
        let link = &self.state.prototypes[prototype];
        let (name, index) = (link.name, link.index);
        let tree = self.state.trees[link.tree].clone();
        let syntax = tree.prototypes[index as usize];
        let text = self.state.names.text(name).clone();
        let urls = syntax.url.map(|u| value::read(FieldType::MFString, tree.text(u), style(&tree)));
        let Some(Ok((Value::MFString(urls), oddity))) = urls else {
            let d = self.finding(
                Severity::Error,
                &tree,
                syntax.at,
                "the prototype's address is no list of strings",
            );
            return Err(vec![d.component(&*text)]);
        };
        if let Some(oddity) = oddity {
            let d = self.finding(Severity::Warning, &tree, syntax.at, oddity);
            self.report(d.component(&*text).attribute("url"));
        }
        let mut tried = Vec::new();
        for url in urls.iter() {
            let (file, part) = files::split(url);
            let loaded = if file.is_empty() {
                Ok(self.state.prototypes[prototype].tree)
            } else {
                self.load(file, &tree.source.file)
            };
            match loaded {
                Ok(found) => return self.named(&tree, found, part, prototype).map(Some),
                Err(Absent::NotFound(why)) => tried.push(why),
                Err(Absent::Bad(found)) => {
                    found.into_iter().for_each(|d| self.report_left_out(d));
                    let message = "the prototype's file cannot be read; its instances do nothing";
                    let d = self.finding(Severity::Warning, &tree, syntax.at, message);
                    self.report(d.component(&*text).attribute("url"));
                    return Ok(None);
                }
            }
        }
        let message =
            format!("the prototype's file is not to be had: {}; its instances do nothing", tried.join("; "));
        let d = self.finding(Severity::Warning, &tree, syntax.at, message);
        self.report(d.component(&*text).attribute("url"));
        Ok(None)
    }

    /// The prototype of a file that is meant: the one after `#`, of the same name, or the first.
    fn named(
        &mut self,
        tree: &Tree,
        file: TreeIndex,
        part: Option<&str>,
        prototype: PrototypeIndex,
    ) -> Result<PrototypeIndex, Vec<Diagnostic>> {
        let environment = self.file_environment(file);
        let (own, index) = (self.state.prototypes[prototype].name, self.state.prototypes[prototype].index);
        let wanted = part.map_or(own, |p| self.state.names.intern(p));
        let there = self.state.trees[file].clone();
        let first = || {
            let is_first = |item| match item {
                Item::Prototype(k) => Some(there.prototypes[k as usize].name),
                _ => None,
            };
            let name = there.items(there.root).find_map(is_first).filter(|_| part.is_none())?;
            self.state.prototype(environment, name)
        };
        let found = self.state.environments[environment].prototypes.get(&wanted).copied().or_else(first);
        if let Some(found) = found {
            return Ok(found);
        }
        let text = self.state.names.text(wanted).clone();
        let known = self.prototype_names(environment);
        let suggestion = self.suggest(&text, known.iter().map(|n| &**n));
        let at = tree.prototypes[index as usize].at;
        let message = format!("`{}` has no prototype `{text}`", there.source.file);
        let d = self.finding(Severity::Error, tree, at, message).attribute("url");
        Err(vec![d.component(&**self.state.names.text(own)).suggestion(suggestion)])
    }

    /// The tree of a file, read once.
    pub(super) fn load(&mut self, url: &str, base: &str) -> Result<TreeIndex, Absent> {
        let Some(path) = files::path_of(url, base) else {
            return Err(Absent::NotFound(format!(
                "`{}` is no file here",
                url.chars().take(100).collect::<String>()
            )));
        };
        let key = files::canonical(&path);
        if let Some(known) = self.state.files.get(&key) {
            return Ok(*known);
        }
        let mut warnings = Vec::new();
        let tree = files::read(&path, self.options, &mut self.state.names, &mut warnings)?;
        warnings.into_iter().for_each(|d| self.report_left_out(d));
        let index = self.state.add_tree(tree);
        self.state.files.insert(key, index);
        Ok(index)
    }

    /// The scope of a file's own prototypes.
    pub(super) fn file_environment(&mut self, file: TreeIndex) -> EnvironmentIndex {
        if let Some(known) = self.state.file_environments.get(&file) {
            return *known;
        }
        let environment = self.state.new_environment(None);
        self.state.file_environments.insert(file, environment);
        let tree = self.state.trees[file].clone();
        for item in tree.items(tree.root) {
            if let Item::Prototype(index) = item {
                self.declare(&tree, file, index, environment, false);
            }
        }
        environment
    }
}
