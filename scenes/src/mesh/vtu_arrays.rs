//! Arrays of XML VTK files that are no text: base64 within the file, or bytes appended to it, compressed or not.
//!
//! **Source:** the file format description of VTK: before the bytes of an array stands their number; before those of a compressed one the
//! number of its blocks, the size of a block, that of the last one if it is another, and of each block the size that it is compressed to.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::scanner::shown;
use crate::markup::Markup;

/// How a file writes the arrays that are no text.
pub(super) struct Encoding<'a> {
    /// Whether the byte of the highest value comes first.
    pub is_big_endian: bool,
    /// Bytes of a number that counts bytes or blocks.
    pub header_width: usize,
    /// What arrays are compressed by, as the file names it.
    pub compressor: Option<String>,
    /// What is appended to the file.
    pub appended: Option<Appended<'a>>,
}

/// The bytes that are appended to a file.
#[derive(Clone, Copy)]
pub(super) struct Appended<'a> {
    bytes: &'a [u8],
    is_raw: bool,
}

/// The markup of a file, and what is appended to that.
type Divided<'a> = (&'a [u8], Option<Appended<'a>>);

/// Divides a file into its markup, and what is appended to that.
///
/// # Errors
/// The appended data is not as the format asks for: where, and what is wrong.
pub(super) fn without_appended(file: &[u8]) -> Result<Divided<'_>, (usize, String)> {
    const TAG: &[u8] = b"<AppendedData";
    let Some(begin) = file.windows(TAG.len()).position(|w| w == TAG) else {
        return Ok((file, None));
    };
    let wrong = |text: &str| (begin, text.to_owned());
    let inside = file[begin..].iter().position(|b| *b == b'>').map(|end| begin + end + 1);
    let inside = inside.ok_or_else(|| wrong("the file ends within `<AppendedData>`"))?;
    let tag = std::str::from_utf8(&file[begin..inside]).map_err(|_| wrong("`<AppendedData>` is no text"))?;
    let tag = Markup::new(tag).next_tag().map_err(|f| (begin + f.at, f.message.to_string()))?;
    let encoding = tag.iter().flat_map(|tag| &tag.attributes).find(|a| a.name == "encoding");
    let is_raw = encoding.is_some_and(|a| a.value.eq_ignore_ascii_case("raw"));
    let data = file[inside..].trim_ascii_start();
    match data.strip_prefix(b"_") {
        Some(bytes) => Ok((&file[..begin], Some(Appended { bytes, is_raw }))),
        None => Err(wrong("appended data begin with `_`")),
    }
}

impl Encoding<'_> {
    /// The numbers of an array of this type in base64.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn inline(&self, kind: &str, body: &str) -> Result<Vec<f64>, String> {
        self.numbers(kind, Bytes::new(body.as_bytes(), false))
    }

    /// The numbers of an array of this type that begins so far behind the beginning of what is appended.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn appended(&self, kind: &str, offset: Option<&str>) -> Result<Vec<f64>, String> {
        let appended = self.appended.ok_or("the file has no `<AppendedData>`")?;
        let offset = offset.and_then(|text| text.trim().parse::<usize>().ok());
        let offset = offset.ok_or("`offset` says where an appended array begins")?;
        let bytes = appended.bytes.get(offset..).ok_or("`offset` is beyond the appended data")?;
        self.numbers(kind, Bytes::new(bytes, appended.is_raw))
    }

    fn numbers(&self, kind: &str, mut bytes: Bytes<'_>) -> Result<Vec<f64>, String> {
        let data = match self.compressor.as_deref() {
            None => {
                let n = self.header(&mut bytes)?;
                bytes.take(n)?
            }
            Some("vtkZLibDataCompressor") => self.decompressed(&mut bytes)?,
            Some(other) => {
                let name = shown(other.as_bytes());
                return Err(format!(
                    "arrays compressed by `{name}` cannot be read, only vtkZLibDataCompressor"
                ));
            }
        };
        let big = self.is_big_endian;
        match kind {
            "Int8" => typed(&data, big, |b| f64::from(i8::from_le_bytes(b))),
            "UInt8" => typed(&data, big, |b| f64::from(u8::from_le_bytes(b))),
            "Int16" => typed(&data, big, |b| f64::from(i16::from_le_bytes(b))),
            "UInt16" => typed(&data, big, |b| f64::from(u16::from_le_bytes(b))),
            "Int32" => typed(&data, big, |b| f64::from(i32::from_le_bytes(b))),
            "UInt32" => typed(&data, big, |b| f64::from(u32::from_le_bytes(b))),
            "Int64" => typed(&data, big, |b| i64::from_le_bytes(b) as f64),
            "UInt64" => typed(&data, big, |b| u64::from_le_bytes(b) as f64),
            "Float32" => typed(&data, big, |b| f64::from(f32::from_le_bytes(b))),
            "Float64" => typed(&data, big, f64::from_le_bytes),
            other => Err(format!("arrays of the type `{}` cannot be read", shown(other.as_bytes()))),
        }
    }

    /// A number of the header.
    fn header(&self, bytes: &mut Bytes<'_>) -> Result<usize, String> {
        let mut word = bytes.take(self.header_width)?;
        if self.is_big_endian {
            word.reverse();
        }
        let number = word.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        usize::try_from(number).map_err(|_| format!("{number} bytes are more than there can be"))
    }

    fn decompressed(&self, bytes: &mut Bytes<'_>) -> Result<Vec<u8>, String> {
        let n_blocks = self.header(bytes)?;
        let (whole, last) = (self.header(bytes)?, self.header(bytes)?);
        let mut sizes = Vec::new();
        for _ in 0..n_blocks {
            sizes.push(self.header(bytes)?);
        }
        let mut data = Vec::new();
        for (k, size) in sizes.iter().enumerate() {
            let expected = if k + 1 == n_blocks && last > 0 { last } else { whole };
            let (block, before) = (bytes.take(*size)?, data.len());
            let mut decoder = ZlibDecoder::new(block.as_slice()).take(expected as u64);
            decoder.read_to_end(&mut data).map_err(|e| format!("a compressed block cannot be read: {e}"))?;
            if data.len() - before != expected {
                return Err(format!("a block has {} bytes instead of {expected}", data.len() - before));
            }
        }
        Ok(data)
    }
}

