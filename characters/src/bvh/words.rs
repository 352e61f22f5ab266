//! The words of a text and their lines.

/// What is wrong, and on which line.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Words between white space, and braces, which need none around them.
#[derive(Clone)]
pub(super) struct Words<'a> {
    lines: std::iter::Enumerate<std::str::SplitTerminator<'a, char>>,
    words: std::str::SplitWhitespace<'a>,
    /// What follows a label or a brace without white space between.
    held: Option<&'a str>,
    /// The line that was begun last, from 1.
    pub line: usize,
}

impl<'a> Words<'a> {
    /// Of a text.
    pub fn new(text: &'a str) -> Self {
        // Where no line ends with a line feed, as on old systems, it ends with a carriage return.
        let end = if text.contains('\n') { '\n' } else { '\r' };
        let lines = text.split_terminator(end).enumerate();
        Self { lines, words: "".split_whitespace(), held: None, line: 1 }
    }

    /// The next word, or what was expected in its place.
    pub fn next(&mut self, expected: &str) -> Result<&'a str, Wrong> {
        loop {
            if let Some(word) = self.held.take().or_else(|| self.words.next()) {
                let end = match word.find(['{', '}']) {
                    Some(0) => 1,
                    Some(brace) => brace,
                    None => return Ok(word),
                };
                let (word, rest) = word.split_at(end);
                self.hold(rest);
                return Ok(word);
            }
            if !self.go_to_next_line() {
                return Err(self.wrong(format!("the file ends where {expected} should be")));
            }
        }
    }

    /// The words that are left of a line, of the next one if none are; none at the end.
    pub fn row(&mut self) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        loop {
            let words = std::mem::replace(&mut self.words, "".split_whitespace());
            let mut row = self.held.take().into_iter().chain(words).peekable();
            if row.peek().is_some() {
                return Some(row);
            }
            if !self.go_to_next_line() {
                return None;
            }
        }
    }

    fn go_to_next_line(&mut self) -> bool {
        let Some((k, line)) = self.lines.next() else { return false };
        (self.line, self.words) = (k + 1, line.split_whitespace());
        true
    }

    fn hold(&mut self, rest: &'a str) {
        self.held = Some(rest).filter(|rest| !rest.is_empty());
    }

    /// A name, which may have blanks and ends with its line or before the brace `{` that follows; it goes on after the brace.
    pub fn name(&mut self) -> Result<String, Wrong> {
        let mut parts = Vec::new();
        while let Some(word) = self.held.take().or_else(|| self.words.next()) {
            if let Some(rest) = word.strip_prefix('{') {
                self.hold(rest);
                return Ok(parts.join(" "));
            }
            let before = word.strip_suffix('{');
            parts.push(before.unwrap_or(word));
            if before.is_some() {
                return Ok(parts.join(" "));
            }
        }
        self.expect("{")?;
        Ok(parts.join(" "))
    }

    /// Goes on after a word and a colon, between which there may be white space.
    pub fn label(&mut self, word: &str) -> Result<(), Wrong> {
        let found = self.next(&format!("`{word}:`"))?;
        let begins = found.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        let mut rest = if begins { &found[word.len()..] } else { found };
        if begins && rest.is_empty() {
            rest = self.next(&format!("`{word}:`"))?;
        }
        match rest.strip_prefix(':').filter(|_| begins) {
            None => Err(self.wrong(format!("`{word}:` should be here, not `{found}`"))),
            Some("") => Ok(()),
            Some(value) => {
                self.hold(value);
                Ok(())
            }
        }
    }

    /// Goes on after a word that must be there; upper and lower case are the same.
    pub fn expect(&mut self, word: &str) -> Result<(), Wrong> {
        let found = self.next(&format!("`{word}`"))?;
        if found.eq_ignore_ascii_case(word) {
            return Ok(());
        }
        Err(self.wrong(format!("`{word}` should be here, not `{found}`")))
    }

    /// Whether a word is the next one; upper and lower case are the same.
    pub fn is_next(&self, word: &str) -> bool {
        self.clone().next(word).is_ok_and(|next| next.eq_ignore_ascii_case(word))
    }

    /// A finite number.
    pub fn number(&mut self, what: &str) -> Result<f32, Wrong> {
        let word = self.next(what)?;
        self.number_of(word, what)
    }

    /// A finite number that is on the line that was begun.
    pub fn number_here(&mut self, what: &str) -> Result<f32, Wrong> {
        if self.held.is_none() && self.words.clone().next().is_none() {
            return Err(self.wrong(format!("{what} should be on this line")));
        }
        self.number(what)
    }

    /// A word as a finite number.
    pub fn number_of(&self, word: &str, what: &str) -> Result<f32, Wrong> {
        let number = word.parse::<f32>().ok().filter(|x| x.is_finite());
        number.ok_or_else(|| self.wrong(format!("{what} should be here, not `{word}`")))
    }

    /// A count.
    pub fn count(&mut self, what: &str) -> Result<usize, Wrong> {
        let word = self.next(what)?;
        word.parse().map_err(|_| self.wrong(format!("{what} should be here, not `{word}`")))
    }

    /// Something is wrong on this line.
    pub fn wrong(&self, what: impl Into<String>) -> Wrong {
        Wrong { line: self.line, what: what.into() }
    }
}
