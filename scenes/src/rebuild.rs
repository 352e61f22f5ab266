//! Building one component of a scene again with another value of an attribute, for simulations that run.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

use sim_core::component::build::{BuildEnvironment, BuildError, Builder};
use sim_core::component::description::{AttributeKind, Family, Recipe};
use sim_core::component::surroundings::{Fields, Offered, Surroundings};
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};
use sim_core::topology::Topology;

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
#[derive(Default)]
struct NoFiles {
    /// Whether warnings are kept for who looks for details: what is built again in every step has said them once.
    is_quiet: bool,
    asked: RefCell<BTreeSet<String>>,
    /// What was warned of, with the attribute.
    said: Vec<(String, String)>,
    /// Values that are taken in the place of those that attributes have.
    replaced: Vec<(String, Value)>,
}

impl BuildEnvironment for NoFiles {
    fn find_file(&self, name: &str) -> Result<PathBuf, String> {
        Err(format!("`{name}` is not read again while the simulation runs"))
    }
    fn read_mesh(&self, name: &str) -> Result<Topology, String> {
        self.find_file(name).and(Err(format!("`{name}` is not read again")))
    }
    fn asked(&self, attribute: &str) {
        self.asked.borrow_mut().insert(attribute.to_owned());
    }
    fn warn(&mut self, attribute: Option<&str>, message: String) {
        let level = if self.is_quiet { log::Level::Debug } else { log::Level::Warn };
        let attribute = attribute.unwrap_or_default();
        log::log!(level, "{attribute}: {message}");
        self.said.push((attribute.to_owned(), message));
    }
    fn replaced(&mut self, attribute: &str, value: Value) {
        self.replaced.push((attribute.to_owned(), value));
    }
}

/// An error of an attribute of a component.
fn error(
    scene: &Scene,
    component: ComponentId,
    attribute: &str,
    message: String,
    suggestion: Option<String>,
) -> AttributeError {
    let attribute = attribute.to_owned();
    AttributeError { component: scene.path(component), attribute, message, suggestion }
}

/// Whether an attribute of a component can have another value at all while a simulation runs; gives back how the component
/// was built.
///
/// # Errors
/// A component that cannot change, an unknown attribute, one that has no effect or is a link or file.
pub fn check<'s>(
    scene: &'s Scene,
    component: ComponentId,
    attribute: &str,
) -> Result<&'s Arc<Recipe>, AttributeError> {
    let error = |message, suggestion| error(scene, component, attribute, message, suggestion);
    let class = scene.component(component).class;
    let Some(recipe) = scene.component(component).recipe.as_ref().filter(|r| r.repeats) else {
        return Err(error(format!("a {class} of this scene cannot change while the simulation runs"), None));
    };
    let mut is_known = false;
    for a in recipe.description.attributes_named(attribute) {
        is_known = true;
        let message = match a.kind {
            AttributeKind::Ignored => "it has no effect on the simulation",
            AttributeKind::Unsupported => "it is not supported",
            AttributeKind::Link | AttributeKind::Links | AttributeKind::File => {
                "links and files cannot change while the simulation runs"
            }
            _ => continue,
        };
        return Err(error(message.to_owned(), None));
    }
    if is_known {
        return Ok(recipe);
    }
    let names = recipe.description.all_attributes().map(|a| a.name);
    Err(error(format!("{class} has no such attribute"), did_you_mean(attribute, names)))
}

