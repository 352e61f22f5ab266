//! Builds components in unit tests without the scene loader.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sim_core::component::build::{AttributeValues, BuildEnvironment, BuildError, Builder, LinkTarget};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription};
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Location, NodeId, Scene};
use sim_core::topology::Topology;

/// A scene under construction, with the warnings of its components.
pub struct TestScene {
    pub scene: Scene,
    pub warnings: Vec<String>,
    files: BTreeMap<String, PathBuf>,
    meshes: BTreeMap<String, Topology>,
}

struct Environment<'a> {
    warnings: &'a mut Vec<String>,
    files: &'a BTreeMap<String, PathBuf>,
    meshes: &'a BTreeMap<String, Topology>,
}

impl BuildEnvironment for Environment<'_> {
    fn find_file(&self, name: &str) -> Result<PathBuf, String> {
        self.files.get(name).cloned().ok_or_else(|| format!("no file `{name}`"))
    }
    fn read_mesh(&self, name: &str) -> Result<Topology, String> {
        self.meshes.get(name).cloned().ok_or_else(|| format!("no mesh `{name}`"))
    }
    fn asked(&self, _: &str) {}
    fn warn(&mut self, attribute: Option<&str>, message: String) {
        self.warnings.push(format!("{}: {message}", attribute.unwrap_or("-")));
    }
}

impl TestScene {
    pub fn new() -> Self {
        Self {
            scene: Scene::new("root"),
            warnings: Vec::new(),
            files: BTreeMap::new(),
            meshes: BTreeMap::new(),
        }
    }

    pub fn root(&self) -> NodeId {
        self.scene.root()
    }

    pub fn child(&mut self, parent: NodeId, name: &str) -> NodeId {
        self.scene.add_node(parent, name, Location::default())
    }

    pub fn file(&mut self, name: &str, path: PathBuf) {
        self.files.insert(name.to_owned(), path);
    }

    /// What a mesh file of this name holds.
    pub fn mesh(&mut self, name: &str, mesh: Topology) {
        self.meshes.insert(name.to_owned(), mesh);
    }

    /// Adds a component from attributes as a scene would write them.
    pub fn add(
        &mut self,
        description: &ComponentDescription,
        node: NodeId,
        attributes: &[(&'static str, &str)],
    ) -> Result<ComponentId, BuildError> {
        self.add_linked(description, node, attributes, &[])
    }

    /// What a component in a scene of its own offers by a name, and what it has warned of.
    pub fn offered(
        description: &ComponentDescription,
        attributes: &[(&'static str, &str)],
        name: &str,
    ) -> (Value, Vec<String>) {
        let mut t = Self::new();
        let root = t.root();
        let c = t.add(description, root, attributes).expect("it builds");
        (t.scene.component(c).fields[name].clone(), t.warnings)
    }

    /// The same with links.
    pub fn add_linked(
        &mut self,
        description: &ComponentDescription,
        node: NodeId,
        attributes: &[(&'static str, &str)],
        links: &[(&'static str, LinkTarget)],
    ) -> Result<ComponentId, BuildError> {
        let mut parsed = AttributeValues::default();
        for a in description.all_attributes().filter(|a| !a.default.is_empty() && a.kind.is_read()) {
            parsed.defaults.insert(a.name, parse(a, a.default));
        }
        for (name, text) in attributes {
            if *name == "template" {
                parsed.template = Some((*text).to_owned());
                continue;
            }
            let mut known = false;
            for a in description.attributes_named(name) {
                parsed.set.insert(a.name, parse(a, text));
                known = true;
            }
            assert!(known, "{} has no attribute {name}", description.class);
        }
        for (name, target) in links {
            parsed.links.entry(name).or_default().push(*target);
        }
        let component = self.scene.add_component(node, description.class, None, Location::default());
        let mut environment =
            Environment { warnings: &mut self.warnings, files: &self.files, meshes: &self.meshes };
        let mut builder = Builder {
            scene: (&mut self.scene).into(),
            component,
            node,
            attributes: &parsed,
            environment: &mut environment,
        };
        (description.build)(&mut builder).map(|()| component)
    }
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split_whitespace().map(|w| w.parse().ok().unwrap_or_else(|| panic!("`{w}` in `{text}`"))).collect()
}

fn boolean(text: &str) -> bool {
    matches!(text, "1" | "true")
}

fn parse(a: &AttributeDescription, text: &str) -> Value {
    match a.kind {
        AttributeKind::Bool => Value::Bool(boolean(text)),
        AttributeKind::Integer => Value::Integer(numbers(text)[0]),
        AttributeKind::Real => Value::Real(numbers(text)[0]),
        AttributeKind::Real32 => Value::Real(f64::from(numbers::<f32>(text)[0])),
        AttributeKind::Reals(_)
        | AttributeKind::RealRows(_)
        | AttributeKind::RigidMasses
        | AttributeKind::PointVector
        | AttributeKind::Coords
        | AttributeKind::Derivs => Value::Reals(numbers(text)),
        AttributeKind::Integers(_) | AttributeKind::IndexRows(_) => Value::Integers(numbers(text)),
        AttributeKind::Bools => Value::Bools(text.split_whitespace().map(boolean).collect()),
        AttributeKind::Texts => Value::Texts(text.split_whitespace().map(str::to_owned).collect()),
        _ => Value::Text(text.to_owned()),
    }
}

#[test]
fn every_default_parses() {
    for d in crate::all() {
        for a in d.all_attributes().filter(|a| !a.default.is_empty()) {
            let _ = parse(a, a.default);
        }
    }
}

#[test]
fn classes_and_attributes_have_one_meaning_each() {
    let mut classes: Vec<&str> =
        crate::all().iter().flat_map(|d| d.old_names.iter().copied().chain([d.class])).collect();
    let n = classes.len();
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), n, "a class is listed twice");
    for d in crate::all() {
        let mut names: Vec<&str> = d.all_attributes().map(|a| a.name).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n, "an attribute of {} is listed twice", d.class);
    }
}

/// A step of 1 s from time 0.
pub const AT_START: sim_core::component::MechanicalParams =
    sim_core::component::MechanicalParams { dt: 1.0, time: 0.0 };
