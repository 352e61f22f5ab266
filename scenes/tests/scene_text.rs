//! The text of scenes: what SOFA's reader takes is read, what it refuses is refused, and well-formed XML means what it means.

use proptest::prelude::*;
use sim_core::scene::Location;
use weft_scenes::element::{Attribute, Element};
use weft_scenes::parse::{ParsedFile, parse_text};

fn read(text: &str) -> ParsedFile {
    parse_text(text, "t.scn").unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The places and beginnings of the warnings.
fn warnings(file: &ParsedFile) -> Vec<String> {
    file.warnings.iter().map(|d| d.to_string()).collect()
}

/// The one warning about a text.
fn warning(text: &str) -> String {
    let found = warnings(&read(text));
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].clone()
}

fn refused(text: &str) -> String {
    parse_text(text, "t.scn").expect_err(text).to_string()
}

#[test]
fn values_hold_what_xml_forbids() {
    let file =
        read("<Node>\n <A t='Data<double>' x=\"a & b &amp; &lt; &nope; &#65;&#x42; &#xZ; &#0;\"/>\n</Node>");
    let a = &file.root.children[0];
    assert_eq!(a.get("t"), Some("Data<double>"));
    assert_eq!(a.get("x"), Some("a & b & < &nope; AB &#xZ; &#0;"));
    let places: Vec<(u32, u32)> =
        file.warnings.iter().map(|d| (d.location.line, d.location.column)).collect();
    assert_eq!(places, [(2, 12), (2, 27), (2, 42), (2, 61), (2, 67)]);
    let all = warnings(&file);
    assert!(all[0].starts_with("t.scn:2:12: warning: `<` in a value"), "{all:?}");
    assert!(all[1].contains("`&` without a known entity"), "{all:?}");
}

#[test]
fn blanks_lack_or_are_too_many() {
    assert!(warning("<Node><A a='1'b='2'/></Node>").starts_with("t.scn:1:15: warning: a blank lacks"));
    assert!(warning("<Node>< A a='1'/></Node>").starts_with("t.scn:1:7: warning: a blank after `<`"));
    let file = read("<Node\n a = \"1\"\n b\n=\n'2'\n></Node  >");
    assert_eq!(warnings(&file), [""; 0]);
    assert_eq!((file.root.get("a"), file.root.get("b")), (Some("1"), Some("2")));
    // Where a quote lacks, the value ends at the next one.
    let file = read("<Node><A a='1 b=' c='2'/></Node>");
    assert_eq!(file.root.children[0].get("a"), Some("1 b="));
}

#[test]
fn what_is_no_element_is_left_out_with_a_word() {
    assert!(warning("<Node>\n<!-- a -- b --><A/></Node>").starts_with("t.scn:2:8: warning: `--` within"));
    assert!(warning("<!DOCTYPE x><Node/>").contains("document type"));
    assert!(warning("<Node>words<A/></Node>").starts_with("t.scn:1:7: warning: text between"));
    assert!(warning("<Node><![CDATA[<B>]]></Node>").contains("text between"));
    assert!(warning("<Node name='a'/>\n<Node name='b'/>").starts_with("t.scn:2:1: warning: a second root"));
    assert!(warning("<Node/></Node><Node a=1>").contains("has no begin"));
    assert!(warning("<Node></Node a='1'>").contains("attributes of an end tag"));
    assert!(warning("<Node/>\0<").contains("zero character"));
    assert_eq!(read("<Node name='a'/><Node name='b'><A/></Node>").root.name(), Some("a"));
    let many = read(&format!("<Node>{}</Node>", "x<A/>".repeat(100_000)));
    assert_eq!((many.root.children.len(), many.warnings.len()), (100_000, 101));
}

