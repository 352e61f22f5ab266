//! A component by one of its samples.

use std::ops::Deref;

use sim_core::component::description::{AttributeKind, ComponentDescription, Family, Sample};

use super::Elements;

/// Integrators without a matrix of forces.
const EXPLICIT: [&str; 4] =
    ["EulerExplicitSolver", "RungeKutta2Solver", "RungeKutta4Solver", "CentralDifferenceSolver"];

/// A class with one of its samples, and what their words say: read once, since the making of an array asks millions of times.
pub struct Facts {
    pub description: ComponentDescription,
    pub sample: Sample,
    first_template: &'static str,
    second_template: Option<&'static str>,
    ends: Option<(&'static str, &'static str)>,
    change: Option<(&'static str, String)>,
    elements: Elements,
    joins: bool,
    joins_itself: bool,
    copies: bool,
    goes_on: bool,
    takes_two: bool,
    keeps_forces: bool,
    is_explicit: bool,
    is_inexact: bool,
    is_rewritten: bool,
}

/// What can be chosen: a class by one of its samples.
#[derive(Clone, Copy)]
pub struct Choice(&'static Facts);

impl Deref for Choice {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        self.0
    }
}

impl Choice {
    /// A class by one of its samples, kept for the whole run.
    pub fn new(description: ComponentDescription, sample: Sample) -> Self {
        let attributes = sample.attributes;
        let own = sample.template;
        let ends =
            if own.is_empty() { description.templates.first().copied().unwrap_or_default() } else { own }
                .split_once(',');
        let is_assembled = description.class != "CGLinearSolver" || attributes.contains("template=");
        Self(Box::leak(Box::new(Facts {
            first_template: own.split_once(',').map_or(own, |(first, _)| first),
            second_template: own.split_once(',').map(|(_, second)| second),
            ends,
            change: change(&description, attributes),
            elements: Elements::of(sample.elements),
            joins: attributes.contains("{first}"),
            joins_itself: !attributes.contains("external_rest_shape='{second}'"),
            copies: description.class == "IdentityMapping" && ends.is_some_and(|(a, b)| a == b),
            goes_on: sample.before.contains("<EulerExplicitSolver"),
            takes_two: attributes.contains("{other}"),
            keeps_forces: attributes.contains("mapForces='0'"),
            is_explicit: EXPLICIT.contains(&description.class)
                || attributes.contains("explicitIntegration='1'"),
            is_inexact: is_assembled && !attributes.contains("exactProjection='1'"),
            is_rewritten: is_rewritten(&description, attributes),
            description,
            sample,
        })))
    }

    pub fn label(&self) -> String {
        format!("{} {} {}", self.description.class, self.sample.attributes, self.sample.template)
            .trim()
            .to_owned()
    }

    /// Whether it can stand on a state of this template; of what joins two templates, on the first.
    pub fn fits(&self, template: &str) -> bool {
        if self.sample.template.is_empty() {
            let templates = self.description.templates;
            templates.is_empty() || templates.contains(&template)
        } else {
            self.first_template == template
        }
    }

    /// The template of the second state of what joins two templates.
    pub fn second_template(&self) -> Option<&'static str> {
        self.0.second_template
    }

    /// The elements that its state's topology must have.
    pub fn elements(&self) -> Elements {
        self.elements
    }

    /// Whether it joins two states by their names.
    pub fn joins(&self) -> bool {
        self.joins
    }

    /// Whether what joins two states can join one to itself: points that follow those of another state cannot.
    pub fn joins_itself(&self) -> bool {
        self.joins_itself
    }

    /// Whether a mapping hands on all points, or frames, in their order.
    pub fn copies(&self) -> bool {
        self.copies
    }

    /// Whether a mapping has two inputs.
    pub fn takes_two(&self) -> bool {
        self.takes_two
    }

    /// Whether a mapping keeps the forces on its output to itself.
    pub fn keeps_forces(&self) -> bool {
        self.keeps_forces
    }

    /// Whether an integrator goes on from what another one in its node has left.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Whether an integrator has no matrix of forces.
    pub fn is_explicit(&self) -> bool {
        self.is_explicit
    }

    /// Whether a linear solver assembles a matrix in which SOFA puts blocks in wrong places.
    pub fn is_inexact(&self) -> bool {
        self.is_inexact
    }

    /// Whether its attributes have other values after a change of the topology than lists of points that are left.
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// The templates of a mapping's input and output.
    pub fn ends(&self) -> Option<(&'static str, &'static str)> {
        self.0.ends
    }

    /// A number of it that may change at run time, with another value: attribute, value.
    pub fn change(&self) -> Option<(&'static str, &'static str)> {
        self.0.change.as_ref().map(|(name, value)| (*name, &**value))
    }
}

/// Classes that go on from where points were when the scene began, which another scene knows nothing of.
const OF_THE_BEGINNING: [&str; 5] = [
    "AffineMovementProjectiveConstraint",
    "LinearMovementProjectiveConstraint",
    "PartialLinearMovementProjectiveConstraint",
    "PatchTestMovementProjectiveConstraint",
    "TriangleBendingSprings",
];

fn is_rewritten(description: &ComponentDescription, attributes: &str) -> bool {
    let Some(following) = description.following else { return false };
    let lists = following.elements.iter().map(|(name, _)| *name);
    let mut names = following.prepared.iter().copied().chain(lists);
    OF_THE_BEGINNING.contains(&description.class)
        || names.any(|name| name != "vertexMass" && attributes.contains(&format!("{name}='")))
            && description.family != Family::Mapping
}

/// The first number among the attributes of a sample that may change, with another value.
fn change(description: &ComponentDescription, attributes: &'static str) -> Option<(&'static str, String)> {
    let real = |name: &str| {
        let is_number = |kind| {
            matches!(kind, AttributeKind::Real | AttributeKind::RealRows(1) | AttributeKind::PointVector)
        };
        description.attributes_named(name).any(|a| is_number(a.kind))
    };
    attributes.split("' ").find_map(|pair| {
        let (name, value) = pair.split_once("='")?;
        let value: f64 = value.trim_end_matches('\'').parse().ok()?;
        real(name).then(|| (name, (1.5 * value).to_string()))
    })
}

/// What joins the body to something.
#[derive(Clone, Copy)]
pub enum Joint {
    Nothing,
    /// An interaction force field.
    Springs(Choice),
    /// A contact, of this collision model with spheres.
    Contact(Choice),
    /// A constraint with multipliers.
    Multipliers(Choice),
}

impl Joint {
    /// What is written as one component, and names both ends if it joins two states.
    pub fn element(&self) -> Option<Choice> {
        match self {
            Joint::Springs(c) | Joint::Multipliers(c) => Some(*c),
            Joint::Nothing | Joint::Contact(_) => None,
        }
    }
}
