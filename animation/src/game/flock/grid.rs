//! A grid of cells that finds neighbours.

use super::rules::Bounds;
use crate::rig::math::vector::{Vec3, dot, sub};

/// The most cells along an edge: what is beyond makes cells larger.
const MOST: f64 = 64.0;

/// Points in the cells of a box. A cell's edges are at least as long as the distance within which neighbours are looked for, so that these
/// are in the cells next to a point. What is outside the box counts to the cells at its border.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    origin: Vec3,
    /// Cells per length \[1/m\], by axis.
    per_length: [f64; 3],
    cells: [usize; 3],
    /// By cell: where its points begin; one more at the end.
    begins: Vec<u32>,
    /// Points, by cell, in each in the order in which they were given.
    points: Vec<u32>,
    /// The cell of each point, while it is built.
    cell_of: Vec<u32>,
}

impl Grid {
    /// Puts points into cells: those of `positions` \[m\] that `which` names. The memory of the last time is used again.
    ///
    /// # Panics
    /// If an index is out of range, the reach is not positive, or the box is empty.
    pub fn build(&mut self, bounds: &Bounds, reach: f64, positions: &[Vec3], which: &[u32]) {
        assert!(reach > 0.0, "who looks for neighbours looks further than nothing");
        self.origin = bounds.min;
        for axis in 0..3 {
            let length = bounds.max[axis] - bounds.min[axis];
            assert!(length > 0.0, "a grid has cells");
            let cells = (length / reach).floor().clamp(1.0, MOST);
            self.cells[axis] = cells as usize;
            self.per_length[axis] = cells / length;
        }
        let n_cells = self.cells.iter().product::<usize>();
        self.begins.clear();
        self.begins.resize(n_cells + 1, 0);
        self.cell_of.clear();
        for &point in which {
            let cell = self.index(self.cell(positions[point as usize]));
            self.cell_of.push(cell as u32);
            self.begins[cell] += 1;
        }
        let mut sum = 0;
        for begin in &mut self.begins {
            sum += *begin;
            *begin = sum;
        }
        self.points.clear();
        self.points.resize(which.len(), 0);
        // From the last to the first, so that each cell has its points in their order.
        for (point, cell) in which.iter().zip(&self.cell_of).rev() {
            let at = &mut self.begins[*cell as usize];
            *at -= 1;
            self.points[*at as usize] = *point;
        }
    }

    fn cell(&self, x: Vec3) -> [usize; 3] {
        // A number that is none goes to the first cell.
        std::array::from_fn(|axis| {
            let at = (x[axis] - self.origin[axis]) * self.per_length[axis];
            (at.max(0.0) as usize).min(self.cells[axis] - 1)
        })
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.cells[1] + j) * self.cells[0] + i
    }

    /// Adds the neighbours of a point to a list: those of the grid nearer than `reach` \[m\], the point itself left out, cell by cell.
    /// `positions` are those that the grid was built with, and `reach` at most that.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn neighbours(&self, positions: &[Vec3], of: u32, reach: f64, into: &mut Vec<u32>) {
        let x = positions[of as usize];
        let near = reach * reach;
        let cell = self.cell(x);
        let from = cell.map(|at| at.saturating_sub(1));
        let to: [usize; 3] = std::array::from_fn(|axis| (cell[axis] + 1).min(self.cells[axis] - 1));
        for k in from[2]..=to[2] {
            for j in from[1]..=to[1] {
                // Cells along x lie one after the other.
                let (first, last) = (self.index([from[0], j, k]), self.index([to[0], j, k]));
                let points = &self.points[self.begins[first] as usize..self.begins[last + 1] as usize];
                for &other in points {
                    let d = sub(x, positions[other as usize]);
                    if other != of && dot(d, d) < near {
                        into.push(other);
                    }
                }
            }
        }
    }
}

/// The neighbours of a stretch of entities, one list after the other.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    ends: Vec<u32>,
    entries: Vec<u32>,
}

impl Neighbours {
    /// Finds the neighbours of entities in a grid, and forgets those of before. Where there is none, a list is empty.
    ///
    /// # Panics
    /// If there is no such entity.
    pub fn find(
        &mut self,
        grid: &Grid,
        positions: &[Vec3],
        of: impl Iterator<Item = Option<u32>>,
        reach: f64,
    ) {
        self.ends.clear();
        self.entries.clear();
        for point in of {
            if let Some(point) = point {
                grid.neighbours(positions, point, reach, &mut self.entries);
            }
            self.ends.push(self.entries.len() as u32);
        }
    }

    /// Takes neighbours out of all lists.
    pub fn retain(&mut self, mut stays: impl FnMut(u32) -> bool) {
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            for at in begin..*end as usize {
                let entry = self.entries[at];
                if stays(entry) {
                    self.entries[kept] = entry;
                    kept += 1;
                }
            }
            begin = *end as usize;
            *end = kept as u32;
        }
        self.entries.truncate(kept);
    }

    /// The neighbours of the entity at a place; none if there is no such place.
    pub fn of(&self, place: usize) -> &[u32] {
        let Some(end) = self.ends.get(place) else { return &[] };
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[begin as usize..*end as usize]
    }

    /// Number of all neighbours.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nobody has a neighbour.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// All pairs nearer than the reach, whether points are inside the box or not.
        #[test]
        fn a_grid_finds_what_a_look_at_all_pairs_finds(
            points in prop::collection::vec(prop::array::uniform3(-30.0_f64..30.0), 1..80),
            reach in 0.5_f64..25.0,
            size in 1.0_f64..50.0,
        ) {
            let which: Vec<u32> = (0..points.len() as u32).filter(|k| k % 5 != 4).collect();
            let mut grid = Grid::default();
            for _ in 0..2 {
                grid.build(&Bounds::cube(size), reach, &points, &which);
            }
            let mut lists = Neighbours::default();
            lists.find(&grid, &points, which.iter().copied().map(Some), reach);
            for (place, &me) in which.iter().enumerate() {
                let mut found = lists.of(place).to_vec();
                found.sort_unstable();
                let is_near = |other: &u32| {
                    let d = sub(points[me as usize], points[*other as usize]);
                    *other != me && dot(d, d) < reach * reach
                };
                let expected: Vec<u32> = which.iter().copied().filter(is_near).collect();
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(lists.of(which.len()), &[0_u32; 0][..]);
            let before: Vec<Vec<u32>> = (0..which.len()).map(|k| lists.of(k).to_vec()).collect();
            lists.retain(|k| k % 3 != 0);
            for (place, of) in before.iter().enumerate() {
                let left: Vec<u32> = of.iter().copied().filter(|k| k % 3 != 0).collect();
                prop_assert_eq!(lists.of(place), &left[..]);
            }
        }
    }
}
