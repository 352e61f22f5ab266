//! Matrices of cells that are condensed from those of the finer cells within them, and how points within a cell move with its corners.
//!
//! A cell's corners are held, and the other corners of its children move as they do in balance; of these displacements only those along the
//! same axis from the corners of the same edge or face count, normalized. With these weights the matrices of the children become those of
//! the cell, level by level.

use sim_core::math::{Mat3, Real, Vec3};
use sim_core::topology::{Child, FinerCells, SparseGrid};

use super::condensed::{Cell, Condensed};
use super::dense_solve::solve;
use super::finite_element::{FiniteElement, Hexahedron, element_stiffness};
use super::hexahedra::SIGNS;
use super::material::Lame;

/// How the corners of a finer cell (rows) move with those of a cell above it (columns).
pub type Influence = [[Mat3; 8]; 8];

/// Which displacements points within a cell follow; its matrices always come from the normalized ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interpolation {
    /// The normalized ones along the same axis.
    Normalized,
    /// All of those in balance.
    Whole,
    /// The normalized ones, and across the axes of edges and faces a fixed part, by Poisson's ratio.
    Bulging(Real),
}

/// There is no balance: cells within are without stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBalance;

/// The matrices of equal cells, as far as they do not depend on what fills them.
#[derive(Clone, Debug)]
pub struct Composite {
    finest: Condensed,
    interpolation: Interpolation,
    /// The stiffness of a child that is missing [N/m].
    void: [[Mat3; 8]; 8],
}

/// A corner of a cell's children: its place on the lattice of 3 x 3 x 3, x running fastest, and its number.
type Corner = (u8, u32);

/// How a corner of children moves with the cell's corners.
struct Moved {
    /// The normalized weights, along each axis.
    along: [Vec3; 8],
    /// As points within the cell do.
    points: [Mat3; 8],
}

/// Young's modulus of what is missing, times its edge [Pa m].
const VOID_YOUNG: Real = 1.02e12;

/// The corner of a child on the lattice of 3 x 3 x 3, from 0 to 2 along each axis.
fn lattice_place(place: u8, corner: usize) -> [u8; 3] {
    let offset = [place & 1, place >> 1 & 1, place >> 2];
    std::array::from_fn(|k| offset[k] + u8::from(SIGNS[corner][k] > 0.0))
}

fn number([x, y, z]: [u8; 3]) -> u8 {
    x + 3 * y + 9 * z
}

fn axes(position: u8) -> [u8; 3] {
    [position % 3, position / 3 % 3, position / 9]
}

/// Whether a corner of the cell is an end of the edge, or on the face, that a place on the lattice is in the middle of.
fn carries(position: u8, corner: usize) -> bool {
    axes(position).iter().zip(SIGNS[corner]).all(|(at, sign)| *at == 1 || (*at == 2) == (sign > 0.0))
}

/// The corner of the cell at a place on the lattice.
fn corner_at(position: u8) -> Option<usize> {
    axes(position).iter().all(|at| *at != 1).then(|| (0..8).find(|c| carries(position, *c)))?
}

impl Composite {
    /// Of cells whose finest ones have these matrices.
    ///
    /// **Source:** SOFA's children that are missing have the matrix of a unit cube of Poisson's ratio 0, as a table of 6 digits in 32-bit
    /// floats; it counts where displacements are in balance, not in the matrices.
    pub fn new(finest: Condensed, interpolation: Interpolation) -> Option<Self> {
        let corners = SIGNS.map(|s| Vec3::from_fn(|k, _| 0.5 * (1.0 + s[k])));
        let cube = element_stiffness::<Hexahedron, 8>(
            &Hexahedron::quadrature(),
            &corners,
            &Lame::new(VOID_YOUNG, 0.0),
        )?;
        // Entries lie between 1e10 and 1e12: six digits are multiples of 1e5, or 1e6 from 1e11 on.
        let six_digits = |k: Real| {
            let unit = if k.abs() < 1e11 { 1e5 } else { 1e6 };
            Real::from(((k / unit).round() * unit) as f32)
        };
        Some(Self { finest, interpolation, void: cube.map(|row| row.map(|k| k.map(six_digits))) })
    }

    /// The matrices of the finest cells.
    pub fn finest(&self) -> &Condensed {
        &self.finest
    }

