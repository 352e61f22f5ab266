//! Sparse grids in which cells that touch without being connected have points of their own.
//!
//! Each filled cell of a level has branches: at the finest level one, at a coarser level one for each connected set of branches
//! of its children. A branch is a hexahedron; several may lie in the same cell.

use sim_core::math::Vec3;
use sim_core::topology::{Child, FinerCells, SparseGrid, Topology};

use super::cells::{Level, finished, widened};

/// Directions to a neighbor: against and along x, y and z; the opposite of direction d is d ^ 1.
const DIRECTIONS: usize = 6;

/// The nodes of a hexahedron on its lower sides along x, y and z, and those of the neighbor that they meet.
pub(super) const LOWER_SIDES: [[[usize; 2]; 4]; 3] =
    [[[0, 1], [4, 5], [7, 6], [3, 2]], [[0, 3], [4, 7], [5, 6], [1, 2]], [[0, 4], [1, 5], [2, 6], [3, 7]]];

/// One level with its branches. The level's factors and borders are those of branches.
pub(super) struct BranchedLevel {
    level: Level,
    /// For each branch, its filled cell.
    cell: Vec<u32>,
    /// For each filled cell, its branches.
    in_cell: Vec<Vec<u32>>,
    /// For each branch, those connected to it by direction, ascending.
    neighbors: Vec<[Vec<u32>; DIRECTIONS]>,
    /// For each branch of the finest level, the one of this level that holds it.
    of_finest: Vec<u32>,
    /// For each branch, those of the finer level that it holds; empty at the finest.
    children: Vec<Vec<Child>>,
}

impl BranchedLevel {
    /// One branch per cell; `connected` says whether those of two cells are, the second being below the first along an axis.
    pub fn finest(level: Level, connected: impl Fn(usize, usize, usize) -> bool) -> Self {
        let n = level.cells.len();
        let mut neighbors = vec![<[Vec<u32>; DIRECTIONS]>::default(); n];
        for cell in 0..n {
            let place = level.lattice.place(level.cells[cell] as usize);
            for axis in 0..3 {
                let Some(before) = place[axis].checked_sub(1) else { continue };
                let mut below = place;
                below[axis] = before;
                let other = level.filled[level.lattice.cell(below)];
                if other != SparseGrid::OUTSIDE && connected(cell, other as usize, axis) {
                    insert(&mut neighbors[cell][2 * axis], other);
                    insert(&mut neighbors[other as usize][2 * axis + 1], cell as u32);
                }
            }
        }
        let all: Vec<u32> = (0..n as u32).collect();
        let in_cell = all.iter().map(|b| vec![*b]).collect();
        Self { level, cell: all.clone(), in_cell, neighbors, of_finest: all, children: Vec::new() }
    }

    /// The level of cells twice as large.
    ///
    /// **Source:** as SOFA's: branches are connected where any of their children are. A cell with several branches is on the border, and
    /// the factors of each are an eighth of those of its last child.
    pub fn coarser(&self) -> Self {
        let fine = &self.level;
        let mut coarse = Self {
            level: Level::empty(fine.coarser_lattice()),
            cell: Vec::new(),
            in_cell: Vec::new(),
            neighbors: Vec::new(),
            of_finest: Vec::new(),
            children: Vec::new(),
        };
        let mut parent = vec![0_u32; self.cell.len()];
        for (place, children) in fine.parents(&coarse.level.lattice) {
            let Some(border) = fine.border_of(&children) else { continue };
            let cell = coarse.level.cells.len() as u32;
            let position = coarse.level.lattice.cell(place);
            coarse.level.filled[position] = cell;
            coarse.level.cells.push(position as u32);
            let sets = self.connected_sets(&children);
            let several = sets.len() > 1;
            coarse.in_cell.push(Vec::new());
            for set in sets {
                let branch = coarse.cell.len() as u32;
                set.iter().for_each(|b| parent[*b as usize] = branch);
                coarse.in_cell[cell as usize].push(branch);
                coarse.cell.push(cell);
                coarse.children.push(self.in_places(&set, &children));
                let of = if several { self.only_last(&set, &children) } else { children };
                coarse.level.on_border.push(several || border);
                coarse.level.stiffness.push(Level::mean(&fine.stiffness, &of));
                coarse.level.mass.push(Level::mean(&fine.mass, &of));
            }
        }
        coarse.neighbors = vec![<[Vec<u32>; DIRECTIONS]>::default(); coarse.cell.len()];
        for (branch, neighbors) in self.neighbors.iter().enumerate() {
            for (d, others) in neighbors.iter().enumerate() {
                for other in others {
                    let [a, b] = [branch, *other as usize].map(|b| parent[b]);
                    if coarse.cell[a as usize] != coarse.cell[b as usize] {
                        insert(&mut coarse.neighbors[a as usize][d], b);
                        insert(&mut coarse.neighbors[b as usize][d ^ 1], a);
                    }
                }
            }
        }
        coarse.of_finest = self.of_finest.iter().map(|b| parent[*b as usize]).collect();
        coarse
    }

