//! The elements of a mesh, as components read them: points and index lists, in SOFA's order and orientation.

use crate::math::Vec3;

/// Which class of topology component a [`Topology`] comes from; some mappings choose their method by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyKind {
    /// SOFA's `MeshTopology`.
    Mesh,
    /// SOFA's `RegularGridTopology`.
    RegularGrid,
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
    /// The lattice, for a regular grid.
    pub grid: Option<RegularGrid>,
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
            grid: None,
        }
    }
}
