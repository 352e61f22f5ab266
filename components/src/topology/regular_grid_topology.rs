//! `RegularGridTopology`: a lattice of points with its hexahedra, quads, triangles and edges.

use sim_core::math::Vec3;
use sim_core::topology::{RegularGrid, Topology, TopologyKind};

use super::{MAX_POINTS, TopologyError, derive};

/// The attributes of a `RegularGridTopology`.
///
/// The caller rounds `xmin ... zmax` and `scale` to 32-bit floats where the scene gives those, as SOFA does.
///
/// **Source:** as SOFA's `RegularGridTopology`; so quads and triangles include inner ones, and edges are those of
/// the triangles, with one diagonal per quad, unless `compute_triangle_list` is off.
#[derive(Clone, Debug)]
pub struct RegularGridTopology {
    /// Points per axis.
    pub n: [i32; 3],
    /// One end of the diagonal [m].
    pub min: Vec3,
    /// The other end of the diagonal [m]; may lie below `min`.
    pub max: Vec3,
    /// Position of the first point [m], if it is not to follow from `min` and `max`.
    pub p0: Option<Vec3>,
    /// If not 0, replaces `n` by what covers the diagonal with cells of this size; the steps stay those of `n`.
    pub cell_width: f64,
    /// Whether hexahedra are wanted.
    pub compute_hexa_list: bool,
    /// Whether quads are wanted.
    pub compute_quad_list: bool,
    /// Whether triangles are wanted.
    pub compute_triangle_list: bool,
    /// Whether edges are wanted.
    pub compute_edge_list: bool,
}

impl Default for RegularGridTopology {
    fn default() -> Self {
        Self {
            n: [2; 3],
            min: Vec3::zeros(),
            max: Vec3::new(1.0, 1.0, 1.0),
            p0: None,
            cell_width: 0.0,
            compute_hexa_list: true,
            compute_quad_list: true,
            compute_triangle_list: true,
            compute_edge_list: true,
        }
    }
}

impl RegularGridTopology {
    /// The complete topology.
    ///
    /// # Errors
    /// Numbers that are not finite, or too many points.
    pub fn build(self) -> Result<Topology, TopologyError> {
        let size = self.max - self.min;
        let given =
            [("min", self.min), ("max", self.max), ("max - min", size), ("p0", self.p0.unwrap_or_default())];
        for (attribute, v) in given {
            if v.iter().any(|c| !c.is_finite()) {
                return Err(TopologyError::NotFinite { attribute });
            }
        }
        if !self.cell_width.is_finite() {
            return Err(TopologyError::NotFinite { attribute: "cellWidth" });
        }
        let grid = self.lattice()?;
        let [nx, ny, nz] = grid.n;
        let mut topology = Topology {
            n_points: nx * ny * nz,
            points: points(&grid),
            grid: Some(grid),
            counts: Some(grid.n),
            ..Topology::empty(TopologyKind::RegularGrid)
        };
        let lattice = Lattice { n: grid.n };
        if self.compute_hexa_list {
            topology.hexahedra = lattice.hexahedra();
        }
        // The triangles need the quads, so asking for triangles alone yields both.
        if self.compute_quad_list || self.compute_triangle_list {
            topology.quads = lattice.quads();
        }
        if self.compute_triangle_list {
            let halves = |q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
            topology.triangles = topology.quads.iter().flat_map(halves).collect();
        }
        if self.compute_edge_list {
            topology.edges = if topology.triangles.is_empty() {
                lattice.lines()
            } else {
                derive::edges_from_surface(&topology.triangles, &[])
            };
        }
        derive::complete(&mut topology);
        Ok(topology)
    }

    /// Resolution, first point and steps.
    fn lattice(&self) -> Result<RegularGrid, TopologyError> {
        let size = self.max - self.min;
        let mut n = self.n.map(i64::from);
        let mut steps = Vec3::from_fn(|a, _| step(size[a], n[a]));
        let first =
            |a: usize| if n[a] > 1 || a == 2 { self.min[a] } else { (self.max[a] + self.min[a]) / 2.0 };
        let p0 = self.p0.unwrap_or_else(|| Vec3::from_fn(|a, _| first(a)));
        if self.cell_width != 0.0 {
            n = [0, 1, 2].map(|a| ((size[a] / self.cell_width).ceil() as i64).saturating_add(1));
        }
        if n.iter().any(|n| *n < 1) {
            log::warn!("a grid of {} x {} x {} points is impossible; 2 x 2 x 2 are taken", n[0], n[1], n[2]);
            n = [2; 3];
            steps = size;
        }
        let total = n.iter().fold(1_u128, |total, n| total.saturating_mul(*n as u128));
        if total > MAX_POINTS as u128 {
            return Err(TopologyError::TooManyPoints { n_points: total, limit: MAX_POINTS });
        }
        Ok(RegularGrid {
            n: n.map(|n| n as usize),
            p0,
            dx: Vec3::new(steps.x, 0.0, 0.0),
            dy: Vec3::new(0.0, steps.y, 0.0),
            dz: Vec3::new(0.0, 0.0, steps.z),
        })
    }
}

/// The distance between neighbors; the whole size where there is one point only.
fn step(size: f64, n: i64) -> f64 {
    if n > 1 { size / (n - 1) as f64 } else { size }
}

