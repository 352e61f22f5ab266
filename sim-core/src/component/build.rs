//! What the constructor of a component gets: its attributes, the scene around it, and the place where it puts itself.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::attributes::rows_below;
use super::surroundings::Surroundings;
use super::value::Value;
use crate::math::Vec3;
use crate::scene::{ComponentId, NodeId, StateId};
use crate::topology::Topology;

/// Why a component cannot be built; the loader adds file, line and component.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    /// The attribute that is wrong, if it is one.
    pub attribute: Option<String>,
    /// What is wrong and what to do, in one line.
    pub message: String,
}

impl BuildError {
    /// An error of the component as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { attribute: None, message: message.into() }
    }
    /// An error of one attribute.
    pub fn attribute(attribute: &str, message: impl Into<String>) -> Self {
        Self { attribute: Some(attribute.to_owned()), message: message.into() }
    }
}

/// Where a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// To a node.
    Node(NodeId),
    /// To a component.
    Component(ComponentId),
}

/// The parsed attributes of one component, under their canonical names.
#[derive(Clone, Debug, Default)]
pub struct AttributeValues {
    /// Values that the scene gives, directly, by `src` or by a data link.
    pub set: BTreeMap<&'static str, Value>,
    /// Values of the described defaults, for what the scene does not give.
    pub defaults: BTreeMap<&'static str, Value>,
    /// Resolved links, by attribute.
    pub links: BTreeMap<&'static str, Vec<LinkTarget>>,
    /// Where values that were given by a data link come from: the component and its data, by attribute.
    pub sources: BTreeMap<&'static str, (ComponentId, String)>,
    /// The `template` attribute.
    pub template: Option<String>,
}

/// What the loader does for a constructor.
pub trait BuildEnvironment {
    /// Finds a file beside the scene or in the data paths.
    ///
    /// # Errors
    /// One line that names the file and where it was looked for.
    fn find_file(&self, name: &str) -> Result<PathBuf, String>;
    /// Reads a mesh file, searched as [`Self::find_file`] does: points and elements as they stand in it.
    ///
    /// # Errors
    /// One line that names the file and what is wrong.
    fn read_mesh(&self, name: &str) -> Result<Topology, String>;
    /// Hears that the constructor looked at an attribute, whether the scene sets it or not.
    fn asked(&self, attribute: &str);
    /// The text of an attribute that the description does not have, which the component names itself; none where the scene does not
    /// set it.
    fn further(&self, _attribute: &str) -> Option<String> {
        None
    }
    /// Reports a warning about the component, or about one of its attributes.
    fn warn(&mut self, attribute: Option<&str>, message: String);
    /// Hears which value is taken in the place of the one that an attribute has.
    fn replaced(&mut self, _attribute: &str, _value: Value) {}
    /// What the program gives to components beside the scene, of a type; none where it gives nothing of it.
    fn given(&self, _of: TypeId) -> Option<&dyn Any> {
        None
    }
}

/// Which of several topologies a component means (SOFA has both rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologySearch {
    /// The first of the node in scene order, else upward.
    First,
    /// The last added to the node, else upward.
    Last,
    /// The first of this node only.
    FirstHere,
}

/// The view a constructor has.
pub struct Builder<'a> {
    /// The scene so far.
    pub scene: Surroundings<'a>,
    /// The component being built: already in the scene, with its name and place.
    pub component: ComponentId,
    /// Its node.
    pub node: NodeId,
    /// Its attributes.
    pub attributes: &'a AttributeValues,
    /// Files and warnings.
    pub environment: &'a mut dyn BuildEnvironment,
}

