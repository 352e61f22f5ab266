//! Classes of contact response, and which kinds of models each is for.

use crate::collision::ModelKind;

/// A class of contact response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseClass {
    /// Lagrange multipliers by augmented violations.
    Augmented,
    /// Lagrange multipliers with Coulomb friction.
    Friction,
    /// A spring per contact that only pushes.
    Penalty,
    /// Points of contact that Lagrange multipliers keep from moving relative to each other during a step.
    Stick,
    /// A spring per contact that holds its ends as they were when they were detected.
    StickForce,
    /// No response: contacts are found and do nothing.
    Nothing,
}

/// SOFA's names, in its order: a manager may say a number instead. Contacts of rays are none of ours.
const NAMES: [(&str, ResponseClass); 6] = [
    ("AugmentedLagrangianResponseConstraint", ResponseClass::Augmented),
    ("FrictionContactConstraint", ResponseClass::Friction),
    ("PenalityContactForceField", ResponseClass::Penalty),
    ("RayContact", ResponseClass::Nothing),
    ("StickContactConstraint", ResponseClass::Stick),
    ("StickContactForceField", ResponseClass::StickForce),
];

impl ResponseClass {
    /// The class of a name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
    }

    /// The names of all classes.
    pub fn names() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// The class that a manager's text stands for, and what is odd about it.
    ///
    /// **Source:** as SOFA's: penalties without a text. A text that is no name is read as a number, the place of a name in their list;
    /// what is no number is 0, which is `AugmentedLagrangianResponseConstraint`. `nullptr` is a class that models and rules may ask
    /// for, and none of a manager's.
    pub fn of_manager(text: Option<&str>) -> (Self, Option<String>) {
        let Some(text) = text.map(str::trim) else { return (Self::Penalty, None) };
        if let Some(class) = Self::named(text) {
            return (class, None);
        }
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
        let number = if digits.is_empty() { 0 } else { digits.parse::<i64>().unwrap_or(i64::MAX) * sign };
        let place = usize::try_from(number).ok().and_then(|k| NAMES.get(k));
        let (name, class) = place.copied().unwrap_or(("PenalityContactForceField", Self::Penalty));
        let is_number = !digits.is_empty() && place.is_some();
        let odd = format!(
            "`{text}` is no class of contacts; there are {}. As in SOFA, {name} is taken",
            Self::names()
        );
        (class, (!is_number).then_some(odd))
    }

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
        let is_ball = matches!(second, Sphere | RigidSphere | Point);
        match first {
            solid if solid.is_solid() => is_ball || (second.is_solid() && first <= second),
            Triangle => true,
            TriangleOctree => second == TriangleOctree,
            Line => !matches!(second, Triangle | TriangleOctree),
            Sphere => is_ball,
            RigidSphere => matches!(second, RigidSphere | Point),
            _ => second == Point,
        }
    }
}

/// A class of contacts that a model or a rule asks for, and attributes of these contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedClass {
    /// The class.
    pub class: ResponseClass,
    /// Its name, where there is no such class: contacts are found, and none is made.
    pub unknown: Option<String>,
    /// Attributes of the contacts, as `name1=value1&name2=value2`.
    pub params: String,
}

impl AskedClass {
    /// Reads a class, which `?name1=value1&name2=value2` may follow; `nullptr` is none.
    ///
    /// **Source:** as SOFA's, which makes no contact of a class that does not exist, and says so.
    pub fn read(text: &str) -> Self {
        let (name, params) = text.split_once('?').unwrap_or((text, ""));
        let class = ResponseClass::named(name);
        let unknown = (class.is_none() && name != "nullptr").then(|| name.to_owned());
        Self { class: class.unwrap_or(ResponseClass::Nothing), unknown, params: params.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_bring_attributes() {
        let asked = AskedClass::read("FrictionContactConstraint?mu=0.3&tol=1");
        assert_eq!((asked.class, asked.params.as_str()), (ResponseClass::Friction, "mu=0.3&tol=1"));
        assert_eq!(AskedClass::read("nullptr").unknown, None);
        let unknown = AskedClass::read("Nonsense?mu=1");
        assert_eq!((unknown.class, unknown.unknown.as_deref()), (ResponseClass::Nothing, Some("Nonsense")));
    }

    #[test]
    fn a_manager_takes_what_sofa_takes() {
        let class = |text| ResponseClass::of_manager(Some(text));
        assert_eq!(ResponseClass::of_manager(None), (ResponseClass::Penalty, None));
        assert_eq!(class("StickContactConstraint"), (ResponseClass::Stick, None));
        assert_eq!(class("2"), (ResponseClass::Penalty, None));
        assert_eq!(class("5"), (ResponseClass::StickForce, None));
        for (odd, is) in [
            ("default", ResponseClass::Augmented),
            ("nullptr", ResponseClass::Augmented),
            ("Stick", ResponseClass::Augmented),
            ("9", ResponseClass::Penalty),
            ("-1", ResponseClass::Penalty),
        ] {
            let (class, text) = class(odd);
            assert_eq!(class, is, "{odd}");
            assert!(text.is_some_and(|text| text.contains(odd) && text.contains("As in SOFA")), "{odd}");
        }
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
