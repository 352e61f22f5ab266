//! The markup of scene files: tags, attributes and their places, read as SOFA reads them.
//!
//! **Source:** SOFA reads scenes with tinyxml2, which takes more than XML allows. A value may hold `<` and any `&`, a comment
//! may hold `--`, blanks between attributes may lack and may follow `<`, and text between elements is not looked at. All that
//! is read here too, and noted as an [`Oddity`]. What tinyxml2 refuses is a [`Fault`]: an attribute twice in one element, a
//! value without quotes, an end tag that does not fit, a declaration that is not in front.

use std::borrow::Cow;

/// An attribute as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAttribute<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its value: entities resolved, line breaks and tabs made blanks.
    pub value: String,
    /// Where its name begins, in bytes.
    pub at: usize,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// The element's name.
    pub name: &'t str,
    /// Its attributes in the order of the file.
    pub attributes: Vec<RawAttribute<'t>>,
    /// Where its `<` is, in bytes.
    pub at: usize,
    /// What it does.
    pub kind: TagKind,
}

/// What a tag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// `<A>` begins an element.
    Open,
    /// `<A/>` is a whole element.
    Empty,
    /// `</A>` ends an element.
    Close,
}

/// Something that is read although XML does not allow it, or left out although it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Where, in bytes.
    pub at: usize,
    /// What, in one line.
    pub message: Cow<'static, str>,
}

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, in bytes.
    pub at: usize,
    /// What is wrong, in one line.
    pub message: Cow<'static, str>,
}

/// Oddities that are listed; a text may hold one in each character.
const MOST_ODDITIES: usize = 100;

/// Reads a text tag by tag.
pub struct Markup<'t> {
    text: &'t str,
    at: usize,
    /// Whether something other than a declaration was read.
    begun: bool,
    oddities: Vec<Oddity>,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn begins_name(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_alphabetic() || matches!(byte, b':' | b'_')
}

fn is_in_name(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b'-')
}

impl<'t> Markup<'t> {
    /// A reader of a text. A zero character ends it, as in SOFA.
    pub fn new(text: &'t str) -> Self {
        let end = text.find('\0').unwrap_or(text.len());
        // A byte order mark and blanks before the declaration are common, and not XML.
        let begin = text.find(|c: char| c != '\u{feff}' && !c.is_whitespace()).unwrap_or(end);
        let mut markup = Self { text: &text[..end], at: begin.min(end), begun: false, oddities: Vec::new() };
        if end < text.len() {
            markup.note(end, "what follows this zero character is left out");
        }
        markup
    }

    /// What was odd so far.
    pub fn into_oddities(self) -> Vec<Oddity> {
        self.oddities
    }

    /// Notes that something was read although XML does not allow it, or left out.
    pub fn note(&mut self, at: usize, message: impl Into<Cow<'static, str>>) {
        let message = match self.oddities.len() {
            n if n < MOST_ODDITIES => message.into(),
            MOST_ODDITIES => "more of this sort follows in the file and is not listed".into(),
            _ => return,
        };
        self.oddities.push(Oddity { at, message });
    }

