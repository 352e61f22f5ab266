//! Lists within lists, as SOFA writes them: `[0,1] [2]`.

use super::super::build::{BuildError, Builder};
use super::super::description::AttributeKind;
use super::read::ReadAttribute;
use crate::component::value::Value;

/// Lists of numbers in brackets.
#[derive(Clone, Debug)]
pub struct Lists {
    name: &'static str,
    text: String,
}

impl Lists {
    /// The attribute's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether something is in brackets.
    pub fn has_lists(&self) -> bool {
        self.text.contains('[')
    }

    /// The lists; what stands outside of brackets is left out, as in SOFA.
    ///
    /// # Errors
    /// A list without an end, or a word that `entry` does not take: it is no `what`.
    pub fn of<T>(&self, what: &str, entry: impl Fn(&str) -> Option<T>) -> Result<Vec<Vec<T>>, BuildError> {
        let inside = |part: &str| match part.split_once(']') {
            Some((inside, _)) => self.numbers(inside, what, &entry),
            None => {
                let text = format!("a list of `{}` has no end: `[{part}`", self.name);
                Err(BuildError::attribute(self.name, text))
            }
        };
        self.text.split('[').skip(1).map(inside).collect()
    }

    /// The entries one after the other, where none is in brackets.
    ///
    /// # Errors
    /// A word that `entry` does not take: it is no `what`.
    pub fn flat<T>(&self, what: &str, entry: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, BuildError> {
        self.numbers(&self.text, what, entry)
    }

    fn numbers<T>(
        &self,
        text: &str,
        what: &str,
        entry: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, BuildError> {
        let wrong = |w: &str| {
            let text = format!("`{}` holds `{w}`, which is no {what}", self.name);
            BuildError::attribute(self.name, text)
        };
        let words = text.split([',', ' ', '\t', '\n', '\r']).filter(|w| !w.is_empty());
        words.map(|w| entry(w).ok_or_else(|| wrong(w))).collect()
    }

    /// Lists as SOFA writes them.
    pub fn written<T: ToString>(lists: &[Vec<T>]) -> Value {
        let list = |list: &Vec<T>| {
            let numbers: Vec<String> = list.iter().map(T::to_string).collect();
            format!("[{}]", numbers.join(","))
        };
        Value::Texts(lists.iter().map(list).collect())
    }
}

impl ReadAttribute for Lists {
    const KIND: AttributeKind = AttributeKind::Lists;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        let text = match b.value(name) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        Ok(Self { name, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        let lists = |text: &str| Lists { name: "lists", text: text.to_owned() };
        let read = |text: &str| lists(text).of("number", |w| w.parse::<u32>().ok());
        assert_eq!(read("[0,1] [ 2 ]\n[]").unwrap(), [vec![0, 1], vec![2], vec![]]);
        assert!(read("7").unwrap().is_empty() && !lists("7").has_lists());
        assert!(read("[0,1] [2").unwrap_err().message.contains("no end"));
        assert!(read("[0,x]").unwrap_err().message.contains("`x`, which is no number"));
        assert_eq!(Lists::written(&[vec![0, 1], vec![]]), Value::Texts(vec!["[0,1]".into(), "[]".into()]));
    }
}
