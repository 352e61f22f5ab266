//! What may stand where: profiles, and the top of a file.
//!
//! **Source:** ISO/IEC 19775-1, 4.5 (profiles), 4.3.2 (root nodes).

use std::collections::BTreeSet;

use animation::event::NodeId;
use diagnostics::Severity;

use super::super::state::TreeIndex;
use super::super::{Builder, Frame};
use crate::catalogue::{self, PROFILES, Standard, level_in_profile};
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::Tree;

/// Versions of X3D.
const VERSIONS: [&str; 6] = ["3.0", "3.1", "3.2", "3.3", "4.0", "4.1"];
/// The highest level that a component has.
const MOST_LEVEL: u32 = 5;

impl Builder<'_> {
    /// A node at the top of a file has to be one that may stand there.
    pub(in crate::build) fn check_root(
        &mut self,
        tree: &Tree,
        frame: Frame,
        standard: &Standard,
        node: NodeId,
        at: u32,
    ) {
        let may_stand = ["X3DChildNode", "X3DLayerNode"].iter().any(|b| standard.bases.contains(b));
        if may_stand || &*standard.node_type.name == "LayerSet" || self.scopes[frame.scope].instance.is_some()
        {
            return;
        }
        let field = standard.container_field;
        let message =
            format!("stands by itself, and is no child of a group: it belongs into a field `{field}`");
        let d = self.finding(Severity::Warning, tree, at, message);
        self.report(d.component(self.label(node)));
    }

    /// The version, the components and the profile that a file names are some.
    pub(in crate::build) fn check_header(&mut self, tree: TreeIndex) {
        let tree = self.state.trees[tree].clone();
        if let Some((version, at)) = &tree.version
            && !VERSIONS.contains(&&**version)
        {
            let message =
                format!("`{version}` is no version of X3D that is known here; read as if it were 4.0");
            let d = self.finding(Severity::Warning, &tree, *at, message);
            self.report(d.suggestion(Some(format!("the versions are {}", VERSIONS.join(", ")))));
        }
        for (name, level, at) in tree.components.iter().copied() {
            let text = self.state.names.text(name).clone();
            let known = || catalogue::standard().types().map(|t| t.component);
            if &*text != "H-Anim" && !known().any(|c| c == &*text) {
                let suggestion = self.suggest(&text, known().collect::<BTreeSet<_>>());
                let message =
                    format!("`{text}` is no component that is known here; what it brings is not there");
                let d = self.finding(Severity::Warning, &tree, at, message);
                self.report(d.suggestion(suggestion));
            } else if !(1..=MOST_LEVEL).contains(&level) {
                let message =
                    format!("component {text} has no level {level}; no component has more than {MOST_LEVEL}");
                self.warn(&tree, at, message);
            }
        }
        let Some((name, at)) = tree.profile else { return };
        let text = self.state.names.text(name).clone();
        if !PROFILES.contains(&&*text) {
            let suggestion = self.suggest(&text, PROFILES.iter().copied());
            let d = self.finding(
                Severity::Warning,
                &tree,
                at,
                format!("`{text}` is no profile; read as if it were Full"),
            );
            self.report(d.suggestion(suggestion));
        }
    }

    /// A type that is not in the profile that the file names.
    pub(in crate::build) fn check_profile(
        &mut self,
        tree: &Tree,
        frame: Frame,
        standard: &'static Standard,
        at: u32,
    ) {
        let Some((profile, _)) = tree.profile else { return };
        if tree.encoding == Encoding::Vrml97 || !self.is_new_type(frame.tree, standard) {
            return;
        }
        let profile = self.state.names.text(profile).clone();
        let (component, level) = (standard.component, standard.level);
        let Some(there) = level_in_profile(&profile, component) else { return };
        let asked = |(name, level, _): &(crate::names::Name, u32, u32)| {
            let name = self.state.names.text(*name);
            let same = **name == *component || (component == "HAnim" && &**name == "H-Anim");
            same.then_some(*level)
        };
        let there = tree.components.iter().filter_map(asked).max().unwrap_or(0).max(there);
        if there < level {
            let message = format!(
                "belongs to component {component} level {level}, and profile {profile} has level {there}"
            );
            let d = self.finding(Severity::Warning, tree, at, message).component(&*standard.node_type.name);
            self.report(
                d.suggestion(Some(format!("add the component {component}:{level}, or name another profile"))),
            );
        }
    }
    pub(in crate::build) fn is_new_type(&mut self, tree: TreeIndex, standard: &'static Standard) -> bool {
        let key = (tree, standard as *const Standard as usize);
        if self.types.contains(&key) {
            return false;
        }
        self.types.insert(key)
    }
}
