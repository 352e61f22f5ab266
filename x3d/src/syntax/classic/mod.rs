//! ClassicVRML and VRML97 as trees.
//!
//! The grammar tells a field's value from what follows without the field's type: a run of numbers, a string, a truth value, `NULL`,
//! a node, or a list in brackets.
//!
//! **Source:** ISO/IEC 19776-2, 14772-1 annex A.

mod declare;
mod statement;

use animation::event::field::FieldType;
use diagnostics::{Diagnostic, Severity};

use super::access::access_of;
use super::encoding::Encoding;
use super::lexer::{Lexer, Word};
use super::tree::{Item, List, Node, Place, Span, Tree};
use crate::names::{Name, Names};

/// Statements that a file begins with, in this order.
const HEADER: [&str; 4] = ["PROFILE", "COMPONENT", "UNIT", "META"];

/// What is wrong, and where.
type Fault = (u32, String);

type Result<T> = std::result::Result<T, Fault>;

/// What the reader stands in.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// A file or the body of a prototype.
    Scope(Place),
    /// The braces of a node.
    Node(u32),
    /// The brackets of a list of nodes.
    Nodes(Place, Option<Name>),
    /// The brackets of a prototype's interface.
    Interface(u32, bool),
}

/// Reads a file into its tree.
pub(crate) fn read(
    tree: &mut Tree,
    names: &mut Names,
    is_fragment: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> std::result::Result<(), Box<Diagnostic>> {
    // The lexer looks at the text while the tree grows beside it.
    let text = std::mem::take(&mut tree.source.text);
    let stack = vec![Frame::Scope(Place::Root)];
    let mut reader = Reader {
        lexer: Lexer::new(&text),
        text: &text,
        tree,
        names,
        warnings: Vec::new(),
        stack,
        given: Vec::new(),
        header: 0,
    };
    reader.version();
    let read = reader.run();
    let warnings = std::mem::take(&mut reader.warnings);
    tree.source.text = text;
    let finding =
        |severity, (at, message): Fault| Diagnostic::new(severity, &tree.source.location(at), message);
    diagnostics.extend(warnings.into_iter().map(|w| finding(Severity::Warning, w)));
    read.map_err(|e| Box::new(finding(Severity::Error, e)))?;
    if !is_fragment && tree.encoding == Encoding::Classic && tree.profile.is_none() {
        let message = "no PROFILE statement; read as if it were `PROFILE Full`";
        diagnostics.push(finding(Severity::Warning, (0, message.to_owned())));
    }
    Ok(())
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
    tree: &'a mut Tree,
    names: &'a mut Names,
    warnings: Vec<Fault>,
    stack: Vec<Frame>,
    /// Fields that the open nodes have been given.
    given: Vec<Vec<Name>>,
    /// How far the file's header has come, see [`HEADER`]; as long as that where nodes have begun.
    header: usize,
}

impl<'a> Reader<'a> {
    fn run(&mut self) -> Result<()> {
        while let Some(frame) = self.stack.last().copied() {
            match frame {
                Frame::Scope(place) => self.scope(place)?,
                Frame::Node(node) => self.node_body(node)?,
                Frame::Nodes(place, field) => self.node_list(place, field)?,
                Frame::Interface(prototype, is_extern) => self.interface(prototype, is_extern)?,
            }
        }
        Ok(())
    }

    /// One statement of a file or of a prototype's body, or its end.
    fn scope(&mut self, place: Place) -> Result<()> {
        match self.lexer.word() {
            Word::End if matches!(place, Place::Root) => {
                self.stack.pop();
                Ok(())
            }
            Word::CloseBrace if !matches!(place, Place::Root) => {
                self.lexer.take();
                self.stack.pop();
                Ok(())
            }
            Word::Name(_) => self.statement(place),
            _ => Err(self.unexpected("a node or a statement")),
        }
    }

    /// One field or statement of a node, or its end.
    fn node_body(&mut self, node: u32) -> Result<()> {
        let at = self.lexer.at();
        let span = match self.lexer.word() {
            Word::CloseBrace => {
                self.lexer.take();
                self.stack.pop();
                self.given.pop();
                return Ok(());
            }
            Word::Name(span) => span,
            _ => return Err(self.unexpected("a field or `}`")),
        };
        let place = Place::Node(node);
        let text = self.slice(span);
        match text {
            "ROUTE" => return self.route(place),
            "PROTO" => return self.prototype(place, false),
            "EXTERNPROTO" => return self.prototype(place, true),
            _ => {}
        }
        self.lexer.take();
        if let Some(access) = access_of(text) {
            // A field may be called `field`; a declaration goes on with a type.
            if let Word::Name(t) = self.lexer.word()
                && let Some(field_type) = FieldType::of_name(self.slice(t))
            {
                self.check_access(span);
                self.lexer.take();
                return self.declaration(place, access, field_type, true);
            }
        }
        let field = self.names.intern(text);
        if self.is_keyword("IS") {
            self.lexer.take();
            let outer = self.name("the prototype's field after IS")?;
            self.tree.push(place, Item::Is { field, outer, at });
            return Ok(());
        }
        self.check_again(field, at);
        self.value(place, Some(field), at)
    }

    /// The value of a field.
    fn value(&mut self, place: Place, field: Option<Name>, at: u32) -> Result<()> {
        let text = match self.lexer.word() {
            Word::Name(span) if !matches!(self.slice(span), "TRUE" | "FALSE" | "NULL" | "true" | "false") => {
                return self.node(place, field);
            }
            Word::OpenBracket => {
                self.lexer.take();
                match self.lexer.word() {
                    Word::Name(span) if !matches!(self.slice(span), "TRUE" | "FALSE" | "true" | "false") => {
                        self.stack.push(Frame::Nodes(place, field));
                        return Ok(());
                    }
                    _ => self.brackets()?,
                }
            }
            _ => self.run_of_words()?,
        };
        match (field, place) {
            (Some(field), _) => self.tree.push(place, Item::Value { field, text, at }),
            (None, Place::Declaration(k)) => self.tree.declarations[k as usize].value = Some(text),
            (None, _) => return Err((at, "a value stands where a node is due".to_owned())),
        }
        Ok(())
    }

    /// Numbers, a string or a truth value.
    fn run_of_words(&mut self) -> Result<Span> {
        let start = self.lexer.at();
        match self.lexer.word() {
            Word::Number(_) => {
                self.lexer.take();
                if matches!(self.lexer.word(), Word::Number(_)) {
                    self.tree.bare.push(start);
                }
                while matches!(self.lexer.word(), Word::Number(_)) {
                    self.lexer.take();
                }
            }
            Word::String(_) | Word::Name(_) => {
                self.lexer.take();
            }
            _ => return Err(self.unexpected("a value")),
        }
        Ok(Span { start, end: self.lexer.last_end })
    }

    /// Scalars up to the bracket that closes; without the brackets.
    fn brackets(&mut self) -> Result<Span> {
        let start = self.lexer.at();
        loop {
            match self.lexer.word() {
                Word::Number(_) | Word::String(_) | Word::Name(_) => {
                    self.lexer.take();
                }
                Word::CloseBracket => {
                    let end = self.lexer.at();
                    self.lexer.take();
                    return Ok(Span { start, end });
                }
                _ => return Err(self.unexpected("a value or `]`")),
            }
        }
    }

    /// One node of a list in brackets, or its end.
    fn node_list(&mut self, place: Place, field: Option<Name>) -> Result<()> {
        match self.lexer.word() {
            Word::CloseBracket => {
                self.lexer.take();
                self.stack.pop();
                Ok(())
            }
            Word::Name(span) if self.slice(span) == "NULL" => {
                self.lexer.take();
                Ok(())
            }
            Word::Name(_) => self.node(place, field),
            _ => Err(self.unexpected("a node or `]`")),
        }
    }

    /// A node or a reference to one.
    fn node(&mut self, place: Place, field: Option<Name>) -> Result<()> {
        let at = self.lexer.at();
        if self.is_keyword("USE") {
            self.lexer.take();
            let name = self.name("a name after USE")?;
            let node = blank_node(name, Some(name), at);
            self.tree.add_node(place, field, node);
            return Ok(());
        }
        let mut def = None;
        if self.is_keyword("DEF") {
            self.lexer.take();
            def = Some(self.name("a name after DEF")?);
        }
        let type_name = self.name("a type of nodes")?;
        if self.lexer.word() != Word::OpenBrace {
            let text = self.names.text(type_name).clone();
            return Err((at, format!("`{text}` begins a node here, and no `{{` follows")));
        }
        self.lexer.take();
        let node = Node { def, ..blank_node(type_name, None, at) };
        let index = self.tree.add_node(place, field, node);
        self.stack.push(Frame::Node(index));
        self.given.push(Vec::new());
        Ok(())
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.lexer.word(), Word::Name(span) if self.slice(span) == keyword)
    }
    /// A name of the file's author. Names that begin with a digit are no names, but worlds have them.
    fn name(&mut self, what: &str) -> Result<Name> {
        match self.lexer.word() {
            Word::Name(span) => {
                self.lexer.take();
                Ok(self.names.intern(self.slice(span)))
            }
            Word::Number(span) if self.slice(span).parse::<f64>().is_err() => {
                self.warn(span.start, format!("`{}` is no name: it begins like a number", self.slice(span)));
                self.lexer.take();
                Ok(self.names.intern(self.slice(span)))
            }
            _ => Err(self.unexpected(what)),
        }
    }
    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
    fn warn(&mut self, at: u32, message: String) {
        self.warnings.push((at, message));
    }
    /// That something else is due here.
    fn unexpected(&self, due: &str) -> Fault {
        let here = match self.lexer.word() {
            Word::Name(s) | Word::Number(s) => format!("`{}`", self.slice(s)),
            Word::String(_) => "a string".to_owned(),
            Word::OpenBrace => "`{`".to_owned(),
            Word::CloseBrace => "`}`".to_owned(),
            Word::OpenBracket => "`[`".to_owned(),
            Word::CloseBracket => "`]`".to_owned(),
            Word::Period => "`.`".to_owned(),
            Word::End => "the end of the file".to_owned(),
            Word::Unterminated => "a string without end".to_owned(),
            Word::Stray => "a character that means nothing".to_owned(),
        };
        (self.lexer.at(), format!("{here} stands where {due} is due"))
    }
}

fn blank_node(type_name: Name, use_of: Option<Name>, at: u32) -> Node {
    Node { type_name, def: None, use_of, is_instance: false, declares: false, items: List::EMPTY, at }
}
