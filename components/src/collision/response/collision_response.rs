//! `CollisionResponse`: which class of contact a pair of models gets.

use crate::collision::ModelKind;

/// The attributes of `CollisionResponse` (once `DefaultContactManager`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionResponse {
    /// `response` (none): name of the class; without it no contact is ever made.
    pub response: Option<String>,
    /// `responseParams`: attributes of every contact, as `name1=value1&name2=value2`.
    pub response_params: String,
}

/// A class of contact response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseClass {
    /// `PenalityContactForceField`: a spring per contact that only pushes.
    Penalty,
    /// `FrictionContactConstraint`: Lagrange multipliers with Coulomb friction.
    Friction,
}

impl CollisionResponse {
    /// The name of the class for two models, of which each may ask for one (`contactResponse`, empty for none).
    ///
    /// **Source:** as SOFA's CollisionResponse: if one model asks, its class; if both ask for the same, that; else the manager's.
    pub fn class_name<'a>(&'a self, first: &'a str, second: &'a str) -> Option<&'a str> {
        match (first.is_empty(), second.is_empty()) {
            (false, true) => Some(first),
            (true, false) => Some(second),
            (false, false) if first == second => Some(first),
            _ => self.response.as_deref().filter(|r| !r.is_empty()),
        }
    }

    /// The attributes for every contact, in order; a part without `=` is left out.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        self.response_params.split('&').filter_map(|part| part.split_once('='))
    }
}

impl ResponseClass {
    /// The class of that name, also under its older names.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "PenalityContactForceField" | "default" => Some(Self::Penalty),
            "FrictionContactConstraint" | "FrictionContact" => Some(Self::Friction),
            _ => None,
        }
    }

    /// Whether it can treat these kinds in this order.
    pub fn supports(self, first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        match first {
            Triangle => true,
            Line => second != Triangle,
            Sphere => matches!(second, Sphere | RigidSphere | Point),
            RigidSphere => matches!(second, RigidSphere | Point),
            Point => second == Point,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_may_ask_for_a_class() {
        let manager = CollisionResponse { response: Some("M".into()), ..Default::default() };
        let class = |a, b| manager.class_name(a, b);
        assert_eq!(class("", ""), Some("M"));
        assert_eq!((class("A", ""), class("", "B")), (Some("A"), Some("B")));
        assert_eq!((class("A", "A"), class("A", "B")), (Some("A"), Some("M")));
        assert_eq!(CollisionResponse::default().class_name("", ""), None);
    }

    #[test]
    fn params_are_pairs() {
        let response_params = "mu=0.5&nonsense&tol=1e-3".into();
        let manager = CollisionResponse { response: None, response_params };
        assert_eq!(manager.params().collect::<Vec<_>>(), [("mu", "0.5"), ("tol", "1e-3")]);
    }

    #[test]
    fn kinds_have_an_order() {
        let c = ResponseClass::from_name("PenalityContactForceField").unwrap();
        assert!(
            c.supports(ModelKind::Triangle, ModelKind::Point)
                && !c.supports(ModelKind::Point, ModelKind::Triangle)
        );
        assert!(c.supports(ModelKind::Sphere, ModelKind::RigidSphere));
        assert_eq!(ResponseClass::from_name("nullptr"), None);
    }
}
