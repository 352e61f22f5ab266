//! Building one component of a scene again with another value of an attribute, for simulations that run.

use std::path::PathBuf;
use std::sync::Arc;

use sim_core::component::build::{BuildEnvironment, Builder};
use sim_core::component::description::{AttributeKind, Recipe};
use sim_core::scene::{ComponentId, Scene};

use crate::assemble::widths;
use crate::diagnostics::did_you_mean;
use crate::value_syntax;

/// Why an attribute cannot have a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{component}: attribute `{attribute}`: {message}{}", .suggestion.as_ref().map_or(String::new(), |s| format!("; {s}")))]
pub struct AttributeError {
    /// Path of the component.
    pub component: String,
    /// The attribute.
    pub attribute: String,
    /// What is wrong.
    pub message: String,
    /// What may be meant.
    pub suggestion: Option<String>,
}

/// Files are read when a scene is loaded.
struct NoFiles;

impl BuildEnvironment for NoFiles {
    fn find_file(&self, name: &str) -> Result<PathBuf, String> {
        Err(format!("`{name}` is not read again while the simulation runs"))
    }
    fn warn(&mut self, attribute: Option<&str>, message: String) {
        log::warn!("{}: {message}", attribute.unwrap_or_default());
    }
}

/// Builds a component again: what it does now is the last of its family in the scene, and has to take the place of what it
/// did before. Gives back the recipe for the next time.
///
/// # Errors
/// A component that cannot change, an unknown attribute, a value that does not fit; the scene is then as it was.
pub fn rebuild(
    scene: &mut Scene,
    component: ComponentId,
    attribute: &str,
    value: &str,
) -> Result<Arc<Recipe>, AttributeError> {
    let path = scene.path(component);
    let error = |message: String, suggestion: Option<String>| AttributeError {
        component: path.clone(),
        attribute: attribute.to_owned(),
        message,
        suggestion,
    };
    let class = scene.component(component).class;
    let Some(recipe) = scene.component(component).recipe.clone() else {
        return Err(error(format!("a {class} of this scene cannot change while the simulation runs"), None));
    };
    let Recipe { description, mut attributes } = (*recipe).clone();
    let node = scene.component(component).node;
    let widths = widths(scene, node, &description, attributes.template.as_deref());
    let mut is_known = false;
    for a in description.attributes_named(attribute) {
        is_known = true;
        match a.kind {
            AttributeKind::Ignored => {
                return Err(error("it has no effect on the simulation".to_owned(), None));
            }
            AttributeKind::Link | AttributeKind::Links | AttributeKind::File => {
                let message = "links and files cannot change while the simulation runs";
                return Err(error(message.to_owned(), None));
            }
            _ => {}
        }
        let parsed =
            value_syntax::parse(a.kind, value, widths).map_err(|e| error(e.message, e.suggestion))?;
        match parsed.value {
            Some(value) => attributes.set.insert(a.name, value),
            None => attributes.set.remove(a.name),
        };
    }
    if !is_known {
        let names = description.all_attributes().map(|a| a.name);
        return Err(error(format!("{class} has no such attribute"), did_you_mean(attribute, names)));
    }
    let mark = scene.mark();
    let environment = &mut NoFiles;
    let built =
        (description.build)(&mut Builder { scene, component, node, attributes: &attributes, environment });
    if let Err(e) = built {
        scene.rewind(&mark);
        return Err(error(e.message, None));
    }
    Ok(Arc::new(Recipe { description, attributes }))
}
