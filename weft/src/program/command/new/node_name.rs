//! Names of kinds of rig nodes, and of the packages that hold them.

/// The word, the type and the package of a kind of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName {
    /// As files name it: `soft-limit`.
    pub kind: String,
    /// As Rust names its type: `SoftLimitNode`.
    class: String,
    /// As cargo names it: `soft_limit_node`.
    pub package: String,
}

impl NodeName {
    /// Reads the name of a kind: small letters and digits, words joined by `-`.
    ///
    /// # Errors
    /// What is wrong, and what may be meant.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = words(text);
        let kind = words.join("-");
        let begins_well = kind.starts_with(|c: char| c.is_ascii_lowercase());
        if begins_well && kind == text {
            let class: String = words.iter().map(|w| w[..1].to_ascii_uppercase() + &w[1..]).collect();
            return Ok(Self {
                class: format!("{class}Node"),
                package: format!("{}_node", words.join("_")),
                kind,
            });
        }
        let wrong = format!("`{text}` is no name of a kind of nodes, small letters with `-` between words");
        Err(if begins_well {
            format!("{wrong}; did you mean `{kind}`?")
        } else {
            format!("{wrong}; write, for example, `soft-limit`")
        })
    }

    /// A text of the template, with this name in it.
    pub fn fill_in(&self, text: &str) -> String {
        // The manifest is that of all templates.
        text.replace("template_force_field", &self.package)
            .replace("template_node", &self.package)
            .replace("TemplateNode", &self.class)
            .replace("template-kind", &self.kind)
    }
}

/// The words of a name in small letters: at capital letters, and at what is neither letter nor digit.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let begins = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|w| !w.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_names_its_type_and_its_package() {
        let name = NodeName::parse("soft-limit2").expect("a name");
        assert_eq!(
            name.fill_in("TemplateNode template_node template-kind"),
            "SoftLimit2Node soft_limit2_node soft-limit2"
        );
        assert_eq!(NodeName::parse("match").expect("a name").package, "match_node", "no word of Rust's");
    }

    #[test]
    fn other_names_are_refused_with_the_nearest_right_one() {
        for nearly in ["SoftLimit", "soft_limit", "Soft Limit", "-soft-limit", "soft--limit"] {
            let said = NodeName::parse(nearly).expect_err(nearly);
            assert!(said.ends_with("did you mean `soft-limit`?"), "{said}");
        }
        for bad in ["", "2", "-", "../..", "ä"] {
            let said = NodeName::parse(bad).expect_err(bad);
            assert!(said.contains("`soft-limit`"), "{said}");
        }
    }
}