    /// Number of bytes that are read: where the next tag is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.byte().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// The next tag; none at the end of the text. Comments, declarations and text are passed over.
    ///
    /// # Errors
    /// What tinyxml2 refuses.
    pub fn next_tag(&mut self) -> Result<Option<Tag<'t>>, Fault> {
        loop {
            self.skip_blanks();
            let (at, rest) = (self.at, self.rest());
            if rest.is_empty() {
                return Ok(None);
            }
            let declares = rest.starts_with("<?");
            if declares {
                self.pass_declaration(at)?;
            } else if rest.starts_with("<!--") {
                self.pass_comment(at)?;
            } else if rest.starts_with("<![CDATA[") {
                self.pass(at, "<![CDATA[", "]]>", "this section of text is not closed")?;
                self.note(at, "text between elements is left out");
            } else if rest.starts_with("<!") {
                self.pass(at, "<!", ">", "this declaration is not closed")?;
                self.note(at, "document type declarations are left out");
            } else if rest.starts_with('<') {
                self.begun = true;
                return self.tag(at).map(Some);
            } else {
                self.pass_text(at)?;
            }
            self.begun |= !declares;
        }
    }

    /// Goes behind the next `end`.
    fn pass(&mut self, at: usize, begin: &str, end: &str, message: &'static str) -> Result<&'t str, Fault> {
        let body = &self.rest()[begin.len()..];
        let length = body.find(end).ok_or(Fault { at, message: message.into() })?;
        self.at += begin.len() + length + end.len();
        Ok(&body[..length])
    }

    fn pass_declaration(&mut self, at: usize) -> Result<(), Fault> {
        let body = self.pass(at, "<?", "?>", "this declaration is not closed")?;
        let target = body.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or("");
        if self.begun && target.eq_ignore_ascii_case("xml") {
            return Err(Fault {
                at,
                message: "the declaration `<?xml` must be the first in the file".into(),
            });
        }
        Ok(())
    }

    fn pass_comment(&mut self, at: usize) -> Result<(), Fault> {
        let body = self.pass(at, "<!--", "-->", "this comment is not closed")?;
        if let Some(i) = body.find("--").or_else(|| body.ends_with('-').then(|| body.len() - 1)) {
            self.note(at + 4 + i, "`--` within a comment is not XML; it is read, as in SOFA");
        }
        Ok(())
    }

    fn pass_text(&mut self, at: usize) -> Result<(), Fault> {
        let Some(length) = self.rest().find('<') else {
            let has_tags = self.text.contains('<');
            let message =
                if has_tags { "there is text at the end of the file" } else { "there is no tag in it" };
            return Err(Fault { at, message: message.into() });
        };
        self.at += length;
        self.note(at, "text between elements is left out");
        Ok(())
    }

    /// The name that begins here.
    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| is_in_name(*b)).count();
        let name = Some(&rest[..length]).filter(|n| n.bytes().next().is_some_and(begins_name))?;
        self.at += length;
        Some(name)
    }

    fn tag(&mut self, at: usize) -> Result<Tag<'t>, Fault> {
        self.at += 1;
        if self.byte().is_some_and(is_blank) {
            self.note(at, "a blank after `<` is not XML; it is read, as in SOFA");
            self.skip_blanks();
        }
        let closes = self.byte() == Some(b'/');
        self.at += usize::from(closes);
        let Some(name) = self.name() else {
            let mark = if closes { "</" } else { "<" };
            return Err(Fault { at, message: format!("no name follows `{mark}`").into() });
        };
        let mut attributes = Vec::new();
        loop {
            let before = self.at;
            self.skip_blanks();
            let here = self.at;
            let rest = self.rest();
            let is_empty = rest.starts_with("/>");
            if is_empty || rest.starts_with('>') {
                self.at += if is_empty { 2 } else { 1 };
                let kind = match (closes, is_empty) {
                    (false, false) => TagKind::Open,
                    (false, true) => TagKind::Empty,
                    (true, false) => TagKind::Close,
                    (true, true) => {
                        return Err(Fault { at, message: format!("`</{name}/>` is no tag").into() });
                    }
                };
                return self.checked(Tag { name, attributes, at, kind });
            }
            let attribute = self.attribute(at, name)?;
            if before == here {
                self.note(here, "a blank lacks before this attribute; it is read, as in SOFA");
            }
            attributes.push(attribute);
        }
    }

    /// The tag, unless it has an attribute twice.
    fn checked(&mut self, mut tag: Tag<'t>) -> Result<Tag<'t>, Fault> {
        let mut names: Vec<(&str, usize)> = tag.attributes.iter().map(|a| (a.name, a.at)).collect();
        names.sort_unstable();
        let twice = names.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1]).min_by_key(|(_, at)| *at);
        if let Some((name, at)) = twice {
            return Err(Fault { at, message: format!("attribute '{name}' is already defined").into() });
        }
        if tag.kind == TagKind::Close && !tag.attributes.is_empty() {
            self.note(tag.at, "the attributes of an end tag are left out");
            tag.attributes.clear();
        }
        Ok(tag)
    }

    fn attribute(&mut self, tag_at: usize, element: &str) -> Result<RawAttribute<'t>, Fault> {
        let at = self.at;
        let Some(name) = self.name() else {
            return Err(match self.rest().chars().next() {
                None => Fault { at: tag_at, message: format!("the tag `<{element}` is not closed").into() },
                Some(c) => {
                    Fault { at, message: format!("`{c}` in the tag `<{element}` begins no attribute").into() }
                }
            });
        };
        self.skip_blanks();
        if self.byte() != Some(b'=') {
            return Err(Fault { at, message: format!("the attribute `{name}` has no value").into() });
        }
        self.at += 1;
        self.skip_blanks();
        let quote = match self.byte() {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => {
                let message = format!("the value of the attribute `{name}` must stand in quotes");
                return Err(Fault { at: self.at, message: message.into() });
            }
        };
        self.at += 1;
        let begin = self.at;
        let Some(length) = self.rest().find(quote) else {
            let message = format!("the value of the attribute `{name}` lacks its closing quote");
            return Err(Fault { at, message: message.into() });
        };
        self.at += length + 1;
        let value = self.value(begin, &self.text[begin..begin + length]);
        Ok(RawAttribute { name, value, at })
    }

    /// The value that a text stands for; `begin` is its place.
    fn value(&mut self, begin: usize, raw: &str) -> String {
        if let Some(i) = raw.find('<') {
            self.note(begin + i, "`<` in a value is not XML; it is read, as in SOFA (write `&lt;`)");
        }
        if !raw.bytes().any(|b| matches!(b, b'&' | b'\r' | b'\n' | b'\t')) {
            return raw.to_owned();
        }
        let mut value = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '&' => match entity(rest) {
                    Some((meant, length)) => {
                        value.push(meant);
                        length
                    }
                    None => {
                        let at = begin + raw.len() - rest.len();
                        self.note(at, "`&` without a known entity is not XML; it is read (write `&amp;`)");
                        value.push('&');
                        1
                    }
                },
                '\r' => {
                    value.push(' ');
                    if rest.starts_with("\r\n") { 2 } else { 1 }
                }
                '\n' | '\t' => {
                    value.push(' ');
                    1
                }
                c => {
                    value.push(c);
                    c.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        value
    }
}

/// The character that an entity at the beginning of a text means, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 5] =
        [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&apos;", '\'')];
    if let Some((name, meant)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*meant, name.len()));
    }
    let body = text.strip_prefix("&#")?;
    let end = body.find(';')?;
    let digits = |digits: &str, radix: u32| {
        let plain = !digits.is_empty() && digits.bytes().all(|b| char::from(b).is_digit(radix));
        plain.then(|| u32::from_str_radix(digits, radix).ok()).flatten()
    };
    let code = match body[..end].strip_prefix('x') {
        Some(hexadecimal) => digits(hexadecimal, 16)?,
        None => digits(&body[..end], 10)?,
    };
    let meant = char::from_u32(code).filter(|c| *c != '\0')?;
    Some((meant, 2 + end + 1))
}
