//! The progress words of a plan: one per group, region and worker that somebody waits for.

use std::collections::BTreeMap;

use engine::graph::GroupId;

use crate::sync::Progress;

/// Words, numbered as they are asked for.
#[derive(Default)]
pub(super) struct Words {
    numbers: BTreeMap<(GroupId, u32, u32), u32>,
    free: Vec<u32>,
    words: Vec<Progress>,
}

impl Words {
    /// The number of a word; it is made if need be.
    pub fn of(&mut self, group: GroupId, region: u32, worker: u32) -> u32 {
        let (free, words) = (&mut self.free, &mut self.words);
        *self.numbers.entry((group, region, worker)).or_insert_with(|| {
            // What a word used again still says is of an earlier step, below all that will be asked for.
            free.pop().unwrap_or_else(|| {
                words.push(Progress::default());
                words.len() as u32 - 1
            })
        })
    }

    /// Forgets the words of a group.
    pub fn remove_group(&mut self, group: GroupId) {
        let of_group = (group, 0, 0)..(GroupId(group.0 + 1), 0, 0);
        let gone: Vec<_> = self.numbers.range(of_group).map(|(k, v)| (*k, *v)).collect();
        for (key, number) in gone {
            self.numbers.remove(&key);
            self.free.push(number);
        }
    }

    /// All words.
    pub fn words(&self) -> &[Progress] {
        &self.words
    }

    /// Sets all words to zero.
    pub fn clear(&mut self) {
        self.words.iter_mut().for_each(|w| *w = Progress::default());
    }
}
