//! A worker's own queue, from which others may steal.

use std::collections::VecDeque;
use std::sync::{PoisonError, TryLockError};

use super::{Mutex, MutexGuard};

/// What has a rank: more comes first.
pub trait Ranked {
    /// The rank.
    fn rank(&self) -> u64;
}

/// What became of an attempt to steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stolen {
    /// So many were taken, one at least.
    Some(usize),
    /// There was nothing.
    Nothing,
    /// Its owner, or another thief, was at it.
    Busy,
}

/// Things that a worker is to do, the highest rank first; of equal rank, the earlier first. Others may steal half of them.
///
/// **Source:** the local queue of Zettersten, *A parallel architecture for real-time games*, KTH 2010, section 3.1.4.2.
#[derive(Debug)]
pub struct Shelf<T>(Mutex<VecDeque<T>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }
}

impl<T: Ranked> Shelf<T> {
    fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        // Nothing panics while the lock is held but the queue's growth, which leaves it as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds things, and takes the one of the highest rank out; how many are left.
    pub fn put_and_take(&self, things: impl IntoIterator<Item = T>) -> (Option<T>, usize) {
        let mut queue = self.lock();
        put(&mut queue, things);
        let first = queue.pop_front();
        (first, queue.len())
    }

    /// Takes the thing of the highest rank.
    pub fn take(&self) -> Option<T> {
        self.lock().pop_front()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Takes half of the things, rounded up, for a thief, who does not wait for the lock. Where ranks differ, thief and owner get every
    /// other one, so that both go on with what is urgent.
    pub fn steal(&self, into: &mut Vec<T>) -> Stolen {
        let mut queue = match self.0.try_lock() {
            Ok(queue) => queue,
            Err(TryLockError::Poisoned(queue)) => queue.into_inner(),
            Err(TryLockError::WouldBlock) => return Stolen::Busy,
        };
        let n = queue.len().div_ceil(2);
        if n == 0 {
            return Stolen::Nothing;
        }
        let is_level = queue.front().map(Ranked::rank) == queue.back().map(Ranked::rank);
        if is_level {
            let left = queue.len() - n;
            into.extend(queue.drain(left..));
        } else {
            let mut is_thiefs = false;
            for _ in 0..queue.len() {
                let Some(thing) = queue.pop_front() else { break };
                is_thiefs = !is_thiefs;
                if is_thiefs { into.push(thing) } else { queue.push_back(thing) }
            }
        }
        Stolen::Some(n)
    }
}

/// Puts things in their places.
fn put<T: Ranked>(queue: &mut VecDeque<T>, things: impl IntoIterator<Item = T>) {
    for thing in things {
        let rank = thing.rank();
        match (queue.front(), queue.back()) {
            // What is ready since something else is done is mostly more urgent than what waits.
            (Some(front), _) if rank > front.rank() => queue.push_front(thing),
            (_, Some(back)) if rank > back.rank() => {
                let at = queue.partition_point(|other| other.rank() >= rank);
                queue.insert(at, thing);
            }
            _ => queue.push_back(thing),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Thing(u64, u32);

    impl Ranked for Thing {
        fn rank(&self) -> u64 {
            self.0
        }
    }

    fn all(shelf: &Shelf<Thing>) -> Vec<Thing> {
        std::iter::from_fn(|| shelf.take()).collect()
    }

    #[test]
    fn the_highest_rank_comes_first_and_equals_keep_their_order() {
        let shelf = Shelf::default();
        let things = [Thing(1, 0), Thing(3, 1), Thing(2, 2), Thing(3, 3), Thing(0, 4), Thing(2, 5)];
        assert_eq!(shelf.put_and_take(things), (Some(Thing(3, 1)), 5));
        assert_eq!(all(&shelf), [Thing(3, 3), Thing(2, 2), Thing(2, 5), Thing(1, 0), Thing(0, 4)]);
        assert!(shelf.is_empty());
    }

    #[test]
    fn a_thief_takes_half_rounded_up() {
        for n in 0..9_u32 {
            for levels in [1, 2, 9] {
                let shelf = Shelf::default();
                let things: Vec<_> = (0..n).map(|k| Thing(u64::from(k) % levels, k)).collect();
                put(&mut shelf.lock(), things);
                let mut stolen = Vec::new();
                let said = shelf.steal(&mut stolen);
                assert_eq!(stolen.len(), n.div_ceil(2) as usize);
                assert_eq!(said, if n == 0 { Stolen::Nothing } else { Stolen::Some(stolen.len()) });
                let left = all(&shelf);
                let sorted = |list: &[Thing]| list.windows(2).all(|two| two[0].0 >= two[1].0);
                assert!(sorted(&stolen) && sorted(&left));
                let mut both: Vec<_> = stolen.iter().chain(&left).map(|thing| thing.1).collect();
                both.sort_unstable();
                assert_eq!(both, (0..n).collect::<Vec<_>>());
                if let (true, Some(first)) = (levels > 1, left.first()) {
                    assert!(
                        stolen[0].0 >= first.0,
                        "the most urgent goes with the thief: the owner has work"
                    );
                }
            }
        }
    }

    #[test]
    fn a_thief_does_not_wait() {
        let shelf = Shelf::<Thing>::default();
        let _held = shelf.lock();
        assert_eq!(shelf.steal(&mut Vec::new()), Stolen::Busy);
    }
}
