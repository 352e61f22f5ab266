//! An attribute of a component as a panel shows it, and how another value for it is written.

use std::borrow::Cow;

use scenes::rebuild::check;
use sim_core::component::description::{AttributeDescription, AttributeKind};
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};

/// Numbers of a list that are shown.
const SHOWN: usize = 6;
/// Numbers that can be changed one by one.
const MOST_NUMBERS: usize = 12;
/// Characters that can be changed as a text.
const MOST_CHARACTERS: usize = 160;

/// How a value is changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// One or some real numbers.
    Numbers(Vec<f64>),
    /// One or some real numbers between two others.
    Sliders {
        /// The numbers.
        values: Vec<f64>,
        /// The least that each may be.
        low: f64,
        /// The greatest.
        high: f64,
    },
    /// One of some words.
    Choice(&'static [&'static str], String),
    /// As it is written in a scene; empty where there is no value.
    Text(String),
    /// Not at all, and why.
    Fixed(String),
}

impl Edit {
    /// The value as it is written in a scene.
    pub fn written(&self) -> String {
        match self {
            Self::Bool(b) => b.to_string(),
            Self::Integer(i) => i.to_string(),
            Self::Numbers(v) | Self::Sliders { values: v, .. } => joined(v),
            Self::Choice(_, text) | Self::Text(text) => text.clone(),
            Self::Fixed(_) => String::new(),
        }
    }
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name in a scene file.
    pub name: Cow<'static, str>,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// Its value, a long one shortened; empty where there is none.
    pub value: String,
    /// Whether that is the default.
    pub is_default: bool,
    /// How it is changed.
    pub edit: Edit,
}

/// The attributes of a component in the order of their description, and what else it offers to links.
pub fn attributes(scene: &Scene, id: ComponentId) -> Vec<Attribute> {
    let c = scene.component(id);
    let described = c.recipe.iter().flat_map(|r| r.description.all_attributes());
    let mut all: Vec<Attribute> =
        described.filter(|d| d.kind.is_read()).map(|d| described_as(scene, id, d)).collect();
    let offered = c.fields.iter().filter(|(name, _)| !all.iter().any(|a| a.name == **name));
    let offered: Vec<Attribute> = offered
        .map(|(name, value)| Attribute {
            name: Cow::Borrowed(name),
            unit: "",
            summary: "offered to links",
            value: shown(value),
            is_default: false,
            edit: Edit::Fixed("computed when the scene was loaded".to_owned()),
        })
        .collect();
    all.extend(offered);
    all
}

fn described_as(scene: &Scene, id: ComponentId, d: &'static AttributeDescription) -> Attribute {
    let c = scene.component(id);
    let recipe = c.recipe.as_deref();
    let links = recipe.and_then(|r| r.attributes.links.get(d.name)).map(|links| links.len());
    let set = recipe.and_then(|r| r.attributes.set.get(d.name));
    let default = recipe.and_then(|r| r.attributes.defaults.get(d.name));
    let is_default = set.is_none() && links.is_none() && !d.default.is_empty();
    let value = match (set, links) {
        (Some(value), _) => shown(value),
        (None, Some(n)) => format!("{n} linked"),
        (None, None) if is_default => d.default.to_owned(),
        (None, None) => c.fields.get(d.name).map(shown).unwrap_or_default(),
    };
    let edit = match check(scene, id, d.name) {
        Ok(_) => edit(d.kind, set.or(default)),
        Err(e) => Edit::Fixed(e.to_string()),
    };
    Attribute { name: Cow::Borrowed(d.name), unit: d.unit, summary: d.summary, value, is_default, edit }
}

/// How a value of a kind is changed.
fn edit(kind: AttributeKind, value: Option<&Value>) -> Edit {
    let Some(value) = value else { return Edit::Text(String::new()) };
    match (kind, value) {
        (AttributeKind::Option(words) | AttributeKind::WordOrDefault(words), Value::Text(text)) => {
            Edit::Choice(words, text.clone())
        }
        (_, Value::Bool(b)) => Edit::Bool(*b),
        (_, Value::Integer(i)) => Edit::Integer(*i),
        (_, Value::Real(r)) => Edit::Numbers(vec![*r]),
        (_, Value::Reals(v)) if (1..=MOST_NUMBERS).contains(&v.len()) => Edit::Numbers(v.clone()),
        (_, value) => {
            let text = written(value);
            if text.len() <= MOST_CHARACTERS {
                Edit::Text(text)
            } else {
                Edit::Fixed("too long to be changed here".to_owned())
            }
        }
    }
}

