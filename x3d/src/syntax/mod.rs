//! Files as trees of nodes, fields and statements, alike for each encoding.
//!
//! [`encoding`] turns bytes into text and says what it is; [`classic`] and [`xml`] read it into a [`tree::Tree`]; [`value`] reads
//! what a field is given. What names mean, the builder says.

mod access;
pub(crate) mod classic;
pub(crate) mod encoding;
mod lexer;
pub(crate) mod number;
pub(crate) mod tree;
pub(crate) mod value;
pub(crate) mod xml;

use std::sync::Arc;

use diagnostics::{Diagnostic, Severity};

use self::encoding::Encoding;
use self::tree::Tree;
use crate::names::Names;
use crate::source::Source;

/// The tree of a file, with warnings, and errors about what it does without; none and the errors where it cannot be read.
pub(crate) fn parse(
    file: Arc<str>,
    text: String,
    encoding: Encoding,
    is_fragment: bool,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Tree> {
    let mut tree = Tree::new(Source::new(file, text, is_fragment), encoding);
    let read = match encoding {
        Encoding::Xml => xml::read(&mut tree, names, is_fragment, diagnostics),
        Encoding::Classic | Encoding::Vrml97 => {
            classic::read(&mut tree, names, is_fragment, diagnostics).map(|()| true)
        }
    };
    if let Some(message) = tree.said_about_units() {
        diagnostics.push(Diagnostic::new(Severity::Warning, &tree.source.location(0), message));
    }
    match read {
        Ok(is_whole) => is_whole.then_some(tree),
        Err(d) => {
            diagnostics.push(*d);
            None
        }
    }
}
