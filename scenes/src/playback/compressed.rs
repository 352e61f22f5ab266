//! Text files that may be compressed: those whose names end in `.gz`.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "gz")
}

/// Reads a text, decompressing a `.gz`, without a mark (BOM) at its beginning; and whether it ends early.
///
/// **Source:** SOFA does not always finish the compressed files that it writes. Of one that ends early the whole lines are read.
///
/// # Errors
/// It cannot be read, is not compressed though it is called so, or is no text.
pub fn read_text(path: &Path) -> io::Result<(String, bool)> {
    if !is_compressed(path) {
        return std::fs::read_to_string(path).map(|text| (plain(text), false));
    }
    let (mut bytes, mut is_cut) = (Vec::new(), false);
    match MultiGzDecoder::new(File::open(path)?).read_to_end(&mut bytes) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof && !bytes.is_empty() => {
            let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
            bytes.truncate(whole);
            is_cut = true;
        }
        result => drop(result?),
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))?;
    Ok((plain(text), is_cut))
}

/// A text without a mark, and with lines that end as usual.
fn plain(text: String) -> String {
    let end = if text.contains('\n') { "\n" } else { "\r" };
    match text.strip_prefix('\u{feff}') {
        Some(text) => text.replace(end, "\n"),
        None if end == "\r" => text.replace(end, "\n"),
        None => text,
    }
}

/// A text file on its way, compressed if it is called `.gz`.
pub enum TextSink {
    /// As it is.
    Plain(BufWriter<File>),
    /// Compressed.
    Compressed(GzEncoder<BufWriter<File>>),
}

impl TextSink {
    /// Writes into a file that was created under this name.
    pub fn new(path: &Path, file: File) -> Self {
        let out = BufWriter::new(file);
        if is_compressed(path) {
            Self::Compressed(GzEncoder::new(out, Compression::default()))
        } else {
            Self::Plain(out)
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What is left cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Compressed(out) => out.finish()?.flush(),
        }
    }
}

impl Write for TextSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Compressed(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Compressed(out) => out.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_even_if_the_end_is_missing() {
        let directory = tempfile::tempdir().expect("a directory");
        let text: String = (0..2000).map(|k| format!("line {k}\n")).collect();
        for name in ["plain.txt", "packed.txt.gz"] {
            let path = directory.path().join(name);
            let mut sink = TextSink::new(&path, File::create(&path).expect("created"));
            sink.write_all(text.as_bytes()).and_then(|()| sink.flush()).expect("written");
            sink.finish().expect("finished");
            assert_eq!(read_text(&path).expect("read"), (text.clone(), false));
        }
        let path = directory.path().join("packed.txt.gz");
        let bytes = std::fs::read(&path).expect("read");
        assert!(bytes.len() < text.len() / 2, "it is compressed");
        std::fs::write(&path, &bytes[..bytes.len() - 12]).expect("cut");
        let (read, is_cut) = read_text(&path).expect("read as far as it goes");
        assert!(is_cut && text.starts_with(&read) && read.ends_with('\n') && read.len() > text.len() / 2);
        let old = directory.path().join("old.txt");
        std::fs::write(&old, "\u{feff}T= 0\rX= 1\r").expect("written");
        assert_eq!(read_text(&old).expect("read").0, "T= 0\nX= 1\n");
        std::fs::write(&path, "no gz").expect("written");
        assert!(read_text(&path).is_err());
    }
}
