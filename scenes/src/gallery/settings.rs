//! Parameters of gallery scenes.

use std::fmt;
use std::ops::RangeInclusive;

use crate::diagnostics::did_you_mean;
use crate::pieces::Pieces;

/// A parameter of a gallery scene.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: &'static str,
    /// What it means.
    pub summary: &'static str,
}

/// What is wrong with a name or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct GalleryError {
    /// In one line.
    pub message: String,
    /// What may be meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for GalleryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.suggestion.as_ref().map_or(Ok(()), |s| write!(f, "; {s}"))
    }
}

impl GalleryError {
    fn new(message: String) -> Self {
        Self { message, suggestion: None }
    }
}

/// The values of a scene's parameters.
#[derive(Clone, Debug)]
pub struct Settings {
    scene: &'static str,
    values: Vec<(&'static str, String)>,
}

impl Settings {
    /// The defaults, replaced by what is set; the last of several values of one parameter counts.
    ///
    /// # Errors
    /// A parameter that the scene does not have.
    pub fn new(
        scene: &'static str,
        parameters: &[Parameter],
        set: &[(String, String)],
    ) -> Result<Self, GalleryError> {
        let mut values: Vec<_> = parameters.iter().map(|p| (p.name, p.default.to_owned())).collect();
        for (name, value) in set {
            let Some(slot) = values.iter_mut().find(|(n, _)| n == name) else {
                let message = if parameters.is_empty() {
                    format!("the scene `{scene}` has no parameters")
                } else {
                    let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
                    format!("the scene `{scene}` has no parameter `{name}`, but {}", names.join(", "))
                };
                let suggestion = did_you_mean(name, parameters.iter().map(|p| p.name));
                return Err(GalleryError { message, suggestion });
            };
            slot.1.clone_from(value);
        }
        Ok(Self { scene, values })
    }

    /// What is said, without spaces around it.
    pub fn word(&self, name: &str) -> &str {
        self.text(name).trim()
    }

    /// What is wrong with the file that a parameter names.
    pub fn wrong_file(&self, name: &str, what: impl fmt::Display) -> GalleryError {
        GalleryError::new(format!("the parameter `{name}` of the scene `{}`: {what}", self.scene))
    }

    fn text(&self, name: &str) -> &str {
        self.values.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v.as_str())
    }

    fn wrong(&self, name: &str, what: String) -> GalleryError {
        GalleryError::new(format!(
            "the parameter `{name}` of the scene `{}` is `{}`; it must be {what}",
            self.scene,
            self.text(name)
        ))
    }

    /// An integer.
    ///
    /// # Errors
    /// Something else, or one outside the range.
    pub fn integer(&self, name: &str, range: RangeInclusive<usize>) -> Result<usize, GalleryError> {
        let value = self.text(name).trim().parse().ok().filter(|v| range.contains(v));
        let what = || format!("an integer between {} and {}", range.start(), range.end());
        value.ok_or_else(|| self.wrong(name, what()))
    }

    /// A real number.
    ///
    /// # Errors
    /// Something else, or one outside the range.
    pub fn real(&self, name: &str, range: RangeInclusive<f64>) -> Result<f64, GalleryError> {
        let value = self.text(name).trim().parse().ok().filter(|v| range.contains(v));
        let what = || format!("a number between {} and {}", range.start(), range.end());
        value.ok_or_else(|| self.wrong(name, what()))
    }

    /// A number of pieces.
    ///
    /// # Errors
    /// Neither `auto` nor a number from 1 on.
    pub fn pieces(&self, name: &str) -> Result<Pieces, GalleryError> {
        self.text(name).parse().map_err(|_| self.wrong(name, "`auto` or a number of pieces".to_owned()))
    }

    /// One of several words.
    ///
    /// # Errors
    /// Another word.
    pub fn choice(&self, name: &str, words: &[&'static str]) -> Result<&'static str, GalleryError> {
        let text = self.text(name).trim();
        let found = words.iter().find(|w| **w == text).copied();
        found.ok_or_else(|| self.wrong(name, format!("one of {}", words.join(", "))))
    }
}
