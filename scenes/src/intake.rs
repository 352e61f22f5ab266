//! How what a data link leads to becomes the value of an attribute.

use sim_core::component::build::AttributeValues;
use sim_core::component::description::{AttributeKind, ComponentDescription, Recipe};
use sim_core::component::surroundings::Fields;
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};

use crate::assemble::widths;
use crate::data_flow::DataLink;
use crate::link_values::{self, Linked};
use crate::value_syntax::Widths;

/// What an attribute makes of what its link leads to. It stays the same while nodes and components neither come nor go.
#[derive(Clone, Copy, Debug)]
pub struct Intake {
    kind: AttributeKind,
    widths: Widths,
    /// Whether the templates of the source and of the taker are those of numbers.
    of_numbers: [bool; 2],
}

impl Intake {
    /// That of a link.
    ///
    /// # Errors
    /// The component does not come from a scene file, or has no such attribute.
    pub fn of(scene: &Scene, link: &DataLink) -> Result<Self, String> {
        let template = |c: ComponentId| {
            scene.component(c).recipe.as_ref().and_then(|r| r.attributes.template.as_deref())
        };
        let Some(Recipe { description, .. }) = scene.component(link.component).recipe.as_deref() else {
            return Err("it does not come from a scene file".to_owned());
        };
        let Some(kind) = description.attributes_named(link.attribute).map(|a| a.kind).next() else {
            return Err(format!("it has no attribute `{}`", link.attribute));
        };
        let own = template(link.component);
        let widths = widths(scene, scene.component(link.component).node, description, own);
        let of_numbers = [template(link.source), own].map(link_values::is_of_numbers);
        Ok(Self { kind, widths, of_numbers })
    }

    /// What the attribute is when its link leads to this.
    ///
    /// # Errors
    /// The value does not fit.
    pub fn taken(&self, linked: Linked) -> Result<Value, String> {
        let linked = linked.between(self.of_numbers[0], self.of_numbers[1], self.kind, self.widths);
        link_values::convert_or_explain(linked, self.kind, self.widths).map_err(|(message, _)| message)
    }
}

/// What data of a component hold: of what it offers, or of its attributes.
pub fn of_fields(
    description: &ComponentDescription,
    fields: &Fields,
    attributes: &AttributeValues,
    data: &str,
) -> Option<Linked> {
    link_values::in_fields(description, fields, data, 0)
        .or_else(|| link_values::attribute_of(Some(*description), attributes, data))
}