/// Numbers of `N` bytes each.
fn typed<const N: usize>(
    data: &[u8],
    is_big_endian: bool,
    number: impl Fn([u8; N]) -> f64,
) -> Result<Vec<f64>, String> {
    let (words, rest) = data.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(format!("{} bytes are no numbers of {N} bytes each", data.len()));
    }
    let ordered = |word: &[u8; N]| {
        let mut word = *word;
        if is_big_endian {
            word.reverse();
        }
        word
    };
    let numbers: Vec<f64> = words.iter().map(|word| number(ordered(word))).collect();
    if numbers.iter().all(|x| x.is_finite()) {
        Ok(numbers)
    } else {
        Err("an entry is not a finite number".to_owned())
    }
}

/// Bytes as they stand in a file, or in base64.
struct Bytes<'a> {
    source: &'a [u8],
    is_raw: bool,
    /// Decoded, and not yet taken.
    left: Vec<u8>,
}

impl<'a> Bytes<'a> {
    fn new(source: &'a [u8], is_raw: bool) -> Self {
        Self { source, is_raw, left: Vec::new() }
    }

    /// The next `n` bytes.
    fn take(&mut self, n: usize) -> Result<Vec<u8>, String> {
        let missing = || "the array ends too early".to_owned();
        if n > self.source.len() + self.left.len() {
            return Err(missing());
        }
        if self.is_raw {
            let (taken, rest) = self.source.split_at(n);
            self.source = rest;
            return Ok(taken.to_vec());
        }
        let mut taken = std::mem::take(&mut self.left);
        while taken.len() < n {
            let [a, b, c, d] = self.four()?.ok_or_else(missing)?;
            let digit = |k: u8| digit(k).ok_or_else(|| format!("`{}` is no base64", shown(&[k])));
            let (a, b) = (digit(a)?, digit(b)?);
            taken.push(a << 2 | b >> 4);
            if c != b'=' {
                let c = digit(c)?;
                taken.push(b << 4 | c >> 2);
                if d != b'=' {
                    taken.push(c << 6 | digit(d)?);
                }
            }
        }
        self.left = taken.split_off(n);
        Ok(taken)
    }

    /// The next four characters of base64.
    fn four(&mut self) -> Result<Option<[u8; 4]>, String> {
        let mut four = [0; 4];
        for (k, place) in four.iter_mut().enumerate() {
            self.source = self.source.trim_ascii_start();
            match self.source.split_first() {
                Some((first, rest)) => (*place, self.source) = (*first, rest),
                None if k == 0 => return Ok(None),
                None => return Err("base64 comes in groups of four characters".to_owned()),
            }
        }
        Ok(Some(four))
    }
}

/// The value of a character of base64.
fn digit(character: u8) -> Option<u8> {
    Some(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(header_width: usize) -> Encoding<'static> {
        Encoding { is_big_endian: false, header_width, compressor: None, appended: None }
    }

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, decoded) in
            [("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm 9v\nYmFy", "foobar")]
        {
            let taken = Bytes::new(text.as_bytes(), false).take(decoded.len()).unwrap();
            assert_eq!(taken, decoded.as_bytes());
            assert!(Bytes::new(text.as_bytes(), false).take(decoded.len() + 1).is_err());
        }
        assert!(Bytes::new(b"Zm9", false).take(2).is_err());
        assert!(Bytes::new(b"Zm9*", false).take(3).is_err());
    }

    #[test]
    fn numbers_have_their_type_and_their_order_of_bytes() {
        // 3 bytes: 1, 2, 255.
        assert_eq!(encoding(4).inline("UInt8", "AwAAAAEC/w=="), Ok(vec![1.0, 2.0, 255.0]));
        assert_eq!(encoding(4).inline("Int8", "AwAAAAEC/w=="), Ok(vec![1.0, 2.0, -1.0]));
        // The same with a header of its own.
        assert_eq!(encoding(4).inline("Int8", "AwAAAA==AQL/"), Ok(vec![1.0, 2.0, -1.0]));
        let big = Encoding { is_big_endian: true, ..encoding(4) };
        assert_eq!(big.inline("Int16", "AAAABAEC//8="), Ok(vec![258.0, -1.0]));
        let e = encoding(4).inline("Int16", "AwAAAAEC/w==").unwrap_err();
        assert_eq!(e, "3 bytes are no numbers of 2 bytes each");
        assert!(encoding(8).inline("Int16", "AwAAAAEC/w==").is_err());
        assert!(encoding(4).inline("String", "AwAAAAEC/w==").is_err());
        assert_eq!(encoding(4).inline("Int8", "/////wEC").unwrap_err(), "the array ends too early");
    }
}