    /// The cell of this number, from the finer cells in it; `found` takes how the corners of each of these move with those of the cell above
    /// it, level by level, and has room for all.
    ///
    /// # Errors
    /// Finer cells that nothing holds.
    pub fn of_children(
        &self,
        finer: &[FinerCells],
        cell: u32,
        found: &mut [Vec<Influence>],
    ) -> Result<Cell, NoBalance> {
        let Some((level, below)) = finer.split_first() else { return Ok(self.finest.finest(1.0)) };
        let Some((here, found)) = found.split_first_mut() else { return Err(NoBalance) };
        let children = &level.children[cell as usize];
        let mut matrices = Vec::with_capacity(children.len());
        for child in children {
            matrices.push(match below {
                [] => self.finest.finest(level.cells.stiffness[child.cell as usize]),
                _ => self.of_children(below, child.cell, found)?,
            });
        }
        let corners = Corners::new(level, children);
        let moved = self.moved(&corners, children, &matrices)?;
        let mut sum = Cell {
            stiffness: [[Mat3::zeros(); 8]; 8],
            mass: [[Vec3::zeros(); 8]; 8],
            volume: self.finest.size().product(),
        };
        for (i, (child, fine)) in children.iter().zip(&matrices).enumerate() {
            let of: [&Moved; 8] = corners.of_child[i].map(|c| &moved[c]);
            let along = of.map(|m| m.along);
            add_through(&along, fine, &mut sum);
            here[child.cell as usize] = of.map(|m| m.points);
        }
        Ok(sum)
    }

    /// How each corner of the children moves with the cell's.
    fn moved(
        &self,
        corners: &Corners,
        children: &[Child],
        matrices: &[Cell],
    ) -> Result<Vec<Moved>, NoBalance> {
        let mut free = vec![usize::MAX; corners.all.len()];
        let mut n = 0;
        for (free, (position, _)) in free.iter_mut().zip(&corners.all) {
            if corner_at(*position).is_none() {
                *free = 3 * n;
                n += 1;
            }
        }
        let (n, mut matrix, mut right) = (3 * n, vec![0.0; 9 * n * n], vec![0.0; 3 * n * 24]);
        let mut add = |nodes: &[usize; 8], stiffness: &[[Mat3; 8]; 8]| {
            for (a, row) in nodes.iter().zip(stiffness).filter(|(a, _)| free[**a] != usize::MAX) {
                for (b, block) in nodes.iter().zip(row) {
                    let held = corner_at(corners.all[*b].0);
                    for (i, j) in (0..9).map(|at| (at / 3, at % 3)) {
                        match held {
                            None => matrix[(free[*a] + i) * n + free[*b] + j] += block[(i, j)],
                            Some(c) => right[(free[*a] + i) * 24 + 3 * c + j] -= block[(i, j)],
                        }
                    }
                }
            }
        };
        for (nodes, cell) in corners.of_child.iter().zip(matrices) {
            add(nodes, &cell.stiffness);
        }
        for place in (0..8).filter(|p| children.iter().all(|c| c.place != *p)) {
            add(&corners.of_void(place), &self.void);
        }
        if !solve(n, &mut matrix, 24, &mut right) {
            return Err(NoBalance);
        }
        let block = |row: usize, c: usize| Mat3::from_fn(|i, j| right[(row + i) * 24 + 3 * c + j]);
        let of = |(free, (position, _)): (&usize, &Corner)| match corner_at(*position) {
            Some(held) => {
                let one = |c: usize| Real::from(u8::from(c == held));
                Moved {
                    along: std::array::from_fn(|c| Vec3::repeat(one(c))),
                    points: std::array::from_fn(|c| Mat3::identity() * one(c)),
                }
            }
            None => self.interpolated(*position, std::array::from_fn(|c| block(*free, c))),
        };
        let moved: Vec<Moved> = free.iter().zip(&corners.all).map(of).collect();
        let is_finite = |m: &Moved| m.along.iter().all(|a| a.iter().all(|w| w.is_finite()));
        if moved.iter().all(is_finite) { Ok(moved) } else { Err(NoBalance) }
    }

