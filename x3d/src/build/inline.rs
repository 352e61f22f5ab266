//! Inlined files.

use std::path::PathBuf;

use animation::event::field::Value;
use animation::event::scene::ContextKind;
use animation::event::{ContextId, NodeId};
use diagnostics::{Diagnostic, Severity};

use super::state::TreeIndex;
use super::{Builder, Frame};
use crate::files::{self, Absent};

impl Builder<'_> {
    /// Begins what an Inline node shows, if it is to be shown from the start.
    pub(super) fn inline(&mut self, frame: Frame, node: NodeId) {
        if self.is_trial || !self.options.loads_inlines {
            return;
        }
        let written = self.scene.node(node);
        let value = |name: &str| written.node_type.field(name).and_then(|f| written.values.get(f.0 as usize));
        if let Some(Value::SFBool(false)) = value("load") {
            return;
        }
        let Some(Value::MFString(urls)) = value("url").cloned() else { return };
        if urls.is_empty() {
            return;
        }
        let base = self.scene.contexts[written.context.0 as usize].file.clone();
        if let Some((tree, path)) = self.inlined_file(node, &urls, &base, Severity::Warning) {
            let parent = self.scopes[frame.scope].context;
            let context = self.open_file(tree, ContextKind::Inline(node), Some(parent), Some(path));
            self.state.inlines.insert(node, context);
        }
    }

    /// The first file of some addresses; that there is none is a finding of the severity given.
    pub(super) fn inlined_file(
        &mut self,
        node: NodeId,
        urls: &[std::sync::Arc<str>],
        base: &str,
        severity: Severity,
    ) -> Option<(TreeIndex, PathBuf)> {
        let at = self.scene.node(node).location.clone();
        let label = self.label(node);
        let mut tried = Vec::new();
        for url in urls {
            let (file, _) = files::split(url);
            let key = files::path_of(file, base).map(|p| files::canonical(&p)).unwrap_or_default();
            if let Some(way) = self.way_to(self.scene.node(node).context, &key) {
                let message = format!("the file shows itself, without end: {way}");
                self.report(Diagnostic::new(Severity::Error, &at, message).component(label).attribute("url"));
                return None;
            }
            if !key.as_os_str().is_empty() && !crate::is_x3d(&key) && is_other_format(&key) {
                tried.push(format!("`{}` is no X3D file, and only these are shown", key.display()));
                continue;
            }
            match self.load(file, base) {
                Ok(tree) => return Some((tree, key)),
                Err(Absent::NotFound(why)) => tried.push(why),
                Err(Absent::Bad(found)) => {
                    found.into_iter().for_each(|d| self.report_left_out(d));
                    return None;
                }
            }
        }
        let message = format!("nothing to show: {}", tried.join("; "));
        self.report(Diagnostic::new(severity, &at, message).component(label).attribute("url"));
        None
    }

    /// The files from one that shows a context down to it, if the file is one of them.
    fn way_to(&self, context: ContextId, key: &PathBuf) -> Option<String> {
        let mut way = Vec::new();
        let mut here = Some(context);
        while let Some(id) = here {
            let (context, state) =
                (&self.scene.contexts[id.0 as usize], self.state.contexts.get(id.0 as usize)?);
            if let Some(path) = &state.path {
                way.push(context.file.to_string());
                if path == key {
                    way.reverse();
                    way.push(key.to_string_lossy().into_owned());
                    return Some(way.join(" -> "));
                }
            }
            here = context.parent;
        }
        None
    }

    /// Loads what an Inline node shows into a scene that is there: a file's context below the node's.
    pub(crate) fn inlined(mut self, node: NodeId, urls: &[std::sync::Arc<str>]) -> super::Built {
        let parent = self.scene.node(node).context;
        let base = self.scene.contexts[parent.0 as usize].file.clone();
        match self.inlined_file(node, urls, &base, Severity::Error) {
            Some((tree, path)) => {
                let context = self.open_file(tree, ContextKind::Inline(node), Some(parent), Some(path));
                self.run();
                self.arrive(node, context);
                self.finish()
            }
            None => super::Built { roots: Vec::new(), found: self.findings(), is_fatal: true },
        }
    }
}

/// Whether a file's name says that it is something else, which X3D 4 lets Inline nodes show.
fn is_other_format(path: &std::path::Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    matches!(
        &*extension,
        "gltf"
            | "glb"
            | "stl"
            | "obj"
            | "ply"
            | "json"
            | "x3dj"
            | "x3db"
            | "dae"
            | "fbx"
            | "html"
            | "xhtml"
            | "svg"
    )
}
