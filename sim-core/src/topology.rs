//! The elements of a mesh, as components read them: points and index lists, in SOFA's order and orientation.

use crate::math::Vec3;

/// Which class of topology component a [`Topology`] comes from; some mappings choose their method by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyKind {
    /// SOFA's `MeshTopology`.
    Mesh,
    /// SOFA's `RegularGridTopology`.
    RegularGrid,
    /// SOFA's `SparseGridTopology` and what descends from it.
    SparseGrid,
    /// One of SOFA's `...SetTopologyContainer`.
    SetContainer,
}

/// The lattice of a regular grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegularGrid {
    /// Points per axis.
    pub n: [usize; 3],
    /// Position of point (0, 0, 0) [m].
    pub p0: Vec3,
    /// Step along each axis [m].
    pub dx: Vec3,
    /// Step along the second axis [m].
    pub dy: Vec3,
    /// Step along the third axis [m].
    pub dz: Vec3,
}

impl RegularGrid {
    /// Position of point (i, j, k) [m].
    pub fn point(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.p0 + self.dx * i as f64 + self.dy * j as f64 + self.dz * k as f64
    }

    /// Cells along each axis.
    pub fn cells(&self) -> [usize; 3] {
        self.n.map(|n| n.saturating_sub(1))
    }

    /// The number of cell (i, j, k), i running fastest.
    pub fn cell(&self, [i, j, k]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.cells();
        i + nx * (j + ny * k)
    }

    /// The place (i, j, k) of a cell.
    pub fn place(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells().map(|n| n.max(1));
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// The place of the cell that holds a position; a cell holds its lower faces, and none the upper ones of the lattice.
    pub fn place_of(&self, x: &Vec3) -> Option<[usize; 3]> {
        let (d, axes, cells) = (x - self.p0, [self.dx, self.dy, self.dz], self.cells());
        let mut place = [0; 3];
        for k in 0..3 {
            let along = (d.dot(&axes[k]) / axes[k].dot(&axes[k])).floor();
            if !(along >= 0.0 && along < cells[k] as f64) {
                return None;
            }
            place[k] = along as usize;
        }
        Some(place)
    }
}

/// The cells of a sparse grid: those of a lattice that a body fills, wholly or in part.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGrid {
    /// The lattice in which a point's cell is looked up; of a ramified grid the finest one.
    pub lattice: RegularGrid,
    /// For each cell of the lattice, x running fastest, the hexahedron that holds it; [`SparseGrid::OUTSIDE`] for none.
    pub hexahedron_of_cell: Vec<u32>,
    /// The cells of the lattice that the body's surface goes through, in the order in which the nearest is looked for.
    pub border: Vec<u32>,
    /// For each hexahedron, the factor of its stiffness: how much of it is filled; a 32-bit float in SOFA.
    pub stiffness: Vec<f64>,
    /// For each hexahedron, the factor of its mass; a 32-bit float in SOFA.
    pub mass: Vec<f64>,
    /// The finer levels of cells that these were made of, each of half the size of the one before it; empty where there are none.
    pub finer: Vec<FinerCells>,
    /// Whether cells that touch without being connected are kept apart (`SparseGridRamificationTopology` and its kin).
    pub branched: bool,
}

/// The cells of a finer level of a sparse grid.
#[derive(Clone, Debug, PartialEq)]
pub struct FinerCells {
    /// For each cell of the level above, its children.
    pub children: Vec<Vec<Child>>,
    /// Corners of the cells [m].
    pub points: Vec<Vec3>,
    /// The corners of each cell, in the order of a hexahedron's nodes.
    pub hexahedra: Vec<[u32; 8]>,
    /// The lattice of this level, in which a point's cell is looked up, and the factors of its cells; `finer` is empty.
    pub cells: SparseGrid,
}

/// A child of a cell. A child has the place to itself unless cells that touch without being connected are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its place among eight, x running fastest.
    pub place: u8,
    /// Its number in its level.
    pub cell: u32,
}

impl SparseGrid {
    /// Stands for no hexahedron.
    pub const OUTSIDE: u32 = u32::MAX;
}

/// Points and elements of one topology component, complete: derived edges, triangles and quads are filled in.
#[derive(Clone, Debug)]
pub struct Topology {
    /// The class it comes from.
    pub kind: TopologyKind,
    /// Number of points (also where `points` is empty: a container filled by a topological mapping).
    pub n_points: usize,
    /// Positions [m]; empty where the component knows none.
    pub points: Vec<Vec3>,
    /// Edges, shape `[n_edges][2]`.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Quadrangles.
    pub quads: Vec<[u32; 4]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Hexahedra, node order as SOFA's (bottom counter-clockwise, then top).
    pub hexahedra: Vec<[u32; 8]>,
    /// Prisms: a triangle, then the opposite one.
    pub prisms: Vec<[u32; 6]>,
    /// Pyramids: the four nodes of the base, then the tip.
    pub pyramids: Vec<[u32; 5]>,
    /// The lattice, for a regular grid.
    pub grid: Option<RegularGrid>,
    /// Points per axis, for every grid whose elements are those of a full lattice, bent ones too.
    pub counts: Option<[usize; 3]>,
    /// The cells, for a sparse grid.
    pub sparse: Option<SparseGrid>,
}

impl Topology {
    /// A topology of the given kind with nothing in it.
    pub fn empty(kind: TopologyKind) -> Self {
        Self {
            kind,
            n_points: 0,
            points: Vec::new(),
            edges: Vec::new(),
            triangles: Vec::new(),
            quads: Vec::new(),
            tetrahedra: Vec::new(),
            hexahedra: Vec::new(),
            prisms: Vec::new(),
            pyramids: Vec::new(),
            grid: None,
            counts: None,
            sparse: None,
        }
    }
}
