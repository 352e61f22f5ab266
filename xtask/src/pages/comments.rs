//! What the comments of a source file say of one of the classes that it describes.

use std::collections::BTreeSet;

/// An item of a file, with what stands above it.
struct Item<'a> {
    comment: Vec<&'a str>,
    /// What it is called; empty where it is an implementation.
    name: &'a str,
    text: String,
    /// The classes that it is of: those that it names, and those of the items that mention it.
    classes: BTreeSet<&'a str>,
}

/// The comment of a module without its first paragraph, and of its items those that name their source and are of a class, or of none.
pub fn comment(text: &str, class: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or(text);
    let of_module: Vec<&str> = text.lines().map_while(|l| l.strip_prefix("//!")).collect();
    let first_paragraph = of_module.iter().take_while(|l| !l.trim().is_empty()).count();
    let mut blocks = vec![of_module[first_paragraph..].to_vec()];
    for item in items(text) {
        let is_of_class = item.classes.is_empty() || item.classes.contains(class);
        if is_of_class && item.comment.iter().any(|l| l.contains("**Source:**")) {
            blocks.push(item.comment);
        }
    }
    let lines = |block: &Vec<&str>| {
        let lines: Vec<&str> = block.iter().map(|l| l.strip_prefix(' ').unwrap_or(l).trim_end()).collect();
        lines.join("\n").trim().to_owned()
    };
    let blocks: Vec<String> = blocks.iter().map(lines).filter(|b| !b.is_empty()).collect();
    without_links(&blocks.join("\n\n"))
}

/// A comment without the paragraph that says what the page has said before.
pub fn without_paragraph(comment: &str, said: &str) -> String {
    let plain =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned();
    let paragraphs: Vec<&str> = comment.split("\n\n").filter(|p| plain(p) != plain(said)).collect();
    paragraphs.join("\n\n")
}

/// The items of a file, each with its classes.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in text.lines() {
        let beginning = line.trim_start();
        if let Some(rest) = beginning.strip_prefix("///") {
            comment.push(rest);
            continue;
        }
        let is_item = line.len() == beginning.len() && name(line).is_some();
        // What an item holds may have a source of its own.
        if is_item || comment.iter().any(|l| l.contains("**Source:**")) && !beginning.starts_with("#[") {
            let name = name(beginning).unwrap_or_default();
            let (comment, text) = (std::mem::take(&mut comment), String::new());
            items.push(Item { comment, name, text, classes: BTreeSet::new() });
        } else if !beginning.starts_with("#[") && line.len() != beginning.len() {
            comment.clear();
        }
        if let Some(item) = items.last_mut() {
            item.text.push_str(line);
            item.text.push('\n');
        }
    }
    let classes: Vec<&str> = text.split('"').skip(1).step_by(2).filter(|word| is_class(word)).collect();
    for item in &mut items {
        item.classes.extend(classes.iter().filter(|c| item.text.contains(&format!("\"{c}\""))));
    }
    // What a description mentions is of its class, and what that mentions.
    for _ in 0..3 {
        for k in 0..items.len() {
            let name = items[k].name;
            let mentions = |other: &Item<'_>| other.name != name && mentions(&other.text, name);
            let of: Vec<&str> =
                items.iter().filter(|o| mentions(o)).flat_map(|o| o.classes.iter().copied()).collect();
            items[k].classes.extend(of);
        }
    }
    items
}

/// What an item is called that begins with this line.
fn name(line: &str) -> Option<&str> {
    let words: Vec<&str> =
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let kinds = ["fn", "struct", "enum", "const", "static", "trait", "type", "impl"];
    let at = words.iter().take(4).position(|w| kinds.contains(w))?;
    if words[at] == "impl" { Some("") } else { words.get(at + 1).copied() }
}

/// Whether a text has a name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !is_word(text[..at].chars().next_back()) && !is_word(text[at + name.len()..].chars().next())
        })
}

fn is_class(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(char::is_alphanumeric)
}

/// Comments link to items, which pages cannot.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find("[`") {
        let Some(len) = rest[begin..].find("`]") else { break };
        out.push_str(&rest[..begin]);
        out.push_str(&rest[begin + 1..begin + len + 1]);
        rest = &rest[begin + len + 2..];
        if rest.starts_with('(')
            && let Some(end) = rest.find(')')
        {
            rest = &rest[end + 1..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_their_links() {
        let text = "//! First.\n//! Still.\n//!\n//! With [`modes`] and [`a`](b).\nfn f() {}\n/// Other.\nfn g() {}\n/// h\n///\n/// **Source:** SOFA.\nfn h() {}\n";
        assert_eq!(comment(text, "A"), "With `modes` and `a`.\n\nh\n\n**Source:** SOFA.");
    }

    #[test]
    fn nothing_is_said_twice() {
        let text = "Pulls all\npoints.\n\nAs a star does.";
        assert_eq!(without_paragraph(text, "Pulls all points"), "As a star does.");
    }

    #[test]
    fn a_class_has_what_is_its_own() {
        let text = "/// **Source:** a.\nstruct A {}\n/// **Source:** b.\nconst B: D = of(\"B\", help);\nconst X: D = of::<A>(\"A\");\n\
                    /// **Source:** both.\nfn help() {}\nfn other() {\n    /// **Source:** inner.\n    const I: f64 = 0.0;\n}\n";
        assert_eq!(comment(text, "A"), "**Source:** a.\n\n**Source:** inner.");
        assert_eq!(comment(text, "B"), "**Source:** b.\n\n**Source:** both.\n\n**Source:** inner.");
    }
}
