//! Bytes of a file as text, and which encoding it is: by what it holds, not by its name.
//!
//! **Source:** ISO/IEC 19776-1 and -2 (headers), 14772-1 4.2 (VRML97's), RFC 1952 (gzip's magic bytes).

use std::io::Read;
use std::path::Path;

use diagnostics::{Diagnostic, Location, Severity};

/// An encoding of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// X3D's XML.
    Xml,
    /// X3D's ClassicVRML.
    Classic,
    /// VRML97.
    Vrml97,
}

/// The text of a file's bytes, unpacked if they are gzipped.
pub(crate) fn text(
    bytes: Vec<u8>,
    limit: u64,
    at: &Location,
    warnings: &mut Vec<Diagnostic>,
) -> Result<String, String> {
    let too_long = || format!("is longer than {limit} bytes, the limit for a file");
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let mut unpacker = flate2::read::MultiGzDecoder::new(&bytes[..]).take(limit + 1);
        unpacker.read_to_end(&mut plain).map_err(|e| format!("cannot be unpacked: {e}"))?;
        plain
    } else {
        bytes
    };
    if bytes.len() as u64 > limit {
        return Err(too_long());
    }
    if let [0xff, 0xfe, rest @ ..] | [0xfe, 0xff, rest @ ..] = &bytes[..] {
        let unit = if bytes[0] == 0xff { u16::from_le_bytes } else { u16::from_be_bytes };
        let (units, odd) = rest.as_chunks();
        let text: Result<String, _> = char::decode_utf16(units.iter().map(|u| unit(*u))).collect();
        let text = text.ok().filter(|_| odd.is_empty()).ok_or("is UTF-16, and not all of it is text")?;
        warnings.push(Diagnostic::new(Severity::Warning, at, "is UTF-16; X3D files are UTF-8"));
        return Ok(text);
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let place = e.utf8_error().valid_up_to();
            let bytes = e.into_bytes();
            let line = 1 + bytes[..place].iter().filter(|b| **b == b'\n').count();
            let at = Location { line: line as u32, column: 0, ..at.clone() };
            warnings.push(Diagnostic::new(Severity::Warning, &at, "not UTF-8; read as Latin-1"));
            bytes.into_iter().map(char::from).collect()
        }
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// What a text is; an error where it is nothing that is read here.
pub(crate) fn detect(
    text: &str,
    path: Option<&Path>,
    at: &Location,
) -> Result<(Encoding, Option<Diagnostic>), Box<Diagnostic>> {
    let error = |message: &str| Err(Box::new(Diagnostic::new(Severity::Error, at, message)));
    let head = text.trim_start();
    if head.is_empty() {
        return error("the file is empty");
    }
    if head.starts_with('<') {
        return Ok((Encoding::Xml, None));
    }
    if head.starts_with("#X3D") {
        return Ok((Encoding::Classic, None));
    }
    if head.starts_with("#VRML V2.0") {
        return Ok((Encoding::Vrml97, None));
    }
    if head.starts_with("#VRML V1.0") {
        return error("VRML 1.0 is another language, which is not read; `#VRML V2.0 utf8` and X3D are");
    }
    if head.starts_with('{') {
        return error("X3D's JSON encoding is not read; its XML and ClassicVRML encodings are");
    }
    if head.starts_with('\u{0}') || text.bytes().take(64).any(|b| b < 9) {
        return error("a binary file; X3D is read as XML and as ClassicVRML, plain or gzipped");
    }
    let extension = path.and_then(Path::extension).and_then(|e| e.to_str()).map(str::to_lowercase);
    let encoding = match extension.as_deref() {
        Some("wrl" | "wrz" | "vrml") => Encoding::Vrml97,
        _ => Encoding::Classic,
    };
    let header = if encoding == Encoding::Vrml97 { "#VRML V2.0 utf8" } else { "#X3D V4.0 utf8" };
    let d = Diagnostic::new(
        Severity::Warning,
        at,
        format!("no header; read as if the file began with `{header}`"),
    );
    Ok((encoding, Some(d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_says_what_a_file_is() {
        let is = |t: &str, p: &str| {
            detect(t, Some(Path::new(p)), &Location::default()).map(|d| (d.0, d.1.is_some()))
        };
        assert_eq!(is("#X3D V3.0 utf8\n", "a.x3d"), Ok((Encoding::Classic, false)));
        assert_eq!(is(" <X3D/>", "a.wrl"), Ok((Encoding::Xml, false)));
        assert_eq!(is("#VRML V2.0 utf8", "a"), Ok((Encoding::Vrml97, false)));
        assert_eq!(is("Group {}", "a.wrl"), Ok((Encoding::Vrml97, true)));
        for bad in ["", " \n", "#VRML V1.0 ascii", "{ \"X3D\": {} }", "\u{1}\u{2}"] {
            assert!(is(bad, "a.x3d").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn utf_16_is_read_with_a_warning() {
        let units: Vec<u16> = "\u{feff}#VRML V2.0 utf8 \u{e9}\u{1f600}".encode_utf16().collect();
        for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = units.iter().flat_map(|u| bytes_of(*u)).collect();
            let (mut found, at) = (Vec::new(), Location::default());
            let whole = text(bytes.clone(), 100, &at, &mut found);
            assert_eq!((whole.as_deref(), found.len()), (Ok("#VRML V2.0 utf8 \u{e9}\u{1f600}"), 1));
            assert!(
                text(bytes[..bytes.len() - 2].to_vec(), 100, &at, &mut found).is_err(),
                "half a character"
            );
            assert!(text(bytes[..5].to_vec(), 100, &at, &mut found).is_err(), "half a unit");
        }
    }

    #[test]
    fn latin_1_is_read_with_a_warning() {
        let mut warnings = Vec::new();
        let t = text(vec![b'a', b'\n', 0xe4], 100, &Location::default(), &mut warnings);
        assert_eq!(t, Ok("a\nä".to_owned()));
        assert_eq!(warnings[0].location.line, 2);
        assert!(text(vec![b'a'; 9], 8, &Location::default(), &mut warnings).is_err());
    }
}