/// Point (i, j, k) = p0 + i dx + j dy + k dz, i running fastest.
fn points(grid: &RegularGrid) -> Vec<Vec3> {
    let mut points = Vec::with_capacity(grid.n.iter().product());
    for k in 0..grid.n[2] {
        for j in 0..grid.n[1] {
            for i in 0..grid.n[0] {
                points.push(grid.p0 + grid.dx * i as f64 + grid.dy * j as f64 + grid.dz * k as f64);
            }
        }
    }
    points
}

/// Numbers of points per axis, and the element lists that follow from them.
struct Lattice {
    n: [usize; 3],
}

impl Lattice {
    fn point(&self, x: usize, y: usize, z: usize) -> u32 {
        (x + self.n[0] * (y + self.n[1] * z)) as u32
    }

    /// Calls `f` for all (x, y, z) below `n` less `cells`, x running fastest.
    fn each(&self, cells: [usize; 3], mut f: impl FnMut(usize, usize, usize)) {
        for z in 0..self.n[2] - cells[2] {
            for y in 0..self.n[1] - cells[1] {
                for x in 0..self.n[0] - cells[0] {
                    f(x, y, z);
                }
            }
        }
    }

    fn hexahedra(&self) -> Vec<[u32; 8]> {
        let mut hexahedra = Vec::new();
        self.each([1, 1, 1], |x, y, z| {
            let corner = |dx, dy, dz| self.point(x + dx, y + dy, z + dz);
            hexahedra.push([
                corner(0, 0, 0),
                corner(1, 0, 0),
                corner(1, 1, 0),
                corner(0, 1, 0),
                corner(0, 0, 1),
                corner(1, 0, 1),
                corner(1, 1, 1),
                corner(0, 1, 1),
            ]);
        });
        hexahedra
    }

    /// Quads of the XY planes, then XZ, then YZ.
    fn quads(&self) -> Vec<[u32; 4]> {
        let mut quads = Vec::new();
        for [u, v] in [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]] {
            let both = [u[0] + v[0], u[1] + v[1], u[2] + v[2]];
            self.each(both, |x, y, z| {
                let corner = |d: [usize; 3]| self.point(x + d[0], y + d[1], z + d[2]);
                quads.push([corner([0; 3]), corner(u), corner(both), corner(v)]);
            });
        }
        quads
    }

    /// Edges along X, then Y, then Z.
    fn lines(&self) -> Vec<[u32; 2]> {
        let mut lines = Vec::new();
        for u in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            self.each(u, |x, y, z| {
                lines.push([self.point(x, y, z), self.point(x + u[0], y + u[1], z + u[2])]);
            });
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: [i32; 3]) -> RegularGridTopology {
        RegularGridTopology { n, ..Default::default() }
    }

    #[test]
    fn a_cube_has_sofas_lists() {
        let t = grid([2; 3]).build().unwrap();
        assert_eq!(t.hexahedra, [[0, 1, 3, 2, 4, 5, 7, 6]]);
        assert_eq!(
            t.quads,
            [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
        );
        assert_eq!(t.triangles[..2], [[0, 1, 3], [0, 3, 2]]);
        assert_eq!(t.edges.len(), 12 + 6);
        assert_eq!(t.edges[..3], [[1, 3], [3, 0], [0, 1]]);
    }

    #[test]
    fn without_triangles_edges_are_the_grid_lines() {
        let t = RegularGridTopology { compute_triangle_list: false, ..grid([2, 2, 3]) }.build().unwrap();
        assert!(t.triangles.is_empty());
        assert_eq!(t.edges.len(), 6 + 6 + 8);
        assert_eq!(t.edges[0], [0, 1]);
        assert_eq!(t.edges[6], [0, 2]);
        assert_eq!(t.edges[12], [0, 4]);
    }

    #[test]
    fn a_line_of_points_lies_in_the_middle() {
        let t = RegularGridTopology { max: Vec3::new(5.0, 3.0, 19.0), ..grid([1, 1, 20]) }.build().unwrap();
        assert_eq!((t.n_points, t.edges.len(), t.quads.len()), (20, 19, 0));
        assert_eq!(t.points[0], Vec3::new(2.5, 1.5, 0.0));
        assert_eq!(t.points[19], Vec3::new(2.5, 1.5, 19.0));
    }

    #[test]
    fn a_cell_width_replaces_the_resolution_but_not_the_steps() {
        let t = RegularGridTopology { cell_width: 0.3, ..grid([3, 3, 3]) }.build().unwrap();
        let lattice = t.grid.unwrap();
        assert_eq!(lattice.n, [5; 3]);
        assert_eq!(lattice.dx, Vec3::new(0.5, 0.0, 0.0));
    }

    #[test]
    fn an_impossible_resolution_becomes_two() {
        assert_eq!(grid([0, 5, 5]).build().unwrap().n_points, 8);
    }

    #[test]
    fn too_many_points_are_refused() {
        assert!(matches!(grid([i32::MAX; 3]).build(), Err(TopologyError::TooManyPoints { .. })));
        let tiny = RegularGridTopology { cell_width: 1e-300, ..Default::default() };
        assert!(matches!(tiny.build(), Err(TopologyError::TooManyPoints { .. })));
        let nan = RegularGridTopology { min: Vec3::new(f64::NAN, 0.0, 0.0), ..Default::default() };
        assert!(matches!(nan.build(), Err(TopologyError::NotFinite { .. })));
    }
}
