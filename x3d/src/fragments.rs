//! Pieces of X3D for a graph that runs.

use std::sync::Arc;

use animation::event::graph_access::FragmentLoader;
use animation::event::scene::EventScene;
use diagnostics::Diagnostic;

use crate::loader::Loader;
use crate::options::LoadOptions;

/// Reads pieces of X3D for a run: what its Scripts make of texts and files. A piece has names and prototypes of its own.
#[derive(Clone, Debug, Default)]
pub struct Fragments {
    /// How much may be loaded.
    pub options: LoadOptions,
}

impl FragmentLoader for Fragments {
    fn from_text(&mut self, text: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        Loader::new(&self.options).piece(text, base)
    }

    fn from_urls(&mut self, urls: &[Arc<str>], base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        Loader::new(&self.options).piece_of(urls, base)
    }

    fn node(&mut self, type_name: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>> {
        // A name that holds more than a name would be read as more than a node.
        if !type_name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            return Loader::new(&self.options).piece(&format!("{} {{ }}", type_name.escape_debug()), base);
        }
        Loader::new(&self.options).piece(&format!("{type_name} {{ }}"), base)
    }
}
