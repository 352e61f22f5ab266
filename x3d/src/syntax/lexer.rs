//! Words of ClassicVRML.
//!
//! **Source:** ISO/IEC 19776-2 and 14772-1 annex A: commas are blanks, `#` begins a comment outside of strings, names are any
//! characters but blanks and `" # ' , . [ \ ] { }` and do not begin with a digit or a sign.

use super::tree::Span;

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A name or a keyword.
    Name(Span),
    /// A number, or what looks like the beginning of one.
    Number(Span),
    /// A string, with its quotes.
    String(Span),
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Period,
    End,
    /// A string that does not end.
    Unterminated,
    /// A character that stands for nothing.
    Stray,
}

/// Reads words, with one to look ahead.
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    next: usize,
    word: Word,
    at: u32,
    /// Where the word before this one ended.
    pub(crate) last_end: u32,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut lexer = Self { bytes: text.as_bytes(), next: 0, word: Word::End, at: 0, last_end: 0 };
        lexer.advance();
        lexer
    }
    /// The word here.
    pub(crate) fn word(&self) -> Word {
        self.word
    }
    /// Where it begins.
    pub(crate) fn at(&self) -> u32 {
        self.at
    }
    /// Takes the word here.
    pub(crate) fn take(&mut self) -> Word {
        let word = self.word;
        self.advance();
        word
    }

    fn advance(&mut self) {
        self.last_end = self.next as u32;
        self.skip_blanks();
        self.at = self.next as u32;
        let start = self.next;
        let Some(byte) = self.bytes.get(start).copied() else {
            self.word = Word::End;
            return;
        };
        self.next += 1;
        self.word = match byte {
            b'{' => Word::OpenBrace,
            b'}' => Word::CloseBrace,
            b'[' => Word::OpenBracket,
            b']' => Word::CloseBracket,
            b'"' => self.string(start),
            b'.' if !self.bytes.get(self.next).is_some_and(u8::is_ascii_digit) => Word::Period,
            b'.' | b'+' | b'-' | b'0'..=b'9' => self.number(start),
            _ if is_name(byte) => {
                while self.bytes.get(self.next).is_some_and(|b| is_name(*b)) {
                    self.next += 1;
                }
                Word::Name(self.span(start))
            }
            _ => Word::Stray,
        };
    }
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.next) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => self.next += 1,
                b'#' => {
                    while self.bytes.get(self.next).is_some_and(|b| !matches!(b, b'\n' | b'\r')) {
                        self.next += 1;
                    }
                }
                _ => return,
            }
        }
    }
    fn string(&mut self, start: usize) -> Word {
        while let Some(byte) = self.bytes.get(self.next) {
            self.next += 1;
            match byte {
                b'\\' => self.next = (self.next + 1).min(self.bytes.len()),
                b'"' => return Word::String(self.span(start)),
                _ => {}
            }
        }
        Word::Unterminated
    }
    fn number(&mut self, start: usize) -> Word {
        while let Some(byte) = self.bytes.get(self.next) {
            let goes_on = match byte {
                b'.' => true,
                b'+' | b'-' => matches!(self.bytes[self.next - 1], b'e' | b'E'),
                b => is_name(*b),
            };
            if !goes_on {
                break;
            }
            self.next += 1;
        }
        Word::Number(self.span(start))
    }
    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.next as u32 }
    }
}

/// Whether names may go on with a byte; all of UTF-8 beyond ASCII may.
fn is_name(byte: u8) -> bool {
    !matches!(byte, 0..=0x20 | 0x7f | b'"' | b'#' | b'\'' | b',' | b'.' | b'[' | b'\\' | b']' | b'{' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let text = "DEF a-b Box{size 1 -.5e-3,0xFF # no \" \n}\"x\\\"y\"ROUTE a.b [ . ] 'q";
        let mut lexer = Lexer::new(text);
        let mut words = Vec::new();
        loop {
            let word = lexer.take();
            words.push(match word {
                Word::Name(s) | Word::Number(s) | Word::String(s) => {
                    text[s.start as usize..s.end as usize].to_owned()
                }
                other => format!("{other:?}"),
            });
            if word == Word::End {
                break;
            }
        }
        let expected = "DEF a-b Box OpenBrace size 1 -.5e-3 0xFF CloseBrace \"x\\\"y\" ROUTE a Period b OpenBracket Period CloseBracket Stray q End";
        assert_eq!(words.join(" "), expected);
        assert_eq!(Lexer::new("\"abc\\").word(), Word::Unterminated);
    }
}
