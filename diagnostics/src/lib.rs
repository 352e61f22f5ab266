//! What is wrong with a file, each in one line: where, which component, which attribute, and what was probably meant.
//!
//! Readers of scenes and of other files collect [`Diagnostic`]s instead of stopping at the first mistake, so that a user sees all
//! that is wrong at once. A [`Location`] is a place in a file; whatever is built from a file keeps it, so that what fails later
//! can still say where it stands.

use std::fmt;
use std::sync::Arc;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// It runs, perhaps not as meant.
    Warning,
    /// It does not run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as given; empty for what a program built.
    pub file: Arc<str>,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// File, line and column; line 0 where only the file is known.
    pub location: Location,
    /// Path of the component or node, and its class.
    pub component: Option<String>,
    /// The attribute.
    pub attribute: Option<String>,
    /// What is wrong, in one line.
    pub message: String,
    /// The nearest known name, or what to do.
    pub suggestion: Option<String>,
}

impl Diagnostic {
    /// A finding about a place in a file.
    pub fn new(severity: Severity, location: &Location, message: impl Into<String>) -> Self {
        Self {
            severity,
            location: location.clone(),
            component: None,
            attribute: None,
            message: one_line(&message.into()),
            suggestion: None,
        }
    }
    /// The same about a component.
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.component = Some(component.into());
        self
    }
    /// The same about one of its attributes.
    pub fn attribute(mut self, attribute: impl Into<String>) -> Self {
        self.attribute = Some(attribute.into());
        self
    }
    /// The same with a proposal, if there is one.
    pub fn suggestion(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }
}

/// Scene files may hold line breaks and control characters in names and values; a finding stays one line.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 600;
    let mut line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { file, line, column } = &self.location;
        if !file.is_empty() {
            write!(f, "{file}:")?;
            if *line > 0 {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        write!(f, "{}: ", self.severity)?;
        if let Some(c) = &self.component {
            write!(f, "{}: ", one_line(c))?;
        }
        if let Some(a) = &self.attribute {
            write!(f, "attribute `{}`: ", one_line(a))?;
        }
        f.write_str(&self.message)?;
        if let Some(s) = &self.suggestion {
            write!(f, "; {}", one_line(s))?;
        }
        Ok(())
    }
}

/// "did you mean ...", if a name is near enough to one of the candidates; ties go to the first.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|n| format!("did you mean `{n}`?"))
}

/// The candidate that is nearest to a name, if it is near enough to be a slip.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer texts are no slip of the pen, and the distance costs their product.
    const LONGEST: usize = 100;
    if name.len() > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for c in candidates.into_iter().filter(|c| c.len() <= LONGEST) {
        let d = strsim::damerau_levenshtein(&lower, &c.to_lowercase());
        let limit = (name.chars().count().max(c.chars().count()) / 3).max(1);
        if d <= limit && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, c));
        }
    }
    best.map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line() {
        let at = Location { file: "a.scn".into(), line: 3, column: 7 };
        let d = Diagnostic::new(Severity::Error, &at, "bad\nthing")
            .component("/A/b (B)")
            .attribute("x")
            .suggestion(did_you_mean("poisonRatio", ["youngModulus", "poissonRatio"]));
        assert_eq!(
            d.to_string(),
            "a.scn:3:7: error: /A/b (B): attribute `x`: bad thing; did you mean `poissonRatio`?"
        );
    }

    #[test]
    fn far_names_are_not_proposed() {
        assert_eq!(nearest("zzz", ["MechanicalObject", "UniformMass"]), None);
        assert_eq!(nearest("mechanicalobject", ["MechanicalObject"]), Some("MechanicalObject"));
    }
}
