//! Points as weighted means of the nodes of a mesh: which element each point belongs to, and its weights there.
//!
//! The choice of the element, the order of candidates and the extrapolation outside are SOFA's (its grid mapper, mesh
//! mapper and element-set mapper), since its scenes place points outside of meshes.

use sim_core::math::{Mat3, Real, Vec3};
use sim_core::topology::{RegularGrid, SparseGrid, Topology, TopologyKind};

/// A point as the mean of up to eight nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedPoint {
    /// How many nodes count.
    pub n: usize,
    /// The nodes.
    pub nodes: [u32; 8],
    /// Their weights, which sum to 1.
    pub weights: [Real; 8],
}

impl WeightedPoint {
    fn new<const N: usize>(nodes: [u32; N], weights: [Real; N]) -> Self {
        let mut p = Self { n: N, nodes: [nodes[0]; 8], weights: [0.0; 8] };
        p.nodes[..N].copy_from_slice(&nodes);
        p.weights[..N].copy_from_slice(&weights);
        p
    }
    /// The point, from the nodes' positions.
    pub fn at(&self, x: &[Vec3]) -> Vec3 {
        (0..self.n).map(|k| x[self.nodes[k] as usize] * self.weights[k]).sum()
    }
}

/// Why points cannot be placed in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BarycentricError {
    /// The topology has nothing to place points in.
    #[error("the input's topology has no elements")]
    NoElements,
    /// A grid of points, lines or planes.
    #[error("the input's grid has no volume: it needs at least 2 points along each axis")]
    FlatGrid,
    /// Every element is degenerate.
    #[error("no element of the input's topology has an extent")]
    Degenerate,
    /// The topology has more points than the state.
    #[error("the input's topology has more points than its state")]
    TooFewPositions,
}

/// Places points in a mesh whose nodes are at `x`.
///
/// # Errors
/// Where the mesh cannot hold points.
pub fn place(
    topology: &Topology,
    x: &[Vec3],
    points: &[Vec3],
) -> Result<Vec<WeightedPoint>, BarycentricError> {
    if topology.n_points > x.len() {
        return Err(BarycentricError::TooFewPositions);
    }
    if let Some(grid) = &topology.grid {
        return place_in_grid(grid, points);
    }
    if let Some(cells) = &topology.sparse {
        return place_in_cells(cells, (&topology.points, &topology.hexahedra), points);
    }
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let is_set = topology.kind == TopologyKind::SetContainer;
    let elements = Elements::of(topology, x, is_set)?;
    let cells = is_set.then(|| Cells::new(topology, x, &elements)).flatten();
    points
        .iter()
        .map(|p| {
            let best = match &cells {
                Some(cells) => cells.nearest(&elements, p),
                None => elements.nearest(p, 0..elements.all.len()),
            };
            best.map(|b| elements.weighted(&b)).ok_or(BarycentricError::Degenerate)
        })
        .collect()
}

/// Where a point is in a mesh.
pub(crate) struct Place {
    /// What element it belongs to.
    pub shape: Shape,
    /// The nodes of this element.
    pub nodes: [u32; 8],
    /// Its number among those of its shape.
    pub element: u32,
    /// The point's coordinates in it.
    pub v: Vec3,
}

/// The elements of a mesh whose nodes are at `x` that points belong to; a grid is a mesh here, too.
///
/// # Errors
/// Where the mesh cannot hold points.
pub(crate) fn places(
    topology: &Topology,
    x: &[Vec3],
    points: &[Vec3],
) -> Result<Vec<Place>, BarycentricError> {
    if topology.n_points > x.len() {
        return Err(BarycentricError::TooFewPositions);
    }
    let elements = Elements::of(topology, x, false)?;
    let place = |p: &Vec3| {
        let found = elements.nearest(p, 0..elements.all.len()).ok_or(BarycentricError::Degenerate)?;
        let Placed { shape, nodes, .. } = elements.all[found.element];
        let first = elements.all.iter().position(|e| e.shape == shape).unwrap_or(0);
        Ok(Place { shape, nodes, element: (found.element - first) as u32, v: found.v })
    };
    points.iter().map(place).collect()
}

