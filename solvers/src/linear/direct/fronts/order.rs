//! In which order a large matrix is eliminated: nested dissection of its points, faer's AMD within what is not cut any more.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use partition::{WeightedGraph, dissect};

use super::super::scalar_matrix::ScalarMatrix;

/// Scalars of what is not cut any more, at most.
const LEAST: u64 = 600;

/// Scalars whose rows have the same columns, taken together: a state's point has three or six.
struct Points {
    /// First scalar of each, and the end of the last one's.
    scalars: Vec<u32>,
    /// First of each one's neighbors, and the end of the last one's.
    first: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Points {
    fn of(matrix: &ScalarMatrix) -> Self {
        let column =
            |j: usize| &matrix.rows[matrix.column_starts[j] as usize..matrix.column_starts[j + 1] as usize];
        // In how many columns before its own a row is, and in how many of these the one before it is too.
        let (mut times, mut together) = (vec![0_u32; matrix.n], vec![0_u32; matrix.n]);
        for j in 0..matrix.n {
            let mut before = u32::MAX;
            for row in column(j).iter().copied() {
                if row as usize > j {
                    times[row as usize] += 1;
                    together[row as usize] += u32::from(before.wrapping_add(1) == row);
                }
                before = row;
            }
        }
        let is_alike = |j: usize| {
            column(j - 1)[1..] == *column(j) && times[j] == together[j] && times[j] == times[j - 1] + 1
        };
        let mut scalars: Vec<u32> =
            (0..matrix.n as u32).filter(|j| *j == 0 || !is_alike(*j as usize)).collect();
        scalars.push(matrix.n as u32);
        let n = scalars.len() - 1;
        let point_of: Vec<u32> = (0..n as u32)
            .flat_map(|p| (scalars[p as usize]..scalars[p as usize + 1]).map(move |_| p))
            .collect();
        let mut pairs = Vec::new();
        for p in 0..n as u32 {
            let last = pairs.len();
            for row in column(scalars[p as usize] as usize) {
                let q = point_of[*row as usize];
                if q != p && pairs[last..].last() != Some(&[p, q]) {
                    pairs.push([p, q]);
                }
            }
        }
        let mut first = vec![0; n + 1];
        pairs.iter().flatten().for_each(|p| first[*p as usize + 1] += 1);
        (0..n).for_each(|p| first[p + 1] += first[p]);
        let (mut at, mut neighbors) = (first.clone(), vec![0; 2 * pairs.len()]);
        for (p, q) in pairs.iter().flat_map(|[p, q]| [(*p, *q), (*q, *p)]) {
            neighbors[at[p as usize] as usize] = q;
            at[p as usize] += 1;
        }
        Self { scalars, first, neighbors }
    }

    /// Puts some points into the order in which AMD eliminates them, as if there were no others; where faer has none, they stay.
    fn order(&self, points: &mut [u32], place: &mut [u32]) {
        (0_u32..).zip(&*points).for_each(|(at, p)| place[*p as usize] = at);
        let (mut first, mut rows) = (vec![0], Vec::new());
        for p in &*points {
            let range = self.first[*p as usize] as usize..self.first[*p as usize + 1] as usize;
            let start = rows.len();
            rows.extend(self.neighbors[range].iter().map(|q| place[*q as usize]).filter(|q| *q != u32::MAX));
            rows[start..].sort_unstable();
            first.push(rows.len() as u32);
        }
        points.iter().for_each(|p| place[*p as usize] = u32::MAX);
        let n = points.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &first, None, &rows);
        let (mut order, mut places) = (vec![0_u32; n], vec![0_u32; n]);
        let mut memory = MemBuffer::new(amd::order_scratch::<u32>(n, rows.len()));
        let stack = MemStack::new(&mut memory);
        if amd::order(&mut order, &mut places, pattern, amd::Control::default(), stack).is_ok() {
            let old = points.to_vec();
            points.iter_mut().zip(order).for_each(|(p, at)| *p = old[at as usize]);
        }
    }
}

/// Of each row of the factors, the row of the matrix, and the other way round.
pub fn by_dissection(matrix: &ScalarMatrix) -> [Vec<u32>; 2] {
    let points = Points::of(matrix);
    let weights: Vec<u32> = points.scalars.windows(2).map(|s| s[1] - s[0]).collect();
    let graph = WeightedGraph { first: &points.first, neighbors: &points.neighbors, weights: &weights };
    let mut groups = dissect(graph, LEAST);
    let mut place = vec![u32::MAX; weights.len()];
    groups.iter_mut().for_each(|group| points.order(group, &mut place));
    let scalars = |p: &u32| points.scalars[*p as usize]..points.scalars[*p as usize + 1];
    let order: Vec<u32> = groups.iter().flatten().flat_map(scalars).collect();
    let mut places = vec![0; matrix.n];
    (0_u32..).zip(&order).for_each(|(place, row)| places[*row as usize] = place);
    [order, places]
}
