//! What is read while a graph runs: pieces of X3D that Scripts make nodes of, and files that Inlines show.

use std::path::Path;
use std::sync::Arc;

use animation::event::graph_access::FragmentLoader;
use animation::event::scene::EventScene;
use animation::event::{ContextId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use crate::files;
use crate::loader::{Loaded, Loader};
use crate::options::LoadOptions;

/// Reads pieces of X3D as scenes of their own: as the standard has it, they know their own prototypes only. What an Inline shows joins the scene
/// that it stands in.
#[derive(Debug)]
pub struct Fragments {
    loader: Loader,
}

impl Fragments {
    /// For a scene that this loader has loaded, with its options.
    pub fn new(loader: Loader) -> Self {
        Self { loader }
    }
    fn options(&self) -> &LoadOptions {
        self.loader.options()
    }
}

fn error(base: &str, message: String) -> Vec<Diagnostic> {
    let at = Location { file: base.into(), line: 0, column: 0 };
    vec![Diagnostic::new(Severity::Error, &at, message)]
}

impl FragmentLoader for Fragments {
    fn fragment_of_text(&mut self, text: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        let start = text.trim_start();
        // Nodes of the XML encoding without what stands around them in a file.
        let whole = start.starts_with('<') && !start.contains("<X3D") && !start.contains("<Scene");
        let scene = if whole {
            crate::load_text(&format!("<X3D><Scene>{start}</Scene></X3D>"), base, self.options())
        } else if start.starts_with(['<', '#']) {
            crate::load_text(text, base, self.options())
        } else {
            // On the header's line, so that lines are the text's.
            crate::load_text(&format!("#X3D V3.3 utf8\n{text}"), base, self.options())
        };
        Ok(scene?.whole()?.scene)
    }
    fn fragment_of_urls(&mut self, urls: &[Arc<str>], base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        let mut last = None;
        for url in urls {
            let Some(path) = files::path_of(files::split(url).0, base) else {
                last = last.or_else(|| Some(error(base, format!("`{url}` is no file here"))));
                continue;
            };
            match crate::load_file(path, self.options()).and_then(Loaded::whole) {
                Ok(loaded) => return Ok(loaded.scene),
                Err(found) => last = Some(found),
            }
        }
        Err(last.unwrap_or_else(|| error(base, "there is no address to load from".to_owned())))
    }
    fn node(&mut self, type_name: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        if type_name.is_empty() || !type_name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(error(base, format!("`{type_name}` is no name of a type")));
        }
        let built_in = self.fragment_of_text(&format!("{type_name} {{ }}"), base);
        let Some(file) = Path::new(base).file_name().and_then(|f| f.to_str()) else { return built_in };
        built_in.or_else(|unknown| {
            // A prototype of the file: what an EXTERNPROTO without declarations of its own stands for.
            let file = file.replace('%', "%25").replace('#', "%23").replace(['"', '\\'], "");
            let text = format!("EXTERNPROTO {type_name} [ ] \"{file}#{type_name}\"\n{type_name} {{ }}");
            let is_there = |scene: &EventScene| scene.contexts.len() > 1;
            self.fragment_of_text(&text, base).ok().filter(is_there).ok_or(unknown)
        })
    }
    fn load_inline(
        &mut self,
        scene: &mut EventScene,
        inline: NodeId,
        urls: &[Arc<str>],
    ) -> Result<(ContextId, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.loader.load_inline(scene, inline, urls)
    }
    fn unload_inline(&mut self, scene: &mut EventScene, inline: NodeId) {
        self.loader.unload_inline(scene, inline);
    }
}