/// Builds a component again: what it does now is the last of its family in the scene, and has to take the place of what it
/// did before. Gives back the recipe for the next time, with the value that the component takes, and what it says of the attribute,
/// such as that this is another value than the one that was given.
///
/// # Errors
/// A component that cannot change, an unknown attribute, one that the others overrule, a value that does not fit; the scene is
/// then as it was.
pub fn rebuild(
    scene: &mut Scene,
    component: ComponentId,
    attribute: &str,
    value: &str,
) -> Result<(Arc<Recipe>, Option<String>), AttributeError> {
    let Recipe { description, mut attributes, repeats, projections } =
        (**check(scene, component, attribute)?).clone();
    let node = scene.component(component).node;
    let widths = widths(scene, node, &description, attributes.template.as_deref());
    for a in description.attributes_named(attribute) {
        let parsed = value_syntax::parse(a.kind, value, widths)
            .map_err(|e| error(scene, component, attribute, e.message, e.suggestion))?;
        // Whoever types a value is there to type it again.
        if let Some(warning) = parsed.warning.filter(|_| !value.trim().is_empty()) {
            return Err(error(scene, component, attribute, warning, None));
        }
        match parsed.value {
            Some(value) => attributes.set.insert(a.name, value),
            None => attributes.set.remove(a.name),
        };
    }
    let mark = scene.mark();
    let mut recipe = Recipe { description, attributes, repeats, projections };
    let mut files = NoFiles { is_quiet: true, ..NoFiles::default() };
    let built = build_in(scene, component, &recipe, &mut files);
    let (asked, said, replaced) = (files.asked.into_inner(), files.said, files.replaced);
    let is_named = |name: &str| recipe.description.attributes_named(attribute).any(|a| a.name == name);
    let unread = !asked.iter().any(|name| is_named(name));
    let failed = built.err().map(|e| e.message);
    let failed = failed.or(unread.then(|| "has no effect here: the other attributes decide".to_owned()));
    if let Some(message) = failed {
        scene.rewind(&mark);
        return Err(error(scene, component, attribute, message, None));
    }
    let notice = said.into_iter().find(|(of, _)| is_named(of));
    for (of, value) in replaced.into_iter().filter(|(of, _)| is_named(of)) {
        for a in recipe.description.attributes_named(&of) {
            recipe.attributes.set.insert(a.name, value.clone());
        }
    }
    Ok((Arc::new(recipe), notice.map(|(of, what)| format!("{of}: {what}"))))
}

/// Builds a component as a recipe says that it was built before, likewise; nothing if it was never built so.
pub fn restore(scene: &mut Scene, component: ComponentId, recipe: &Recipe) {
    let mark = scene.mark();
    if build(scene, component, recipe).is_err() {
        scene.rewind(&mark);
    }
}

/// The attributes of a component with which it follows changes of its topology: see [`Following::prepare`].
///
/// # Errors
/// A component that cannot follow.
///
/// [`Following::prepare`]: sim_core::component::following::Following::prepare
pub fn prepare(scene: &mut Scene, component: ComponentId) -> Result<Recipe, String> {
    let class = scene.component(component).class;
    let recipe = scene.component(component).recipe.clone();
    let Some((recipe, following)) = recipe.and_then(|r| r.description.following.map(|f| (r, f))) else {
        return Err(format!("a {class} does not follow changes of the topology"));
    };
    let node = scene.component(component).node;
    let environment = &mut NoFiles::default();
    let attributes = &recipe.attributes;
    let builder = Builder { scene: scene.into(), component, node, attributes, environment };
    let attributes = (following.prepare)(&builder).map_err(|e| e.message)?;
    Ok(Recipe { attributes, ..(*recipe).clone() })
}

/// Builds a component as a recipe says, beside what it was before; on failure the scene is as it was, but for what the
/// constructor keeps with the component.
///
/// # Errors
/// What the constructor says.
pub fn build_beside(scene: &mut Scene, component: ComponentId, recipe: &Recipe) -> Result<(), String> {
    let mark = scene.mark();
    build(scene, component, recipe).map_err(|e| {
        scene.rewind(&mark);
        e.message
    })
}

