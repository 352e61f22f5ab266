//! The words of a text and their lines.

/// What is wrong, and on which line.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Words between white space.
pub(super) struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitWhitespace<'a>,
    /// What follows a label without white space between.
    held: Option<&'a str>,
    line: usize,
}

impl<'a> Words<'a> {
    /// Of a text.
    pub fn new(text: &'a str) -> Self {
        Self { lines: text.lines().enumerate(), words: "".split_whitespace(), held: None, line: 1 }
    }

    /// The next word, or what was expected in its place.
    pub fn next(&mut self, expected: &str) -> Result<&'a str, Wrong> {
        if let Some(word) = self.held.take() {
            return Ok(word);
        }
        loop {
            if let Some(word) = self.words.next() {
                return Ok(word);
            }
            let Some((k, line)) = self.lines.next() else {
                return Err(self.wrong(format!("the file ends where {expected} should be")));
            };
            self.line = k + 1;
            self.words = line.split_whitespace();
        }
    }

    /// A name, which may have blanks and ends with its line or before the brace `{` that follows; it goes on after the brace.
    pub fn name(&mut self) -> Result<String, Wrong> {
        let mut name = String::new();
        for word in self.words.by_ref() {
            let (part, has_brace) = word.strip_suffix('{').map_or((word, false), |part| (part, true));
            if !name.is_empty() && !part.is_empty() {
                name.push(' ');
            }
            name.push_str(part);
            if has_brace {
                return Ok(name);
            }
        }
        self.expect("{")?;
        Ok(name)
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
            Some(value) => {
                self.held = Some(value).filter(|value| !value.is_empty());
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

    /// A finite number.
    pub fn number(&mut self, what: &str) -> Result<f32, Wrong> {
        let word = self.next(what)?;
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

    /// Whether nothing is left.
    pub fn is_at_end(&mut self) -> bool {
        if self.words.clone().next().is_some() {
            return false;
        }
        self.lines.clone().all(|(_, line)| line.trim().is_empty())
    }
}
