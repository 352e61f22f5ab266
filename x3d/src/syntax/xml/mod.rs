//! X3D's XML encoding as trees.
//!
//! **Source:** ISO/IEC 19776-1.

mod element;

use diagnostics::{Diagnostic, Location, Severity};
use roxmltree::{Document, ParsingOptions};

use super::tree::{Item, Place, Span, Tree};
use crate::names::{Name, Names};

/// An element of the file.
type Element<'a> = roxmltree::Node<'a, 'a>;

/// What an element is, for those inside it.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// Nothing that says anything about the scene.
    Ignored,
    /// `X3D`.
    File,
    /// `head`.
    Head,
    /// `Scene` or a prototype's body.
    Scope(Place),
    Node(u32),
    /// A prototype's declaration.
    Prototype(u32),
    /// Its interface, or the fields of one that is written elsewhere.
    Interface(u32),
    /// A declared field.
    Declaration(u32),
    /// A value that an instance gives to a field.
    FieldValue(u32, Name),
    /// `IS` of a node.
    Is(u32),
}

/// What is wrong, and where.
type Fault = (Severity, u32, String);

struct Reader<'t, 'n> {
    text: &'t str,
    tree: &'n mut Tree,
    names: &'n mut Names,
    faults: Vec<Fault>,
    /// An error costs more than what it is about.
    is_fatal: bool,
    is_fragment: bool,
    has_scene: bool,
}

/// Reads a file into its tree; whether that is of any use.
pub(crate) fn read(
    tree: &mut Tree,
    names: &mut Names,
    is_fragment: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<bool, Box<Diagnostic>> {
    // The document looks at the text while the tree grows beside it.
    let text = std::mem::take(&mut tree.source.text);
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let (faults, is_fatal) = match Document::parse_with_options(&text, options) {
        Err(e) => {
            let place = e.pos();
            let at = Location { line: place.row, column: place.col, ..tree.source.location(0) };
            let text = e.to_string();
            let message = text.rsplit_once(" at ").map_or(&*text, |(m, _)| m).to_owned();
            return Err(Box::new(Diagnostic::new(Severity::Error, &at, format!("not XML: {message}"))));
        }
        Ok(document) => {
            let faults = Vec::new();
            let mut reader =
                Reader { text: &text, tree, names, faults, is_fatal: false, is_fragment, has_scene: false };
            reader.walk(document.root_element());
            reader.finish();
            (reader.faults, reader.is_fatal)
        }
    };
    tree.source.text = text;
    let found = |(severity, at, message)| Diagnostic::new(severity, &tree.source.location(at), message);
    diagnostics.extend(faults.into_iter().map(found));
    Ok(!is_fatal)
}

impl<'t> Reader<'t, '_> {
    /// All elements, a parent before its children, without recursion.
    fn walk(&mut self, root: Element<'t>) {
        let mut stack: Vec<(Option<Element<'t>>, Role)> = Vec::new();
        let outermost = if self.is_fragment { Role::Scope(Place::Root) } else { Role::File };
        let role = match root.tag_name().name() {
            "X3D" => {
                self.header(root);
                Role::File
            }
            "Scene" => {
                self.has_scene = true;
                if !self.is_fragment {
                    let message = "the outermost element is `Scene`, and an X3D file's is `X3D`; read as if it stood in one";
                    self.warn(at(root), message.to_owned());
                }
                Role::Scope(Place::Root)
            }
            _ if self.is_fragment => self.element(root, outermost),
            other => {
                let message = format!("the outermost element is `{other}`, and an X3D file's is `X3D`");
                self.error(at(root), message);
                self.has_scene = true;
                return;
            }
        };
        stack.push((root.first_child(), role));
        while let Some((next, role)) = stack.last_mut() {
            let Some(node) = *next else {
                stack.pop();
                continue;
            };
            *next = node.next_sibling();
            let role = *role;
            if node.is_element() {
                let inner = self.element(node, role);
                if !matches!(inner, Role::Ignored) && node.has_children() {
                    stack.push((node.first_child(), inner));
                }
            } else if node.is_text() {
                self.program(node, role);
            }
        }
    }

    /// Version and profile.
    fn header(&mut self, x3d: Element<'t>) {
        match x3d.attribute("version") {
            Some(version) => self.tree.version = Some((version.trim().into(), at(x3d))),
            // X3D's DTDs say the version where the file leaves it to them.
            None if self.is_fragment || self.text[..at(x3d) as usize].contains("<!DOCTYPE") => {}
            None => {
                self.warn(at(x3d), "`X3D` names no version; read as if it were `version='4.0'`".to_owned())
            }
        }
        match x3d.attribute("profile") {
            Some(profile) => self.tree.profile = Some((self.names.intern(profile), at(x3d))),
            None if self.is_fragment => {}
            None => {
                self.warn(at(x3d), "`X3D` names no profile; read as if it were `profile='Full'`".to_owned())
            }
        }
    }
    fn finish(&mut self) {
        if !self.has_scene && !self.is_fragment {
            self.error(0, "the file has no `Scene` element, which holds the nodes".to_owned());
        }
    }

    /// Text inside an element: a Script's program, or nothing that means anything.
    fn program(&mut self, node: Element<'t>, role: Role) {
        let text = node.text().unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let place = at(node);
        match role {
            Role::Node(index) => {
                let text = self.tree.make_text(text);
                self.tree.push(Place::Node(index), Item::Program { text, at: place });
            }
            _ => self.warn(
                place,
                format!("text outside of a program means nothing: `{}`", beginning(text.trim())),
            ),
        }
    }

    /// The value of an attribute, as a piece of the file where it stands there as such.
    fn span(&mut self, attribute: roxmltree::Attribute<'t, 't>) -> (Span, u32) {
        let range = attribute.range_value();
        let start = range.start as u32;
        let span = match self.text.get(range.clone()) {
            Some(text) if text == attribute.value() => Span { start, end: range.end as u32 },
            _ => self.tree.make_text(attribute.value()),
        };
        (span, start)
    }
    fn error(&mut self, at: u32, message: String) {
        self.is_fatal = true;
        self.leave_out(at, message);
    }
    /// An error about what is left out.
    fn leave_out(&mut self, at: u32, message: String) {
        self.faults.push((Severity::Error, at, message));
    }
    fn warn(&mut self, at: u32, message: String) {
        self.faults.push((Severity::Warning, at, message));
    }
}

fn at(node: Element<'_>) -> u32 {
    node.range().start as u32
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