/// Builds a component again with other values of attributes that are linked to what has changed, beside what it was before. Warnings
/// are not repeated.
///
/// # Errors
/// What the constructor says; the scene is then as it was, but for what the constructor keeps with the component, and so is its recipe
/// but for these values.
pub fn build_linked(
    scene: &mut Scene,
    component: ComponentId,
    values: Vec<(&'static str, Value)>,
) -> Result<(), String> {
    let Some(mut shared) = scene.component_mut(component).recipe.take() else {
        return Err(format!("a {} of this scene cannot be built again", scene.component(component).class));
    };
    // Nobody else holds it in general, so that lists which stay are not copied.
    let recipe = Arc::make_mut(&mut shared);
    recipe.attributes.set.extend(values);
    let mark = scene.mark();
    let built = build_quietly(scene, component, recipe).map_err(|e| {
        scene.rewind(&mark);
        e.message
    });
    scene.component_mut(component).recipe = Some(shared);
    built
}

/// Whether an engine may be built again where the scene is only looked at: it changes nothing else of it, and sees initial vectors as
/// they are.
pub fn may_look(scene: &Scene, engine: ComponentId) -> bool {
    let recipe = scene.component(engine).recipe.as_ref();
    recipe.is_some_and(|r| r.description.looks_only && scene.is_initial_as_after(r.projections))
}

/// Builds an engine again where the scene is only looked at ([`may_look`]); gives back what it offers. Warnings are not repeated.
///
/// # Errors
/// What the constructor says, or that it changes the scene.
pub fn build_looking(scene: &Scene, component: ComponentId, recipe: &Recipe) -> Result<Offered, String> {
    let mut offered = Offered::default();
    let mut environment = NoFiles { is_quiet: true, ..NoFiles::default() };
    let built = (recipe.description.build)(&mut Builder {
        scene: Surroundings::looked_at(scene, &mut offered),
        component,
        node: scene.component(component).node,
        attributes: &recipe.attributes,
        environment: &mut environment,
    });
    match built {
        Err(e) => Err(e.message),
        Ok(()) if offered.has_overstepped => Err(format!(
            "a {} is said to only look at the scene, yet it changes it",
            recipe.description.class
        )),
        Ok(()) => Ok(offered),
    }
}

/// Builds an engine again where it has the scene to itself; gives back what it offers. Warnings are not repeated.
///
/// # Errors
/// What the constructor says; the scene is then as it was, but for what the constructor keeps with the component.
pub fn build_alone(scene: &mut Scene, component: ComponentId, recipe: &Recipe) -> Result<Fields, String> {
    let mark = scene.mark();
    let before = take(&mut scene.component_mut(component).fields);
    let built = build_quietly(scene, component, recipe);
    let offered = std::mem::replace(&mut scene.component_mut(component).fields, before);
    built.map(|()| offered).map_err(|e| {
        scene.rewind(&mark);
        e.message
    })
}

fn build_quietly(scene: &mut Scene, component: ComponentId, recipe: &Recipe) -> Result<(), BuildError> {
    build_in(scene, component, recipe, &mut NoFiles { is_quiet: true, ..NoFiles::default() })
}

/// Builds a component; gives back which attributes it asked for, too.
fn build(scene: &mut Scene, component: ComponentId, recipe: &Recipe) -> Result<(), BuildError> {
    build_in(scene, component, recipe, &mut NoFiles::default())
}

fn build_in(
    scene: &mut Scene,
    component: ComponentId,
    recipe: &Recipe,
    files: &mut NoFiles,
) -> Result<(), BuildError> {
    let node = scene.component(component).node;
    let environment = files;
    let attributes = &recipe.attributes;
    let mut build = |scene: &mut Scene| {
        (recipe.description.build)(&mut Builder {
            scene: scene.into(),
            component,
            node,
            attributes,
            environment,
        })
    };
    // A constraint projects what others left; all else sees again what it saw before later constraints moved points.
    if recipe.description.family == Family::Constraint {
        build(scene)
    } else {
        scene.with_initial_after(recipe.projections, build)
    }
}
