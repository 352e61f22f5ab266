//! Matrices of cells that are put together from those of the finer cells within them, by trilinear interpolation.

use sim_core::math::{Mat3, Real, Vec3};
use sim_core::topology::FinerCells;

use super::finite_element::{FiniteElement, Hexahedron, element_stiffness};
use super::hexahedra::SIGNS;
use super::material::Lame;

/// A matrix of blocks.
pub type Blocks = [[Mat3; 8]; 8];
/// The weights with which each corner of a child is a mean of its parent's.
type Weights = [[Real; 8]; 8];

/// The matrices of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its stiffness along its axes [N/m].
    pub stiffness: Blocks,
    /// Its mass matrix, for each axis [kg].
    pub mass: [[Vec3; 8]; 8],
    /// Its volume [m^3].
    pub volume: Real,
}

/// The matrices of equal cells, as far as they do not depend on what fills them.
#[derive(Clone, Debug)]
pub struct Condensed {
    size: Vec3,
    levels: usize,
    stiffness: Blocks,
    /// The entry of each pair of points of a finest cell [kg].
    mass: Real,
}

/// The weights of the child at (c & 1, c >> 1 & 1, c >> 2).
fn weights(c: usize) -> Weights {
    let offset = [c & 1, c >> 1 & 1, c >> 2].map(|o| o as Real);
    SIGNS.map(|corner| {
        // Where the child's corner is in the parent, from 0 to 1.
        let at: [Real; 3] = std::array::from_fn(|k| (offset[k] + 0.5 * (1.0 + corner[k])) / 2.0);
        SIGNS.map(|parent| (0..3).map(|k| if parent[k] > 0.0 { at[k] } else { 1.0 - at[k] }).product())
    })
}

impl Condensed {
    /// Of cells with edges of these lengths, so many levels above the finest; none of cells without volume.
    pub fn new(size: Vec3, lame: &Lame, levels: usize, density: Real) -> Option<Self> {
        let fine = size / (1_u64 << levels.min(16)) as Real;
        let corners = SIGNS.map(|s| Vec3::from_fn(|k, _| 0.5 * (1.0 + s[k]) * fine[k]));
        let stiffness = element_stiffness::<Hexahedron, 8>(&Hexahedron::quadrature(), &corners, lame)?;
        Some(Self { size, levels, stiffness, mass: density * fine.product() * 8.0 / 27.0 })
    }

    /// The lengths of a cell's edges [m].
    pub fn size(&self) -> Vec3 {
        self.size
    }

    /// A finest cell with this factor.
    pub fn finest(&self, factor: Real) -> Cell {
        Cell {
            stiffness: self.stiffness.map(|row| row.map(|k| k * factor)),
            mass: [[Vec3::repeat(self.mass * factor); 8]; 8],
            volume: self.size.product(),
        }
    }

    /// The cell of this number, from the finer cells in it.
    pub fn of_children(&self, finer: &[FinerCells], cell: u32) -> Cell {
        let weights: [Weights; 8] = std::array::from_fn(weights);
        self.gathered(&finer[..self.levels.min(finer.len())], cell, &weights)
    }

    fn gathered(&self, finer: &[FinerCells], cell: u32, weights: &[Weights; 8]) -> Cell {
        let Some((level, below)) = finer.split_first() else { return self.finest(1.0) };
        let mut sum = Cell {
            stiffness: [[Mat3::zeros(); 8]; 8],
            mass: [[Vec3::zeros(); 8]; 8],
            volume: self.size.product(),
        };
        for child in &level.children[cell as usize] {
            let p = &weights[usize::from(child.place)];
            let fine = match below {
                [] => self.finest(level.cells.stiffness[child.cell as usize]),
                _ => self.gathered(below, child.cell, weights),
            };
            add_through(p, &fine.stiffness, &mut sum.stiffness, Mat3::zeros());
            add_through(p, &fine.mass, &mut sum.mass, Vec3::zeros());
        }
        sum
    }
}

/// sum += Pᵀ K P
fn add_through<T>(p: &Weights, k: &[[T; 8]; 8], sum: &mut [[T; 8]; 8], zero: T)
where
    T: Copy + std::ops::Mul<Real, Output = T> + std::ops::AddAssign,
{
    let mut kp = [[zero; 8]; 8];
    for (row, k_row) in kp.iter_mut().zip(k) {
        for (k, p_row) in k_row.iter().zip(p) {
            for (entry, w) in row.iter_mut().zip(p_row) {
                *entry += *k * *w;
            }
        }
    }
    for (row, p_row) in kp.iter().zip(p) {
        for (sum_row, w) in sum.iter_mut().zip(p_row) {
            for (entry, k) in sum_row.iter_mut().zip(row) {
                *entry += *k * *w;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::{Child, RegularGrid, SparseGrid};

    /// Cells of eight children each, all full; points are not looked at here.
    fn full(finer: usize) -> Vec<FinerCells> {
        let child = |c: u32, place: u8| Child { place, cell: 8 * c + u32::from(place) };
        let level = |n: u32| FinerCells {
            children: (0..n).map(|c| (0..8).map(|k| child(c, k)).collect()).collect(),
            points: vec![],
            hexahedra: vec![],
            cells: SparseGrid {
                lattice: RegularGrid {
                    n: [2; 3],
                    p0: Vec3::zeros(),
                    dx: Vec3::x(),
                    dy: Vec3::y(),
                    dz: Vec3::z(),
                },
                hexahedron_of_cell: vec![],
                border: vec![],
                stiffness: vec![1.0; 8 * n as usize],
                mass: vec![1.0; 8 * n as usize],
                finer: vec![],
                branched: false,
            },
        };
        (0..finer).map(|l| level(8_u32.pow(l as u32))).collect()
    }

    /// Trilinear displacements of a full cell are those of its children, so that its stiffness is that of a box, and its mass the same.
    #[test]
    fn a_full_cell_is_a_box() {
        let (size, lame) = (Vec3::new(1.0, 0.8, 1.3), Lame::new(1000.0, 0.3));
        let whole = Condensed::new(size, &lame, 0, 2.0).unwrap().finest(1.0);
        for levels in [1, 2] {
            let cell = Condensed::new(size, &lame, levels, 2.0).unwrap().of_children(&full(levels), 0);
            for i in 0..8 {
                for j in 0..8 {
                    let off = (cell.stiffness[i][j] - whole.stiffness[i][j]).norm();
                    assert!(off < 1e-9 * whole.stiffness[i][i].norm(), "{levels} {i} {j}: {off}");
                }
            }
            let total = |c: &Cell| c.mass.as_flattened().iter().map(|m| m.x).sum::<Real>();
            assert!((total(&cell) - total(&whole)).abs() < 1e-12);
        }
    }

    #[test]
    fn missing_children_have_no_stiffness() {
        let (size, lame) = (Vec3::repeat(1.0), Lame::new(1000.0, 0.3));
        let mut finer = full(1);
        finer[0].children[0] = vec![];
        let cell = Condensed::new(size, &lame, 1, 1.0).unwrap().of_children(&finer, 0);
        assert!(cell.stiffness.as_flattened().iter().all(|k| k.norm() == 0.0));
    }
}
