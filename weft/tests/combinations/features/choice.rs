//! A component by one of its samples.

use sim_core::component::description::{AttributeKind, ComponentDescription, Sample};

/// A class with one of its samples.
#[derive(Clone, Copy)]
pub struct Choice {
    pub description: ComponentDescription,
    pub sample: Sample,
}

impl Choice {
    pub fn label(&self) -> String {
        format!("{} {} {}", self.description.class, self.sample.attributes, self.sample.template)
            .trim()
            .to_owned()
    }

    /// Whether it can stand on a state of this template; of what joins two templates, on the first.
    pub fn fits(&self, template: &str) -> bool {
        let own = self.sample.template;
        let first = own.split_once(',').map_or(own, |(first, _)| first);
        if own.is_empty() {
            let templates = self.description.templates;
            templates.is_empty() || templates.contains(&template)
        } else {
            first == template
        }
    }

    /// The template of the second state of what joins two templates.
    pub fn second_template(&self) -> Option<&'static str> {
        self.sample.template.split_once(',').map(|(_, second)| second)
    }

    /// Whether it joins two states by their names.
    pub fn joins(&self) -> bool {
        self.sample.attributes.contains("{first}")
    }

    /// Whether what joins two states can join one to itself: points that follow those of another state cannot.
    pub fn joins_itself(&self) -> bool {
        !self.sample.attributes.contains("external_rest_shape='{second}'")
    }

    /// Whether a mapping hands on all points, or frames, in their order.
    pub fn copies(&self) -> bool {
        self.description.class == "IdentityMapping" && self.ends().is_some_and(|(a, b)| a == b)
    }

    /// Whether an integrator goes on from what another one in its node has left.
    pub fn goes_on(&self) -> bool {
        self.sample.before.contains("<EulerExplicitSolver")
    }

    /// The templates of a mapping's input and output.
    pub fn ends(&self) -> Option<(&'static str, &'static str)> {
        let own = if self.sample.template.is_empty() {
            self.description.templates[0]
        } else {
            self.sample.template
        };
        own.split_once(',')
    }

    /// A number of it that may change at run time, with another value: attribute, value.
    pub fn change(&self) -> Option<(&'static str, String)> {
        let real = |name: &str| {
            let mut found = self.description.attributes_named(name);
            let is_number = |kind| {
                matches!(kind, AttributeKind::Real | AttributeKind::RealRows(1) | AttributeKind::PointVector)
            };
            found.any(|a| is_number(a.kind))
        };
        self.sample.attributes.split("' ").find_map(|pair| {
            let (name, value) = pair.split_once("='")?;
            let value: f64 = value.trim_end_matches('\'').parse().ok()?;
            real(name).then(|| (name, (1.5 * value).to_string()))
        })
    }
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