    /// From the displacements in balance, those that count.
    fn interpolated(&self, position: u8, balance: [Mat3; 8]) -> Moved {
        let kept = |c: usize| if carries(position, c) { balance[c].diagonal() } else { Vec3::zeros() };
        let mut along: [Vec3; 8] = std::array::from_fn(kept);
        let sum: Vec3 = along.iter().sum();
        along = along.map(|w| w.component_div(&sum));
        let diagonal = along.map(|w| Mat3::from_diagonal(&w));
        let points = match self.interpolation {
            Interpolation::Normalized => diagonal,
            Interpolation::Whole => balance,
            Interpolation::Bulging(poisson) => {
                let at = axes(position);
                let middles = at.iter().filter(|a| **a == 1).count() as Real;
                // 2 for the middle of an edge, 1 for that of a face.
                let part = -2.0 / middles * poisson * 0.3;
                let mut points = diagonal;
                for c in (0..8).filter(|c| carries(position, *c)) {
                    for (i, j) in (0..9).map(|k| (k / 3, k % 3)).filter(|(i, j)| at[*i] != 1 && at[*j] == 1) {
                        points[c][(i, j)] = balance[c][(i, j)].signum() * part;
                    }
                }
                points
            }
        };
        Moved { along, points }
    }
}

/// The corners of a cell's children, each once.
struct Corners {
    /// Ascending; where no child has one, one that stands for none.
    all: Vec<Corner>,
    /// Those of each child.
    of_child: Vec<[usize; 8]>,
}

impl Corners {
    fn new(level: &FinerCells, children: &[Child]) -> Self {
        let of = |child: &Child| -> [Corner; 8] {
            let nodes = level.hexahedra[child.cell as usize];
            std::array::from_fn(|k| (number(lattice_place(child.place, k)), nodes[k]))
        };
        let mut all: Vec<Corner> = children.iter().flat_map(of).collect();
        let empty: Vec<u8> = (0..27).filter(|p| all.iter().all(|(q, _)| q != p)).collect();
        all.extend(empty.iter().map(|p| (*p, SparseGrid::OUTSIDE)));
        all.sort_unstable();
        all.dedup();
        let index = |corner: Corner| all.partition_point(|c| *c < corner);
        let of_child = children.iter().map(|c| of(c).map(index)).collect();
        Self { all, of_child }
    }

    /// The corners of a place without child: at each, the first that there is.
    fn of_void(&self, place: u8) -> [usize; 8] {
        std::array::from_fn(|k| {
            let position = number(lattice_place(place, k));
            self.all.partition_point(|c| c.0 < position)
        })
    }
}

/// Adds the matrices of a child whose corners move with these weights.
fn add_through(along: &[[Vec3; 8]; 8], fine: &Cell, sum: &mut Cell) {
    let mut stiffness = [[Mat3::zeros(); 8]; 8];
    let mut mass = [[Vec3::zeros(); 8]; 8];
    for a in 0..8 {
        for (b, weights) in along.iter().enumerate() {
            for (c, w) in weights.iter().enumerate().filter(|(_, w)| **w != Vec3::zeros()) {
                stiffness[a][c] += fine.stiffness[a][b] * Mat3::from_diagonal(w);
                mass[a][c] += fine.mass[a][b].component_mul(w);
            }
        }
    }
    for (a, weights) in along.iter().enumerate() {
        for (c, w) in weights.iter().enumerate().filter(|(_, w)| **w != Vec3::zeros()) {
            for d in 0..8 {
                sum.stiffness[c][d] += Mat3::from_diagonal(w) * stiffness[a][d];
                sum.mass[c][d] += mass[a][d].component_mul(w);
            }
        }
    }
}

/// For each finest cell, the cell that holds it, and how its corners move with that cell's.
pub fn through_all(finer: &[FinerCells], found: &[Vec<Influence>], n_cells: usize) -> Vec<(u32, Influence)> {
    let one = |i: usize, j: usize| Mat3::identity() * Real::from(u8::from(i == j));
    let identity: Influence = std::array::from_fn(|i| std::array::from_fn(|j| one(i, j)));
    let mut above: Vec<(u32, Influence)> = (0..n_cells as u32).map(|cell| (cell, identity)).collect();
    for (level, influences) in finer.iter().zip(found) {
        let mut here = vec![(0, identity); level.hexahedra.len()];
        for (children, (coarse, of_parent)) in level.children.iter().zip(&above) {
            for child in children.iter().map(|c| c.cell as usize) {
                here[child] = (*coarse, product(&influences[child], of_parent));
            }
        }
        above = here;
    }
    above
}

