//! From the text of a scene file to its element tree, with the place of every element and attribute.

use std::path::Path;
use std::sync::Arc;

use sim_core::scene::Location;

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::{Attribute, Element, NODE};
use crate::markup::{Fault, Markup, Oddity, RawAttribute, Tag, TagKind};

/// Nodes may be nested this deep, so that no recursion over a scene runs out of stack.
pub const DEEPEST: usize = 200;

/// Reads and parses a scene file.
///
/// # Errors
/// One finding: the file cannot be read, is a directory, or as [`parse_text`].
pub fn parse_file(path: &Path) -> Result<ParsedFile, Box<Diagnostic>> {
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
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'<', ..] | [b'<', 0, ..] = bytes[..] {
        return Err(fail("the text is UTF-16, which is not read; save it as UTF-8".to_owned()));
    }
    let odd = odd_encoding(&bytes);
    let mut parsed = parse_text(&decode(bytes), &file)?;
    if let Some(name) = odd {
        let message =
            format!("the encoding `{name}` is not known; the file is read as UTF-8, or else Latin-1");
        parsed.warnings.push(Diagnostic::new(Severity::Warning, &place, message));
    }
    Ok(parsed)
}

/// The encoding that the declaration names, if it is of no use here and makes a difference.
fn odd_encoding(bytes: &[u8]) -> Option<String> {
    if bytes.is_ascii() {
        return None;
    }
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let declaration = &begin[begin.find("<?xml")?..begin.find("?>")?];
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|q| matches!(q, '"' | '\''))?;
    let name = value[1..].split(quote).next()?;
    let known = ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "latin-1"];
    (!known.contains(&name.to_ascii_lowercase().as_str())).then(|| name.to_owned())
}

/// UTF-8, or else Latin-1, in which many of SOFA's comments are written.
fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => e.into_bytes().into_iter().map(char::from).collect(),
    }
}

/// A scene file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedFile {
    /// The root node.
    pub root: Element,
    /// What was read though it is not XML, and what was left out.
    pub warnings: Vec<Diagnostic>,
}

/// Parses the text of a scene; `file` is what findings call it. What SOFA reads is read, see [`crate::markup`].
///
/// # Errors
/// One finding: SOFA would not read the text either, or its root is not a `Node`.
pub fn parse_text(text: &str, file: &str) -> Result<ParsedFile, Box<Diagnostic>> {
    let positions = Positions::new(text, file);
    let mut markup = Markup::new(text);
    let root = read_root(&mut markup, &positions).map_err(|Fault { at, message }| {
        Box::new(Diagnostic::new(Severity::Error, &positions.locate(at), message))
    })?;
    if !root.is_node() {
        let message = format!("the root of a scene must be a `Node`, not `{}`", root.class);
        return Err(Box::new(Diagnostic::new(Severity::Error, &root.location, message)));
    }
    let warn = |o: Oddity| Diagnostic::new(Severity::Warning, &positions.locate(o.at), o.message);
    Ok(ParsedFile { root, warnings: markup.into_oddities().into_iter().map(warn).collect() })
}

/// An element whose end tag was not met yet.
struct Open<'t> {
    name: &'t str,
    element: Element,
}

/// The first root element; what comes after it is checked and left out.
fn read_root(markup: &mut Markup<'_>, positions: &Positions<'_>) -> Result<Element, Fault> {
    let not_xml =
        |fault: Fault| Fault { message: format!("not well-formed XML: {}", fault.message).into(), ..fault };
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut root: Option<Element> = None;
    while let Some(tag) = markup.next_tag().map_err(not_xml)? {
        let at = tag.at;
        if open.len() > DEEPEST && tag.kind != TagKind::Close {
            let message = format!("elements are nested deeper than {DEEPEST} levels");
            return Err(Fault { at, message: message.into() });
        }
        let done = match tag.kind {
            TagKind::Open => {
                open.push(Open { name: tag.name, element: element(tag, positions) });
                continue;
            }
            TagKind::Empty => element(tag, positions),
            TagKind::Close => match open.pop() {
                Some(o) if o.name == tag.name => o.element,
                Some(o) => {
                    let message = format!("expected '{}' tag, not '{}'", o.name, tag.name);
                    return Err(not_xml(Fault { at, message: message.into() }));
                }
                None if root.is_some() => {
                    markup.note(at, "this end tag has no begin; what follows it is left out");
                    break;
                }
                None => {
                    let message = format!("`</{}>` ends what never began", tag.name);
                    return Err(not_xml(Fault { at, message: message.into() }));
                }
            },
        };
        match (open.last_mut(), &root) {
            (Some(parent), _) => add_child(&mut parent.element, interpreted(done)),
            (None, None) => root = Some(interpreted(done)),
            (None, Some(_)) => markup.note(at, "a second root element is left out"),
        }
    }
    if let Some(o) = open.last() {
        let line = o.element.location.line;
        let message = match open.len() {
            1 if root.is_none() => "the file ends before its root node is closed".to_owned(),
            _ => format!("the file ends before `<{}>` of line {line} is closed", o.name),
        };
        return Err(Fault { at: markup.position(), message: message.into() });
    }
    let empty = "the file is empty: a scene is a `<Node>` element";
    root.ok_or(Fault { at: markup.position(), message: empty.into() })
}

