//! The scene's tree as text: what a panel shows and searches.

use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, NodeId, Scene};

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
    /// Fields and their values, long ones shortened.
    pub fields: Vec<(String, String)>,
}

/// A node, with all below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: String,
    /// Its components, in order.
    pub components: Vec<OutlineComponent>,
    /// Its children, in order.
    pub children: Vec<Outline>,
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
        found.extend(self.components.iter().filter(has));
        self.children.iter().for_each(|c| c.search(&text, found));
    }

    /// The component of a path.
    pub fn component(&self, path: &str) -> Option<&OutlineComponent> {
        let here = self.components.iter().find(|c| c.path == path);
        here.or_else(|| self.children.iter().find_map(|c| c.component(path)))
    }
}

fn node(scene: &Scene, id: NodeId) -> Outline {
    let node = scene.node(id);
    Outline {
        name: node.name.clone(),
        path: scene.node_path(id),
        components: node.components.iter().map(|c| component(scene, *c)).collect(),
        children: node.children.iter().map(|c| self::node(scene, *c)).collect(),
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
        fields: c.fields.iter().map(|(name, value)| ((*name).to_owned(), shown(value))).collect(),
    }
}

/// Numbers shown of a list.
const SHOWN: usize = 6;

fn shown(value: &Value) -> String {
    fn list<T: ToString>(all: &[T]) -> String {
        let first: Vec<String> = all.iter().take(SHOWN).map(T::to_string).collect();
        let rest = all.len().saturating_sub(SHOWN);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", first.join(" "))
    }
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Real(r) => r.to_string(),
        Value::Text(t) => t.clone(),
        Value::Reals(v) => list(v),
        Value::Integers(v) => list(v),
        Value::Bools(v) => list(v),
        Value::Texts(v) => list(v),
    }
}

#[cfg(test)]
mod tests {
    use sim_core::scene::Location;

    use super::*;

    #[test]
    fn a_tree_is_searched_by_class_and_path() {
        let mut scene = Scene::new("root");
        let root = scene.root();
        let child = scene.add_node(root, "beam", Location::default());
        scene.add_component(root, "DefaultAnimationLoop", None, Location::default());
        let c = scene.add_component(child, "UniformMass", Some("mass"), Location::default());
        scene.component_mut(c).fields.insert("masses", Value::Reals(vec![0.5; 9]));
        let outline = Outline::of(&scene);
        let paths = |text: &str| {
            let mut found = Vec::new();
            outline.search(text, &mut found);
            found.iter().map(|c| c.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(paths("uniform"), ["/beam/mass"]);
        assert_eq!(paths("BEAM"), ["/beam/mass"]);
        assert_eq!(paths("").len(), 2);
        let mass = outline.component("/beam/mass").expect("it is there");
        assert_eq!(mass.fields[0].1, "0.5 0.5 0.5 0.5 0.5 0.5 and 3 more");
    }
}
