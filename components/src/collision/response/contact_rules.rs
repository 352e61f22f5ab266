//! The rules of a `RuleBasedContactManager`: which class of contact two models get, by their names or groups.

use super::AskedClass;

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
    pub response: Option<&'a AskedClass>,
}

/// A rule: two models in either order, the class of their contacts, and attributes of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactRule {
    models: [Pattern; 2],
    /// The class, and attributes of the contacts.
    pub asked: AskedClass,
}

impl ContactRule {
    /// Whether it is for two models.
    pub fn matches(&self, [first, second]: [&AskingModel<'_>; 2]) -> bool {
        let [a, b] = &self.models;
        (a.matches(first) && b.matches(second)) || (a.matches(second) && b.matches(first))
    }
}

/// Reads rules: triples of a model, another one, and a class, which `?name=value` may follow. A model is a name, the number of a
/// group, or `*`. In the class and behind it, `$NAME$` stands for what `variable` has for the name.
///
/// **Source:** as SOFA's RuleBasedContactManager, where a text that holds no triple (`default`) is no rule.
///
/// # Errors
/// A variable that is not known.
pub fn read_rules(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<ContactRule>, String> {
    let is_number = |word: &str| word.bytes().all(|b| b == b'-' || b.is_ascii_digit());
    let pattern = |word: &str| match word {
        "*" => Pattern::Any,
        _ if is_number(word) => Pattern::Group(word.parse().unwrap_or(0)),
        _ => Pattern::Name(word.to_owned()),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let rule = |triple: &[&str]| {
        let asked = AskedClass::read(&replaced(triple[2], &variable)?);
        Ok(ContactRule { models: [pattern(triple[0]), pattern(triple[1])], asked })
    };
    words.chunks_exact(3).map(rule).collect()
}

/// A text with each `$NAME$` replaced; a single `$` stays.
///
/// # Errors
/// A variable that is not known.
pub fn replaced(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        let Some((name, after)) = after.split_once('$') else { break };
        let value = variable(name)
            .ok_or_else(|| format!("`{text}`: there is no variable `{name}`; name it in `variables`"))?;
        whole += before;
        whole += &value;
        rest = after;
    }
    Ok(whole + rest)
}

#[cfg(test)]
mod tests {
    use super::super::ResponseClass;
    use super::*;

    fn model(name: &'static str, group: &'static [i32]) -> AskingModel<'static> {
        AskingModel { name, group, response: None }
    }

    fn variable(name: &str) -> Option<String> {
        let known = [("soft", "PenalityContactForceField"), ("rough", "0.1")];
        known.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn rules_are_triples_and_match_in_either_order() {
        let rules = |text: &str| read_rules(text, variable);
        let two = rules("floor 3 $soft$ * * FrictionContactConstraint?mu=$rough$").expect("rules");
        assert_eq!((two.len(), two[0].asked.class), (2, ResponseClass::Penalty));
        let AskedClass { class, params, .. } = &two[1].asked;
        assert_eq!((*class, params.as_str()), (ResponseClass::Friction, "mu=0.1"));
        let (floor, three, other) = (model("floor", &[]), model("x", &[1, 3]), model("y", &[1]));
        assert!(two[0].matches([&floor, &three]) && two[0].matches([&three, &floor]));
        assert!(!two[0].matches([&floor, &other]) && two[1].matches([&other, &other]));
        assert_eq!(rules("default").expect("no rule"), []);
        assert_eq!(rules("* * Nonsense").expect("a rule")[0].asked.unknown.as_deref(), Some("Nonsense"));
        assert!(rules("* * $hard$").is_err());
        assert!(rules("$soft$ 1 nullptr").expect("a rule")[0].matches([&model("$soft$", &[]), &other]));
        assert_eq!(replaced("a$soft", &variable).expect("no variable"), "a$soft");
    }
}
