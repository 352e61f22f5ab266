//! From the text of a scene file to its element tree, with the place of every element and attribute.

use std::path::Path;
use std::sync::Arc;

use roxmltree::{Document, Error, ParsingOptions};
use sim_core::scene::Location;

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::{Attribute, Element, NODE};

/// Nodes may be nested this deep, so that no recursion over a scene runs out of stack.
pub const DEEPEST: usize = 200;

/// Reads and parses a scene file.
///
/// # Errors
/// One finding: the file cannot be read, is a directory, or is not well-formed XML.
pub fn parse_file(path: &Path) -> Result<Element, Box<Diagnostic>> {
    let file: Arc<str> = path.to_string_lossy().into();
    let place = Location { file: file.clone(), line: 0, column: 0 };
    let fail = |message: String| Box::new(Diagnostic::new(Severity::Error, &place, message));
    if path.is_dir() {
        return Err(fail("this is a directory, not a scene file".to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => fail("there is no such file".to_owned()),
        _ => fail(format!("cannot be read: {e}")),
    })?;
    parse_text(&decode(bytes), &file)
}

/// UTF-8, or else Latin-1, in which many of SOFA's comments are written.
fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => e.into_bytes().into_iter().map(char::from).collect(),
    }
}

/// Parses the text of a scene; `file` is what findings call it.
///
/// # Errors
/// One finding: the text is not well-formed XML, or its root is not a `Node`.
pub fn parse_text(text: &str, file: &str) -> Result<Element, Box<Diagnostic>> {
    let positions = Positions::new(text, file);
    // A byte order mark and blanks before the declaration are common, and not XML.
    let body = text.trim_start_matches('\u{feff}').trim_start();
    let skipped = text.len() - body.len();
    let options = ParsingOptions { nodes_limit: 20_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(body, options)
        .map_err(|e| Box::new(syntax_error(&e, body, skipped, &positions)))?;
    let root = convert(document.root_element(), skipped, &positions, 0)?;
    if !root.is_node() {
        let message = format!("the root of a scene must be a `Node`, not `{}`", root.class);
        return Err(Box::new(Diagnostic::new(Severity::Error, &root.location, message)));
    }
    Ok(root)
}

fn syntax_error(error: &Error, body: &str, skipped: usize, positions: &Positions<'_>) -> Diagnostic {
    let pos = error.pos();
    // `pos` counts from the beginning of `body`.
    let line_start = body.split_inclusive('\n').take(pos.row.saturating_sub(1) as usize).map(str::len).sum();
    let rest: &str = body.get(line_start..).unwrap_or("");
    let column: usize = rest.chars().take(pos.col.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let at = positions.locate((skipped + line_start + column).min(skipped + body.len()));
    let message = match error {
        Error::NoRootNode => "the file is empty: a scene is a `<Node>` element".to_owned(),
        Error::UnclosedRootNode => "the file ends before its root node is closed".to_owned(),
        Error::DtdDetected => "document type declarations are not supported".to_owned(),
        e => {
            // The library appends "at row:column", which counts from elsewhere.
            let text = e.to_string();
            let end = text.rfind(" at ").unwrap_or(text.len());
            format!("not well-formed XML: {}", &text[..end])
        }
    };
    Diagnostic::new(Severity::Error, &at, message)
}

fn convert(
    node: roxmltree::Node<'_, '_>,
    skipped: usize,
    positions: &Positions<'_>,
    depth: usize,
) -> Result<Element, Box<Diagnostic>> {
    let location = positions.locate(skipped + node.range().start);
    if depth > DEEPEST {
        let message = format!("elements are nested deeper than {DEEPEST} levels");
        return Err(Box::new(Diagnostic::new(Severity::Error, &location, message)));
    }
    let mut element = Element {
        class: node.tag_name().name().to_owned(),
        attributes: Vec::new(),
        children: Vec::new(),
        location,
    };
    for a in node.attributes() {
        element.attributes.push(Attribute {
            name: a.name().to_owned(),
            value: a.value().to_owned(),
            location: positions.locate(skipped + a.range().start),
        });
    }
    for child in node.children().filter(roxmltree::Node::is_element) {
        let child = convert(child, skipped, positions, depth + 1)?;
        // `<Attribute name= value=/>` and `<Data .../>` inside a component set one of its attributes.
        let sets = matches!(child.class.as_str(), "Attribute" | "Data") && element.class != NODE;
        match (sets, child.get("name"), child.get("value")) {
            (true, Some(name), Some(value)) => {
                let (name, value, at) = (name.to_owned(), value.to_owned(), child.location.clone());
                element.set(&name, value, at);
            }
            _ => element.children.push(child),
        }
    }
    // `<Object type="T"/>` is a component of class T.
    if element.class != NODE
        && let Some(i) = element.attributes.iter().position(|a| a.name == "type")
    {
        element.class = element.attributes.remove(i).value;
    }
    Ok(element)
}

/// Lines and columns of byte offsets.
struct Positions<'t> {
    text: &'t str,
    file: Arc<str>,
    line_starts: Vec<usize>,
    ascii: bool,
}

impl<'t> Positions<'t> {
    fn new(text: &'t str, file: &str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
        Self { text, file: file.into(), line_starts, ascii: text.is_ascii() }
    }

    fn locate(&self, offset: usize) -> Location {
        let line = self.line_starts.partition_point(|s| *s <= offset);
        let start = self.line_starts[line - 1];
        let column = if self.ascii {
            offset - start
        } else {
            self.text.get(start..offset).map_or(offset - start, |t| t.chars().count())
        };
        Location { file: self.file.clone(), line: line as u32, column: column as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse_text(text, "t.scn").expect_err("must not parse").to_string()
    }

    #[test]
    fn elements_and_attributes_have_places() {
        let root = parse_text(
            "\u{feff}\n<?xml version='1.0'?>\n<!-- é -->\n<Node name=\"r\">\n  <A x='1'\n     y='2'/>\n</Node>",
            "t.scn",
        )
        .expect("parses");
        let a = &root.children[0];
        assert_eq!((a.location.line, a.location.column), (5, 3));
        let y = a.attribute("y").expect("y");
        assert_eq!((y.location.line, y.location.column), (6, 6));
        assert_eq!(y.value, "2");
    }

    #[test]
    fn objects_with_a_type_and_attribute_children() {
        let root = parse_text(
            "<Node><Object type='B'><Attribute name='k' value='3'/></Object><Node type='x'/></Node>",
            "",
        )
        .expect("parses");
        assert_eq!(root.children[0].class, "B");
        assert_eq!(root.children[0].get("k"), Some("3"));
        assert!(root.children[0].get("type").is_none() && root.children[0].children.is_empty());
        assert!(root.children[1].is_node());
    }

    #[test]
    fn syntax_errors_name_their_place() {
        assert_eq!(
            error("<Node>\n  <A></B>\n</Node>"),
            "t.scn:2:6: error: not well-formed XML: expected 'A' tag, not 'B'"
        );
        assert!(error("").contains("is empty"));
        assert!(error("<Node>").contains("ends before"));
        assert!(error("<MechanicalObject/>").contains("must be a `Node`"));
        assert!(error("<!DOCTYPE a []><Node/>").contains("document type"));
        assert!(error("<Node a='1' a='2'/>").contains("t.scn:1:"));
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let text = format!("{}{}", "<Node>".repeat(100_000), "</Node>".repeat(100_000));
        assert!(error(&text).contains("deeper than"));
    }

    #[test]
    fn directories_and_missing_files() {
        let dir = tempfile::tempdir().expect("a directory");
        assert!(parse_file(dir.path()).expect_err("a directory").to_string().contains("is a directory"));
        let missing = dir.path().join("x.scn");
        assert!(parse_file(&missing).expect_err("missing").to_string().contains("no such file"));
    }
}
