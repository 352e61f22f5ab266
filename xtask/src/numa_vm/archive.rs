//! An archive of files as Linux takes its first file system from (cpio, format "newc").
//!
//! **Source:** Documentation/driver-api/early-userspace/buffer-format.rst of the Linux sources.

/// An archive in the making.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    n_files: u32,
}

const FILE: u32 = 0o100_755;

impl Archive {
    /// Adds a program or script in the root directory.
    pub fn add(&mut self, name: &str, contents: &[u8]) {
        self.entry(name, FILE, contents);
    }

    /// The finished archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, contents: &[u8]) {
        self.n_files += 1;
        // Number, mode, owner, group, links, time, size, device (4 numbers), length of the name, sum.
        let fields =
            [self.n_files, mode, 0, 0, 1, 0, contents.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(contents);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_aligned_and_the_trailer_comes_last() {
        let mut archive = Archive::default();
        archive.add("init", b"#!/sh");
        let bytes = archive.finish();
        assert_eq!(bytes.len() % 4, 0);
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[110..115], b"init\0");
        // The header and the name fill 116 bytes with padding; then the contents.
        assert_eq!(&bytes[116..121], b"#!/sh");
        let second = 124;
        assert_eq!(&bytes[second..second + 6], b"070701");
        assert!(bytes[second + 110..].starts_with(b"TRAILER!!!\0"));
    }
}
