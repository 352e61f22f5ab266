//! What a file says of a node beside its inputs: attributes that its kind reads.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use diagnostics::{Diagnostic, Severity, did_you_mean};

use crate::located::{Json, Located, Text};
use crate::rig::value::PortType;

/// The most elements that an attribute may have.
pub(super) const MOST: u32 = 1_000_000;

/// The attributes of a node, control or output in a file. Each is read once; what nobody reads is reported.
pub struct Attributes<'t> {
    text: &'t Text<'t>,
    at: usize,
    members: &'t [(String, usize, Located)],
    /// What it is about, for messages.
    pub(super) about: String,
    read: RefCell<Vec<&'static str>>,
    found: RefCell<Vec<Diagnostic>>,
}

impl<'t> Attributes<'t> {
    /// The attributes of an object; a mistake if it is none.
    pub(super) fn new(text: &'t Text<'t>, of: &'t Located, what: &str) -> Result<Self, Box<Diagnostic>> {
        let Json::Object(members) = &of.value else {
            let message = format!("{what} is an object, not {}", of.value.word());
            return Err(Box::new(Diagnostic::new(Severity::Error, &text.location(of.at), message)));
        };
        let (read, found) = (RefCell::default(), RefCell::default());
        let all = Self { text, at: of.at, members, about: what.into(), read, found };
        for (k, (key, at, _)) in members.iter().enumerate() {
            if members[..k].iter().any(|(before, ..)| before == key) {
                all.mistake(*at, key, "it is there twice", None);
            }
        }
        Ok(all)
    }

    pub(super) fn mistake(
        &self,
        at: usize,
        attribute: &str,
        message: impl Into<String>,
        suggestion: Option<String>,
    ) {
        self.note(Severity::Error, at, attribute, message.into(), suggestion);
    }

    fn note(
        &self,
        severity: Severity,
        at: usize,
        attribute: &str,
        message: String,
        suggestion: Option<String>,
    ) {
        let finding = Diagnostic::new(severity, &self.text.location(at), message);
        let finding = finding.component(self.about.clone()).suggestion(suggestion);
        let finding = if attribute.is_empty() { finding } else { finding.attribute(attribute) };
        self.found.borrow_mut().push(finding);
    }

    /// Where an attribute is; where they all are if it is not there.
    fn place(&self, attribute: &str) -> usize {
        self.members.iter().find(|(key, ..)| key == attribute).map_or(self.at, |(_, at, _)| *at)
    }

    /// Warns of an attribute.
    pub fn warn(&self, attribute: &str, message: impl Into<String>, suggestion: Option<String>) {
        self.note(Severity::Warning, self.place(attribute), attribute, message.into(), suggestion);
    }