/// Trilinear weights in the cell of the lattice that a point is in, or in the nearest one.
fn place_in_grid(grid: &RegularGrid, points: &[Vec3]) -> Result<Vec<WeightedPoint>, BarycentricError> {
    if grid.n.iter().any(|n| *n < 2) {
        return Err(BarycentricError::FlatGrid);
    }
    let axes = [grid.dx, grid.dy, grid.dz];
    let place = |p: &Vec3| {
        let g = p - grid.p0;
        let (mut cell, mut f) = ([0; 3], [0.0; 3]);
        for k in 0..3 {
            let a = g.dot(&axes[k]) / axes[k].dot(&axes[k]);
            // A float too large for an index saturates, and is clamped to the grid all the same.
            let i = (a.floor() as i64).clamp(0, grid.n[k] as i64 - 2);
            cell[k] = i as usize;
            f[k] = a - i as Real;
        }
        let node = |i: usize, j: usize, k: usize| {
            (cell[0] + i + grid.n[0] * (cell[1] + j + grid.n[1] * (cell[2] + k))) as u32
        };
        trilinear(
            [
                node(0, 0, 0),
                node(1, 0, 0),
                node(1, 1, 0),
                node(0, 1, 0),
                node(0, 0, 1),
                node(1, 0, 1),
                node(1, 1, 1),
                node(0, 1, 1),
            ],
            f,
        )
    };
    Ok(points.iter().map(place).collect())
}

/// Trilinear weights in the hexahedron that holds a point's cell, or else the nearest cell of the border.
///
/// **Source:** as SOFA's sparse grid mapper: cells and coordinates are those of the topology's own positions, and distances to the
/// centres of border cells are compared as 32-bit floats; without such cells, the first hexahedron is taken.
///
/// # Errors
/// Without hexahedra.
pub fn place_in_cells(
    cells: &SparseGrid,
    (corners, hexahedra): (&[Vec3], &[[u32; 8]]),
    points: &[Vec3],
) -> Result<Vec<WeightedPoint>, BarycentricError> {
    let lattice = &cells.lattice;
    let centre = |cell: u32| {
        let place = lattice.place(cell as usize);
        (lattice.point(place) + lattice.point(place.map(|i| i + 1))) * 0.5
    };
    let centres: Vec<Vec3> = cells.border.iter().map(|c| centre(*c)).collect();
    let nearest = |p: &Vec3| {
        let mut best = (f32::INFINITY, 0);
        for (cell, c) in cells.border.iter().zip(&centres) {
            let distance = (p - c).norm() as f32;
            if distance < best.0 {
                best = (distance, cells.hexahedron_of_cell[*cell as usize]);
            }
        }
        best.1
    };
    let place = |p: &Vec3| {
        let found = lattice.place_of(p).map(|place| cells.hexahedron_of_cell[lattice.cell(place)]);
        let hexahedron = found.filter(|h| *h != SparseGrid::OUTSIDE).unwrap_or_else(|| nearest(p));
        let nodes = hexahedra.get(hexahedron as usize).ok_or(BarycentricError::NoElements)?;
        let (first, last) = (corners[nodes[0] as usize], corners[nodes[6] as usize]);
        Ok(trilinear(*nodes, (p - first).component_div(&(last - first)).into()))
    };
    points.iter().map(place).collect()
}

/// The nodes in the order in which SOFA sums them: x fastest, then y, then z.
fn trilinear(n: [u32; 8], [fx, fy, fz]: [Real; 3]) -> WeightedPoint {
    let (gx, gy, gz) = (1.0 - fx, 1.0 - fy, 1.0 - fz);
    WeightedPoint::new(
        [n[0], n[1], n[3], n[2], n[4], n[5], n[7], n[6]],
        [
            gx * gy * gz,
            fx * gy * gz,
            gx * fy * gz,
            fx * fy * gz,
            gx * gy * fz,
            fx * gy * fz,
            gx * fy * fz,
            fx * fy * fz,
        ],
    )
}