fn joined<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    all.join(" ")
}

/// A value as it is written in a scene.
fn written(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Real(r) => r.to_string(),
        Value::Text(t) => t.clone(),
        Value::Reals(v) => joined(v),
        Value::Integers(v) => joined(v),
        Value::Bools(v) => joined(v),
        Value::Texts(v) => joined(v),
    }
}

/// A value as it is shown.
fn shown(value: &Value) -> String {
    fn list<T: ToString>(all: &[T]) -> String {
        let rest = all.len().saturating_sub(SHOWN);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", joined(&all[..all.len() - rest]))
    }
    match value {
        Value::Reals(v) => list(v),
        Value::Integers(v) => list(v),
        Value::Bools(v) => list(v),
        Value::Texts(v) => list(v),
        single => written(single),
    }
}

#[cfg(test)]
mod tests {
    use scenes::load::{LoadOptions, load_text};

    use super::*;

    /// The attributes of the component of this name.
    fn of(name: &str) -> Vec<Attribute> {
        let text = r#"<Node>
            <EulerImplicitSolver name="ode"/><CGLinearSolver name="cg" iterations="7"/>
            <RegularGridTopology name="grid" n="3 3 3" min="0 0 0" max="1 1 1"/>
            <MechanicalObject name="dofs"/><UniformMass name="mass" totalMass="2"/>
            <FixedProjectiveConstraint name="fixed" indices="0 4 8 12"/>
            <HexahedronFEMForceField name="fem" youngModulus="4000" poissonRatio="0.3"/>
        </Node>"#;
        let scene = load_text(text, "a.scn", &LoadOptions::default()).expect("it loads").scene;
        let id = scene.all_components().find(|c| scene.component(*c).name == name).expect("it is there");
        attributes(&scene, id)
    }

    fn named(all: &[Attribute], name: &str) -> Attribute {
        all.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("{name} in {all:#?}")).clone()
    }

    #[test]
    fn all_that_are_registered_are_shown_with_their_units_and_defaults() {
        let fem = of("fem");
        let young = named(&fem, "youngModulus");
        assert_eq!((young.value.as_str(), young.unit, young.is_default), ("4000", "Pa", false));
        assert_eq!(young.edit, Edit::Numbers(vec![4000.0]));
        let method = named(&fem, "method");
        assert_eq!((method.value.as_str(), method.is_default), ("large", true));
        assert!(
            matches!(&method.edit, Edit::Choice(words, chosen) if words.contains(&"polar") && chosen == "large")
        );
        assert_eq!(named(&of("cg"), "iterations").edit, Edit::Integer(7));
        assert!(matches!(named(&of("ode"), "rayleighMass").edit, Edit::Numbers(v) if v == [0.0]));
        assert_eq!(named(&of("mass"), "vertexMass").edit, Edit::Text(String::new()), "without a value");
    }

    #[test]
    fn what_cannot_change_says_why() {
        let reason = |a: &Attribute| match &a.edit {
            Edit::Fixed(why) => why.clone(),
            edit => panic!("{}: {edit:?}", a.name),
        };
        let indices = named(&of("fixed"), "indices");
        assert_eq!(indices.value, "0 4 8 12");
        assert!(reason(&indices).contains("cannot change while the simulation runs"));
        assert!(reason(&named(&of("fem"), "topology")).contains("links and files"));
        let position = named(&of("dofs"), "position");
        assert!(position.value.ends_with(" and 75 more"), "{}", position.value);
        assert!(reason(&position).contains("/dofs"));
    }

    #[test]
    fn values_are_written_as_in_a_scene() {
        assert_eq!(Edit::Numbers(vec![1.5, -2e-7, 3.0]).written(), "1.5 -0.0000002 3");
        assert_eq!(Edit::Bool(true).written(), "true");
        assert_eq!(shown(&Value::Reals(vec![0.5; 9])), "0.5 0.5 0.5 0.5 0.5 0.5 and 3 more");
        let long = Value::Integers((0..200).collect());
        assert!(matches!(edit(AttributeKind::IndexRows(1), Some(&long)), Edit::Fixed(_)));
    }
}
