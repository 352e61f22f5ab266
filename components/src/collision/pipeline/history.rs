//! In which order pairs of models have contacts: by the numbers that models get when they are first compared.

/// Who has which number, and how many pairs there are to compare with.
///
/// **Source:** SOFA keeps detections and contacts in two trees that are sorted by numbers of models, not by their addresses. A model
/// has its number from the first comparison of a pair that it is in, and keeps it; a pair that is alone in a tree is compared with none.
/// Sweeps that do not converge end elsewhere in another order (ViewerSetting.scn: 8e-2 off after five steps, 2e-10 in this one).
#[derive(Clone, Debug, Default)]
struct Numbers {
    of: Vec<u32>,
    next: u32,
    /// How many pairs the tree holds.
    held: usize,
    /// The only one, if it has been compared with none.
    alone: Option<[u32; 2]>,
}

const NONE: u32 = u32::MAX;

impl Numbers {
    fn of(&self, model: u32) -> u32 {
        self.of.get(model as usize).copied().unwrap_or(NONE)
    }

    fn key(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|model| self.of(model))
    }

    /// Gives numbers to both models of a pair, to the second first: so the compiler of SOFA's states orders the calls.
    fn give(&mut self, [first, second]: [u32; 2]) {
        for model in [second, first] {
            let k = model as usize;
            if self.of.len() <= k {
                self.of.resize(k + 1, NONE);
            }
            if self.of[k] == NONE {
                self.of[k] = self.next;
                self.next += 1;
            }
        }
    }

    /// A pair is looked for; one that is new is put in. The one that is there is named first, or else it is.
    fn meet(&mut self, pair: [u32; 2], is_new: bool, names_new_first: bool) {
        if self.held == 0 {
            (self.held, self.alone) = (1, Some(pair));
            return;
        }
        let alone = self.alone.take().filter(|alone| *alone != pair);
        match (alone, names_new_first) {
            (Some(alone), true) => [pair, alone].into_iter().for_each(|p| self.give(p)),
            (Some(alone), false) => [alone, pair].into_iter().for_each(|p| self.give(p)),
            (None, _) => self.give(pair),
        }
        self.held += usize::from(is_new);
    }

    /// Only these pairs stay, which are so many.
    fn keep(&mut self, n: usize, stays: impl Fn([u32; 2]) -> bool) {
        self.held = n;
        self.alone = self.alone.filter(|alone| stays(*alone));
    }
}

/// The order of contacts of one pipeline.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    detections: Numbers,
    contacts: Numbers,
    /// The pairs that touched in the step before, sorted.
    before: Vec<[u32; 2]>,
    /// Scratch: those that touch, in the order of detections.
    now: Vec<[u32; 2]>,
}

impl History {
    /// Takes in a step: the pairs that are near, in the order in which they are found, and whether they touch. Says whether models
    /// have got numbers by which contacts are ordered.
    pub fn step(&mut self, near: impl Iterator<Item = ([u32; 2], bool)>) -> bool {
        let Self { detections, contacts, before, now } = self;
        let given = contacts.next;
        now.clear();
        for (pair, touches) in near {
            detections.meet(pair, before.binary_search(&pair).is_err(), false);
            if touches {
                now.push(pair);
            }
        }
        detections.keep(now.len(), |pair| now.contains(&pair));
        now.sort_unstable_by_key(|pair| (detections.key(*pair), *pair));
        for pair in now.iter() {
            contacts.meet(*pair, before.binary_search(pair).is_err(), true);
        }
        contacts.keep(now.len(), |pair| now.contains(&pair));
        std::mem::swap(before, now);
        before.sort_unstable();
        contacts.next != given
    }

    /// What contacts of pairs are ordered by.
    pub fn key(&self, pair: [u32; 2]) -> [u32; 2] {
        self.contacts.key(pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_numbered_when_they_are_compared() {
        let mut h = History::default();
        assert!(h.step([([3, 1], true), ([3, 2], false), ([0, 4], true)].into_iter()));
        // Detections: 1, 3, then 2, then 4, 0. So (3, 1) comes before (0, 4), and the later one of both is named first.
        assert_eq!([1, 3, 2, 4, 0].map(|m| h.detections.of(m)), [0, 1, 2, 3, 4]);
        assert_eq!([4, 0, 1, 3].map(|m| h.contacts.of(m)), [0, 1, 2, 3]);
        assert!(h.key([0, 4]) < h.key([3, 1]));
        // Numbers stay, whoever goes and comes.
        assert!(!h.step(std::iter::empty()));
        h.step([([3, 2], true), ([0, 4], true)].into_iter());
        assert!(h.key([0, 4]) < h.key([3, 2]));
        assert_eq!(h.contacts.of(2), 4);
    }

    #[test]
    fn who_is_alone_is_compared_with_itself_in_the_next_step() {
        let mut h = History::default();
        assert!(!h.step([([2, 0], true)].into_iter()));
        assert_eq!(h.key([2, 0]), [NONE; 2]);
        assert!(h.step([([2, 0], true)].into_iter()));
        assert_eq!(h.key([2, 0]), [1, 0]);
    }
}
