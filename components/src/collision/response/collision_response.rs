//! `CollisionResponse`: which class of contact a pair of models gets.

use super::{AskingModel, ContactRule, FrictionParameters, MultiplierLaw, ResponseClass};

/// The attributes of `CollisionResponse` (once `DefaultContactManager`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionResponse {
    /// Rules that go before the class, where it is a `RuleBasedContactManager`.
    pub rules: Option<Vec<ContactRule>>,
    /// `response` (PenalityContactForceField): the class; none where there is no manager.
    pub response: Option<ResponseClass>,
    /// `responseParams`: attributes of every contact, as `name1=value1&name2=value2`.
    pub response_params: String,
    /// `friction`, `tangentialStiffness` and `rollingFriction`: friction of penalty contacts, an addition of ours; none where
    /// `friction` is 0.
    pub friction: Option<FrictionParameters>,
}

impl CollisionResponse {
    /// The class for two models, and the attributes of their contacts.
    ///
    /// **Source:** as SOFA's RuleBasedContactManager where there are rules: a class that the first model asks for goes first, then
    /// the second one's, then the first rule that is for both; else as its CollisionResponse: if one model asks, its class; if both
    /// ask for the same, that; else the manager's. `responseParams` are for the manager's class only: a class that is asked for
    /// brings its own.
    pub fn choose<'a>(&'a self, models: [&AskingModel<'a>; 2]) -> Option<(ResponseClass, &'a str)> {
        let asked = match (&self.rules, models.map(|m| m.response)) {
            (Some(rules), [first, second]) => first
                .or(second)
                .or_else(|| rules.iter().find(|rule| rule.matches(models)).map(|rule| &rule.asked)),
            (None, [Some(first), Some(second)]) => Some(first).filter(|first| *first == second),
            (None, [first, second]) => first.or(second),
        };
        match asked {
            Some(asked) => Some((asked.class, &asked.params)),
            None => self.response.map(|class| (class, self.response_params.as_str())),
        }
    }

    /// Whether its class, or one of its rules', has multipliers.
    pub fn asks_for_multipliers(&self) -> bool {
        let mut by_rules = self.rules.iter().flatten().map(|rule| rule.asked.class);
        self.response.is_some_and(ResponseClass::has_multipliers)
            || by_rules.any(ResponseClass::has_multipliers)
    }

    /// What the multipliers of contacts of a class with these attributes obey; none of a class without multipliers.
    ///
    /// # Errors
    /// The attribute that is no number.
    pub fn law(class: ResponseClass, params: &str) -> Result<Option<MultiplierLaw>, String> {
        let mut law = match class {
            ResponseClass::Friction => MultiplierLaw::FRICTION,
            ResponseClass::Augmented => MultiplierLaw::AUGMENTED,
            ResponseClass::Stick => return Ok(Some(MultiplierLaw::STICK)),
            _ => return Ok(None),
        };
        for (name, value) in Self::params(params) {
            let number = || {
                let number = value.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
                number
                    .ok_or_else(|| format!("`{name}` is `{value}`; it must be a number that is not negative"))
            };
            match (name.trim(), &mut law.epsilon) {
                ("mu", _) => law.mu = number()?,
                ("tol", _) => law.tolerance = number()?,
                ("bounce", _) => law.impact.bounce = number()?.min(1.0),
                ("bounceSpeed", _) => law.impact.least_speed = number()?,
                ("onSurfaces", _) => law.on_surfaces = number()? != 0.0,
                ("epsilon", Some(epsilon)) => *epsilon = number()?,
                _ => {}
            }
        }
        Ok(Some(law))
    }

    /// Attributes written as `name1=value1&name2=value2`, in order; a part without `=` is left out.
    pub fn params(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.split(['&', '?']).filter_map(|part| part.split_once('='))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AskedClass, read_rules};
    use super::*;

    #[test]
    fn models_may_ask_for_a_class() {
        let (penalty, rubbing, none) =
            ("PenalityContactForceField", "FrictionContactConstraint?mu=0.2", "nullptr");
        let rules = read_rules("floor * PenalityContactForceField", |_| None).unwrap();
        let manager = |rules| CollisionResponse {
            rules,
            response: Some(ResponseClass::Friction),
            response_params: "mu=0.5".into(),
            friction: None,
        };
        let class = |manager: &CollisionResponse, names: [&str; 2], asked: [&str; 2]| {
            let asked = asked.map(|text| (!text.is_empty()).then(|| AskedClass::read(text)));
            let of = |k: usize| AskingModel { name: names[k], group: &[], response: asked[k].as_ref() };
            let (class, params) = manager.choose([&of(0), &of(1)])?;
            Some(format!("{class:?} {params}"))
        };
        let (plain, ruled) = (manager(None), manager(Some(rules)));
        let of_plain = |asked| class(&plain, ["", "floor"], asked);
        assert_eq!(of_plain(["", ""]).unwrap(), "Friction mu=0.5");
        assert_eq!(of_plain(["", rubbing]).unwrap(), "Friction mu=0.2", "a class brings its own attributes");
        assert_eq!(of_plain([none, ""]).unwrap(), "Nothing ");
        assert_eq!(of_plain([penalty, penalty]).unwrap(), "Penalty ");
        assert_eq!(of_plain([penalty, rubbing]).unwrap(), "Friction mu=0.5", "they disagree");
        let of_ruled = |asked| class(&ruled, ["", "floor"], asked);
        assert_eq!(of_ruled(["", ""]).unwrap(), "Penalty ");
        assert_eq!(of_ruled([rubbing, none]).unwrap(), "Friction mu=0.2", "the first goes first");
        assert_eq!(class(&ruled, ["", ""], ["", ""]).unwrap(), "Friction mu=0.5");
        assert_eq!(class(&CollisionResponse::default(), ["", ""], ["", ""]), None);
    }

    #[test]
    fn params_are_pairs() {
        let params = CollisionResponse::params("mu=0.5&nonsense?tol=1e-3");
        assert_eq!(params.collect::<Vec<_>>(), [("mu", "0.5"), ("tol", "1e-3")]);
    }
}