/// Kinds of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Tetrahedron,
    Hexahedron,
    Triangle,
    Quad,
    Edge,
}

/// An element with what its coordinates need.
struct Placed {
    shape: Shape,
    nodes: [u32; 8],
    origin: Vec3,
    /// From positions to coordinates; none where the element has no extent.
    inverse: Option<Mat3>,
    barycentre: Vec3,
    min: Vec3,
    max: Vec3,
}

/// The element found for a point, and the point's coordinates in it.
struct Found {
    element: usize,
    v: Vec3,
    score: Real,
}

struct Elements {
    all: Vec<Placed>,
}

impl Elements {
    /// The elements that points may be placed in: of a set container the first kind that it has; of another mesh the
    /// volumes, else the surfaces, else the edges.
    fn of(t: &Topology, x: &[Vec3], is_set: bool) -> Result<Self, BarycentricError> {
        let mut all = Vec::new();
        let volumes = !t.hexahedra.is_empty() || !t.tetrahedra.is_empty();
        let surfaces = !t.quads.is_empty() || !t.triangles.is_empty();
        if is_set && !t.hexahedra.is_empty() {
            add(&mut all, &t.hexahedra, Shape::Hexahedron, x);
        } else if volumes {
            add(&mut all, &t.tetrahedra, Shape::Tetrahedron, x);
            add(&mut all, &t.hexahedra, Shape::Hexahedron, x);
        } else if is_set && !t.quads.is_empty() {
            add(&mut all, &t.quads, Shape::Quad, x);
        } else if surfaces {
            add(&mut all, &t.triangles, Shape::Triangle, x);
            add(&mut all, &t.quads, Shape::Quad, x);
        } else {
            add(&mut all, &t.edges, Shape::Edge, x);
        }
        if all.is_empty() { Err(BarycentricError::NoElements) } else { Ok(Self { all }) }
    }

    /// The candidate with the smallest score, the first of equals.
    fn nearest(&self, p: &Vec3, candidates: impl Iterator<Item = usize>) -> Option<Found> {
        self.better(p, candidates, None)
    }

    fn better(
        &self,
        p: &Vec3,
        candidates: impl Iterator<Item = usize>,
        mut best: Option<Found>,
    ) -> Option<Found> {
        let mut least = best.as_ref().map_or(1e10, |b| b.score);
        for element in candidates {
            let e = &self.all[element];
            let Some(inverse) = &e.inverse else { continue };
            let v = inverse * (p - e.origin);
            let mut score = e.shape.outside(&v);
            if score > 0.0 {
                score = (p - e.barycentre).norm_squared();
            }
            if score < least {
                least = score;
                best = Some(Found { element, v, score });
            }
        }
        best
    }