impl Builder<'_> {
    /// What the program gives to components beside the scene, of a type; none where it gives nothing of it.
    pub fn given<T: Any>(&self) -> Option<&T> {
        self.environment.given(TypeId::of::<T>())?.downcast_ref()
    }

    /// Whether the scene sets the attribute.
    pub fn is_set(&self, name: &str) -> bool {
        self.environment.asked(name);
        self.attributes.set.contains_key(name)
    }

    /// The value the scene sets, or the described default.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.environment.asked(name);
        self.attributes.set.get(name).or_else(|| self.attributes.defaults.get(name))
    }

    fn required(&self, name: &str) -> Result<&Value, BuildError> {
        self.value(name)
            .ok_or_else(|| BuildError::attribute(name, format!("the attribute `{name}` is required")))
    }

    fn wrong(name: &str, wanted: &str) -> BuildError {
        BuildError::attribute(name, format!("`{name}` must be {wanted}"))
    }

    /// A finite real number.
    pub fn real(&self, name: &str) -> Result<f64, BuildError> {
        match self.required(name)?.reals() {
            Some(v) if v.len() == 1 && v[0].is_finite() => Ok(v[0]),
            _ => Err(Self::wrong(name, "one finite number")),
        }
    }

    /// A real number, if the scene sets it.
    pub fn set_real(&self, name: &str) -> Result<Option<f64>, BuildError> {
        if self.is_set(name) { self.real(name).map(Some) } else { Ok(None) }
    }

    /// An integer.
    pub fn integer(&self, name: &str) -> Result<i64, BuildError> {
        match self.required(name)?.integers() {
            Some(v) if v.len() == 1 => Ok(v[0]),
            _ => Err(Self::wrong(name, "one integer")),
        }
    }

    /// A boolean.
    pub fn boolean(&self, name: &str) -> Result<bool, BuildError> {
        match self.required(name)? {
            Value::Bool(b) => Ok(*b),
            Value::Integer(i) => Ok(*i != 0),
            _ => Err(Self::wrong(name, "true or false")),
        }
    }

    /// Text, a file name or a chosen option.
    pub fn text(&self, name: &str) -> Result<&str, BuildError> {
        match self.required(name)? {
            Value::Text(t) => Ok(t),
            _ => Err(Self::wrong(name, "text")),
        }
    }

    /// A vector of three reals.
    pub fn vec3(&self, name: &str) -> Result<Vec3, BuildError> {
        match self.required(name)?.reals() {
            Some(v) if v.len() == 3 && v.iter().all(|c| c.is_finite()) => Ok(Vec3::new(v[0], v[1], v[2])),
            _ => Err(Self::wrong(name, "three finite numbers")),
        }
    }

    /// Reals, rows flattened; empty where neither the scene nor a default gives any.
    pub fn reals(&self, name: &str) -> Result<Vec<f64>, BuildError> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        match value.reals() {
            Some(v) if v.iter().all(|c| c.is_finite()) => Ok(v),
            _ => Err(Self::wrong(name, "a list of finite numbers")),
        }
    }

    /// A list of points; empty where neither the scene nor a default gives any.
    pub fn points(&self, name: &str) -> Result<Vec<Vec3>, BuildError> {
        let v = self.reals(name)?;
        Ok(v.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect())
    }

    /// Integers, rows flattened; empty where neither the scene nor a default gives any.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>, BuildError> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        value.integers().ok_or_else(|| Self::wrong(name, "a list of integers"))
    }

    /// Indices below `limit`, rows of `N`.
    pub fn index_rows<const N: usize>(&self, name: &str, limit: usize) -> Result<Vec<[u32; N]>, BuildError> {
        rows_below(name, &self.integers(name)?, limit)
    }

    /// Booleans; empty where neither the scene nor a default gives any.
    pub fn booleans(&self, name: &str) -> Result<Vec<bool>, BuildError> {
        match self.value(name) {
            None => Ok(Vec::new()),
            Some(Value::Bools(v)) => Ok(v.clone()),
            Some(Value::Bool(b)) => Ok(vec![*b]),
            Some(_) => Err(Self::wrong(name, "a list of booleans")),
        }
    }

    /// Words; empty where neither the scene nor a default gives any.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, BuildError> {
        match self.value(name) {
            None => Ok(Vec::new()),
            Some(Value::Texts(v)) => Ok(v.clone()),
            Some(Value::Text(t)) => Ok(vec![t.clone()]),
            Some(_) => Err(Self::wrong(name, "a list of words")),
        }
    }

    /// The path of the file that an attribute names.
    pub fn file(&self, name: &str) -> Result<PathBuf, BuildError> {
        let text = self.text(name)?;
        self.environment.find_file(text).map_err(|m| BuildError::attribute(name, m))
    }

    /// What the mesh file that an attribute names holds.
    pub fn mesh(&self, name: &str) -> Result<Topology, BuildError> {
        let text = self.text(name)?;
        self.environment.read_mesh(text).map_err(|m| BuildError::attribute(name, m))
    }

    /// The text of an attribute that the component names itself ([`ComponentDescription::further`]), if the scene sets it.
    ///
    /// [`ComponentDescription::further`]: super::description::ComponentDescription::further
    pub fn further(&self, name: &str) -> Option<String> {
        self.environment.further(name)
    }

    /// Where a link attribute leads, if it is set.
    pub fn link(&self, name: &str) -> Option<LinkTarget> {
        self.environment.asked(name);
        self.attributes.links.get(name).and_then(|l| l.first().copied())
    }

    /// The component and the data that an attribute is linked to, if it is given by a data link; its value is what that data held
    /// when the scene was loaded.
    pub fn source(&self, name: &str) -> Option<(ComponentId, &str)> {
        self.environment.asked(name);
        self.attributes.sources.get(name).map(|(component, data)| (*component, data.as_str()))
    }

    /// All targets of a list of links.
    pub fn links(&self, name: &str) -> &[LinkTarget] {
        self.environment.asked(name);
        self.attributes.links.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reports a warning.
    pub fn warn(&mut self, attribute: Option<&str>, message: impl Into<String>) {
        self.environment.warn(attribute, message.into());
    }

    /// Reports a warning that another value is taken in the place of the one that an attribute has.
    pub fn replace(&mut self, attribute: &str, value: Value, message: impl Into<String>) {
        self.environment.replaced(attribute, value);
        self.warn(Some(attribute), message);
    }

    /// The state that a force field, mass or constraint acts on: the link `mstate`, else the node's, else the nearest ancestor's.
    ///
    /// # Errors
    /// Where there is none.
    pub fn state(&self) -> Result<StateId, BuildError> {
        if let Some(target) = self.link("mstate") {
            return self.state_at(target, "mstate");
        }
        self.scene.state_from(self.node).ok_or_else(|| {
            BuildError::new(
                "there is no MechanicalObject in this node or above it; put one before this component",
            )
        })
    }

    /// The state that a link leads to: the component itself, or the state found from the node.
    ///
    /// # Errors
    /// Where it leads to no state.
    pub fn state_at(&self, target: LinkTarget, attribute: &str) -> Result<StateId, BuildError> {
        let found = match target {
            LinkTarget::Node(n) => self.scene.state_from(n),
            LinkTarget::Component(c) => self.scene.state_of_component(c),
        };
        found.ok_or_else(|| {
            BuildError::attribute(attribute, format!("`{attribute}` leads to no MechanicalObject"))
        })
    }

    /// The topology component that this one uses: its link `topology` if set, else by the search rule.
    pub fn topology_component(&self, search: TopologySearch) -> Option<ComponentId> {
        match self.link("topology") {
            Some(LinkTarget::Component(c)) if self.scene.topology(c).is_some() => return Some(c),
            Some(LinkTarget::Node(n)) => return self.scene.find_topology(n, search),
            _ => {}
        }
        self.scene.find_topology(self.node, search)
    }

    /// The topology that this component uses.
    pub fn topology(&self, search: TopologySearch) -> Option<&Topology> {
        self.topology_component(search).and_then(|c| self.scene.topology(c))
    }

    /// Offers a field to links (`@name.field`).
    pub fn offer(&mut self, field: &'static str, value: Value) {
        self.scene.offer(self.component, field, value);
    }

    /// A field that the component offers by now.
    pub fn offered(&self, field: &str) -> Option<&Value> {
        self.scene.offered(self.component, field)
    }
}
