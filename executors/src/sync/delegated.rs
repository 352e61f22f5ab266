//! A value behind a lock whose holder does what others have left for it.

use std::sync::{PoisonError, TryLockError};

use super::{Mutex, MutexGuard};

/// A value behind a lock, and letters for whoever holds it. Who must not wait leaves a letter and tries the lock once.
///
/// The holder reads the letters, lets go, and looks once more ([`Self::look_late`]). The letters have a lock of their own. So of a letter
/// whose writer found the lock taken, the holder's late look comes after it; or the writer's attempt comes after the holder has let go.
///
/// **Source:** delegation, as in Hendler, Incze, Shavit and Tzafrir, *Flat combining and the synchronization-parallelism tradeoff*, SPAA
/// 2010; there the writer waits for an answer, here nobody does.
#[derive(Debug)]
pub struct Delegated<T, L> {
    value: Mutex<T>,
    letters: Mutex<Vec<L>>,
}

impl<T, L> Delegated<T, L> {
    /// A value without letters.
    pub fn new(value: T) -> Self {
        Self { value: Mutex::new(value), letters: Mutex::new(Vec::new()) }
    }

    /// The value, waited for. Who lets go of it looks late.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        // A panic under the lock is its holder's, who says what the value is worth then.
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, if nobody has it. Who lets go of it looks late.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.value.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn letters(&self) -> MutexGuard<'_, Vec<L>> {
        // Nothing panics while the lock is held but the list's growth, which leaves it as it was.
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a letter. Who does so looks late afterwards, or takes the value by [`Self::try_lock`] and reads the letters.
    pub fn leave(&self, letter: L) {
        self.letters().push(letter);
    }

    /// Reads the letters in the order in which they came. The caller holds the value. The letters' lock is free meanwhile: what is read
    /// may leave letters.
    pub fn read(&self, mut one: impl FnMut(L)) {
        let mut list = std::mem::take(&mut *self.letters());
        list.drain(..).for_each(&mut one);
        let mut letters = self.letters();
        if letters.is_empty() {
            // The memory serves again.
            *letters = list;
        }
    }

    /// Looks whether letters were left while the lock was held: as long as there are some, and nobody else has the value, `read` gets it.
    pub fn look_late(&self, mut read: impl FnMut(&mut T)) {
        while !self.letters().is_empty() {
            // Who has it looks after this look.
            let Some(mut value) = self.try_lock() else { return };
            read(&mut value);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_in_order_by_whoever_has_the_value() {
        let shared = Delegated::new(Vec::new());
        let read = |list: &mut Vec<u32>| shared.read(|letter| list.push(letter));
        let held = shared.lock();
        assert!(shared.try_lock().is_none());
        (1..3).for_each(|k| shared.leave(k));
        // Nobody waits for the holder.
        shared.look_late(|_| panic!("somebody else has it"));
        drop(held);
        shared.look_late(read);
        assert_eq!(*shared.lock(), [1, 2]);
    }

    #[test]
    fn what_is_read_may_leave_letters() {
        let shared = Delegated::new(0);
        shared.leave(3_u32);
        shared.look_late(|sum| {
            shared.read(|letter| {
                *sum += letter;
                if letter > 0 {
                    shared.leave(letter - 1);
                }
            });
        });
        assert_eq!(*shared.lock(), 6);
    }
}