#[test]
fn what_sofa_refuses_is_refused() {
    for (text, place, word) in [
        ("<Node a='1' a='2'/>", "1:13", "attribute 'a' is already defined"),
        ("<Node>\n<A a=1/></Node>", "2:6", "`a` must stand in quotes"),
        ("<Node>\n<A a/></Node>", "2:4", "`a` has no value"),
        ("<Node><A></Node>", "1:10", "expected 'A' tag, not 'Node'"),
        ("<Node><A></Node></A>", "1:10", "expected 'A' tag, not 'Node'"),
        ("<Node><A>", "1:10", "the file ends before `<A>` of line 1 is closed"),
        ("<Node><A a='1", "1:10", "lacks its closing quote"),
        ("<Node", "1:1", "the tag `<Node` is not closed"),
        ("<Node ?>", "1:7", "`?` in the tag `<Node`"),
        ("<Node></ Node>", "1:7", "no name follows `</`"),
        ("hello", "1:1", "there is no tag in it"),
        ("<Node><1/></Node>", "1:7", "no name follows `<`"),
        ("<Node></Node/>", "1:7", "`</Node/>` is no tag"),
        ("<Node><!-- </Node>", "1:7", "comment is not closed"),
        ("<Node/>words", "1:8", "text at the end"),
        ("</Node>", "1:1", "ends what never began"),
        ("<!-- a --><?xml version='1.0'?><Node/>", "1:11", "must be the first"),
        ("<Node/><Node a='1' a='2'/>", "1:20", "already defined"),
        (" \n", "2:1", "the file is empty"),
    ] {
        let message = refused(text);
        assert!(message.starts_with(&format!("t.scn:{place}: error: ")), "{text}: {message}");
        assert!(message.contains(word), "{text}: {message}");
    }
}

/// What roxmltree, which takes XML and nothing else, makes of a text.
fn strictly(text: &str) -> Option<Element> {
    let document = roxmltree::Document::parse(text).ok()?;
    fn convert(node: roxmltree::Node<'_, '_>) -> Element {
        let attribute = |a: roxmltree::Attribute<'_, '_>| Attribute {
            name: a.name().to_owned(),
            value: a.value().to_owned(),
            location: Location::default(),
        };
        Element {
            class: node.tag_name().name().to_owned(),
            attributes: node.attributes().map(attribute).collect(),
            children: node.children().filter(roxmltree::Node::is_element).map(convert).collect(),
            location: Location::default(),
        }
    }
    Some(convert(document.root_element()))
}

fn without_places(element: &Element) -> Element {
    let mut element = element.clone();
    element.location = Location::default();
    element.attributes.iter_mut().for_each(|a| a.location = Location::default());
    element.children = element.children.iter().map(without_places).collect();
    element
}

/// A piece of a scene's text, more often right than wrong.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "<A>",
        "</A>",
        "<A/>",
        "<B a='1'/>",
        "<B a=\"x\n\ty\" b = '&lt;&#10;&#x41;'>",
        "</B>",
        "< A/>",
        "<A a='1'b='2'/>",
        "<!-- c -->",
        "<!-- a -- b -->",
        "<?pi x?>",
        "<![CDATA[ <x> ]]>",
        "text",
        "\r\n",
        "&",
        "<",
        ">",
        "'",
        "\"",
        "=",
        "é",
        "<A x='a & b < c'/>",
        "<A x='1' x='2'/>",
        "\0",
        "<!DOCTYPE x>",
    ];
    prop_oneof![6 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #[test]
    fn no_text_panics(pieces in prop::collection::vec(piece(), 0..12), bare in any::<bool>()) {
        let inner = pieces.concat();
        let text = if bare { inner } else { format!("<Node>{inner}</Node>") };
        if let Err(e) = parse_text(&text, "t.scn") {
            prop_assert!(e.to_string().lines().count() == 1);
        }
    }

    #[test]
    fn well_formed_xml_means_what_it_means(pieces in prop::collection::vec(piece(), 0..6)) {
        let text = format!("<?xml version='1.0'?>\n<Node>{}</Node>", pieces.concat());
        if let Some(strict) = strictly(&text) {
            let file = parse_text(&text, "t.scn");
            prop_assert!(file.is_ok(), "{text}: {file:?}");
            prop_assert_eq!(without_places(&file.expect("it is").root), strict);
        }
    }
}
