//! An ordered chain of small blocks: what a worker runs in one stage, sorted by key, cheap to splice.
//!
//! Replay walks blocks front to back. To insert or remove costs a search among the blocks' first keys and a move of at
//! most [`BLOCK`] entries; where blocks begin does not show in comparisons.

use super::task::Task;

/// Place of an entry: first object, second object (0 for tasks of one), place in the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32, pub u32, pub u32);

impl Key {
    /// The place of a task in its stage.
    pub fn of(task: &Task) -> Self {
        let (first, second) = task.place.pair();
        Self(first, second, task.sequence)
    }
}

/// Largest number of entries in a block.
pub const BLOCK: usize = 63;

#[derive(Clone, Debug)]
struct Block<P> {
    keys: Vec<Key>,
    items: Vec<P>,
}

impl<P> Block<P> {
    fn empty() -> Self {
        Self { keys: Vec::new(), items: Vec::new() }
    }
}

/// A sorted chain of entries.
#[derive(Clone, Debug)]
pub struct Chain<P> {
    blocks: Vec<Block<P>>,
    len: usize,
}

impl<P> Default for Chain<P> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0 }
    }
}

impl<P> Chain<P> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an entry whose key is above all present ones.
    ///
    /// # Panics
    /// If it is not.
    pub fn push(&mut self, key: Key, item: P) {
        self.push_into(key, item, Block::empty);
    }

    fn push_into(&mut self, key: Key, item: P, block: impl FnOnce() -> Block<P>) {
        let last = self.blocks.last().and_then(|b| b.keys.last());
        assert!(last.is_none_or(|&last| last < key), "keys of a chain ascend");
        if self.blocks.last().is_none_or(|b| b.keys.len() == BLOCK) {
            self.blocks.push(block());
        }
        let block = self.blocks.last_mut().expect("pushed above");
        block.keys.push(key);
        block.items.push(item);
        self.len += 1;
    }

    /// Puts an entry at its place; gives back the one that had this key.
    pub fn insert(&mut self, key: Key, item: P) -> Option<P> {
        let at = self.blocks.partition_point(|b| b.keys[0] <= key).saturating_sub(1);
        let Some(block) = self.blocks.get_mut(at) else {
            self.push(key, item);
            return None;
        };
        match block.keys.binary_search(&key) {
            Ok(i) => Some(std::mem::replace(&mut block.items[i], item)),
            Err(i) => {
                block.keys.insert(i, key);
                block.items.insert(i, item);
                if block.keys.len() > BLOCK {
                    let (keys, items) = (block.keys.split_off(BLOCK / 2), block.items.split_off(BLOCK / 2));
                    self.blocks.insert(at + 1, Block { keys, items });
                }
                self.len += 1;
                None
            }
        }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: Key) -> Option<P> {
        let at = self.blocks.partition_point(|b| b.keys[0] <= key).checked_sub(1)?;
        let block = &mut self.blocks[at];
        let i = block.keys.binary_search(&key).ok()?;
        block.keys.remove(i);
        let item = block.items.remove(i);
        if block.keys.is_empty() {
            self.blocks.remove(at);
        }
        self.len -= 1;
        Some(item)
    }

    /// Takes out all entries of an object or pair, in order.
    pub fn remove_all(&mut self, (first, second): (u32, u32), mut removed: impl FnMut(Key, P)) {
        let (from, to) = (Key(first, second, 0), Key(first, second, u32::MAX));
        let mut at = self.blocks.partition_point(|b| b.keys[b.keys.len() - 1] < from);
        while let Some(block) = self.blocks.get_mut(at) {
            let begin = block.keys.partition_point(|k| *k < from);
            let end = block.keys.partition_point(|k| *k <= to);
            let n_left = block.keys.len() - end;
            for (key, item) in block.keys.drain(begin..end).zip(block.items.drain(begin..end)) {
                self.len -= 1;
                removed(key, item);
            }
            if block.keys.is_empty() {
                self.blocks.remove(at);
            } else {
                at += 1;
            }
            if n_left > 0 {
                break;
            }
        }
    }

    /// The entries of an object or pair with their keys, ascending.
    pub fn iter_of(&self, (first, second): (u32, u32)) -> impl Iterator<Item = (Key, &P)> {
        let (from, to) = (Key(first, second, 0), Key(first, second, u32::MAX));
        let at = self.blocks.partition_point(|b| b.keys[b.keys.len() - 1] < from);
        let blocks = self.blocks[at..].iter().take_while(move |b| b.keys[0] <= to);
        blocks.flat_map(move |b| {
            let range = b.keys.partition_point(|k| *k < from)..b.keys.partition_point(|k| *k <= to);
            b.keys[range.clone()].iter().copied().zip(&b.items[range])
        })
    }

    /// The entry with a key.
    pub fn get(&self, key: Key) -> Option<&P> {
        let at = self.blocks.partition_point(|b| b.keys[0] <= key).checked_sub(1)?;
        let block = &self.blocks[at];
        block.keys.binary_search(&key).ok().map(|i| &block.items[i])
    }

    /// The entries, block by block.
    pub fn blocks(&self) -> impl Iterator<Item = &[P]> {
        self.blocks.iter().map(|b| &b.items[..])
    }

    /// The entries of block `index`.
    pub fn block(&self, index: usize) -> &[P] {
        &self.blocks[index].items
    }

    /// The entries with their keys, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &P)> {
        self.blocks.iter().flat_map(|b| b.keys.iter().copied().zip(&b.items))
    }

    /// A chain of the same shape with other contents.
    pub fn map<Q>(&self, mut f: impl FnMut(Key, &P) -> Q) -> Chain<Q> {
        let map_block = |b: &Block<P>| Block {
            keys: b.keys.clone(),
            items: b.keys.iter().zip(&b.items).map(|(&k, p)| f(k, p)).collect(),
        };
        Chain { blocks: self.blocks.iter().map(map_block).collect(), len: self.len }
    }
}

