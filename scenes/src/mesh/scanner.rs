//! Walks through the bytes of a mesh file, token by token or line by line, and knows the line it is at.

use std::path::Path;

use super::MeshError;

/// A position in a file.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    /// What ends a line.
    end: u8,
    at: usize,
    /// The line of the last token or line returned, counted from 1.
    line: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes, end: line_end(bytes), at: 0, line: 1 }
    }

    /// An error at the current line.
    pub fn error(&self, message: impl Into<String>) -> MeshError {
        self.error_at(self.line, message)
    }

    /// An error at another line.
    pub fn error_at(&self, line: usize, message: impl Into<String>) -> MeshError {
        MeshError::Malformed { path: self.path.to_owned(), line, message: message.into() }
    }

    /// An error in binary data.
    pub fn binary_error(&self, message: impl Into<String>) -> MeshError {
        MeshError::MalformedBinary { path: self.path.to_owned(), offset: self.at, message: message.into() }
    }

    pub fn line(&self) -> usize {
        self.line
    }

    /// Bytes left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next token, across lines.
    pub fn token(&mut self) -> Option<&'a [u8]> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.line += usize::from(*byte == self.end);
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The next token; its absence is an error that says `what` is missing.
    pub fn expect(&mut self, what: &str) -> Result<&'a [u8], MeshError> {
        self.token().ok_or_else(|| self.error(format!("the file ends where {what} is expected")))
    }

    /// The next token as a finite number.
    pub fn real(&mut self, what: &str) -> Result<f64, MeshError> {
        let token = self.expect(what)?;
        real(token).ok_or_else(|| self.error(not_a(what, "finite number", token)))
    }

    /// The next token as a count, tag or index.
    pub fn integer(&mut self, what: &str) -> Result<u64, MeshError> {
        let token = self.expect(what)?;
        integer(token).ok_or_else(|| self.error(not_a(what, "whole number", token)))
    }

    /// The rest of the current line, without its end; `None` at the end of the file.
    pub fn rest_of_line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|b| *b == self.end);
        self.at += length.map_or(rest.len(), |l| l + 1);
        self.line += usize::from(length.is_some());
        let line = &rest[..length.unwrap_or(rest.len())];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Steps behind the next place of some bytes; whether there is one.
    pub fn skip_behind(&mut self, bytes: &[u8]) -> bool {
        let place = self.bytes[self.at..].windows(bytes.len().max(1)).position(|w| w == bytes);
        self.at = place.map_or(self.bytes.len(), |place| self.at + place + bytes.len());
        place.is_some()
    }

    /// The next `n` bytes of binary data.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], MeshError> {
        if n > self.remaining() {
            return Err(self.binary_error(format!("the file ends within {what}")));
        }
        self.at += n;
        Ok(&self.bytes[self.at - n..self.at])
    }
}

/// A text without the mark (BOM) that some editors put first.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// What ends the lines of a file: a carriage return where nothing else does, as old programs have it.
fn line_end(bytes: &[u8]) -> u8 {
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') { b'\r' } else { b'\n' }
}

/// The lines of a file with their numbers.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let end = line_end(bytes);
    (1..).zip(bytes.split(move |b| *b == end))
}

/// The same without lines that are empty or begin with `#`.
pub(super) fn content_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    lines(bytes).filter(|(_, text)| tokens(text).next().is_some_and(|t| !t.starts_with(b"#")))
}

/// The tokens of a line.
pub(super) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty())
}

/// A finite number.
pub(super) fn real(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok().filter(|x: &f64| x.is_finite())
}

/// A whole number, not negative.
pub(super) fn integer(token: &[u8]) -> Option<u64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// The message for a token that is not what it should be.
pub(super) fn not_a(what: &str, kind: &str, token: &[u8]) -> String {
    format!("{what} is not a {kind}: `{}`", shown(token))
}

/// A token for a message: one line, not too long.
pub(super) fn shown(token: &[u8]) -> String {
    let cut = &token[..token.len().min(40)];
    String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
