//! JSON with the place of every value: `serde_json` reads, and says what is no JSON.

use diagnostics::{Diagnostic, Location, Severity};
use serde_json::Value;

/// A value and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) at: usize,
    pub(crate) value: Json,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// Keys in the order of the text, with where they begin; some may occur twice.
    Object(Vec<(String, usize, Located)>),
    Array(Vec<Located>),
    Text(String),
    Number(f64),
    /// Null, true, false.
    Other(&'static str),
}

impl Json {
    /// What it is, in a word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::Array(_) => "a list",
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Other(word) => word,
        }
    }
}

/// A text, and where its lines begin.
pub(crate) struct Text<'t> {
    pub(crate) file: &'t str,
    text: &'t str,
    lines: Vec<usize>,
}

impl<'t> Text<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { file, text, lines }
    }

    pub(crate) fn location(&self, at: usize) -> Location {
        let line = self.lines.partition_point(|begin| *begin <= at);
        let begin = self.lines[line.saturating_sub(1)];
        let column = self.text.get(begin..at).map_or(0, |before| before.chars().count()) as u32 + 1;
        Location { file: self.file.into(), line: line as u32, column }
    }

    /// Reads the text.
    ///
    /// # Errors
    /// If it is no JSON.
    pub(crate) fn read(&self) -> Result<Located, Box<Diagnostic>> {
        if let Err(error) = serde_json::from_str::<Value>(self.text) {
            let location =
                Location { file: self.file.into(), line: error.line() as u32, column: error.column() as u32 };
            let said = error.to_string();
            let message = said.split(" at line ").next().unwrap_or("no JSON").to_owned();
            return Err(Box::new(Diagnostic::new(Severity::Error, &location, message)));
        }
        // What follows relies on this: it is JSON, and not deeper than `serde_json` goes.
        let mut scan = Scan { text: self.text, at: 0 };
        Ok(scan.value())
    }
}

/// Lines and columns of places that come one after the other: each is counted from the one before, since a text may be one long line.
#[derive(Default)]
pub(crate) struct Walked {
    at: usize,
    line: usize,
    column: usize,
}

impl Walked {
    /// Line and column of a place, from 1 on.
    pub(crate) fn to(&mut self, text: &Text<'_>, at: usize) -> (u32, u32) {
        let line = text.lines.partition_point(|begin| *begin <= at);
        if line != self.line || at < self.at {
            (self.at, self.line, self.column) = (text.lines[line.saturating_sub(1)], line, 1);
        }
        self.column += text.text.get(self.at..at).map_or(0, |between| between.chars().count());
        self.at = at;
        (self.line as u32, self.column as u32)
    }
}

/// Goes through text that is known to be JSON.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(b'}')
    }

    fn value(&mut self) -> Located {
        let first = self.peek();
        let at = self.at;
        let value = match first {
            b'{' => {
                let mut members = Vec::new();
                self.at += 1;
                while self.peek() == b'"' {
                    let key_at = self.at;
                    let key = self.string();
                    // The colon.
                    self.peek();
                    self.at += 1;
                    members.push((key, key_at, self.value()));
                    self.at += usize::from(self.peek() == b',');
                }
                self.at += 1;
                Json::Object(members)
            }
            b'[' => {
                let mut elements = Vec::new();
                self.at += 1;
                while self.peek() != b']' && self.at < self.text.len() {
                    elements.push(self.value());
                    self.at += usize::from(self.peek() == b',');
                }
                self.at += 1;
                Json::Array(elements)
            }
            b'"' => Json::Text(self.string()),
            _ => {
                let rest = &self.text[at..];
                let len = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                self.at += len.max(1);
                match &rest[..len] {
                    "true" => Json::Other("true"),
                    "false" => Json::Other("false"),
                    "null" => Json::Other("null"),
                    number => Json::Number(serde_json::from_str(number).unwrap_or(f64::NAN)),
                }
            }
        };
        Located { at, value }
    }

    fn string(&mut self) -> String {
        let (bytes, begin) = (self.text.as_bytes(), self.at);
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
        }
        serde_json::from_str(&self.text[begin..self.at.min(bytes.len())]).unwrap_or_default()
    }
}