fn product(a: &Influence, b: &Influence) -> Influence {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..8).map(|k| a[i][k] * b[k][j]).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::RegularGrid;

    /// One cell with children of these factors; 0 stands for none.
    fn one(factors: [Real; 8]) -> Vec<FinerCells> {
        let there: Vec<u8> = (0..8).filter(|p| factors[usize::from(*p)] > 0.0).collect();
        let corners = |p: &u8| std::array::from_fn(|k| u32::from(number(lattice_place(*p, k))));
        let points = (0..27).map(|p| Vec3::from(axes(p).map(Real::from)) * 0.5).collect();
        let stiffness: Vec<Real> = there.iter().map(|p| factors[usize::from(*p)]).collect();
        let lattice =
            RegularGrid { n: [3; 3], p0: Vec3::zeros(), dx: Vec3::x(), dy: Vec3::y(), dz: Vec3::z() };
        let cells = SparseGrid {
            lattice,
            hexahedron_of_cell: vec![],
            border: vec![],
            mass: stiffness.clone(),
            stiffness,
            finer: vec![],
            branched: false,
        };
        let children = vec![(0..).zip(&there).map(|(cell, place)| Child { place: *place, cell }).collect()];
        vec![FinerCells { children, points, hexahedra: there.iter().map(corners).collect(), cells }]
    }

    fn cell(factors: [Real; 8], interpolation: Interpolation) -> (Cell, Vec<Vec<Influence>>) {
        let lame = Lame::new(1000.0, 0.3);
        let finest = Condensed::new(Vec3::repeat(1.0), &lame, 1, 2.0).unwrap();
        let composite = Composite::new(finest, interpolation).unwrap();
        let finer = one(factors);
        let mut found = vec![vec![[[Mat3::zeros(); 8]; 8]; finer[0].hexahedra.len()]];
        let cell = composite.of_children(&finer, 0, &mut found).unwrap();
        (cell, found)
    }

    /// Where all children are alike, edges and faces move as means of their corners, by symmetry: the cell is a box.
    #[test]
    fn a_uniform_cell_is_a_box() {
        let (cell, found) = cell([1.0; 8], Interpolation::Normalized);
        let lame = Lame::new(1000.0, 0.3);
        let whole = Condensed::new(Vec3::repeat(1.0), &lame, 0, 2.0).unwrap().finest(1.0);
        for (k, whole) in cell.stiffness.as_flattened().iter().zip(whole.stiffness.as_flattened()) {
            assert!((k - whole).norm() < 1e-9 * 1000.0, "{k} {whole}");
        }
        let half = found[0][0][1][1];
        assert!((half - Mat3::identity() * 0.5).norm() < 1e-12, "{half}");
    }

    /// A stiff half hardly deforms: the middle of an edge follows the corner on that side.
    #[test]
    fn the_middle_follows_the_stiffer_side() {
        let factors: [Real; 8] = std::array::from_fn(|c| if c & 1 == 0 { 1e6 } else { 1.0 });
        let (_, found) = cell(factors, Interpolation::Normalized);
        // Node 1 of child 0 is the middle of the edge along x from corner 0 to corner 1.
        let (stiff, soft) = (found[0][0][1][0][(0, 0)], found[0][0][1][1][(0, 0)]);
        assert!((stiff + soft - 1.0).abs() < 1e-12 && soft < 1e-3, "{stiff} {soft}");
    }

    #[test]
    fn matrices_are_symmetric_and_rigid_motions_are_free() {
        let factors = [1.0, 0.5, 0.0, 2.0, 0.0, 1.0, 1.0, 3.0];
        for interpolation in [Interpolation::Normalized, Interpolation::Whole, Interpolation::Bulging(0.3)] {
            let (cell, _) = cell(factors, interpolation);
            for i in 0..8 {
                let rows: Mat3 = cell.stiffness[i].iter().sum();
                assert!(rows.norm() < 1e-8 * 1000.0, "a shift gives a force: {rows}");
                for j in 0..8 {
                    assert!((cell.stiffness[i][j] - cell.stiffness[j][i].transpose()).norm() < 1e-8 * 1000.0);
                }
            }
        }
    }

    #[test]
    fn bulging_moves_across_the_edge_only() {
        let (_, found) = cell([1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], Interpolation::Bulging(0.3));
        let middle_of_edge = found[0][0][1][0];
        assert_eq!(middle_of_edge[(1, 0)].abs(), 2.0 * 0.3 * 0.3);
        assert_eq!(middle_of_edge[(0, 1)], 0.0);
        // Node 2 of child 0 is the middle of the face across z.
        assert_eq!(found[0][0][2][0][(2, 0)].abs(), 0.3 * 0.3);
        let (_, found) = cell([0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], Interpolation::Normalized);
        assert_eq!(found[0].len(), 7);
    }
}
