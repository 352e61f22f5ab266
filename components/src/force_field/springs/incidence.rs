//! Which springs end at which point, and an order of the points in which springs are short.

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

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.first.len() - 1
    }

    /// The ends at a point.
    pub fn at(&self, point: usize) -> &[End] {
        &self.ends[self.first[point]..self.first[point + 1]]
    }

    /// The points, neighbors near each other: breadth first, from points of few springs, through neighbors of few springs first.
    ///
    /// **Source:** Cuthill and McKee, *Reducing the bandwidth of sparse symmetric matrices*, 1969.
    pub fn short_order(&self, springs: &[Spring]) -> Vec<u32> {
        let mut starts: Vec<u32> = (0..self.n_points() as u32).collect();
        starts.sort_by_key(|p| self.at(*p as usize).len());
        let mut seen = vec![false; self.n_points()];
        let mut order: Vec<u32> = Vec::with_capacity(self.n_points());
        let mut neighbors = Vec::new();
        for start in starts {
            if std::mem::replace(&mut seen[start as usize], true) {
                continue;
            }
            let mut next = order.len();
            order.push(start);
            while let Some(point) = order.get(next).copied() {
                next += 1;
                neighbors.clear();
                for end in self.at(point as usize) {
                    let s = &springs[end.spring as usize];
                    let other = if end.second { s.i } else { s.j };
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        neighbors.push(other);
                    }
                }
                neighbors.sort_by_key(|p| self.at(*p as usize).len());
                order.extend_from_slice(&neighbors);
            }
        }
        order
    }
}
