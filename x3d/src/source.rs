//! The text of a file, and where in it a byte stands.

use std::sync::Arc;

use diagnostics::Location;

/// Longer lines have their columns counted in bytes.
const LONG_LINE: usize = 4096;

/// The text of a file.
#[derive(Debug)]
pub(crate) struct Source {
    /// The file that addresses are relative to.
    pub(crate) file: Arc<str>,
    /// What messages name.
    label: Arc<str>,
    /// What it holds, at most 4 GiB less a byte.
    pub(crate) text: String,
    /// Where lines begin.
    lines: Vec<u32>,
    is_ascii: bool,
}

impl Source {
    pub(crate) fn new(file: Arc<str>, text: String, is_fragment: bool) -> Self {
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        for (k, b) in bytes.iter().enumerate() {
            if *b == b'\n' || (*b == b'\r' && bytes.get(k + 1) != Some(&b'\n')) {
                lines.push(k as u32 + 1);
            }
        }
        // A program's text has lines of its own, not its file's.
        let label = if is_fragment { format!("{file} (text)").into() } else { file.clone() };
        Self { file, label, is_ascii: text.is_ascii(), text, lines }
    }
    /// Line and column of a byte.
    pub(crate) fn location(&self, at: u32) -> Location {
        let line = self.lines.partition_point(|start| *start <= at).max(1);
        let start = self.lines[line - 1] as usize;
        let at = (at as usize).min(self.text.len());
        let column = match self.text.get(start..at) {
            Some(head) if !self.is_ascii && head.len() < LONG_LINE => head.chars().count(),
            _ => at.saturating_sub(start),
        };
        Location { file: self.label.clone(), line: line as u32, column: column as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let s = Source::new("f".into(), "ab\r\ncäd\re".to_owned(), false);
        let at = |k| {
            let l = s.location(k);
            (l.line, l.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(7), (2, 3));
        assert_eq!(at(9), (3, 1));
        assert_eq!(at(400), (3, 2));
    }
}
