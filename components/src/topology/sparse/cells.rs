//! One level of a sparse grid: its cells, their factors, and the coarser level that follows from it.

use sim_core::math::Vec3;
use sim_core::topology::{Child, FinerCells, RegularGrid, SparseGrid, Topology, TopologyKind};

use super::voxels::Cell;

/// The corners of a cell, in the order of a hexahedron's nodes.
pub(super) const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// The filled cells of one lattice.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub lattice: RegularGrid,
    /// The cell of the lattice for each filled cell.
    pub cells: Vec<u32>,
    /// Its inverse; [`SparseGrid::OUTSIDE`] where nothing is filled.
    pub filled: Vec<u32>,
    /// Whether the surface goes through the filled cell.
    pub on_border: Vec<bool>,
    pub stiffness: Vec<f32>,
    pub mass: Vec<f32>,
}

impl Level {
    /// Border cells first, then inner ones, each in the order of the lattice.
    pub fn finest(lattice: RegularGrid, kinds: &[Cell], only_inside: bool, border_factor: f32) -> Self {
        let mut level = Self::empty(lattice);
        for kind in [Cell::Border, Cell::Inside] {
            if kind == Cell::Border && only_inside {
                continue;
            }
            for (cell, _) in (0..).zip(kinds).filter(|(_, k)| **k == kind) {
                let border = kind == Cell::Border;
                level.push(cell, border, if border { border_factor } else { 1.0 });
            }
        }
        level
    }

    /// A level without filled cells.
    pub fn empty(lattice: RegularGrid) -> Self {
        let n = lattice.cells().iter().product();
        Self {
            lattice,
            cells: Vec::new(),
            filled: vec![SparseGrid::OUTSIDE; n],
            on_border: Vec::new(),
            stiffness: Vec::new(),
            mass: Vec::new(),
        }
    }

    pub fn push(&mut self, cell: usize, on_border: bool, factor: f32) {
        self.filled[cell] = self.cells.len() as u32;
        self.cells.push(cell as u32);
        self.on_border.push(on_border);
        self.stiffness.push(factor);
        self.mass.push(factor);
    }

    /// The lattice of half as many cells along each axis, rounded up: it may reach half a cell beyond.
    pub fn coarser_lattice(&self) -> RegularGrid {
        let RegularGrid { n, p0, dx, dy, dz } = self.lattice;
        let n = n.map(|n| n / 2 + 1);
        // The steps are those that follow from the far corner, in SOFA's order of operations.
        let step = |k: usize, d: f64| {
            let cells = (n[k] - 1) as f64;
            (p0[k] + cells * 2.0 * d - p0[k]) / cells
        };
        let (x, y, z) = (step(0, dx.x), step(1, dy.y), step(2, dz.z));
        RegularGrid { n, p0, dx: Vec3::x() * x, dy: Vec3::y() * y, dz: Vec3::z() * z }
    }

    /// The eight cells that a cell of the coarser lattice holds, x running fastest; none where nothing is filled.
    pub fn children(&self, [i, j, k]: [usize; 3]) -> [Option<u32>; 8] {
        let n = self.lattice.cells();
        std::array::from_fn(|c| {
            let place = [2 * i + (c & 1), 2 * j + (c >> 1 & 1), 2 * k + (c >> 2)];
            let is_there = (0..3).all(|a| place[a] < n[a]);
            let filled = is_there.then(|| self.filled[self.lattice.cell(place)])?;
            (filled != SparseGrid::OUTSIDE).then_some(filled)
        })
    }

    /// Whether a cell with these children is on the border; none where it has no children.
    pub fn border_of(&self, children: &[Option<u32>; 8]) -> Option<bool> {
        let any = children.iter().any(Option::is_some);
        let inside = children.iter().all(|c| c.is_some_and(|c| !self.on_border[c as usize]));
        any.then_some(!inside)
    }

    /// The mean of eight factors, those of missing children 0, in 32-bit floats.
    pub fn mean(factors: &[f32], children: &[Option<u32>; 8]) -> f32 {
        children.iter().flatten().fold(0.0_f32, |sum, c| sum + factors[*c as usize]) / 8.0
    }

    /// The level of cells twice as large.
    ///
    /// **Source:** as SOFA's: cells in the order of x, then y, then z; inside is what has eight children inside.
    pub fn coarser(&self) -> Self {
        let mut coarse = Self::empty(self.coarser_lattice());
        for (place, children) in self.parents(&coarse.lattice) {
            if let Some(border) = self.border_of(&children) {
                coarse.push(coarse.lattice.cell(place), border, 0.0);
                let last = coarse.cells.len() - 1;
                coarse.stiffness[last] = Self::mean(&self.stiffness, &children);
                coarse.mass[last] = Self::mean(&self.mass, &children);
            }
        }
        coarse
    }

    /// Its cells as the children of those of the level above.
    pub fn below(&self, coarse: &Self) -> FinerCells {
        let children = |cell: &u32| {
            let at = self.children(coarse.lattice.place(*cell as usize));
            let child = |(place, cell): (u8, Option<u32>)| Some(Child { place, cell: cell? });
            (0..).zip(at).filter_map(child).collect()
        };
        let (points, hexahedra) = self.corner_points();
        let children = coarse.cells.iter().map(children).collect();
        FinerCells { children, points, hexahedra, cells: self.sparse() }
    }

