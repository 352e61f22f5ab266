//! Which springs end at which point.

use super::spring::Spring;

/// An end of a spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Number of the spring.
    pub spring: u32,
    /// Whether it is the second end.
    pub second: bool,
}

/// The ends at each point, in the order of the springs.
pub(super) struct Incidence {
    first: Vec<usize>,
    ends: Vec<End>,
}

impl Incidence {
    /// Of springs between points below `n`.
    pub fn new(springs: &[Spring], n: usize) -> Self {
        let mut first = vec![0; n + 1];
        for s in springs {
            first[s.i as usize + 1] += 1;
            first[s.j as usize + 1] += 1;
        }
        (0..n).for_each(|p| first[p + 1] += first[p]);
        let mut next = first.clone();
        let mut ends = vec![End { spring: 0, second: false }; 2 * springs.len()];
        for (spring, s) in springs.iter().enumerate() {
            for (point, second) in [(s.i, false), (s.j, true)] {
                let next = &mut next[point as usize];
                ends[*next] = End { spring: spring as u32, second };
                *next += 1;
            }
        }
        Self { first, ends }
    }

    /// The ends at a point.
    pub fn at(&self, point: usize) -> &[End] {
        &self.ends[self.first[point]..self.first[point + 1]]
    }
}
