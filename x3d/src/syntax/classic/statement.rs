//! Statements of a scope: headers, routes, imports and exports.

use animation::event::field::{FieldType, Value};

use super::super::encoding::Encoding;
use super::super::lexer::Word;
use super::super::tree::{Export, Import, Item, Place, Route};
use super::super::value::{self, Style};
use super::{HEADER, Reader, Result};
use crate::names::Name;

impl<'t> Reader<'t> {
    /// One statement: a node is one, too.
    pub(super) fn statement(&mut self, place: Place) -> Result<()> {
        let Word::Name(span) = self.lexer.word() else {
            return Err(self.unexpected("a statement"));
        };
        self.check_header(place, self.slice(span), span.start);
        match self.slice(span) {
            "ROUTE" => self.route(place),
            "PROTO" => self.prototype(place, false),
            "EXTERNPROTO" => self.prototype(place, true),
            "IMPORT" => self.import(place),
            "EXPORT" => self.export(place),
            "PROFILE" => self.profile(),
            "COMPONENT" => self.component(),
            "META" => {
                let [key, content] = self.words_after()?;
                let plain = |text: &str| match value::read(FieldType::SFString, text, Style::Classic) {
                    Ok((Value::SFString(text), _)) => text,
                    _ => text.into(),
                };
                let said = (plain(key), plain(content));
                self.tree.metadata.push(said);
                Ok(())
            }
            "UNIT" => {
                let at = self.lexer.at();
                let [category, name, factor] = self.words_after()?;
                if let Err(message) = self.tree.set_unit(category, name, factor) {
                    self.warn(at, message);
                }
                Ok(())
            }
            _ => self.node(place, None),
        }
    }

    /// The version that the first line names (`#X3D V3.3 utf8`).
    pub(super) fn version(&mut self) {
        let first = self.text.trim_start().lines().next().unwrap_or_default();
        let version = first.strip_prefix("#X3D").and_then(|rest| rest.split_whitespace().next());
        if let Some(version) = version.and_then(|word| word.strip_prefix('V')) {
            self.tree.version = Some((version.into(), 0));
        }
    }
    /// Statements of the header stand in their order, before all nodes.
    fn check_header(&mut self, place: Place, word: &str, at: u32) {
        if !matches!(place, Place::Root) || self.tree.encoding == Encoding::Vrml97 {
            return;
        }
        match HEADER.iter().position(|w| *w == word) {
            None => self.header = HEADER.len(),
            Some(k) if k >= self.header => self.header = k,
            Some(_) => {
                let after = HEADER.get(self.header).copied().unwrap_or("the first node or route");
                self.warn(
                    at,
                    format!(
                        "{word} stands after {after}; a file begins with {}, in this order",
                        HEADER.join(", ")
                    ),
                );
            }
        }
    }

    /// A field that has a value already. Several `IS` are no fault: each joins the field with another one of the prototype.
    pub(super) fn check_again(&mut self, field: Name, at: u32) {
        // Each is compared with those before it.
        const MOST: usize = 100;
        let Some(given) = self.given.last_mut() else { return };
        if given.contains(&field) {
            let text = self.names.text(field);
            self.warnings.push((at, format!("`{text}` is given a second time in this node")));
        } else if given.len() < MOST {
            given.push(field);
        }
    }

    /// `ROUTE node.field TO node.field`.
    pub(super) fn route(&mut self, place: Place) -> Result<()> {
        let at = self.lexer.at();
        self.lexer.take();
        let from = self.end_of_route("ROUTE")?;
        if !self.is_keyword("TO") {
            return Err(self.unexpected("`TO`"));
        }
        self.lexer.take();
        let to = self.end_of_route("TO")?;
        let index = self.tree.routes.len() as u32;
        self.tree.routes.push(Route { from, to, at });
        self.tree.push(place, Item::Route(index));
        Ok(())
    }
    fn end_of_route(&mut self, after: &str) -> Result<(Name, Name)> {
        let node = self.name(&format!("a node's name after {after}"))?;
        self.period()?;
        Ok((node, self.name("a field's name")?))
    }
    fn period(&mut self) -> Result<()> {
        if self.lexer.word() != Word::Period {
            return Err(self.unexpected("`.`"));
        }
        self.lexer.take();
        Ok(())
    }