    /// The cells of the coarser lattice with their children, z running fastest.
    pub fn parents(&self, coarse: &RegularGrid) -> impl Iterator<Item = ([usize; 3], [Option<u32>; 8])> + '_ {
        let [nx, ny, nz] = coarse.cells();
        (0..nx * ny * nz).map(move |i| {
            let place = [i / (ny * nz), i / nz % ny, i % nz];
            (place, self.children(place))
        })
    }

    /// The corners of a filled cell, as places in the lattice.
    pub fn corners(&self, filled: usize) -> [[usize; 3]; 8] {
        let place = self.lattice.place(self.cells[filled] as usize);
        CORNERS.map(|c| [place[0] + c[0], place[1] + c[1], place[2] + c[2]])
    }

    /// A point for each corner, ascending by x, then y, then z, and the corners of each filled cell.
    pub fn corner_points(&self) -> (Vec<Vec3>, Vec<[u32; 8]>) {
        let mut corners: Vec<[usize; 3]> = (0..self.cells.len()).flat_map(|c| self.corners(c)).collect();
        corners.sort_unstable();
        corners.dedup();
        let number = |corner: &[usize; 3]| corners.partition_point(|c| c < corner) as u32;
        let hexahedra =
            (0..self.cells.len()).map(|c| self.corners(c).map(|corner| number(&corner))).collect();
        (corners.iter().map(|c| self.lattice.point(*c)).collect(), hexahedra)
    }

    /// The grid with a point for each corner, and what follows from it.
    pub fn topology(&self) -> Topology {
        let (points, hexahedra) = self.corner_points();
        finished(points, hexahedra, self.sparse())
    }

    /// The cells, a hexahedron for each.
    fn sparse(&self) -> SparseGrid {
        let border = (0..).zip(&self.on_border).filter(|(_, b)| **b).map(|(i, _): (usize, _)| self.cells[i]);
        SparseGrid {
            lattice: self.lattice,
            hexahedron_of_cell: self.filled.clone(),
            border: border.collect(),
            stiffness: widened(&self.stiffness),
            mass: widened(&self.mass),
            finer: Vec::new(),
            branched: false,
        }
    }
}

/// 32-bit factors as they are kept.
pub(super) fn widened(factors: &[f32]) -> Vec<f64> {
    factors.iter().map(|f| f64::from(*f)).collect()
}

/// **Source:** SOFA's edges and quads of a sparse grid: those of all cells, each once, in ascending order of their nodes as listed.
pub(super) fn finished(points: Vec<Vec3>, hexahedra: Vec<[u32; 8]>, cells: SparseGrid) -> Topology {
    const EDGES: [[usize; 2]; 12] =
        [[0, 1], [3, 2], [4, 5], [7, 6], [0, 3], [1, 2], [4, 7], [5, 6], [0, 4], [1, 5], [3, 7], [2, 6]];
    const QUADS: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [3, 2, 6, 7], [0, 4, 7, 3], [1, 5, 6, 2]];
    Topology {
        n_points: points.len(),
        points,
        edges: ascending(&hexahedra, &EDGES),
        quads: ascending(&hexahedra, &QUADS),
        hexahedra,
        sparse: Some(cells),
        ..Topology::empty(TopologyKind::SparseGrid)
    }
}

fn ascending<const M: usize, const P: usize>(
    hexahedra: &[[u32; 8]],
    local: &[[usize; M]; P],
) -> Vec<[u32; M]> {
    let mut parts = super::super::derive::parts(hexahedra, local);
    parts.sort_unstable();
    parts.dedup();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(n: [usize; 3]) -> RegularGrid {
        RegularGrid { n: n.map(|n| n + 1), p0: Vec3::zeros(), dx: Vec3::x(), dy: Vec3::y(), dz: Vec3::z() }
    }

    #[test]
    fn border_cells_come_first_and_points_ascend() {
        let kinds = [Cell::Inside, Cell::Outside, Cell::Border];
        let level = Level::finest(lattice([3, 1, 1]), &kinds, false, 0.5);
        let t = level.topology();
        assert_eq!((t.n_points, t.hexahedra.len()), (16, 2));
        assert_eq!(t.points[0], Vec3::zeros());
        assert_eq!(t.points[8], Vec3::new(2.0, 0.0, 0.0));
        // Points ascend by x, y, z, so node 1 of a cell, a step along x, is four numbers on.
        assert_eq!(t.hexahedra[0], [8, 12, 14, 10, 9, 13, 15, 11]);
        let cells = t.sparse.unwrap();
        assert_eq!((cells.stiffness, cells.border), (vec![0.5, 1.0], vec![2]));
        assert_eq!(cells.hexahedron_of_cell, [1, SparseGrid::OUTSIDE, 0]);
        assert_eq!((t.edges.len(), t.quads.len()), (24, 12));
        assert!(Level::finest(lattice([3, 1, 1]), &kinds, true, 0.5).cells == [0]);
    }

    #[test]
    fn a_coarser_level_holds_means() {
        let mut kinds = vec![Cell::Inside; 27];
        kinds[0] = Cell::Border;
        let fine = Level::finest(lattice([3; 3]), &kinds, false, 0.5);
        let coarse = fine.coarser();
        assert_eq!(coarse.lattice.n, [3; 3]);
        assert_eq!(coarse.lattice.point([2, 2, 2]), Vec3::new(4.0, 4.0, 4.0), "half a cell beyond");
        assert_eq!(coarse.cells, [0, 4, 2, 6, 1, 5, 3, 7], "z runs fastest");
        assert!(coarse.on_border.iter().all(|b| *b), "a missing child is not inside");
        assert_eq!(coarse.stiffness, [7.5 / 8.0, 0.5, 0.5, 0.25, 0.5, 0.25, 0.25, 0.125]);
    }
}
