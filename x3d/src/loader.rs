//! What loads files, and goes on loading into the scene that came of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use animation::event::scene::{ContextKind, EventScene};
use animation::event::{ContextId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use crate::build::{Builder, Built, State};
use crate::files::{self, Absent};
use crate::options::LoadOptions;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::Tree;

/// A scene that has been loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The scene.
    pub scene: EventScene,
    /// Warnings and notes, and errors that cost only what they are about: a node of an unknown type, a field that there is not.
    pub diagnostics: Vec<Diagnostic>,
    /// What loads more into the scene while it runs.
    pub loader: Loader,
}

impl Loaded {
    /// The same where nothing had to be left out.
    ///
    /// # Errors
    /// What has been left out.
    pub fn whole(self) -> Result<Self, Vec<Diagnostic>> {
        if has_errors(&self.diagnostics) { Err(self.diagnostics) } else { Ok(self) }
    }
}

/// Loads more into one scene: what Inline nodes show later, and nodes that programs make of text.
///
/// It knows the scene's prototypes, its files, and the imports that still wait.
#[derive(Clone, Debug)]
pub struct Loader {
    options: LoadOptions,
    state: State,
}

/// Imports of a context.
type Imports = Vec<(Arc<str>, NodeId)>;

/// How long everything of a scene is, to go back to.
struct Mark {
    nodes: usize,
    routes: usize,
    aliases: usize,
    contexts: usize,
    /// Of the contexts that have some.
    imports: Vec<(usize, Imports)>,
    values: usize,
}

impl Loader {
    /// Of no file: for a scene that came from elsewhere, whose imports it does not know.
    pub fn new(options: &LoadOptions) -> Self {
        Self { options: options.clone(), state: State::default() }
    }

