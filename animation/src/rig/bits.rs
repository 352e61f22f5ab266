//! Sets of small numbers and relations between them, as bits.

/// A set of numbers below a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set of numbers below `n`.
    pub fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }

    /// The set of all numbers below `n`.
    pub fn full(n: usize) -> Self {
        let mut all = Self(vec![u64::MAX; n.div_ceil(64)]);
        if let (Some(last), rest @ 1..) = (all.0.last_mut(), n % 64) {
            *last = (1 << rest) - 1;
        }
        all
    }

    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, k: usize) -> bool {
        self.0[k / 64] >> (k % 64) & 1 != 0
    }

    /// Puts a number in; says whether it is new.
    #[inline]
    pub fn insert(&mut self, k: usize) -> bool {
        let (word, bit) = (&mut self.0[k / 64], 1 << (k % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a number out.
    pub fn remove(&mut self, k: usize) {
        self.0[k / 64] &= !(1 << (k % 64));
    }

    /// Takes all numbers out.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Makes this equal to another set of the same bound, in place.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    /// Whether no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(k, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * k + bit)
            })
        })
    }
}

/// A relation between rows and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    rows: usize,
    columns: usize,
    bits: BitSet,
}

impl BitMatrix {
    /// All rows are related to all columns.
    pub fn full(rows: usize, columns: usize) -> Self {
        Self { rows, columns, bits: BitSet::full(rows * columns) }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether a row is related to a column.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.bits.contains(row * self.columns + column)
    }

    /// Says whether a row is related to a column.
    pub fn set(&mut self, row: usize, column: usize, related: bool) {
        assert!(row < self.rows && column < self.columns, "an element of the relation");
        let at = row * self.columns + column;
        if related {
            self.bits.insert(at);
        } else {
            self.bits.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set = BitSet::new(130);
        assert!(set.insert(0) && set.insert(64) && set.insert(129) && !set.insert(64));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64, 129]);
        set.remove(64);
        assert!(!set.contains(64) && set.len() == 2 && !set.is_empty());
        assert_eq!(BitSet::full(67).len(), 67);
        assert_eq!(BitSet::full(64).len(), 64);
        assert_eq!(BitSet::full(0).len(), 0);
    }

    #[test]
    fn a_relation_is_full_until_told() {
        let mut rules = BitMatrix::full(2, 3);
        rules.set(1, 2, false);
        assert!(rules.get(0, 2) && !rules.get(1, 2) && rules.get(1, 1));
        assert_eq!((rules.rows(), rules.columns()), (2, 3));
    }
}
