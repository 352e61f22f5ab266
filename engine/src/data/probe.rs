//! A look at a buffer of floats from outside its tasks, for checks that a task overwrites what it declares.
#![allow(unsafe_code, reason = "it reaches a buffer by its slot, as tasks do")]

use super::handle::DataId;
use super::store::{Slot, Store};

/// The words of a buffer of floats, wherever it is now.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    slot: *const Slot,
    words_per_element: usize,
}

impl Store {
    /// A probe of buffer `id`, if its elements consist of `f64` alone.
    pub fn probe(&self, id: DataId) -> Option<Probe> {
        let info = self.info(id);
        let words_per_element = info.element_size() / size_of::<f64>();
        (info.floats && words_per_element > 0).then(|| Probe { slot: self.slot(id), words_per_element })
    }
}

impl Probe {
    fn words(&self) -> (*mut u64, usize) {
        // SAFETY: slots live as long as somebody keeps their store (contract of both callers).
        unsafe { ((*self.slot).ptr.cast(), (*self.slot).len * self.words_per_element) }
    }

    /// Sets all words.
    ///
    /// # Safety
    /// The store lives, and nobody else uses the buffer.
    pub unsafe fn fill(&self, word: u64) {
        let (words, n) = self.words();
        // SAFETY: the buffer holds `n` words of floats, for which any bits will do; the caller's promise.
        (0..n).for_each(|k| unsafe { *words.add(k) = word });
    }

    /// The first element that holds a word.
    ///
    /// # Safety
    /// The store lives, and nobody writes the buffer.
    pub unsafe fn find(&self, word: u64) -> Option<usize> {
        let (words, n) = self.words();
        // SAFETY: as in `fill`.
        (0..n).find(|&k| unsafe { *words.add(k) } == word).map(|k| k / self.words_per_element)
    }
}
