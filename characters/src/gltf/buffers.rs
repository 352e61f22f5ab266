//! The bytes of a file, beside it and in it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use gltf::Gltf;
use gltf::buffer::Source;

use super::wrong::{Wrong, wrong};

/// The bytes of all buffers, each at least as many as the file says.
///
/// **Source:** glTF 2.0, section 4.4.3.2: the first buffer alone may be the binary chunk.
pub(super) fn buffers(gltf: &Gltf, folder: Option<&Path>) -> Result<Vec<Vec<u8>>, Wrong> {
    let mut all = Vec::new();
    for buffer in gltf.document.buffers() {
        let at = format!("buffers[{}]", buffer.index());
        let bytes = match buffer.source() {
            Source::Bin if buffer.index() > 0 => return Err(wrong(at, "it has no uri")),
            Source::Bin => {
                let blob = gltf.blob.clone();
                blob.ok_or_else(|| wrong(at.as_str(), "it has no uri, and the file has no binary chunk"))?
            }
            Source::Uri(uri) => {
                bytes_of(uri, buffer.length(), folder).map_err(|what| wrong(at.as_str(), what))?
            }
        };
        if bytes.len() < buffer.length() {
            let what = format!("it has {} bytes, but byteLength says {}", bytes.len(), buffer.length());
            return Err(wrong(at, what));
        }
        all.push(bytes);
    }
    Ok(all)
}

/// So many bytes of a file, or all of a data URI.
fn bytes_of(uri: &str, length: usize, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    if let Some(data) = without_start(uri, "data:") {
        return data_of(data).map_err(|what| format!("its data URI: {what}"));
    }
    let name = urlencoding::decode(uri).map_err(|e| format!("`{uri}`: {e}"))?;
    if uri.is_empty() {
        return Err("its uri is empty".to_owned());
    }
    if uri.contains("://") || Path::new(name.as_ref()).is_absolute() {
        return Err(format!("`{uri}` is not a file beside this one"));
    }
    let Some(folder) = folder else {
        return Err(format!("it is in the file `{name}`, which is not at hand"));
    };
    let path = folder.join(name.as_ref());
    let read = || {
        let mut file = File::open(&path)?;
        // A device has no end, and a file may go on behind the buffer.
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("it is no file"));
        }
        let mut bytes = Vec::new();
        file.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|e| format!("{}: {e}", path.display()))
}

/// A text without its start, which may be in upper or lower case; none if it has another one.
fn without_start<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (begin, rest) = text.split_at_checked(start.len())?;
    begin.eq_ignore_ascii_case(start).then_some(rest)
}

/// The bytes of a data URI behind its scheme: in base64, or as they are, those that are no letters as `%` and two digits.
///
/// **Source:** RFC 2397.
fn data_of(uri: &str) -> Result<Vec<u8>, String> {
    let (kind, data) = uri.split_once(',').ok_or("it has no comma before its data")?;
    let is_cut = |part: &str| !part.as_bytes().get(..2).is_some_and(|b| b.iter().all(u8::is_ascii_hexdigit));
    if data.split('%').skip(1).any(is_cut) {
        return Err("two digits from 0 to f should follow each `%`".to_owned());
    }
    let bytes = urlencoding::decode_binary(data.as_bytes());
    let is_base64 = kind.rsplit(';').next().is_some_and(|last| last.eq_ignore_ascii_case("base64"));
    if is_base64 { base64::decode(bytes).map_err(|e| e.to_string()) } else { Ok(bytes.into_owned()) }
}