fn element(tag: Tag<'_>, positions: &Positions<'_>) -> Element {
    let attribute = |a: RawAttribute<'_>| Attribute {
        name: a.name.to_owned(),
        value: a.value,
        location: positions.locate(a.at),
    };
    Element {
        class: tag.name.to_owned(),
        attributes: tag.attributes.into_iter().map(attribute).collect(),
        children: Vec::new(),
        location: positions.locate(tag.at),
    }
}

/// The element that sets an attribute of the component around it.
const ATTRIBUTE: &str = "Attribute";
/// The element that does so too, or has the value of an `Attribute` in it.
const DATA: &str = "Data";

/// `<Attribute name= value=/>` and `<Data .../>` inside a component set one of its attributes, and so does
/// `<Attribute type="NAME"><Data value=/></Attribute>`, whose values follow each other.
fn add_child(parent: &mut Element, child: Element) {
    let sets = matches!(child.class.as_str(), ATTRIBUTE | DATA) && parent.class != NODE;
    if let (true, ATTRIBUTE, Some(name)) = (sets, child.class.as_str(), child.get("type")) {
        let values = child.children.iter().filter(|c| c.class == DATA).filter_map(|c| c.get("value"));
        let value = values.collect::<Vec<_>>().join(" ");
        parent.set(name, value, child.location.clone());
        return;
    }
    match (sets, child.get("name"), child.get("value")) {
        (true, Some(name), Some(value)) => {
            let (name, value, at) = (name.to_owned(), value.to_owned(), child.location.clone());
            parent.set(&name, value, at);
        }
        _ => parent.children.push(child),
    }
}

/// `<Object type="T"/>` is a component of class T.
fn interpreted(mut element: Element) -> Element {
    if element.class != NODE
        && element.class != ATTRIBUTE
        && let Some(i) = element.attributes.iter().position(|a| a.name == "type")
    {
        element.class = element.attributes.remove(i).value;
    }
    element
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
        .expect("parses")
        .root;
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
        .expect("parses")
        .root;
        assert_eq!(root.children[0].class, "B");
        assert_eq!(root.children[0].get("k"), Some("3"));
        assert!(root.children[0].get("type").is_none() && root.children[0].children.is_empty());
        assert!(root.children[1].is_node());
    }

    #[test]
    fn an_attribute_child_may_have_its_value_in_data() {
        let text = "<Node><B><Attribute type='name'><Data value='b'/></Attribute><Attribute type='k'><Data value='1 2'/><Data value='3'/></Attribute></B></Node>";
        let root = parse_text(text, "").expect("parses").root;
        assert_eq!((root.children[0].get("name"), root.children[0].get("k")), (Some("b"), Some("1 2 3")));
        assert!(root.children[0].children.is_empty());
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
        let file = dir.path().join("a.scn");
        let read = |bytes: &[u8]| {
            std::fs::write(&file, bytes).expect("written");
            parse_file(&file).map(|parsed| parsed.warnings)
        };
        assert!(read(b"\xff\xfe<\0N\0").expect_err("UTF-16").to_string().contains("UTF-16"));
        let windows = b"<?xml version='1.0' encoding=\"windows-1252\"?><Node name='\x80'/>";
        assert!(read(windows).expect("read")[0].message.contains("`windows-1252` is not known"));
        assert_eq!(read(b"<?xml version='1.0' encoding='ISO-8859-1'?><Node name='\xe9'/>"), Ok(Vec::new()));
    }
}
