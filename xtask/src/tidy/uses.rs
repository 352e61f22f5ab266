//! The paths that a file's code names, tests aside.

/// A path that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its words; the first may be `crate`, `super` or `self`.
    pub words: Vec<String>,
    /// Whether it is named to be found here too (`pub use`).
    pub is_reexport: bool,
}

/// A file's code without its tests and comments.
pub fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    code.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules of tests that a file declares to have files of their own.
pub fn test_modules(text: &str) -> Vec<&str> {
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?.trim_start();
        line.rsplit_once("mod ")?.1.strip_suffix(';')
    });
    declared.collect()
}

/// All paths of a file's [`code`].
pub fn named(code: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut statement: Option<String> = None;
    for line in code.lines() {
        let start = line.trim_start();
        let begins = start.strip_prefix("use ").or_else(|| {
            start.starts_with("pub").then(|| start.split_once(" use ")).flatten().map(|(_, path)| path)
        });
        match (&mut statement, begins) {
            (Some(statement), _) => statement.push_str(start),
            (None, Some(path)) => statement = Some(path.to_owned()),
            (None, None) => {
                rest.push_str(line);
                rest.push('\n');
                continue;
            }
        }
        if line.contains(';') {
            let is_reexport = begins.is_some() && start.starts_with("pub")
                || statement.as_ref().is_some_and(|s| s.starts_with("pub "));
            let tree = statement.take().unwrap_or_default();
            let tree = tree.split(';').next().unwrap_or_default();
            expand("", tree, &mut |path| found.push(Named { words: words(path), is_reexport }));
        } else if begins.is_some() && start.starts_with("pub") {
            // Remembered until the statement ends.
            if let Some(s) = &mut statement {
                s.insert_str(0, "pub ");
            }
        }
    }
    for path in paths(&rest) {
        found.push(Named { words: words(path), is_reexport: false });
    }
    found
}

fn words(path: &str) -> Vec<String> {
    path.trim_start_matches("pub ").split("::").map(|w| w.trim().to_owned()).collect()
}

/// The paths of a tree of `use`.
fn expand(before: &str, tree: &str, put: &mut impl FnMut(&str)) {
    let tree = tree.trim();
    let Some((head, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        if !path.is_empty() {
            put(&format!("{before}{path}"));
        }
        return;
    };
    let before = format!("{before}{}", head.trim());
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let (mut depth, mut start) = (0, 0);
    for (i, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&before, &list[start..i], put);
                start = i + 1;
            }
            _ => {}
        }
    }
    expand(&before, &list[start..], put);
}

/// Paths of at least two words within code.
fn paths(code: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    code.split(move |c| !is_word(c)).filter(|p| {
        let first = p.split("::").next().unwrap_or_default();
        p.contains("::") && first.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found() {
        let text = "use crate::{data, math::{self, Vec3 as V}};\npub use self::a::B;\n// crate::scene\npub(super) use c::{\n    D,\n    E,\n};\nfn f() { super::g(h::i()) }\n#[cfg(test)]\nmod tests {\n    use crate::exec;\n}";
        let found = named(&code(text));
        let found: Vec<_> = found.iter().map(|n| (n.words.join("::"), n.is_reexport)).collect();
        let expected = [
            ("crate::data", false),
            ("crate::math::self", false),
            ("crate::math::Vec3", false),
            ("self::a::B", true),
            ("c::D", true),
            ("c::E", true),
            ("super::g", false),
            ("h::i", false),
        ];
        assert_eq!(found, expected.map(|(path, is_reexport)| (path.to_owned(), is_reexport)));
        assert_eq!(test_modules("mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\nmod tests {"), ["b"]);
    }
}
