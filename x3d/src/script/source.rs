//! Where a Script's text comes from: its `url`.

use std::path::Path;
use std::sync::Arc;

/// Reads Scripts that are files of their own.
pub trait SourceLoader: Send {
    /// The text at an address, relative to the file that names it.
    ///
    /// # Errors
    /// Why there is none, in one line.
    fn text(&mut self, url: &str, base: &str) -> Result<String, String>;
}

/// Files of this machine, relative to the file that names them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

/// No Script is longer \[bytes\].
const LONGEST: u64 = 16 << 20;

impl SourceLoader for LocalFiles {
    fn text(&mut self, url: &str, base: &str) -> Result<String, String> {
        let path = match url.split_once(':') {
            Some(("file", path)) => path.strip_prefix("//").unwrap_or(path),
            Some((scheme, _)) if scheme.len() > 1 => {
                return Err(format!("{scheme}: addresses are not loaded"));
            }
            _ => url,
        };
        let path = Path::new(base).parent().unwrap_or(Path::new("")).join(path.replace("%20", " "));
        let about = std::fs::metadata(&path).map_err(|e| e.to_string())?;
        if !about.is_file() || about.len() > LONGEST {
            return Err(format!("no file, or longer than {LONGEST} bytes"));
        }
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|e| e.into_bytes().iter().map(|b| char::from(*b)).collect()))
    }
}

/// Names of the language in an address.
const SCHEMES: [&str; 3] = ["ecmascript:", "javascript:", "vrmlscript:"];

/// Types of data that are programs (RFC 2397's addresses, without base64).
const PROGRAMS: [&str; 4] = [
    "data:text/javascript,",
    "data:application/javascript,",
    "data:application/ecmascript,",
    "data:text/ecmascript,",
];

/// The text that an address holds itself.
fn inline(url: &str) -> Option<&str> {
    let text = url.trim_start();
    SCHEMES.iter().chain(&PROGRAMS).find_map(|scheme| {
        let start = text.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
    })
}

/// The first text among addresses that can be had, and why those before it, or all, cannot.
pub(super) fn find(
    urls: &[Arc<str>],
    base: &str,
    loader: &mut dyn SourceLoader,
) -> (Option<String>, Vec<String>) {
    let mut troubles = Vec::new();
    for url in urls {
        if let Some(text) = inline(url) {
            return (Some(text.to_owned()), troubles);
        }
        let name = url.trim().trim_matches('"');
        if name.is_empty() {
            continue;
        }
        // A program whose author forgot to say so.
        if name.contains("function") && name.contains('{') {
            troubles.push("the text does not begin with `ecmascript:`: taken as that".to_owned());
            return (Some(url.to_string()), troubles);
        }
        if [".class", ".jar", ".java"].iter().any(|end| name.to_lowercase().ends_with(end)) {
            troubles.push(format!("`{name}` is a program in Java, which does not run here"));
            continue;
        }
        match loader.text(name, base) {
            Ok(text) => return (Some(inline(&text).map_or(text.clone(), str::to_owned)), troubles),
            Err(why) => troubles.push(format!("`{name}`: {why}")),
        }
    }
    (None, troubles)
}

/// Whether a text mentions what reaches beyond the Script's own fields.
pub(super) fn reaches_out(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "Route",
        "createX3D",
        "createVrml",
        "createNode",
        "createProto",
        "currentScene",
        "getScene",
        "ExecutionContext",
        "SFNode",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Only(&'static str, &'static str);
    impl SourceLoader for Only {
        fn text(&mut self, url: &str, _base: &str) -> Result<String, String> {
            if url == self.0 { Ok(self.1.to_owned()) } else { Err("not there".to_owned()) }
        }
    }
    fn of(urls: &[&str]) -> (Option<String>, usize) {
        let urls: Vec<Arc<str>> = urls.iter().map(|u| (*u).into()).collect();
        let (text, troubles) = find(&urls, "", &mut Only("a.js", "javascript:1"));
        (text, troubles.len())
    }

    #[test]
    fn the_first_address_that_works_is_taken() {
        assert_eq!(of(&[]), (None, 0));
        assert_eq!(of(&["\n  EcmaScript: x = 1"]), (Some(" x = 1".into()), 0));
        assert_eq!(of(&["vrmlscript:y"]), (Some("y".into()), 0));
        assert_eq!(of(&["data:text/javascript, y"]), (Some(" y".into()), 0));
        assert_eq!(of(&["A.class", "fails.js", "javascript:z"]), (Some("z".into()), 2));
        assert_eq!(of(&["a.js"]), (Some("1".into()), 0));
        assert_eq!(of(&["function f() {}"]), (Some("function f() {}".into()), 1));
        assert_eq!(of(&["äöü:", ""]), (None, 1));
    }
}
