//! Which objects of a group are coupled, and so have one system.

/// Sets of things that are joined pair by pair.
pub struct Connected {
    /// Of each, another one of its set with a lower number, or itself.
    parents: Vec<usize>,
}

impl Connected {
    /// Sets of one each.
    pub fn new(n: usize) -> Self {
        Self { parents: (0..n).collect() }
    }

    fn first(&self, mut k: usize) -> usize {
        while self.parents[k] != k {
            k = self.parents[k];
        }
        k
    }

    /// Joins the sets of two.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// The sets in the order of their first members, members ascending.
    pub fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); self.parents.len()];
        for k in 0..self.parents.len() {
            sets[self.first(k)].push(k);
        }
        sets.retain(|s| !s.is_empty());
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_make_sets() {
        let mut connected = Connected::new(6);
        for (a, b) in [(4, 5), (1, 3), (5, 3)] {
            connected.join(a, b);
        }
        assert_eq!(connected.sets(), [vec![0], vec![1, 3, 4, 5], vec![2]]);
    }
}
