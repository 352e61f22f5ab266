//! Elements of values from text.

use std::sync::Arc;

use animation::event::field::{FieldType, Image};

use super::super::number::{float, integer};
use super::{Fault, Style};

/// Reads words and elements.
pub(super) struct Reader<'a> {
    text: &'a str,
    next: usize,
    style: Style,
    /// What is odd about the text so far.
    pub(super) oddity: Option<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, style: Style) -> Self {
        Self { text, next: 0, style, oddity: None }
    }
    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.next) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => self.next += 1,
                b'#' if self.style == Style::Classic => {
                    while bytes.get(self.next).is_some_and(|b| !matches!(b, b'\n' | b'\r')) {
                        self.next += 1;
                    }
                }
                _ => return,
            }
        }
    }
    /// The next word and where it begins.
    pub(super) fn word(&mut self) -> Option<(usize, &'a str)> {
        self.skip_blanks();
        let bytes = self.text.as_bytes();
        let start = self.next;
        let ends = |b: &u8| {
            matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',') || (*b == b'#' && self.style == Style::Classic)
        };
        let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
        self.next = start + length;
        (length > 0).then(|| (start, &self.text[start..self.next]))
    }
    fn due(&mut self, what: &str) -> Result<(usize, &'a str), Fault> {
        let Some(word) = self.word() else {
            return Err(self.fault(self.text.len(), &format!("{what} is missing")));
        };
        Ok(word)
    }
    pub(super) fn end(&mut self, field_type: FieldType) -> Result<(), Fault> {
        match self.word() {
            None => Ok(()),
            Some((at, word)) => {
                Err(self.fault(at, &format!("`{}` is more than an {field_type} takes", short(word))))
            }
        }
    }
    pub(super) fn fault(&self, at: usize, message: &str) -> Fault {
        Fault { at, message: message.to_owned() }
    }

    /// Elements up to the end. Numbers of a last element that is not whole are left out, as browsers do.
    pub(super) fn many<T>(&mut self, element: fn(&mut Self) -> Result<T, Fault>) -> Result<Arc<[T]>, Fault> {
        let mut list = Vec::new();
        loop {
            self.skip_blanks();
            if self.next == self.text.len() {
                return Ok(list.into());
            }
            match element(self) {
                Ok(value) => list.push(value),
                Err(f) if f.at == self.text.len() && !list.is_empty() => {
                    let message = format!("{}; the last element is left out, {} stay", f.message, list.len());
                    self.oddity.get_or_insert(message);
                    return Ok(list.into());
                }
                Err(f) => return Err(f),
            }
        }
    }
    pub(super) fn truth(&mut self) -> Result<bool, Fault> {
        let (at, word) = self.due("a truth value")?;
        let (yes, no) = match self.style {
            Style::Attribute => ("true", "false"),
            Style::Classic => ("TRUE", "FALSE"),
        };
        if word == yes || word == no {
            return Ok(word == yes);
        }
        match word.to_lowercase().as_str() {
            known @ ("true" | "false") => {
                let right = if known == "true" { yes } else { no };
                self.oddity.get_or_insert(format!("`{word}` is written `{right}` in this encoding"));
                Ok(known == "true")
            }
            _ => Err(self.fault(at, &format!("`{}` is no truth value ({yes} or {no})", short(word)))),
        }
    }
    pub(super) fn integer(&mut self) -> Result<i32, Fault> {
        let (at, word) = self.due("an integer")?;
        if let Some(value) = integer(word) {
            return Ok(value);
        }
        match float::<f64>(word) {
            Some(v) if v.fract() == 0. && v.abs() <= f64::from(i32::MAX) => {
                self.oddity.get_or_insert(format!("`{word}` is an integer with a point"));
                Ok(v as i32)
            }
            _ => Err(self.fault(at, &format!("`{}` is no integer of 32 bits", short(word)))),
        }
    }
    pub(super) fn float<T: std::str::FromStr + Into<f64> + Copy>(&mut self) -> Result<T, Fault> {
        let (at, word) = self.due("a number")?;
        float(word).ok_or_else(|| self.fault(at, &format!("`{}` is no number", short(word))))
    }
    pub(super) fn floats<T: std::str::FromStr + Into<f64> + Copy + Default, const N: usize>(
        &mut self,
    ) -> Result<[T; N], Fault> {
        let mut values = [T::default(); N];
        for (k, value) in values.iter_mut().enumerate() {
            let (at, word) = self.word().ok_or_else(|| {
                let message = format!("{} of {N} numbers are missing", N - k);
                Fault { at: self.text.len(), message }
            })?;
            *value = float(word).ok_or_else(|| self.fault(at, &format!("`{}` is no number", short(word))))?;
        }
        Ok(values)
    }
    pub(super) fn boxed<T: std::str::FromStr + Into<f64> + Copy + Default, const N: usize>(
        &mut self,
    ) -> Result<Box<[T; N]>, Fault> {
        self.floats().map(Box::new)
    }
    pub(super) fn image(&mut self) -> Result<Image, Fault> {
        let mut size = [0_i32; 3];
        for s in &mut size {
            *s = self.integer()?;
        }
        let [width, height, components] = size;
        if width < 0 || height < 0 || !(0..=4).contains(&components) {
            let message = format!("a picture of {width} x {height} pixels with {components} components");
            return Err(self.fault(self.next, &message));
        }
        let count = width as usize * height as usize;
        // As many as there are words, not as the file says there will be.
        let mut pixels = Vec::new();
        for k in 0..count {
            if self.skip_to_end() {
                let message = format!("{} of {count} pixels are missing", count - k);
                return Err(self.fault(self.text.len(), &message));
            }
            pixels.push(self.integer()? as u32);
        }
        Ok(Image {
            width: width as u32,
            height: height as u32,
            components: components as u8,
            pixels: pixels.into(),
        })
    }
    fn skip_to_end(&mut self) -> bool {
        self.skip_blanks();
        self.next == self.text.len()
    }

    /// A string in quotes.
    pub(super) fn string(&mut self) -> Result<Arc<str>, Fault> {
        self.skip_blanks();
        let start = self.next;
        let bytes = self.text.as_bytes();
        if bytes.get(start) != Some(&b'"') {
            return Err(self.fault(start, "a string in quotes is due"));
        }
        let mut plain = String::new();
        let mut from = start + 1;
        let mut k = from;
        while let Some(byte) = bytes.get(k) {
            match byte {
                b'\\' if matches!(bytes.get(k + 1), Some(b'"' | b'\\')) => {
                    plain.push_str(&self.text[from..k]);
                    from = k + 1;
                    k += 2;
                }
                b'"' => {
                    plain.push_str(&self.text[from..k]);
                    self.next = k + 1;
                    return Ok(plain.into());
                }
                _ => k += 1,
            }
        }
        self.next = bytes.len();
        self.oddity.get_or_insert_with(|| "the last string has no closing quote".to_owned());
        plain.push_str(&self.text[from..]);
        Ok(plain.into())
    }
    pub(super) fn strings(&mut self) -> Result<Arc<[Arc<str>]>, Fault> {
        if self.skip_to_end() {
            return Ok([].into());
        }
        if self.style == Style::Attribute && !self.text.trim_start().starts_with('"') {
            let quoted = format!("\"{}\"", short(self.text.trim()));
            self.oddity = Some(format!("strings of a list stand in quotes of their own: `{quoted}`"));
            return Ok([self.text.trim().into()].into());
        }
        self.many(Self::string)
    }
}

/// A word, for a message.
fn short(word: &str) -> String {
    word.chars().take(40).collect()
}
