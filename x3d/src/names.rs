//! Names as numbers: each name of a load is kept once.

use std::sync::Arc;

/// A name of a [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name(pub(crate) u32);

/// All names of a load; equal names have equal numbers.
///
/// A table of its own with open addressing: a file of a million routes asks four million times, and the order of a standard hash
/// map is another in each run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    /// Hashes, and numbers plus one; 0 is free. The length is a power of two, at most half of it in use.
    table: Vec<(u32, u32)>,
}

impl Names {
    /// The number of a name, which is new or not.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if self.table.len() < 2 * (self.texts.len() + 1) {
            self.grow();
        }
        let hash = hash(text.as_bytes());
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (known, number) = self.table[slot];
            if number == 0 {
                self.texts.push(text.into());
                let number = self.texts.len() as u32;
                self.table[slot] = (hash, number);
                return Name(number - 1);
            }
            if known == hash && *self.texts[number as usize - 1] == *text {
                return Name(number - 1);
            }
            slot = (slot + 1) & mask;
        }
    }
    /// The text of a name.
    pub(crate) fn text(&self, name: Name) -> &Arc<str> {
        &self.texts[name.0 as usize]
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); (4 * (self.texts.len() + 1)).next_power_of_two().max(64)];
        let mask = larger.len() - 1;
        for entry in std::mem::replace(&mut self.table, larger) {
            if entry.1 != 0 {
                let mut slot = entry.0 as usize & mask;
                while self.table[slot].1 != 0 {
                    slot = (slot + 1) & mask;
                }
                self.table[slot] = entry;
            }
        }
    }
}

fn hash(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut h = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = (h ^ u64::from_le_bytes(word)).wrapping_mul(PRIME);
        h ^= h >> 29;
    }
    (h ^ (h >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_numbers() {
        let mut names = Names::default();
        let first: Vec<Name> = (0..1000).map(|k| names.intern(&format!("n{k}"))).collect();
        let again: Vec<Name> = (0..1000).map(|k| names.intern(&format!("n{k}"))).collect();
        assert_eq!(first, again);
        assert_eq!(&**names.text(first[17]), "n17");
        assert_ne!(names.intern(""), names.intern("a"));
    }
}