    /// The branches of the children, in sets of those connected within the children; sets in the order of their first branch.
    fn connected_sets(&self, children: &[Option<u32>; 8]) -> Vec<Vec<u32>> {
        let all: Vec<u32> =
            children.iter().flatten().flat_map(|c| self.in_cell[*c as usize].iter().copied()).collect();
        let mut set_of = vec![usize::MAX; all.len()];
        let mut sets = Vec::new();
        for first in 0..all.len() {
            if set_of[first] != usize::MAX {
                continue;
            }
            let mut reached = vec![first];
            while let Some(i) = reached.pop() {
                if set_of[i] == usize::MAX {
                    set_of[i] = sets.len();
                    let near = self.neighbors[all[i] as usize].iter().flatten();
                    reached.extend(near.filter_map(|n| all.iter().position(|b| b == n)));
                }
            }
            sets.push(Vec::new());
        }
        for (branch, set) in all.iter().zip(&set_of) {
            sets[*set].push(*branch);
        }
        sets
    }

    /// The last branch of a set in the place of its cell among the children.
    fn only_last(&self, set: &[u32], children: &[Option<u32>; 8]) -> [Option<u32>; 8] {
        let last = set.last().copied();
        children.map(|c| last.filter(|b| c == Some(self.cell[*b as usize])))
    }

    /// The branches of a set with their places among the children.
    fn in_places(&self, set: &[u32], children: &[Option<u32>; 8]) -> Vec<Child> {
        let of = |cell: &u32| {
            let place = children.iter().position(|c| *c == Some(self.cell[*cell as usize]))?;
            Some(Child { place: place as u8, cell: *cell })
        };
        set.iter().filter_map(of).collect()
    }

    /// Its branches as the children of those of the level above; `by_corners`: cells that touch anywhere share their points.
    pub fn below(&self, coarse: &Self, by_corners: bool) -> FinerCells {
        let (points, hexahedra) = if by_corners { self.level.corner_points() } else { self.merged() };
        let of = &self.level;
        let first = |cell: &u32| self.in_cell.get(*cell as usize).and_then(|b| b.first().copied());
        let border = (0..).zip(&of.on_border).filter(|(_, b)| **b);
        let cells = SparseGrid {
            lattice: of.lattice,
            hexahedron_of_cell: of.filled.iter().map(|c| first(c).unwrap_or(SparseGrid::OUTSIDE)).collect(),
            border: border.map(|(b, _): (usize, _)| of.cells[self.cell[b] as usize]).collect(),
            stiffness: widened(&of.stiffness),
            mass: widened(&of.mass),
            finer: Vec::new(),
            branched: true,
        };
        FinerCells { children: coarse.children.clone(), points, hexahedra, cells }
    }

    /// The grid: hexahedra in the order of branches, whose points are merged across the sides by which they are connected.
    ///
    /// `finest` is the level in which points are looked up.
    pub fn topology(&self, finest: &Self) -> Topology {
        let (points, hexahedra) = self.merged();
        let holder = |cell: &u32| {
            let branch = finest.in_cell.get(*cell as usize).and_then(|b| b.first());
            branch.map_or(SparseGrid::OUTSIDE, |b| self.of_finest[*b as usize])
        };
        let of = &finest.level;
        let border = of.cells.iter().zip(&of.on_border).filter(|(_, b)| **b).map(|(c, _)| *c).collect();
        let cells = SparseGrid {
            lattice: of.lattice,
            hexahedron_of_cell: of.filled.iter().map(holder).collect(),
            border,
            stiffness: widened(&self.level.stiffness),
            mass: widened(&self.level.mass),
            finer: Vec::new(),
            branched: true,
        };
        finished(points, hexahedra, cells)
    }

    /// Points and hexahedra.
    ///
    /// **Source:** as SOFA's: every branch begins with eight points of its own, 8 times its number and up; branch by branch, along z, y
    /// and x, a number is replaced everywhere by the neighbor's; the numbers left are renumbered in ascending order. A replacement
    /// changes one node of a hexahedron at most.
    ///
    /// Several neighbors in one direction are taken ascending here. SOFA takes them in the order of their addresses in memory, which is
    /// mostly ascending: where it is not, the same points have other numbers (`Demos/caduceus_penalty.scn`, one such pair of six).
    fn merged(&self) -> (Vec<Vec3>, Vec<[u32; 8]>) {
        let mut hexahedra: Vec<[u32; 8]> =
            (0..self.cell.len() as u32).map(|b| std::array::from_fn(|c| 8 * b + c as u32)).collect();
        let mut users: Vec<Vec<(u32, usize)>> =
            (0..8 * self.cell.len()).map(|p| vec![((p / 8) as u32, p % 8)]).collect();
        for branch in 0..self.cell.len() {
            for axis in [2, 1, 0] {
                for neighbor in &self.neighbors[branch][2 * axis] {
                    for [own, others] in LOWER_SIDES[axis] {
                        let from = hexahedra[branch][own] as usize;
                        let to = hexahedra[*neighbor as usize][others];
                        replace(&mut hexahedra, &mut users, from, to);
                    }
                }
            }
        }
        let mut points = Vec::new();
        for uses in users.iter().filter(|u| !u.is_empty()) {
            for (hexahedron, corner) in uses {
                hexahedra[*hexahedron as usize][*corner] = points.len() as u32;
            }
            if let Some((first, corner)) = uses.iter().min() {
                let place = self.level.corners(self.cell[*first as usize] as usize)[*corner];
                points.push(self.level.lattice.point(place));
            }
        }
        (points, hexahedra)
    }
}

