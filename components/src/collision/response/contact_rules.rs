//! The rules of a `RuleBasedContactManager`: which class of contact two models get, by their names or groups.

use super::ResponseClass;
use sim_core::component::attributes::Word;

/// Which models a rule is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Any,
    Group(i32),
    Name(String),
}

impl Pattern {
    fn matches(&self, model: &AskingModel<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Group(group) => model.group.contains(group),
            Self::Name(name) => name == model.name,
        }
    }
}

/// A model, as far as rules and managers look at it.
#[derive(Clone, Copy, Debug)]
pub struct AskingModel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its groups.
    pub group: &'a [i32],
    /// The class that it asks for.
    pub response: Option<ResponseClass>,
}

/// A rule: two models in either order, the class of their contacts, and attributes of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactRule {
    models: [Pattern; 2],
    /// The class.
    pub class: ResponseClass,
    /// Attributes of the contacts, as `name1=value1&name2=value2`.
    pub params: String,
}

impl ContactRule {
    /// Whether it is for two models.
    pub fn matches(&self, [first, second]: [&AskingModel<'_>; 2]) -> bool {
        let [a, b] = &self.models;
        (a.matches(first) && b.matches(second)) || (a.matches(second) && b.matches(first))
    }
}

/// Reads rules: triples of a model, another one, and a class, which `?name=value` may follow. A model is a name, the number of a
/// group, or `*`. Words `$NAME$` stand for variables, of which `variables` has pairs of a name and a value.
///
/// **Source:** as SOFA's RuleBasedContactManager, where a text that holds no triple (`default`) is no rule.
///
/// # Errors
/// A class that does not exist.
pub fn read_rules(text: &str, variables: &str) -> Result<Vec<ContactRule>, String> {
    let words: Vec<&str> = variables.split_whitespace().collect();
    let value = |word: &str| {
        let name = word.strip_prefix('$').and_then(|w| w.strip_suffix('$'));
        let known = name.and_then(|name| words.chunks_exact(2).find(|pair| pair[0] == name));
        known.map_or(word, |pair| pair[1]).to_owned()
    };
    let pattern = |word: String| match (word.as_str(), word.parse()) {
        ("*", _) => Pattern::Any,
        (_, Ok(group)) => Pattern::Group(group),
        _ => Pattern::Name(word),
    };
    let all: Vec<String> = text.split_whitespace().map(value).collect();
    let rule = |triple: &[String]| {
        let (class, params) = triple[2].split_once('?').unwrap_or((&triple[2], ""));
        let known = ResponseClass::named(class);
        let class = known.ok_or_else(|| {
            format!("`{class}` is no class of contacts; there are {}", ResponseClass::WORDS.join(", "))
        })?;
        let models = [pattern(triple[0].clone()), pattern(triple[1].clone())];
        Ok(ContactRule { models, class, params: params.to_owned() })
    };
    all.chunks_exact(3).map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &'static str, group: &'static [i32]) -> AskingModel<'static> {
        AskingModel { name, group, response: None }
    }

    #[test]
    fn rules_are_triples_and_match_in_either_order() {
        let text = "floor 3 $soft$ * * FrictionContactConstraint?mu=0.1";
        let rules = read_rules(text, "soft PenalityContactForceField").expect("rules");
        assert_eq!((rules.len(), rules[0].class), (2, ResponseClass::Penalty));
        assert_eq!((rules[1].class, rules[1].params.as_str()), (ResponseClass::Friction, "mu=0.1"));
        let (floor, three, other) = (model("floor", &[]), model("x", &[1, 3]), model("y", &[1]));
        assert!(rules[0].matches([&floor, &three]) && rules[0].matches([&three, &floor]));
        assert!(!rules[0].matches([&floor, &other]) && rules[1].matches([&other, &other]));
        assert_eq!(read_rules("default", "").expect("no rule"), []);
        assert!(read_rules("* * Nonsense", "").is_err());
    }
}
