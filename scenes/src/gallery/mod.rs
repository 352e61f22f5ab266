//! The gallery: scenes of our own, all inside the binary.
//!
//! Some are files (`scenes/gallery/*.scn`), some are generators with parameters; both yield the same element tree as the
//! parser does. Their meshes are generated too (`filename="generated:torus?major=1"`).

mod bars;
mod bricks;
mod cloth;
mod crates;
mod falling;
mod files;
mod graphs;
mod plaza;
mod settings;

pub use graphs::graph_text;
pub use settings::{GalleryError, Parameter, Settings};

use crate::diagnostics::did_you_mean;
use crate::element::Element;
use crate::parse::parse_text;

/// A scene of the gallery.
#[derive(Clone, Copy)]
pub struct GalleryScene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What one sees, in one sentence.
    pub summary: &'static str,
    /// What `--set` may change.
    pub parameters: &'static [Parameter],
    source: Source,
}

#[derive(Clone, Copy)]
enum Source {
    Text(&'static str),
    Generator(fn(&Settings) -> Result<Element, GalleryError>),
}

/// All scenes: those with parameters first, the others by name.
pub fn all() -> Vec<GalleryScene> {
    let mut all = vec![falling::SCENE, bars::SCENE, bricks::SCENE, cloth::SCENE, crates::SCENE, plaza::SCENE];
    all.extend(files::all());
    all
}

/// The scene of this name.
///
/// # Errors
/// There is none; with the nearest name.
pub fn find(name: &str) -> Result<GalleryScene, GalleryError> {
    let all = all();
    all.iter().find(|s| s.name == name).copied().ok_or_else(|| GalleryError {
        message: format!("there is no scene `{name}` in the gallery"),
        suggestion: did_you_mean(name, all.iter().map(|s| s.name)),
    })
}

impl GalleryScene {
    /// The scene's element tree, with parameters as `NAME`, `VALUE`.
    ///
    /// # Errors
    /// A parameter that the scene does not have, or a value that it does not take.
    pub fn elements(&self, set: &[(String, String)]) -> Result<Element, GalleryError> {
        let settings = Settings::new(self.name, self.parameters, set)?;
        match self.source {
            Source::Generator(make) => make(&settings),
            Source::Text(text) => parse_text(text, &format!("gallery/{}.scn", self.name))
                .map(|file| file.root)
                .map_err(|d| GalleryError { message: d.to_string(), suggestion: None }),
        }
    }

    /// The text of a `.scn` file of the scene.
    ///
    /// # Errors
    /// As [`GalleryScene::elements`].
    pub fn export(&self, set: &[(String, String)]) -> Result<String, GalleryError> {
        match self.source {
            Source::Text(text) => {
                Settings::new(self.name, self.parameters, set)?;
                Ok(text.to_owned())
            }
            Source::Generator(_) => {
                let given: String = set.iter().map(|(n, v)| format!(" --set {n}={v}")).collect();
                let header =
                    format!("{}\n     Made by: weft list --export {}{given}", self.summary, self.name);
                Ok(crate::write::to_text(&self.elements(set)?, &header))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use sim_core::component::description::Family;

    use super::*;
    use crate::load::{LoadOptions, load_elements};

    #[test]
    fn names_are_unique_and_every_scene_is_described() {
        let all = all();
        for (i, s) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|o| o.name != s.name), "{} is there twice", s.name);
            assert!(s.summary.len() > 20, "{} needs a summary", s.name);
        }
        let unknown = find("faling").err().expect("unknown");
        assert_eq!(unknown.suggestion.as_deref(), Some("did you mean `falling`?"));
    }

    #[test]
    fn every_scene_loads_without_a_warning() {
        for s in all() {
            let root = s.elements(&[]).expect("elements");
            match load_elements(root, &LoadOptions::default()) {
                Ok(loaded) => {
                    let found: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
                    assert!(found.is_empty(), "{}: {found:#?}", s.name);
                }
                Err(e) => {
                    panic!("{}: {:#?}", s.name, e.errors().map(ToString::to_string).collect::<Vec<_>>())
                }
            }
        }
    }

    fn classes(element: &Element, into: &mut BTreeSet<String>) {
        into.insert(element.class.clone());
        element.children.iter().for_each(|c| classes(c, into));
    }

    #[test]
    fn every_component_is_in_some_scene() {
        let mut used = BTreeSet::new();
        all().iter().for_each(|s| classes(&s.elements(&[]).expect("elements"), &mut used));
        // These read files that the gallery, all inside the binary, has none of.
        // The last one meets nothing, and says so wherever it stands.
        let files = [
            "MeshSTLLoader",
            "MeshVTKLoader",
            "MeshOffLoader",
            "MeshTrianLoader",
            "GIDMeshLoader",
            "VoxelGridLoader",
            "SphereLoader",
            "ReadState",
            "CompareState",
            "TetrahedronCollisionModel",
        ];
        let registry = crate::registry::Registry::with_builtins();
        let simulated = registry.iter().filter(|d| {
            let seen_or_nothing = matches!(d.family, Family::Visual | Family::Ignored);
            !seen_or_nothing && !files.contains(&d.class)
        });
        let missing: Vec<&str> = simulated.map(|d| d.class).filter(|c| !used.contains(*c)).collect();
        assert!(missing.is_empty(), "no gallery scene has {missing:?}");
    }

    #[test]
    fn an_exported_scene_is_the_same_scene() {
        for s in all() {
            let text = s.export(&[]).expect("text");
            let again = parse_text(&text, "exported.scn").expect("well-formed");
            assert_eq!(again.warnings, [], "{}", s.name);
            let plain = |e: &Element| crate::write::to_text(e, "");
            assert_eq!(plain(&again.root), plain(&s.elements(&[]).expect("elements")), "{}", s.name);
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        let set = |n: &str, v: &str| [(n.to_owned(), v.to_owned())];
        let wrong = |set: &[(String, String)]| {
            let e = find("bars").and_then(|s| s.elements(set)).expect_err("refused");
            e.to_string()
        };
        assert!(wrong(&set("objets", "3")).contains("did you mean `objects`?"));
        assert!(wrong(&set("objects", "0")).contains("between 1 and"));
        assert!(wrong(&set("objects", "x")).contains("integer"));
        assert!(find("cloth").and_then(|s| s.elements(&set("pieces", "1000000"))).is_err());
        assert!(find("pendulum").and_then(|s| s.elements(&set("objects", "1"))).is_err());
    }
}