    fn weighted(&self, found: &Found) -> WeightedPoint {
        let e = &self.all[found.element];
        let n = e.nodes;
        let (a, b, c) = (found.v.x, found.v.y, found.v.z);
        match e.shape {
            Shape::Tetrahedron => WeightedPoint::new([n[0], n[1], n[2], n[3]], [1.0 - a - b - c, a, b, c]),
            Shape::Hexahedron => trilinear(n, [a, b, c]),
            Shape::Triangle => WeightedPoint::new([n[0], n[1], n[2]], [1.0 - a - b, a, b]),
            Shape::Quad => WeightedPoint::new(
                [n[0], n[1], n[3], n[2]],
                [(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b, a * b],
            ),
            Shape::Edge => WeightedPoint::new([n[0], n[1]], [1.0 - a, a]),
        }
    }
}

impl Shape {
    /// How far outside the coordinates are; negative inside.
    fn outside(self, v: &Vec3) -> Real {
        match self {
            Self::Tetrahedron => (-v.x).max(-v.y).max((-v.z).max(v.x + v.y + v.z - 1.0)),
            Self::Hexahedron => (-v.x).max(-v.y).max((-v.z).max((v.x - 1.0).max((v.y - 1.0).max(v.z - 1.0)))),
            Self::Triangle => (-v.x).max(-v.y).max((v.z.abs() - 0.01).max(v.x + v.y - 1.0)),
            Self::Quad => (-v.x).max(-v.y).max((v.y - 1.0).max((v.x - 1.0).max(v.z.abs() - 0.01))),
            Self::Edge => (-v.x).max(v.x - 1.0),
        }
    }
}

fn add<const N: usize>(all: &mut Vec<Placed>, elements: &[[u32; N]], shape: Shape, x: &[Vec3]) {
    for element in elements {
        let p = element.map(|n| x[n as usize]);
        let mut nodes = [0; 8];
        nodes[..N].copy_from_slice(element);
        let side = |k: usize| p[k] - p[0];
        let inverse = match shape {
            Shape::Tetrahedron => inverse(&[side(1), side(2), side(3)]),
            Shape::Hexahedron => inverse(&[side(1), side(3), side(4)]),
            Shape::Triangle => inverse(&[side(1), side(2), side(1).cross(&side(2))]),
            Shape::Quad => inverse(&[side(1), side(3), side(1).cross(&side(3))]),
            Shape::Edge => along(&side(1)),
        };
        all.push(Placed {
            shape,
            nodes,
            origin: p[0],
            inverse,
            barycentre: p.iter().sum::<Vec3>() / N as Real,
            min: p[1..].iter().fold(p[0], |m, q| m.zip_map(q, f64::min)),
            max: p[1..].iter().fold(p[0], |m, q| m.zip_map(q, f64::max)),
        });
    }
}

/// The inverse of the matrix with these columns, each entry a cofactor divided by the determinant.
fn inverse(columns: &[Vec3; 3]) -> Option<Mat3> {
    let m = Mat3::from_columns(columns);
    let det = m[(0, 0)] * m[(1, 1)] * m[(2, 2)]
        + m[(1, 0)] * m[(2, 1)] * m[(0, 2)]
        + m[(2, 0)] * m[(0, 1)] * m[(1, 2)]
        - m[(0, 0)] * m[(2, 1)] * m[(1, 2)]
        - m[(1, 0)] * m[(0, 1)] * m[(2, 2)]
        - m[(2, 0)] * m[(1, 1)] * m[(0, 2)];
    let entry = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        (m[(c1, r1)] * m[(c2, r2)] - m[(c2, r1)] * m[(c1, r2)]) / det
    };
    (det != 0.0 && det.is_finite()).then(|| Mat3::from_fn(entry))
}

/// Projects onto an edge: the first coordinate is the fraction of its length.
fn along(side: &Vec3) -> Option<Mat3> {
    let length = side.norm();
    (length > 0.0).then(|| {
        let row = side / length / length;
        Mat3::from_rows(&[row.transpose(), Vec3::zeros().transpose(), Vec3::zeros().transpose()])
    })
}

/// The cells of space that elements overlap, as the element-set mapper looks candidates up.
struct Cells {
    size: Real,
    /// Elements by cell, sorted; the elements of a cell ascending.
    entries: Vec<([i64; 3], u32)>,
}

/// More entries than this are not worth their memory; every element is a candidate then.
const MAX_ENTRIES: i64 = 1 << 25;

impl Cells {
    /// Cells as large as the mean edge is long; `None` where that does not help.
    fn new(t: &Topology, x: &[Vec3], elements: &Elements) -> Option<Self> {
        let total: Real = t.edges.iter().map(|[a, b]| (x[*a as usize] - x[*b as usize]).norm()).sum();
        let size = total / t.edges.len() as Real;
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        let mut cells = Self { size, entries: Vec::new() };
        let mut count = 0_i64;
        for (i, e) in (0..).zip(&elements.all) {
            let (min, max) = (cells.cell(&e.min), cells.cell(&e.max));
            let extent = |k: usize| (max[k] - min[k]).saturating_add(1);
            count = count.saturating_add(extent(0).saturating_mul(extent(1)).saturating_mul(extent(2)));
            if count > MAX_ENTRIES {
                return None;
            }
            for a in min[0]..=max[0] {
                for b in min[1]..=max[1] {
                    cells.entries.extend((min[2]..=max[2]).map(|c| ([a, b, c], i)));
                }
            }
        }
        cells.entries.sort_unstable();
        Some(cells)
    }

