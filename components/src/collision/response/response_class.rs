//! Classes of contact response, and which kinds of models each is for.

use sim_core::component::attributes::Word;

use crate::collision::ModelKind;

/// A class of contact response.
#[derive(Word, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseClass {
    /// A spring per contact that only pushes.
    #[word("PenalityContactForceField", "default")]
    Penalty,
    /// Lagrange multipliers with Coulomb friction.
    #[word("FrictionContactConstraint")]
    Friction,
    /// Lagrange multipliers by augmented violations.
    #[word("AugmentedLagrangianResponseConstraint")]
    Augmented,
    /// Points of contact that Lagrange multipliers keep from moving relative to each other during a step.
    #[word("StickContactConstraint")]
    Stick,
    /// A spring per contact that holds its ends as they were when they were detected.
    #[word("StickContactForceField")]
    StickForce,
    /// SOFA's old name of a class that makes no contact there either.
    #[word("FrictionContact")]
    OldFriction,
    /// No response: contacts are found and do nothing.
    #[word("nullptr")]
    Nothing,
}

impl ResponseClass {
    /// Whether its contacts are springs.
    pub fn is_force_field(self) -> bool {
        matches!(self, Self::Penalty | Self::StickForce)
    }

    /// Whether its contacts have multipliers.
    pub fn has_multipliers(self) -> bool {
        matches!(self, Self::Friction | Self::Augmented | Self::Stick)
    }

    /// Whether it can treat these kinds in this order.
    pub fn supports(self, first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle, TriangleOctree};
        match first {
            Triangle => true,
            TriangleOctree => second == TriangleOctree,
            Line => !matches!(second, Triangle | TriangleOctree),
            Sphere => matches!(second, Sphere | RigidSphere | Point),
            RigidSphere => matches!(second, RigidSphere | Point),
            Point => second == Point,
        }
    }
}

/// A class of contacts that a model or a rule asks for, and attributes of these contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedClass {
    /// The class.
    pub class: ResponseClass,
    /// Attributes of the contacts, as `name1=value1&name2=value2`.
    pub params: String,
}

impl AskedClass {
    /// Reads a class, which `?name1=value1&name2=value2` may follow.
    ///
    /// # Errors
    /// A class that does not exist.
    pub fn read(text: &str) -> Result<Self, String> {
        let (class, params) = text.split_once('?').unwrap_or((text, ""));
        let class = ResponseClass::named(class).ok_or_else(|| {
            format!("`{class}` is no class of contacts; there are {}", ResponseClass::WORDS.join(", "))
        })?;
        Ok(Self { class, params: params.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_bring_attributes() {
        let asked = AskedClass::read("FrictionContactConstraint?mu=0.3&tol=1").expect("a class");
        assert_eq!((asked.class, asked.params.as_str()), (ResponseClass::Friction, "mu=0.3&tol=1"));
        assert_eq!(AskedClass::read("nullptr").expect("none").params, "");
        assert!(AskedClass::read("Nonsense?mu=1").is_err());
    }

    #[test]
    fn kinds_have_an_order() {
        let c = ResponseClass::Penalty;
        assert!(
            c.supports(ModelKind::Triangle, ModelKind::Point)
                && !c.supports(ModelKind::Point, ModelKind::Triangle)
        );
        assert!(c.supports(ModelKind::Sphere, ModelKind::RigidSphere));
    }
}
