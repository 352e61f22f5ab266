//! The numbers of a Gmsh file: words of a text, or bytes.

use super::MeshError;
use super::scanner::{Scanner, shown};

/// How the numbers of a binary file are written.
#[derive(Clone, Copy)]
struct Coding {
    /// Whether the byte of the highest value comes first.
    is_big_endian: bool,
    /// How many bytes a tag or a count has.
    width: usize,
}

/// Reads the numbers of a file; its keywords are text in either case.
pub(super) struct Numbers<'a> {
    /// Where in the file it is.
    pub scanner: Scanner<'a>,
    coding: Option<Coding>,
}

impl<'a> Numbers<'a> {
    /// Numbers of text, until a binary file says otherwise.
    pub fn new(scanner: Scanner<'a>) -> Self {
        Self { scanner, coding: None }
    }

    /// What follows is bytes: first a 1 as four of them, by which the order of all is found.
    ///
    /// # Errors
    /// Another number, or a tag of so many bytes is none.
    pub fn begin_binary(&mut self, width: u64) -> Result<(), MeshError> {
        let width = match width {
            4 => 4,
            8 => 8,
            other => return Err(self.scanner.error(format!("numbers of {other} bytes cannot be read"))),
        };
        self.scanner.rest_of_line();
        let is_big_endian = match self.scanner.take(4, "the number 1 by which the order of bytes is known")? {
            [1, 0, 0, 0] => false,
            [0, 0, 0, 1] => true,
            _ => return Err(self.scanner.binary_error("the number 1 is expected")),
        };
        self.coding = Some(Coding { is_big_endian, width });
        Ok(())
    }

    /// Whether numbers are bytes.
    pub fn is_binary(&self) -> bool {
        self.coding.is_some()
    }

    /// An error where it is.
    pub fn error(&self, message: impl Into<String>) -> MeshError {
        match self.coding {
            Some(_) => self.scanner.binary_error(message),
            None => self.scanner.error(message),
        }
    }

    /// Steps over the end of a keyword's line, behind which the bytes begin.
    pub fn begin_section(&mut self) {
        if self.is_binary() {
            self.scanner.rest_of_line();
        }
    }

    /// A count that is text in binary files, too, on a line of its own.
    pub fn count(&mut self, what: &str) -> Result<u64, MeshError> {
        let count = self.scanner.integer(what)?;
        self.begin_section();
        Ok(count)
    }

    /// A tag or count.
    pub fn tag(&mut self, what: &str) -> Result<u64, MeshError> {
        match self.coding {
            None => self.scanner.integer(what),
            Some(Coding { width: 8, .. }) => Ok(u64::from_le_bytes(self.bytes(what)?)),
            Some(_) => Ok(u64::from(u32::from_le_bytes(self.bytes(what)?))),
        }
    }

    /// A small number that is no tag: a type, a dimension.
    pub fn small(&mut self, what: &str) -> Result<u64, MeshError> {
        if !self.is_binary() {
            return self.scanner.integer(what);
        }
        let number = i32::from_le_bytes(self.bytes(what)?);
        u64::try_from(number).map_err(|_| self.error(format!("{what} is negative: {number}")))
    }

    /// A coordinate.
    pub fn real(&mut self, what: &str) -> Result<f64, MeshError> {
        if !self.is_binary() {
            return self.scanner.real(what);
        }
        let number = f64::from_le_bytes(self.bytes(what)?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.error(format!("{what} is not a finite number")))
        }
    }

    /// Passes over so many small numbers, which may be negative.
    pub fn skip_small(&mut self, n: u64, what: &str) -> Result<(), MeshError> {
        if self.is_binary() { self.skip(n, 4, what) } else { self.skip_words(n, what) }
    }

    /// Passes over so many tags.
    pub fn skip_tags(&mut self, n: u64, what: &str) -> Result<(), MeshError> {
        match self.coding {
            Some(coding) => self.skip(n, coding.width as u64, what),
            None => self.skip_words(n, what),
        }
    }

    /// Passes over a section of this name.
    pub fn skip_section(&mut self, name: &[u8]) -> Result<(), MeshError> {
        let at = self.scanner.line();
        let (end, old_end) = ([b"$End", &name[1..]].concat(), [b"$END", &name[1..]].concat());
        let is_over = if self.is_binary() {
            self.scanner.skip_behind(&end)
        } else {
            std::iter::from_fn(|| self.scanner.token()).any(|token| token == end || token == old_end)
        };
        if is_over {
            return Ok(());
        }
        Err(self.scanner.error_at(at, format!("section {} has no end", shown(name))))
    }

    fn skip_words(&mut self, n: u64, what: &str) -> Result<(), MeshError> {
        (0..n).try_for_each(|_| self.scanner.expect(what).map(drop))
    }

    fn skip(&mut self, n: u64, width: u64, what: &str) -> Result<(), MeshError> {
        let n = usize::try_from(n.saturating_mul(width)).unwrap_or(usize::MAX);
        self.scanner.take(n, what).map(drop)
    }

    /// The bytes of a number, the lowest first.
    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], MeshError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.scanner.take(N, what)?);
        if self.coding.is_some_and(|coding| coding.is_big_endian) {
            bytes.reverse();
        }
        Ok(bytes)
    }
}
