//! Names of component classes, and of the packages that hold them.

/// The class and the package of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassName {
    /// As scenes name it: `WindForceField`.
    pub class: String,
    /// As cargo names it: `wind_force_field`.
    pub package: String,
}

impl ClassName {
    /// Reads the name of a class of a family, which all end in the same word.
    ///
    /// # Errors
    /// What is wrong, and what may be meant.
    pub fn parse(text: &str, family: &str) -> Result<Self, String> {
        let words = words(text);
        let class: String = words.iter().map(|w| capitalized(w)).collect();
        let ends_alike = class.to_ascii_lowercase().ends_with(&family.to_ascii_lowercase());
        let stem = if ends_alike { &class[..class.len() - family.len()] } else { &class };
        let begins_well = stem.starts_with(|c: char| c.is_ascii_uppercase());
        if begins_well && text == class && text.ends_with(family) {
            return Ok(Self { class, package: words.join("_").to_lowercase() });
        }
        let wrong = format!("`{text}` is not the name of a class that ends in `{family}`");
        let meant = if begins_well { format!("{stem}{family}") } else { format!("Wind{family}") };
        let question = if begins_well { "did you mean" } else { "write, for example," };
        let mark = if begins_well { "?" } else { "" };
        Err(format!("{wrong}; {question} `{meant}`{mark}"))
    }

    /// A text of the template, with this name in it.
    pub fn fill_in(&self, text: &str) -> String {
        text.replace("TemplateForceField", &self.class).replace("template_force_field", &self.package)
    }
}

/// The words of a name: at capital letters that follow small ones or stand before small ones, and at what is neither
/// letter nor digit.
fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let is_small = |c: Option<&char>| c.is_some_and(char::is_ascii_lowercase);
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|b| !b.is_ascii_uppercase() || is_small(letters.get(i + 1)));
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c);
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(text: &str) -> String {
        ClassName::parse(text, "ForceField").expect(text).package
    }

    fn refusal(text: &str) -> String {
        ClassName::parse(text, "ForceField").expect_err(text)
    }

    #[test]
    fn packages_have_small_letters() {
        assert_eq!(package("WindForceField"), "wind_force_field");
        assert_eq!(package("SolarWind2ForceField"), "solar_wind2_force_field");
        assert_eq!(package("TetrahedronFEMForceField"), "tetrahedron_fem_force_field");
    }

    #[test]
    fn other_names_are_refused_with_the_nearest_right_one() {
        for nearly in [
            "wind",
            "Windforcefield",
            "windForceField",
            "wind_force_field",
            "wind-force-field",
            "Wind Force Field",
        ] {
            assert!(refusal(nearly).ends_with("did you mean `WindForceField`?"), "{}", refusal(nearly));
        }
        for bad in ["", "ForceField", "2ForceField", "../..", "Größe", "-"] {
            let said = refusal(bad);
            assert!(said.contains("`WindForceField`") || said.contains("did you mean"), "{said}");
        }
    }
}
