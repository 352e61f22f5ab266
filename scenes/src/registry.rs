//! Which component classes there are.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use animation::rig::format::{Catalogue, NodeDescription};
use sim_core::component::description::ComponentDescription;

use crate::diagnostics::{did_you_mean, nearest};
use crate::known;

/// The classes that scenes may use, and the kinds of nodes that rigs may. A value: programs make their own and add to it.
#[derive(Clone)]
pub struct Registry {
    // Shared until somebody adds a class: there is a registry for each scene that is loaded.
    classes: Arc<Classes>,
    rig_nodes: Arc<Catalogue>,
}

#[derive(Clone, Default)]
struct Classes {
    by_name: BTreeMap<&'static str, ComponentDescription>,
    old_names: BTreeMap<&'static str, &'static str>,
}

static BUILTINS: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::empty();
    let families = [
        crate::alias::all(),
        crate::animated::all(),
        crate::ignored::all(),
        vec![crate::repository::DESCRIPTION],
        crate::visual::all(),
        crate::loaders::all(),
        crate::playback::all(),
        components::all(),
        solvers::all(),
    ];
    for description in families.into_iter().flatten() {
        registry.register(description);
    }
    registry
});

static RIG_NODES: LazyLock<Arc<Catalogue>> = LazyLock::new(Arc::default);

impl Registry {
    /// A registry without any class; rigs have the kinds of nodes of the library.
    pub fn empty() -> Self {
        Self { classes: Arc::default(), rig_nodes: RIG_NODES.clone() }
    }

    /// All classes of Weft.
    pub fn with_builtins() -> Self {
        BUILTINS.clone()
    }

    /// Adds a class; one of the same name is replaced.
    pub fn register(&mut self, description: ComponentDescription) {
        let Classes { by_name, old_names } = Arc::make_mut(&mut self.classes);
        for old in description.old_names {
            old_names.insert(old, description.class);
        }
        old_names.remove(description.class);
        by_name.insert(description.class, description);
    }

    /// Adds a kind of nodes of rigs; one of the same name is replaced.
    pub fn register_rig_node(&mut self, description: NodeDescription) {
        Arc::make_mut(&mut self.rig_nodes).add(description);
    }

    /// The kinds of nodes of rigs.
    pub fn rig_nodes(&self) -> &Arc<Catalogue> {
        &self.rig_nodes
    }

    /// The class of this name, or the class that was once called so, or will be.
    pub fn find(&self, name: &str) -> Option<&ComponentDescription> {
        let current = |n: &str| self.classes.by_name.get(n);
        current(name)
            .or_else(|| self.classes.old_names.get(name).and_then(|n| current(n)))
            .or_else(|| known::renamed(name).or_else(|| known::newer(name)).and_then(current))
    }

    /// Whether a name is a class, of Weft or of SOFA; any other name may be a prefab.
    pub fn is_class(&self, name: &str) -> bool {
        self.find(name).is_some() || known::is_sofa_class(name)
    }

    /// All classes, by name.
    pub fn iter(&self) -> impl Iterator<Item = &ComponentDescription> {
        self.classes.by_name.values()
    }

    /// What to say of a name that is no class: the message, and what may be meant.
    pub fn explain_unknown(&self, name: &str) -> (String, Option<String>) {
        let names = || self.classes.by_name.keys().copied();
        if let Some(new) = known::removed(name) {
            let suggestion = (!new.is_empty()).then(|| format!("write `{new}`"));
            return (format!("SOFA no longer has `{name}`"), suggestion);
        }
        let current = known::renamed(name).unwrap_or(name);
        if known::is_sofa_class(current) {
            return (format!("SOFA has `{name}`, Weft not yet"), None);
        }
        let message = format!("there is no component `{name}`");
        let suggestion = did_you_mean(name, names()).or_else(|| {
            let sofa = nearest(name, known::SOFA_CLASSES.iter().copied())?;
            Some(format!("did you mean SOFA's `{sofa}`, which Weft does not have yet?"))
        });
        (message, suggestion)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::with_builtins()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_unknown_names() {
        let r = Registry::with_builtins();
        assert_eq!(r.find("RequiredPlugin").map(|d| d.class), Some("RequiredPlugin"));
        assert!(r.find("OglCylinderModel").is_some_and(|d| d.class == "CylinderVisualModel"));
        assert!(r.find("EulerImplicitIntegrationScheme").is_some_and(|d| d.class == "EulerImplicitSolver"));
        let (message, suggestion) = r.explain_unknown("MeshObjLoadr");
        assert_eq!(message, "there is no component `MeshObjLoadr`");
        assert_eq!(suggestion.as_deref(), Some("did you mean `MeshOBJLoader`?"));
        let (message, _) = r.explain_unknown("LCPConstraintSolver");
        assert_eq!(message, "SOFA has `LCPConstraintSolver`, Weft not yet");
        let (_, suggestion) = r.explain_unknown("DefaultPipeline");
        assert_eq!(suggestion.as_deref(), Some("write `CollisionPipeline`"));
    }

    #[test]
    fn sofa_classes_are_sorted_for_search() {
        assert!(known::SOFA_CLASSES.is_sorted());
    }
}