    /// Whether an attribute is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, ..)| key == name)
    }

    /// Reports a mistake in an attribute.
    pub fn wrong(&self, attribute: &str, message: impl Into<String>) {
        self.mistake(self.place(attribute), attribute, message, None);
    }

    /// The value of an attribute, if it is there.
    pub(super) fn get(&self, name: &'static str) -> Option<&'t Located> {
        self.read.borrow_mut().push(name);
        self.members.iter().find(|(key, ..)| key == name).map(|(_, _, value)| value)
    }

    /// A text.
    pub fn text(&self, name: &'static str) -> Option<&'t str> {
        let value = self.get(name)?;
        match &value.value {
            Json::Text(text) => Some(text),
            other => {
                self.mistake(value.at, name, format!("it is a text, not {}", other.word()), None);
                None
            }
        }
    }

    /// A text that must be there.
    pub fn needed_text(&self, name: &'static str) -> Option<&'t str> {
        if !self.has(name) {
            self.read.borrow_mut().push(name);
            self.mistake(self.at, name, "it is missing", None);
            return None;
        }
        self.text(name)
    }

    /// A list of numbers, lists in it counting as one list; empty if it is not there.
    pub fn numbers(&self, name: &'static str) -> Vec<f64> {
        let mut numbers = Vec::new();
        if let Some(value) = self.get(name) {
            self.collect(value, name, &mut numbers);
        }
        numbers
    }

    /// Adds the numbers of a value to a list; says whether they all were numbers.
    pub(super) fn collect(&self, value: &Located, name: &str, into: &mut Vec<f64>) -> bool {
        match &value.value {
            Json::Number(x) => into.push(*x),
            Json::Array(elements) => {
                // All are looked at, so that each mistake is reported.
                let wrong = elements.iter().filter(|e| !self.collect(e, name, into)).count();
                return wrong == 0;
            }
            other => {
                self.mistake(value.at, name, format!("a number is expected, not {}", other.word()), None);
                return false;
            }
        }
        true
    }

    /// A number, or `otherwise` if it is not there.
    pub fn number_or(&self, name: &'static str, otherwise: f64) -> f64 {
        match self.get(name).map(|value| (value.at, &value.value)) {
            None => otherwise,
            Some((_, Json::Number(x))) => *x,
            Some((at, other)) => {
                self.mistake(at, name, format!("it is a number, not {}", other.word()), None);
                otherwise
            }
        }
    }

    /// A count, or `otherwise` if it is not there; a million at most.
    pub fn count_or(&self, name: &'static str, otherwise: u32) -> u32 {
        self.count_within(name, otherwise, 0..=MOST).unwrap_or(otherwise)
    }

    /// A count of a range, or `otherwise` if it is not there; none if it is outside, which is reported then.
    pub fn count_within(
        &self,
        name: &'static str,
        otherwise: u32,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let number = self.number_or(name, f64::from(otherwise));
        let (least, most) = (*range.start(), *range.end());
        if number.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(&number) {
            return Some(number as u32);
        }
        self.wrong(name, format!("it is a count from {least} to {most}, not {number}"));
        None
    }

    /// A list of counts.
    pub fn counts(&self, name: &'static str) -> Vec<u32> {
        let numbers = self.numbers(name);
        let is_count = |x: &f64| x.fract() == 0.0 && (0.0..=f64::from(MOST)).contains(x);
        if let Some(wrong) = numbers.iter().find(|x| !is_count(x)) {
            self.wrong(name, format!("counts from 0 to {MOST} are expected, not {wrong}"));
        }
        numbers.into_iter().filter(is_count).map(|x| x as u32).collect()
    }

    /// A word of a list, or its first one if it is not there.
    pub fn word(&self, name: &'static str, words: &[&'static str]) -> &'static str {
        let Some(text) = self.text(name) else { return words.first().copied().unwrap_or("") };
        let known = words.iter().find(|word| **word == text);
        if known.is_none() {
            let at = self.members.iter().find(|(key, ..)| key == name).map_or(self.at, |(.., v)| v.at);
            let suggestion = did_you_mean(text, words.iter().copied());
            self.mistake(at, name, format!("`{text}` is none of {}", words.join(", ")), suggestion);
        }
        known.or(words.first()).copied().unwrap_or("")
    }

    /// The attributes `type` and `n`: scalar unless said.
    pub fn port_type(&self) -> PortType {
        let word = self.word("type", &PortType::WORDS);
        let is_array = PortType::of(word, 0).is_some_and(|of| of.elements().is_some());
        let n = if is_array { self.count_or("n", 0) } else { 0 };
        PortType::of(word, n).unwrap_or(PortType::Scalar)
    }

    /// The names that were read so far.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.read.borrow().clone()
    }

    /// Mistakes that were reported.
    pub(super) fn reported(self) -> Vec<Diagnostic> {
        self.found.take()
    }

    /// All mistakes: those that were reported, and what nobody has read.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let read = self.read.take();
        for (key, at, _) in self.members {
            if !read.contains(&key.as_str()) {
                let suggestion = did_you_mean(key, read.iter().copied());
                self.mistake(*at, key, "nothing reads it", suggestion);
            }
        }
        self.found.take()
    }
}