/// The memory of chains that have served.
#[derive(Debug)]
pub(super) struct SpareChains<P> {
    lists: Vec<Vec<Block<P>>>,
    blocks: Vec<Block<P>>,
}

impl<P> Default for SpareChains<P> {
    fn default() -> Self {
        Self { lists: Vec::new(), blocks: Vec::new() }
    }
}

impl<P> SpareChains<P> {
    /// Takes a chain apart.
    pub fn take_back(&mut self, mut chain: Chain<P>) {
        for mut block in chain.blocks.drain(..) {
            block.keys.clear();
            block.items.clear();
            self.blocks.push(block);
        }
        if chain.blocks.capacity() > 0 {
            self.lists.push(chain.blocks);
        }
    }

    /// [`Chain::push`], in spare memory where there is some.
    pub fn push(&mut self, chain: &mut Chain<P>, key: Key, item: P) {
        if chain.blocks.capacity() == 0 {
            chain.blocks = self.lists.pop().unwrap_or_default();
        }
        chain.push_into(key, item, || self.blocks.pop().unwrap_or_else(Block::empty));
    }
}

impl<P: PartialEq> PartialEq for Chain<P> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}
impl<P: Eq> Eq for Chain<P> {}

impl<P: std::hash::Hash> std::hash::Hash for Chain<P> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.len.hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_spliced_chain_equals_one_built_anew(changes in prop::collection::vec((any::<bool>(), 0u32..40, 0u32..10), 0..600)) {
            let (mut chain, mut map) = (Chain::default(), BTreeMap::new());
            for (i, (add, a, b)) in changes.into_iter().enumerate() {
                let key = Key(a, b, 0);
                if add {
                    prop_assert_eq!(chain.insert(key, i), map.insert(key, i));
                } else {
                    prop_assert_eq!(chain.remove(key), map.remove(&key));
                }
            }
            let mut anew = Chain::default();
            map.into_iter().for_each(|(k, v)| anew.push(k, v));
            prop_assert_eq!(&chain, &anew);
            prop_assert!(chain.blocks().all(|b| !b.is_empty() && b.len() <= BLOCK));
            prop_assert_eq!(chain.blocks().map(<[usize]>::len).sum::<usize>(), chain.len());
        }
    }
}
