//! `CollisionResponse`: which class of contact a pair of models gets.

use super::{AskingModel, ContactRule, FrictionParameters, MultiplierLaw, ResponseClass};

/// The attributes of `CollisionResponse` (once `DefaultContactManager`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionResponse {
    /// Rules that go before the class, where it is a `RuleBasedContactManager`.
    pub rules: Option<Vec<ContactRule>>,
    /// `response` (none): the class; without it no contact is ever made.
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
    /// the second one's, then the first rule that is for both; else as its CollisionResponse.
    pub fn choose(&self, models: [&AskingModel<'_>; 2]) -> Option<(ResponseClass, &str)> {
        let [first, second] = models.map(|m| m.response);
        let Some(rules) = &self.rules else {
            return self.class(first, second).map(|class| (class, self.response_params.as_str()));
        };
        if let Some(class) = first.or(second) {
            return Some((class, &self.response_params));
        }
        match rules.iter().find(|rule| rule.matches(models)) {
            Some(rule) => Some((rule.class, &rule.params)),
            None => self.response.map(|class| (class, self.response_params.as_str())),
        }
    }

    /// The class for two models, of which each may ask for one (`contactResponse`).
    ///
    /// **Source:** as SOFA's CollisionResponse: if one model asks, its class; if both ask for the same, that; else the manager's.
    pub fn class(
        &self,
        first: Option<ResponseClass>,
        second: Option<ResponseClass>,
    ) -> Option<ResponseClass> {
        match (first, second) {
            (Some(class), None) | (None, Some(class)) => Some(class),
            (Some(first), Some(second)) if first == second => Some(first),
            _ => self.response,
        }
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
        for (name, value) in pairs(params) {
            let number = || {
                let number = value.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
                number
                    .ok_or_else(|| format!("`{name}` is `{value}`; it must be a number that is not negative"))
            };
            match (name.trim(), &mut law.epsilon) {
                ("mu", _) => law.mu = number()?,
                ("tol", _) => law.tolerance = number()?,
                ("epsilon", Some(epsilon)) => *epsilon = number()?,
                _ => {}
            }
        }
        Ok(Some(law))
    }

    /// The attributes for every contact, in order; a part without `=` is left out.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.response_params)
    }
}

/// Attributes written as `name1=value1&name2=value2`.
fn pairs(params: &str) -> impl Iterator<Item = (&str, &str)> {
    params.split('&').filter_map(|part| part.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_may_ask_for_a_class() {
        use ResponseClass::{Friction, Nothing, Penalty};
        let manager = CollisionResponse { response: Some(Penalty), ..Default::default() };
        let class = |a, b| manager.class(a, b);
        assert_eq!(class(None, None), Some(Penalty));
        assert_eq!(
            (class(Some(Nothing), None), class(None, Some(Friction))),
            (Some(Nothing), Some(Friction))
        );
        assert_eq!(class(Some(Nothing), Some(Nothing)), Some(Nothing));
        assert_eq!(class(Some(Nothing), Some(Friction)), Some(Penalty));
        assert_eq!(CollisionResponse::default().class(None, None), None);
    }

    #[test]
    fn params_are_pairs() {
        let response_params = "mu=0.5&nonsense&tol=1e-3".into();
        let manager = CollisionResponse { response_params, ..Default::default() };
        assert_eq!(manager.params().collect::<Vec<_>>(), [("mu", "0.5"), ("tol", "1e-3")]);
    }
}
