//! From an element tree to the text of a scene file.

use std::fmt::Write;

use crate::element::Element;

/// The text of a `.scn` file, with a comment in front of the root.
pub fn to_text(root: &Element, header: &str) -> String {
    let mut text = String::from("<?xml version=\"1.0\"?>\n");
    if !header.is_empty() {
        // Two hyphens end a comment.
        let _ = writeln!(text, "<!-- {} -->", header.trim().replace("--", "- -"));
    }
    write_element(&mut text, root, 0);
    text
}

fn write_element(text: &mut String, element: &Element, depth: usize) {
    let indent = "  ".repeat(depth);
    let _ = write!(text, "{indent}<{}", element.class);
    for a in &element.attributes {
        let _ = write!(text, " {}=\"", a.name);
        escape(text, &a.value);
        text.push('"');
    }
    if element.children.is_empty() {
        text.push_str("/>\n");
        return;
    }
    text.push_str(">\n");
    for child in &element.children {
        write_element(text, child, depth + 1);
    }
    let _ = writeln!(text, "{indent}</{}>", element.class);
}

fn escape(text: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            // A reader makes blanks of these.
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\t' => text.push_str("&#9;"),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_text;

    #[test]
    fn what_is_written_reads_back() {
        let root = Element::node("r <\"&'>").with("dt", 0.01).child(
            Element::node("n").child(Element::new("A").with("x", "1\n2\t-- é").child(Element::new("B"))),
        );
        let text = to_text(&root, "what -- it is");
        let again = parse_text(&text, "t").expect("well-formed").root;
        assert_eq!(to_text(&again, "what -- it is"), text);
        assert_eq!(again.children[0].children[0].get("x"), Some("1\n2\t-- é"));
        assert_eq!(again.name(), Some("r <\"&'>"));
    }
}
