//! Prototypes and declared fields.

use animation::event::field::{Access, FieldType};

use super::super::access::{access_of, other_word};
use super::super::encoding::Encoding;
use super::super::lexer::Word;
use super::super::tree::{Declaration, Item, List, Place, Prototype, Span};
use super::{Frame, Reader, Result};

impl Reader<'_> {
    /// `PROTO name [` or `EXTERNPROTO name [`.
    pub(super) fn prototype(&mut self, place: Place, is_extern: bool) -> Result<()> {
        let at = self.lexer.at();
        self.lexer.take();
        let name = self.name("the prototype's name")?;
        if self.lexer.word() != Word::OpenBracket {
            return Err(self.unexpected("`[`"));
        }
        self.lexer.take();
        let index = self.tree.prototypes.len() as u32;
        self.tree.prototypes.push(Prototype {
            name,
            interface: List::EMPTY,
            body: List::EMPTY,
            url: None,
            at,
        });
        self.tree.push(place, Item::Prototype(index));
        self.stack.push(Frame::Interface(index, is_extern));
        Ok(())
    }

    /// One field of a prototype's interface, or its end and what follows.
    pub(super) fn interface(&mut self, prototype: u32, is_extern: bool) -> Result<()> {
        match self.lexer.word() {
            Word::CloseBracket => {
                self.lexer.take();
                self.stack.pop();
                if !is_extern {
                    if self.lexer.word() != Word::OpenBrace {
                        return Err(self.unexpected("`{`"));
                    }
                    self.lexer.take();
                    self.stack.push(Frame::Scope(Place::Body(prototype)));
                    return Ok(());
                }
                let url = if self.lexer.word() == Word::OpenBracket {
                    self.lexer.take();
                    self.brackets()?
                } else if matches!(self.lexer.word(), Word::String(_)) {
                    self.run_of_words()?
                } else {
                    return Err(self.unexpected("the prototype's address"));
                };
                self.tree.prototypes[prototype as usize].url = Some(url);
                Ok(())
            }
            Word::Name(span) => {
                let Some(access) = access_of(self.slice(span)) else {
                    return Err(self
                        .unexpected("an access type (initializeOnly, inputOnly, outputOnly, inputOutput)"));
                };
                self.check_access(span);
                self.lexer.take();
                let Word::Name(t) = self.lexer.word() else {
                    return Err(self.unexpected("a type of fields"));
                };
                let Some(field_type) = FieldType::of_name(self.slice(t)) else {
                    return Err(self.unexpected("a type of fields, as SFVec3f,"));
                };
                self.lexer.take();
                self.declaration(Place::Interface(prototype), access, field_type, !is_extern)
            }
            _ => Err(self.unexpected("a field of the prototype or `]`")),
        }
    }

    /// An access in the other language's words.
    pub(super) fn check_access(&mut self, word: Span) {
        let encoding = self.tree.encoding;
        let text = self.slice(word);
        if let Some(own) = other_word(text, encoding) {
            let (theirs, ours) =
                if encoding == Encoding::Vrml97 { ("X3D", "VRML97") } else { ("VRML97", "X3D") };
            self.warn(word.start, format!("`{text}` is {theirs}'s word; {ours}'s is `{own}`"));
        }
    }

    /// What follows a declaration's access and type: the name, and a value or an `IS` where one may stand.
    pub(super) fn declaration(
        &mut self,
        place: Place,
        access: Access,
        field_type: FieldType,
        may_have_value: bool,
    ) -> Result<()> {
        let at = self.lexer.at();
        let name = self.name("the field's name")?;
        let declaration =
            Declaration { name, access, field_type, value: None, nodes: List::EMPTY, is: None, at };
        let index = self.tree.declare(place, declaration);
        if self.is_keyword("IS") {
            self.lexer.take();
            let outer = self.name("the prototype's field after IS")?;
            self.tree.declarations[index as usize].is = Some(outer);
            return Ok(());
        }
        if !access.is_written_in_files() || !may_have_value {
            return Ok(());
        }
        // A Script's field may do without in X3D 4; then another field or the end follows.
        if let Word::CloseBrace | Word::CloseBracket = self.lexer.word() {
            return Ok(());
        }
        if let Word::Name(span) = self.lexer.word()
            && access_of(self.slice(span)).is_some()
        {
            return Ok(());
        }
        self.value(Place::Declaration(index), None, at)
    }
}
