//! The scene around a component while it is built.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::value::Value;
use crate::scene::{ComponentId, Scene};

/// Fields that a component offers to links, by name.
pub type Fields = BTreeMap<&'static str, Value>;

/// What a constructor leaves with its component, where it only looks at the scene.
#[derive(Debug, Default)]
pub struct Offered {
    /// Fields that links may read.
    pub fields: Fields,
    /// What its crate keeps with the component in place of what it kept before, if the constructor said so.
    pub kept: Option<Option<Arc<dyn Any + Send + Sync>>>,
    /// The constructor has changed something else of the scene, which came to nothing.
    pub has_overstepped: bool,
}

/// The scene around a component: to be added to, or to be looked at only.
///
/// It is used as a [`Scene`]. What is only looked at may be shared with others that look, on other threads. What a constructor
/// changes of it nevertheless is lost, and [`Offered::has_overstepped`] tells so.
pub struct Surroundings<'a>(Held<'a>);

enum Held<'a> {
    Whole(&'a mut Scene),
    Looked {
        scene: &'a Scene,
        offered: &'a mut Offered,
        /// What changes go to that the constructor may not make.
        lost: Option<Box<Scene>>,
    },
}

impl<'a> Surroundings<'a> {
    /// A scene that is only looked at; what the component offers and keeps goes to `offered`.
    pub fn looked_at(scene: &'a Scene, offered: &'a mut Offered) -> Self {
        Self(Held::Looked { scene, offered, lost: None })
    }

    pub(super) fn offer(&mut self, component: ComponentId, field: &'static str, value: Value) {
        match &mut self.0 {
            Held::Whole(scene) => scene.component_mut(component).fields.insert(field, value),
            Held::Looked { offered, .. } => offered.fields.insert(field, value),
        };
    }

    pub(super) fn offered(&self, component: ComponentId, field: &str) -> Option<&Value> {
        match &self.0 {
            Held::Whole(scene) => scene.component(component).fields.get(field),
            Held::Looked { offered, .. } => offered.fields.get(field),
        }
    }

    pub(super) fn keep(&mut self, component: ComponentId, what: Option<Arc<dyn Any + Send + Sync>>) {
        match &mut self.0 {
            Held::Whole(scene) => scene.component_mut(component).extension = what,
            Held::Looked { offered, .. } => offered.kept = Some(what),
        }
    }
}

impl<'a> From<&'a mut Scene> for Surroundings<'a> {
    fn from(scene: &'a mut Scene) -> Self {
        Self(Held::Whole(scene))
    }
}

impl Deref for Surroundings<'_> {
    type Target = Scene;
    fn deref(&self) -> &Scene {
        match &self.0 {
            Held::Whole(scene) => scene,
            Held::Looked { scene, .. } => scene,
        }
    }
}

impl DerefMut for Surroundings<'_> {
    fn deref_mut(&mut self) -> &mut Scene {
        match &mut self.0 {
            Held::Whole(scene) => scene,
            Held::Looked { offered, lost, .. } => {
                offered.has_overstepped = true;
                lost.get_or_insert_with(|| Box::new(Scene::new("lost")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn what_is_only_looked_at_stays() {
        let scene = Scene::new("root");
        let mut offered = Offered::default();
        let mut around = Surroundings::looked_at(&scene, &mut offered);
        assert_eq!(around.root(), scene.root());
        around.offer(ComponentId(7), "x", Value::Real(1.0));
        assert_eq!(around.offered(ComponentId(7), "x"), Some(&Value::Real(1.0)));
        around.gravity = Vec3::zeros();
        assert!(offered.has_overstepped && scene.gravity != Vec3::zeros());
    }
}