    fn cell(&self, p: &Vec3) -> [i64; 3] {
        [p.x, p.y, p.z].map(|c| (c / self.size).floor() as i64)
    }

    fn in_cell(&self, cell: [i64; 3]) -> impl Iterator<Item = usize> + '_ {
        let first = self.entries.partition_point(|e| e.0 < cell);
        self.entries[first..].iter().take_while(move |e| e.0 == cell).map(|e| e.1 as usize)
    }

    fn nearest(&self, elements: &Elements, p: &Vec3) -> Option<Found> {
        let cell = self.cell(p);
        let mut best = elements.nearest(p, self.in_cell(cell));
        let Some(score) = best.as_ref().map(|b| b.score) else {
            return elements.nearest(p, 0..elements.all.len());
        };
        if score.abs() > self.size / 2.0 {
            for a in -1..=1 {
                for b in -1..=1 {
                    for c in -1..=1 {
                        let near = [cell[0] + a, cell[1] + b, cell[2] + c];
                        best = elements.better(p, self.in_cell(near), best);
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::Random;

    fn mesh(kind: TopologyKind, n_points: usize) -> Topology {
        Topology { n_points, ..Topology::empty(kind) }
    }

    /// Two tetrahedra on a common face.
    fn two(kind: TopologyKind) -> (Topology, Vec<Vec3>) {
        let x = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 1.0)];
        let tetrahedra = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
        let edges = crate::topology::derive::edges_from_volume(&tetrahedra, &[]);
        (Topology { tetrahedra, edges, ..mesh(kind, 5) }, x)
    }

    #[test]
    fn sparse_cells_hold_points_and_the_border_those_outside() {
        let cells = SparseGrid {
            lattice: RegularGrid {
                n: [4, 2, 2],
                p0: Vec3::zeros(),
                dx: Vec3::x(),
                dy: Vec3::y(),
                dz: Vec3::z(),
            },
            hexahedron_of_cell: vec![0, SparseGrid::OUTSIDE, 1],
            border: vec![0],
            stiffness: vec![1.0; 2],
            mass: vec![1.0; 2],
            finer: vec![],
            branched: false,
        };
        let corner =
            |i: u32, x: f64| Vec3::new(x + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let x: Vec<Vec3> = (0..8).map(|i| corner(i, 0.0)).chain((0..8).map(|i| corner(i, 2.0))).collect();
        let hexahedra = vec![[0, 1, 3, 2, 4, 5, 7, 6], [8, 9, 11, 10, 12, 13, 15, 14]];
        let t = Topology {
            points: x.clone(),
            hexahedra,
            sparse: Some(cells),
            ..mesh(TopologyKind::SparseGrid, 16)
        };
        let points = [Vec3::new(0.25, 0.5, 0.75), Vec3::new(2.5, 0.5, 0.5), Vec3::new(1.9, 0.5, 0.5)];
        let placed = place(&t, &x, &points).unwrap();
        for (p, w) in points.iter().zip(&placed) {
            assert!((w.at(&x) - p).norm() < 1e-15);
            sums_to_one(w);
        }
        let first: Vec<u32> = placed.iter().map(|w| w.nodes[0]).collect();
        assert_eq!(first, [0, 8, 0], "outside, the nearest cell on the border counts, not the nearest cell");
    }

    fn sums_to_one(p: &WeightedPoint) {
        assert!((p.weights.iter().sum::<Real>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn every_point_is_reproduced_inside_and_outside() {
        let mut random = Random::new(5);
        let points: Vec<Vec3> = (0..50).map(|_| random.vec3() * 2.0).collect();
        for kind in [TopologyKind::Mesh, TopologyKind::SetContainer] {
            let (t, x) = two(kind);
            for (w, p) in place(&t, &x, &points).unwrap().iter().zip(&points) {
                sums_to_one(w);
                assert!((w.at(&x) - p).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn inside_the_most_interior_element_wins_and_outside_the_nearest_centre() {
        let (t, x) = two(TopologyKind::Mesh);
        let points = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.7, 0.7, 0.7), Vec3::new(3.0, 3.0, 3.0)];
        let nodes: Vec<[u32; 4]> =
            place(&t, &x, &points).unwrap().iter().map(|w| std::array::from_fn(|k| w.nodes[k])).collect();
        assert_eq!(nodes, [[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]]);
        let w = &place(&t, &x, &points).unwrap()[0];
        assert!((w.weights[0] - 0.7).abs() < 1e-15 && (w.weights[1] - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_grid_extrapolates_from_its_nearest_cell() {
        let grid = RegularGrid {
            n: [3, 2, 2],
            p0: Vec3::new(-1.0, 0.0, 0.0),
            dx: Vec3::x(),
            dy: Vec3::y() * 2.0,
            dz: Vec3::z(),
        };
        let t = Topology { grid: Some(grid), ..mesh(TopologyKind::RegularGrid, 12) };
        let at = |i: usize| {
            let (i, j, k) = (i % 3, i / 3 % 2, i / 6);
            grid.p0 + grid.dx * i as Real + grid.dy * j as Real + grid.dz * k as Real
        };
        let x: Vec<Vec3> = (0..12).map(at).collect();
        let points = [Vec3::new(0.5, 1.0, 0.25), Vec3::new(-4.0, 9.0, 0.5), Vec3::new(7.0, -1.0, 2.0)];
        let placed = place(&t, &x, &points).unwrap();
        for (w, p) in placed.iter().zip(&points) {
            sums_to_one(w);
            assert!((w.at(&x) - p).norm() < 1e-12);
        }
        assert_eq!(placed[0].nodes, [1, 2, 4, 5, 7, 8, 10, 11]);
        assert_eq!(placed[0].weights[0], 0.5 * 0.5 * 0.75);
        assert_eq!(placed[1].nodes[0], 0);
        let flat = Topology { grid: Some(RegularGrid { n: [3, 1, 2], ..grid }), ..t };
        assert_eq!(place(&flat, &x, &points), Err(BarycentricError::FlatGrid));
    }

    #[test]
    fn surfaces_drop_the_distance_and_edges_the_rest() {
        let x = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let p = [Vec3::new(1.5, 0.5, 0.001)];
        let triangles = Topology { triangles: vec![[0, 1, 2], [0, 2, 3]], ..mesh(TopologyKind::Mesh, 4) };
        let w = place(&triangles, &x, &p).unwrap()[0];
        assert_eq!((w.n, w.nodes[1]), (3, 1));
        assert!((w.at(&x) - Vec3::new(1.5, 0.5, 0.0)).norm() < 1e-15);
        let quad = Topology { quads: vec![[0, 1, 2, 3]], ..mesh(TopologyKind::Mesh, 4) };
        let w = place(&quad, &x, &p).unwrap()[0];
        assert!((w.at(&x) - Vec3::new(1.5, 0.5, 0.0)).norm() < 1e-15);
        let edge = Topology { edges: vec![[0, 1]], ..mesh(TopologyKind::Mesh, 4) };
        let w = place(&edge, &x, &p).unwrap()[0];
        assert!((w.at(&x) - Vec3::new(1.5, 0.0, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn what_cannot_hold_points_says_so() {
        let x = [Vec3::zeros(); 4];
        let empty = mesh(TopologyKind::Mesh, 4);
        assert_eq!(place(&empty, &x, &[Vec3::x()]), Err(BarycentricError::NoElements));
        assert_eq!(place(&empty, &x, &[]), Ok(Vec::new()), "no points need no elements");
        let flat = Topology { tetrahedra: vec![[0, 1, 2, 3]], ..mesh(TopologyKind::Mesh, 4) };
        assert_eq!(place(&flat, &x, &[Vec3::x()]), Err(BarycentricError::Degenerate));
        assert_eq!(place(&flat, &x[..3], &[Vec3::x()]), Err(BarycentricError::TooFewPositions));
    }
}
