//! A state as one number.

use std::fmt::Write;

/// FNV-1a: stable across platforms and versions, unlike the standard library's hasher.
pub(crate) struct StateHash(u64);

impl StateHash {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds the bits of a number.
    pub(crate) fn add(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// As it is written in reports.
    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Write for StateHash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}
