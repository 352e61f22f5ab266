//! The scene's tree: what a panel shows and searches.
//!
//! It is published when something of it changed, not with every state. Its parts are shared, so that another value of one
//! attribute costs its component and the way to it.

use std::sync::Arc;

use sim_core::scene::{ComponentId, NodeId, Scene};

use crate::attribute::{Attribute, attributes};

/// The class of what is no component, but controls that belong together.
pub const CONTROLS: &str = "Controls";

/// A component.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineComponent {
    /// SOFA's class.
    pub class: &'static str,
    /// Its name.
    pub name: String,
    /// Its path in the scene.
    pub path: String,
    /// File and line, if it came from a file.
    pub place: String,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// A node, with all below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: String,
    /// The path of the component whose attributes are shown at first, if the window is to open with them.
    pub opens: Option<String>,
    /// Its components, in order.
    pub components: Vec<Arc<OutlineComponent>>,
    /// Its children, in order.
    pub children: Vec<Arc<Outline>>,
}

impl Outline {
    /// The tree of a scene.
    pub fn of(scene: &Scene) -> Self {
        node(scene, scene.root())
    }

    /// The components whose class or path contains a text, whatever its case, in the scene's order.
    pub fn search<'o>(&'o self, text: &str, found: &mut Vec<&'o OutlineComponent>) {
        let text = text.to_lowercase();
        let has = |c: &&OutlineComponent| {
            c.path.to_lowercase().contains(&text) || c.class.to_lowercase().contains(&text)
        };
        found.extend(self.components.iter().map(Arc::as_ref).filter(has));
        self.children.iter().for_each(|c| c.search(&text, found));
    }

    /// The component of a path.
    pub fn component(&self, path: &str) -> Option<&OutlineComponent> {
        let here = self.components.iter().map(Arc::as_ref).find(|c| c.path == path);
        here.or_else(|| {
            self.children.iter().filter(|c| is_above(&c.path, path)).find_map(|c| c.component(path))
        })
    }

    /// Brings one component up to date, which has not moved in the tree.
    pub fn renew(&mut self, scene: &Scene, id: ComponentId) {
        let new = component(scene, id);
        self.exchange(&Arc::new(new));
    }

    fn exchange(&mut self, new: &Arc<OutlineComponent>) -> bool {
        if let Some(old) = self.components.iter_mut().find(|c| c.path == new.path) {
            *old = new.clone();
            return true;
        }
        let mut above = self.children.iter_mut().filter(|c| is_above(&c.path, &new.path));
        above.any(|child| Arc::make_mut(child).exchange(new))
    }
}

/// Whether the node of a path may hold what has another path, at any depth. The path of a node without a name ends with `/`.
fn is_above(node: &str, path: &str) -> bool {
    path.strip_prefix(node).is_some_and(|rest| node.ends_with('/') || rest.starts_with('/'))
}

fn node(scene: &Scene, id: NodeId) -> Outline {
    let node = scene.node(id);
    Outline {
        name: node.name.clone(),
        path: scene.node_path(id),
        opens: None,
        components: node.components.iter().map(|c| Arc::new(component(scene, *c))).collect(),
        children: node.children.iter().map(|c| Arc::new(self::node(scene, *c))).collect(),
    }
}

fn component(scene: &Scene, id: ComponentId) -> OutlineComponent {
    let c = scene.component(id);
    let l = &c.location;
    OutlineComponent {
        class: c.class,
        name: c.name.clone(),
        path: scene.path(id),
        place: if l.line == 0 { String::new() } else { format!("{}:{}", l.file, l.line) },
        attributes: attributes(scene, id),
    }
}

#[cfg(test)]
mod tests {
    use sim_core::component::value::Value;
    use sim_core::scene::Location;

    use super::*;

    fn beam() -> (Scene, ComponentId) {
        let mut scene = Scene::new("root");
        let root = scene.root();
        let beside = scene.add_node(root, "be", Location::default());
        let child = scene.add_node(root, "beam", Location::default());
        scene.add_component(root, "DefaultAnimationLoop", None, Location::default());
        scene.add_component(beside, "PointSetTopologyContainer", Some("points"), Location::default());
        let c = scene.add_component(child, "UniformMass", Some("mass"), Location::default());
        scene.component_mut(c).fields.insert("masses", Value::Reals(vec![0.5; 9]));
        (scene, c)
    }

    #[test]
    fn a_tree_is_searched_by_class_and_path() {
        let outline = Outline::of(&beam().0);
        let paths = |text: &str| {
            let mut found = Vec::new();
            outline.search(text, &mut found);
            found.iter().map(|c| c.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(paths("uniform"), ["/beam/mass"]);
        assert_eq!(paths("BEAM"), ["/beam/mass"]);
        assert_eq!(paths("").len(), 3);
        let mass = outline.component("/beam/mass").expect("it is there");
        assert_eq!(mass.attributes[0].value, "0.5 0.5 0.5 0.5 0.5 0.5 and 3 more");
        assert!(outline.component("/beam/mas").is_none());
    }

    #[test]
    fn what_stands_in_a_node_without_a_name_is_found() {
        let (mut scene, _) = beam();
        let nameless = scene.add_node(scene.root(), "", Location::default());
        let torus = scene.add_node(nameless, "TORUS", Location::default());
        let c = scene.add_component(torus, "UniformMass", None, Location::default());
        scene.add_component(nameless, "MechanicalObject", None, Location::default());
        let mut outline = Outline::of(&scene);
        assert!(outline.component("/MechanicalObject1").is_some());
        scene.component_mut(c).fields.insert("masses", Value::Reals(vec![2.0]));
        outline.renew(&scene, c);
        let mass = outline.component("//TORUS/UniformMass1").expect("it is there");
        assert_eq!(mass.attributes[0].value, "2");
    }

    #[test]
    fn what_changes_is_exchanged_and_the_rest_is_shared() {
        let (mut scene, c) = beam();
        let before = Outline::of(&scene);
        let mut after = before.clone();
        scene.component_mut(c).fields.insert("masses", Value::Reals(vec![2.0]));
        after.renew(&scene, c);
        let value = |o: &Outline| o.component("/beam/mass").expect("it is there").attributes[0].value.clone();
        assert_eq!((value(&before).len(), value(&after).as_str()), (34, "2"));
        assert!(Arc::ptr_eq(&before.children[0], &after.children[0]));
        assert!(!Arc::ptr_eq(&before.children[1], &after.children[1]));
    }
}
