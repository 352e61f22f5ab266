//! What the algorithms need of a list that they fill: a `Vec`, or the growable list of a task.

/// A growable list that keeps its capacity when it is cleared.
pub trait List<T: Copy> {
    /// Removes everything.
    fn clear(&mut self);
    /// Appends one.
    fn push(&mut self, value: T);
    /// Takes the last one away.
    fn pop(&mut self) -> Option<T>;
    /// Keeps the first `len` only.
    fn truncate(&mut self, len: usize);
    /// What is in it.
    fn as_slice(&self) -> &[T];
    /// What is in it.
    fn as_mut_slice(&mut self) -> &mut [T];
}

impl<T: Copy> List<T> for Vec<T> {
    #[inline]
    fn clear(&mut self) {
        Vec::clear(self);
    }
    #[inline]
    fn push(&mut self, value: T) {
        Vec::push(self, value);
    }
    #[inline]
    fn pop(&mut self) -> Option<T> {
        Vec::pop(self)
    }
    #[inline]
    fn truncate(&mut self, len: usize) {
        Vec::truncate(self, len);
    }
    #[inline]
    fn as_slice(&self) -> &[T] {
        self
    }
    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}
