//! Binary files: a header, then chunks.

use super::wrong::{Wrong, of_version, wrong};

/// Bytes of a header, and of what stands before each chunk.
const HEADER: usize = 12;
const BEFORE_CHUNK: usize = 8;

/// The JSON of a binary file, and the bytes of its buffer if it has one. Chunks of other kinds are left out, as extensions may have them.
pub(super) fn parts<'b>(
    bytes: &'b [u8],
    warnings: &mut Vec<String>,
) -> Result<(&'b [u8], Option<&'b [u8]>), Wrong> {
    check_header(bytes)?;
    let said = word(bytes, 8).unwrap_or(0) as usize;
    let (kind, mut json, mut end) = chunk(bytes, HEADER)?;
    if kind != *b"JSON" {
        return Err(wrong("the file", "its first chunk is not of JSON"));
    }
    let mut binary = None;
    // What stands behind the end that the header says is a buffer at most.
    while binary.is_none() && bytes.len() >= end + BEFORE_CHUNK {
        let is_buffer = bytes[end + 4..].starts_with(b"BIN\0");
        if !is_buffer && end >= said {
            break;
        }
        let (_, data, next) = chunk(bytes, end)?;
        (binary, end) = (is_buffer.then_some(data), next);
    }
    if said < end {
        warnings.push(format!("its header says {said} bytes, but its chunks end at {end}: they are read"));
    }
    if json.ends_with(&[0]) {
        warnings.push("its JSON is padded with zeros in the place of blanks".to_owned());
        let length = json.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        json = &json[..length];
    }
    Ok((json, binary))
}

/// A header says how long a binary file is: one that was cut is shorter.
fn check_header(bytes: &[u8]) -> Result<(), Wrong> {
    match word(bytes, 4) {
        None | Some(2) => {}
        Some(1) => return Err(of_version("1.0")),
        Some(other) => {
            return Err(wrong(
                "the header",
                format!("it is of version {other} of binary glTF, but 2 is supported"),
            ));
        }
    }
    let cut = |of: &str| wrong("the file", format!("it is cut: it has {} bytes{of}", bytes.len()));
    match word(bytes, 8) {
        None => Err(cut(", which is less than a header")),
        Some(said) if bytes.len() < said as usize => Err(cut(&format!(", and its header says {said}"))),
        Some(_) => Ok(()),
    }
}

/// The chunk that begins at a byte: its kind, what it holds, and where it ends.
fn chunk(bytes: &[u8], at: usize) -> Result<([u8; 4], &[u8], usize), Wrong> {
    let head = bytes.get(at..at + BEFORE_CHUNK);
    let head = head.ok_or_else(|| wrong("the file", format!("there is no chunk at byte {at}")))?;
    let (begin, length) = (at + BEFORE_CHUNK, word(head, 0).unwrap_or(0) as usize);
    let data = begin.checked_add(length).and_then(|end| Some((bytes.get(begin..end)?, end)));
    let (data, end) = data.ok_or_else(|| {
        let there = bytes.len() - begin;
        wrong("the file", format!("the chunk at byte {at} has {there} bytes, but says {length}"))
    })?;
    Ok(([head[4], head[5], head[6], head[7]], data, end))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}