/// Replaces a point in all hexahedra, in each at its first node only.
fn replace(hexahedra: &mut [[u32; 8]], users: &mut [Vec<(u32, usize)>], from: usize, to: u32) {
    if from == to as usize {
        return;
    }
    let mut moved = std::mem::take(&mut users[from]);
    moved.sort_unstable();
    let mut last = None;
    for (hexahedron, corner) in moved {
        if last == Some(hexahedron) {
            users[from].push((hexahedron, corner));
        } else {
            hexahedra[hexahedron as usize][corner] = to;
            users[to as usize].push((hexahedron, corner));
        }
        last = Some(hexahedron);
    }
}

fn insert(sorted: &mut Vec<u32>, branch: u32) {
    if let Err(at) = sorted.binary_search(&branch) {
        sorted.insert(at, branch);
    }
}

/// Whether a line through two points of a surface, as long to either side of the first as they are apart, meets a triangle.
///
/// **Source:** as SOFA's test of a segment and a triangle, which looks backwards too; a line within 1e-10 of parallel meets nothing.
pub(super) fn line_meets(s: [&Vec3; 2], t: [Vec3; 3]) -> bool {
    let (from, e1, e2) = (s[0] - t[0], t[1] - t[0], t[2] - t[0]);
    let normal = e1.cross(&e2);
    let length = (s[1] - s[0]).norm();
    let direction = (s[1] - s[0]) / length;
    let along = direction.dot(&normal);
    let sign = if along > 1e-10 {
        1.0
    } else if along < -1e-10 {
        -1.0
    } else {
        return false;
    };
    let along = along.abs();
    let (a, b) = (sign * direction.dot(&from.cross(&e2)), sign * direction.dot(&e1.cross(&from)));
    let far = -sign * from.dot(&normal);
    a >= 0.0 && b >= 0.0 && a + b <= along && far.abs() <= length * along
}

#[cfg(test)]
mod tests {
    use super::super::voxels::Cell;
    use super::*;
    use sim_core::topology::RegularGrid;

    fn level(n: [usize; 3]) -> Level {
        let lattice = RegularGrid {
            n: n.map(|n| n + 1),
            p0: Vec3::zeros(),
            dx: Vec3::x(),
            dy: Vec3::y(),
            dz: Vec3::z(),
        };
        Level::finest(lattice, &vec![Cell::Inside; n.iter().product()], false, 1.0)
    }

    #[test]
    fn connected_cells_share_points_and_others_do_not() {
        let whole = BranchedLevel::finest(level([2, 2, 1]), |_, _, _| true);
        let t = whole.topology(&whole);
        assert_eq!((t.n_points, t.hexahedra.len()), (18, 4));
        assert_eq!(t.hexahedra[0], [0, 1, 2, 3, 4, 5, 6, 7], "points in the order of cells");
        assert_eq!(t.hexahedra[1][0], t.hexahedra[0][1]);
        let split = BranchedLevel::finest(level([2, 2, 1]), |_, _, axis| axis == 1);
        let t = split.topology(&split);
        assert_eq!(t.n_points, 24);
        assert_eq!(t.points[t.hexahedra[0][1] as usize], t.points[t.hexahedra[1][0] as usize]);
    }

    #[test]
    fn a_coarse_cell_has_a_hexahedron_for_each_connected_set() {
        // Two bars along z side by side, not connected with each other.
        let fine = BranchedLevel::finest(level([2, 1, 4]), |_, _, axis| axis == 2);
        let coarse = fine.coarser();
        let t = coarse.topology(&fine);
        assert_eq!((t.hexahedra.len(), t.n_points), (4, 24));
        let cells = t.sparse.unwrap();
        assert_eq!(cells.hexahedron_of_cell, [0, 1, 0, 1, 2, 3, 2, 3]);
        assert_eq!(cells.stiffness, [0.125; 4], "an eighth of the last child");
        assert_eq!(t.hexahedra[2][0], t.hexahedra[0][4]);
        assert!(!t.hexahedra[0].contains(&t.hexahedra[1][0]));
    }

    #[test]
    fn a_line_is_looked_at_backwards_too() {
        let t = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let at = |z: f64| Vec3::new(0.2, 0.2, z);
        assert!(line_meets([&at(-0.5), &at(0.5)], t));
        assert!(line_meets([&at(0.5), &at(1.5)], t), "backwards");
        assert!(!line_meets([&at(1.5), &at(2.0)], t));
        assert!(!line_meets([&at(0.5), &Vec3::new(0.9, 0.2, 0.5)], t), "parallel");
    }
}
