//! The element tree of a scene: what the parser and the generators of the gallery both yield.

use std::fmt::Display;

use sim_core::scene::Location;

/// The class of an element that is a node.
pub const NODE: &str = "Node";

/// One attribute as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its text, entities resolved.
    pub value: String,
    /// Where it stands; line 0 in a generated scene.
    pub location: Location,
}

/// A node or a component, not yet interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// `Node`, or the class of a component as it is written.
    pub class: String,
    /// Attributes in the order of the file.
    pub attributes: Vec<Attribute>,
    /// What stands inside, in order.
    pub children: Vec<Element>,
    /// Where it stands; line 0 in a generated scene.
    pub location: Location,
}

impl Element {
    /// An element without attributes, of a generated scene.
    pub fn new(class: &str) -> Self {
        Self {
            class: class.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            location: Location::default(),
        }
    }

    /// A node of a generated scene.
    pub fn node(name: &str) -> Self {
        Self::new(NODE).with("name", name)
    }

    /// Whether it is a node.
    pub fn is_node(&self) -> bool {
        self.class == NODE
    }

    /// The same with one more attribute.
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.set(name, value.to_string(), Location::default());
        self
    }

    /// The same with one more child.
    pub fn child(mut self, child: Element) -> Self {
        self.children.push(child);
        self
    }

    /// Adds a child.
    pub fn push(&mut self, child: Element) {
        self.children.push(child);
    }

    /// The text of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|a| a.value.as_str())
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Sets an attribute, replacing the one of that name.
    pub fn set(&mut self, name: &str, value: String, location: Location) {
        match self.attributes.iter_mut().find(|a| a.name == name) {
            Some(a) => {
                a.value = value;
                a.location = location;
            }
            None => self.attributes.push(Attribute { name: name.to_owned(), value, location }),
        }
    }

    /// The attribute `name`, if it is given and not empty.
    pub fn name(&self) -> Option<&str> {
        self.get("name").filter(|n| !n.is_empty())
    }

    /// Number of elements in the tree, itself included.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Element::count).sum::<usize>()
    }
}

/// Numbers as the text of an attribute: shortest form that reads back to the same bits, separated by blanks.
pub fn numbers<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for v in values {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&v.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_replaces() {
        let e = Element::new("A").with("x", 1).with("x", 2.5);
        assert_eq!(e.get("x"), Some("2.5"));
        assert_eq!(e.attributes.len(), 1);
        assert_eq!(numbers([1.0, 0.1]), "1 0.1");
    }
}