    /// A whole scene from a file.
    pub(crate) fn file(mut self, path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
        let mut warnings = Vec::new();
        let tree = match files::read(path, &self.options, &mut self.state.names, &mut warnings) {
            Ok(tree) => tree,
            Err(Absent::Bad(found)) => return Err(found),
            Err(Absent::NotFound(why)) => {
                let at = Location { file: path.to_string_lossy().into(), line: 0, column: 0 };
                return Err(vec![Diagnostic::new(Severity::Error, &at, why)]);
            }
        };
        let tree = self.state.add_tree(tree);
        let key = files::canonical(path);
        self.state.files.insert(key.clone(), tree);
        self.scene(tree, Some(key), warnings)
    }
    /// A whole scene from a text.
    pub(crate) fn text(mut self, text: &str, file: &str) -> Result<Loaded, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let path = Path::new(file);
        let tree =
            files::parse(file.into(), text.to_owned(), Some(path), None, &mut self.state.names, &mut found);
        match tree {
            Some(tree) => {
                let tree = self.state.add_tree(tree);
                self.scene(tree, None, found)
            }
            None => Err(found),
        }
    }
    fn scene(
        mut self,
        tree: usize,
        path: Option<PathBuf>,
        mut found: Vec<Diagnostic>,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        let mut scene = EventScene::default();
        let built = Builder::new(&mut self.state, &mut scene, &self.options).file(
            tree,
            ContextKind::File,
            None,
            path,
        );
        found.extend(built.found);
        if built.is_fatal {
            return Err(found);
        }
        Ok(Loaded { scene, diagnostics: found, loader: self })
    }

    /// Adds nodes of a text to a context, as `Browser.createX3DFromString` does. The text's names are its own; it may have instances
    /// of the context's prototypes. Its root nodes come back; where they stand in the scene, the caller says.
    ///
    /// # Errors
    /// What is wrong with the text; the scene is as it was.
    pub fn add_fragment(
        &mut self,
        scene: &mut EventScene,
        context: ContextId,
        text: &str,
    ) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
        let file = self.base(scene, context)?;
        let encoding = if text.trim_start().starts_with('<') { Encoding::Xml } else { Encoding::Classic };
        let mut found = Vec::new();
        let tree =
            files::parse(file, text.to_owned(), None, Some(encoding), &mut self.state.names, &mut found);
        match tree {
            Some(tree) if !has_errors(&found) => self.fragment(scene, context, tree),
            _ => Err(found),
        }
    }

    /// Adds nodes of the first file that there is among some addresses to a context, as `Browser.createX3DFromURL` does. Addresses
    /// are relative to the context's file.
    ///
    /// # Errors
    /// What is wrong with the file, or that there is none; the scene is as it was.
    pub fn add_from_url(
        &mut self,
        scene: &mut EventScene,
        context: ContextId,
        urls: &[Arc<str>],
    ) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
        let base = self.base(scene, context)?;
        let mut tried = Vec::new();
        for url in urls {
            let Some(path) = files::path_of(files::split(url).0, &base) else {
                tried.push(format!("`{url}` is no file here"));
                continue;
            };
            let mut found = Vec::new();
            match files::read(&path, &self.options, &mut self.state.names, &mut found) {
                Ok(_) if has_errors(&found) => return Err(found),
                Ok(tree) => return self.fragment(scene, context, tree),
                Err(Absent::Bad(found)) => return Err(found),
                Err(Absent::NotFound(why)) => tried.push(why),
            }
        }
        let at = Location { file: base, line: 0, column: 0 };
        Err(vec![Diagnostic::new(Severity::Error, &at, format!("nothing to load: {}", tried.join("; ")))])
    }

    /// Loads what an Inline node shows, when its `load` or `url` says so while the scene runs. Imports of it get their nodes,
    /// and routes to and from them begin, each time anew. The new context comes back, with warnings; its nodes are all after those that were
    /// there.
    ///
    /// # Errors
    /// What is wrong with the file, or that there is none; the scene is as it was.
    pub fn load_inline(
        &mut self,
        scene: &mut EventScene,
        inline: NodeId,
        urls: &[Arc<str>],
    ) -> Result<(ContextId, Vec<Diagnostic>), Vec<Diagnostic>> {
        let Some(node) = scene.nodes.get(inline.0 as usize) else {
            let message = format!("no node has the number {}", inline.0);
            return Err(vec![Diagnostic::new(Severity::Error, &Location::default(), message)]);
        };
        if &*node.node_type.name != "Inline" {
            let message = format!("a {} shows no file", node.node_type.name);
            return Err(vec![Diagnostic::new(Severity::Error, &node.location, message)]);
        }
        self.state.know_contexts(scene);
        let context = ContextId(scene.contexts.len() as u32);
        let built = self.guarded(scene, |built| built.is_fatal, |b| b.inlined(inline, urls))?;
        self.state.inlines.insert(inline, context);
        Ok((context, built.found))
    }

    /// Builds a fragment, and forgets its text unless it has brought prototypes: programs make fragments without end.
    fn fragment(
        &mut self,
        scene: &mut EventScene,
        context: ContextId,
        tree: Tree,
    ) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
        let known = self.state.known();
        let tree = self.state.add_tree(tree);
        let built = self.guarded(scene, |built| has_errors(&built.found), |b| b.fragment(tree, context));
        self.state.forget(known);
        built.map(|b| b.roots)
    }

    /// Says that what an Inline node shows has gone: its imports have no nodes until [`Loader::load_inline`] brings them again, with
    /// the routes to and from them. The nodes stay in the scene's lists, where numbers are places; whoever runs the scene leaves
    /// them and their routes out.
    pub fn unload_inline(&mut self, scene: &mut EventScene, inline: NodeId) {
        if let Some(context) = self.state.inlines.remove(&inline) {
            self.state.forget_context(scene, context);
        }
        for import in self.state.imports.iter().filter(|i| i.inline == inline) {
            self.state.imported.remove(&(import.space, import.alias));
            let alias = self.state.names.text(import.alias);
            if let Some(context) = scene.contexts.get_mut(import.context.0 as usize) {
                context.imports.retain(|(name, _)| name != alias);
            }
        }
    }

    /// The nodes that a context lets others import, by the names that they have there.
    pub fn exports(&self, context: ContextId) -> impl Iterator<Item = (&Arc<str>, NodeId)> {
        let exports = self.state.contexts.get(context.0 as usize).map(|c| &c.exports);
        exports.into_iter().flatten().map(|(name, node)| (self.state.names.text(*name), *node))
    }

    /// How much it loads.
    pub fn options(&self) -> &LoadOptions {
        &self.options
    }

    /// The file that a context's addresses are relative to.
    fn base(&self, scene: &EventScene, context: ContextId) -> Result<Arc<str>, Vec<Diagnostic>> {
        scene.contexts.get(context.0 as usize).map(|c| c.file.clone()).ok_or_else(|| {
            let message = format!("no context has the number {}", context.0);
            vec![Diagnostic::new(Severity::Error, &Location::default(), message)]
        })
    }

    /// Builds into a scene; after errors the scene is as it was.
    fn guarded(
        &mut self,
        scene: &mut EventScene,
        fails: impl FnOnce(&Built) -> bool,
        build: impl FnOnce(Builder<'_>) -> Built,
    ) -> Result<Built, Vec<Diagnostic>> {
        let mark = Mark {
            nodes: scene.nodes.len(),
            routes: scene.routes.len(),
            aliases: scene.aliases.len(),
            contexts: scene.contexts.len(),
            imports: (0..)
                .zip(&scene.contexts)
                .filter(|(_, c)| !c.imports.is_empty())
                .map(|(k, c)| (k, c.imports.clone()))
                .collect(),
            values: self.state.values,
        };
        let known = (self.state.imports.len(), self.state.import_routes.len(), self.state.imported.clone());
        let built = build(Builder::new(&mut self.state, scene, &self.options));
        if !fails(&built) {
            return Ok(built);
        }
        scene.nodes.truncate(mark.nodes);
        scene.routes.truncate(mark.routes);
        scene.aliases.truncate(mark.aliases);
        scene.contexts.truncate(mark.contexts);
        scene.contexts.iter_mut().for_each(|c| c.imports.clear());
        for (context, imports) in mark.imports {
            scene.contexts[context].imports = imports;
        }
        self.state.contexts.truncate(mark.contexts);
        self.state.inlines.retain(|node, _| (node.0 as usize) < mark.nodes);
        self.state.imports.truncate(known.0);
        self.state.import_routes.truncate(known.1);
        self.state.imported = known.2;
        self.state.values = mark.values;
        Err(built.found)
    }
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|d| d.severity == Severity::Error)
}
