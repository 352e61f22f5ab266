//! Files that scenes name, read once each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Location, Severity};

use crate::names::Names;
use crate::options::LoadOptions;
use crate::syntax;
use crate::syntax::encoding::{self, Encoding};
use crate::syntax::tree::Tree;

/// Addresses that name no file here.
const ELSEWHERE: [&str; 6] = ["http:", "https:", "ftp:", "urn:", "data:", "mailto:"];

/// Why an address yields no tree.
#[derive(Debug)]
pub(crate) enum Absent {
    /// It names no file, or one that is not there.
    NotFound(String),
    /// What it names cannot be read.
    Bad(Vec<Diagnostic>),
}

/// The file that an address names, relative to a file; none where it is no file's address.
pub(crate) fn path_of(url: &str, base: &str) -> Option<PathBuf> {
    let url = url.trim().trim_matches('"');
    let scheme = url.get(..url.find(':').map_or(0, |k| k + 1)).unwrap_or_default().to_lowercase();
    if url.is_empty() || ELSEWHERE.contains(&&*scheme) {
        return None;
    }
    let url = url.strip_prefix("file://").or_else(|| url.strip_prefix("file:")).unwrap_or(url);
    let plain = unescape(url).replace('\\', "/");
    let folder = Path::new(base).parent().unwrap_or(Path::new(""));
    Some(folder.join(plain))
}

/// An address in its file's part and what follows `#`.
pub(crate) fn split(url: &str) -> (&str, Option<&str>) {
    match url.split_once('#') {
        Some((file, part)) => (file, Some(part.trim().trim_matches('"'))),
        None => (url, None),
    }
}

/// An address without `%20` and its like.
fn unescape(url: &str) -> String {
    let bytes = url.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut k = 0;
    while k < bytes.len() {
        let code =
            url.get(k + 1..k + 3).filter(|_| bytes[k] == b'%').and_then(|h| u8::from_str_radix(h, 16).ok());
        plain.push(code.unwrap_or(bytes[k]));
        k += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(plain).unwrap_or_else(|_| url.to_owned())
}

/// A path in one spelling, so that a file is known again.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Reads a file into its tree, with warnings and errors about what the tree does without.
pub(crate) fn read(
    path: &Path,
    options: &LoadOptions,
    names: &mut Names,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Tree, Absent> {
    let file: Arc<str> = path.to_string_lossy().into();
    let at = Location { file: file.clone(), line: 0, column: 0 };
    let bad = |message: String| Absent::Bad(vec![Diagnostic::new(Severity::Error, &at, message)]);
    match std::fs::metadata(path) {
        Err(e) => return Err(Absent::NotFound(format!("`{file}`: {e}"))),
        Ok(m) if !m.is_file() => return Err(Absent::NotFound(format!("`{file}` is no file"))),
        Ok(m) if m.len() > options.max_file_bytes => {
            return Err(bad(format!(
                "has {} bytes, more than the limit of {}",
                m.len(),
                options.max_file_bytes
            )));
        }
        Ok(_) => {}
    }
    let bytes = std::fs::read(path).map_err(|e| bad(e.to_string()))?;
    let mut found = Vec::new();
    let text = encoding::text(bytes, options.max_file_bytes, &at, &mut found).map_err(&bad)?;
    let tree = parse(file, text, Some(path), None, names, &mut found);
    match tree {
        Some(tree) => {
            warnings.append(&mut found);
            Ok(tree)
        }
        None => Err(Absent::Bad(found)),
    }
}

/// A text's tree. A fragment may do without a header; it is taken for ClassicVRML if it does not look like XML.
pub(crate) fn parse(
    file: Arc<str>,
    text: String,
    path: Option<&Path>,
    fragment: Option<Encoding>,
    names: &mut Names,
    found: &mut Vec<Diagnostic>,
) -> Option<Tree> {
    let at = Location { file: file.clone(), line: 0, column: 0 };
    let encoding = match (encoding::detect(&text, path, &at), fragment) {
        (Ok((encoding, None)), _) => encoding,
        (_, Some(encoding)) => encoding,
        (Ok((encoding, Some(warning))), None) => {
            found.push(warning);
            encoding
        }
        (Err(d), None) => {
            found.push(*d);
            return None;
        }
    };
    syntax::parse(file, text, encoding, fragment.is_some(), names, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_to_their_file() {
        let path = |u| path_of(u, "a/b/c.x3d").map(|p| p.to_string_lossy().into_owned());
        assert_eq!(path("d%20e.wrl"), Some("a/b/d e.wrl".to_owned()));
        assert_eq!(path("\"x.x3dv"), Some("a/b/x.x3dv".to_owned()));
        assert_eq!(path("https://web3d.org/x.x3d"), None);
        assert_eq!(path("/x.x3d"), Some("/x.x3d".to_owned()));
        assert_eq!(split("f.x3d#P"), ("f.x3d", Some("P")));
    }
}