    /// `IMPORT inline.exported AS alias`.
    fn import(&mut self, place: Place) -> Result<()> {
        let at = self.lexer.at();
        self.refuse_in_vrml97("IMPORT")?;
        self.lexer.take();
        let inline = self.name("an Inline's name after IMPORT")?;
        self.period()?;
        let exported = self.name("an exported name")?;
        let alias = self.alias(exported)?;
        let index = self.tree.imports.len() as u32;
        self.tree.imports.push(Import { inline, exported, alias, at });
        self.tree.push(place, Item::Import(index));
        Ok(())
    }
    /// `EXPORT node AS alias`.
    fn export(&mut self, place: Place) -> Result<()> {
        let at = self.lexer.at();
        self.refuse_in_vrml97("EXPORT")?;
        self.lexer.take();
        let node = self.name("a node's name after EXPORT")?;
        let alias = self.alias(node)?;
        let index = self.tree.exports.len() as u32;
        self.tree.exports.push(Export { node, alias, at });
        self.tree.push(place, Item::Export(index));
        Ok(())
    }
    fn alias(&mut self, otherwise: Name) -> Result<Name> {
        if !self.is_keyword("AS") {
            return Ok(otherwise);
        }
        self.lexer.take();
        self.name("a name after AS")
    }
    fn refuse_in_vrml97(&self, what: &str) -> Result<()> {
        if self.tree.encoding == Encoding::Vrml97 {
            let message =
                format!("{what} is X3D's, and this is VRML97; begin the file with `#X3D V3.3 utf8`");
            return Err((self.lexer.at(), message));
        }
        Ok(())
    }

    fn profile(&mut self) -> Result<()> {
        let at = self.lexer.at();
        self.lexer.take();
        let name = self.name("a profile's name")?;
        self.tree.profile = Some((name, at));
        Ok(())
    }
    /// `COMPONENT name:level`; the colon may stand in the name's word.
    fn component(&mut self) -> Result<()> {
        let at = self.lexer.at();
        self.lexer.take();
        let Word::Name(span) = self.lexer.take() else {
            return Err(self.unexpected("a component's name"));
        };
        let mut text = self.slice(span).to_owned();
        if !text.contains(':')
            && let Word::Name(colon) = self.lexer.word()
            && self.slice(colon).starts_with(':')
        {
            self.lexer.take();
            text.push_str(self.slice(colon));
        }
        if text.ends_with(':')
            && let Word::Number(level) = self.lexer.word()
        {
            self.lexer.take();
            text.push_str(self.slice(level));
        }
        let (name, level) = text.split_once(':').unwrap_or((&text, "1"));
        let Ok(level) = level.parse() else {
            return Err((span.start, format!("`{text}` is no component with a level, as in `Grouping:3`")));
        };
        let name = self.names.intern(name);
        self.tree.components.push((name, level, at));
        Ok(())
    }
    /// The words that follow a keyword.
    fn words_after<const N: usize>(&mut self) -> Result<[&'t str; N]> {
        let keyword = self.lexer.take();
        let mut words = [""; N];
        for word in &mut words {
            match self.lexer.word() {
                Word::String(span) | Word::Name(span) | Word::Number(span) => {
                    *word = self.slice(span);
                    self.lexer.take();
                }
                _ => {
                    let keyword = if let Word::Name(span) = keyword { self.slice(span) } else { "it" };
                    return Err(self.unexpected(&format!("one of {N} words after {keyword}")));
                }
            }
        }
        Ok(words)
    }
}
