//! An octree of triangles, and which of them a ray may cross.

use sim_core::math::Vec3;

/// Half the side of SOFA's cube [m].
const REACH: f64 = 800.0;
/// No cell is smaller than the cube by more halvings.
const DEEPEST: i32 = 30;
/// Where a ray across an axis meets the middle plane of that axis: beyond everything.
const NEVER: f64 = 1e9;

/// A cell: a cube, the triangles as large as it, and its eighths.
#[derive(Clone, Debug)]
struct Cell {
    low: [f64; 3],
    size: f64,
    /// The triangles.
    triangles: Vec<u32>,
    /// Numbers of the eighths, 4 for the upper half along x, 2 along y, 1 along z; the first cell is nobody's eighth and stands for none.
    eighths: [u32; 8],
    is_leaf: bool,
}

impl Cell {
    fn new(low: [f64; 3], size: f64) -> Self {
        Self { low, size, triangles: Vec::new(), eighths: [0; 8], is_leaf: true }
    }
}

/// The triangles of a surface in cells.
///
/// **Source:** as SOFA's TriangleOctree, in whose cells rays along borders do not find all triangles. Its cube ends 800 from the origin; for
/// a surface beyond, where SOFA's finds nothing, the cube here is doubled until it holds it.
pub(super) struct Octree {
    reach: f64,
    cells: Vec<Cell>,
}

/// A ray as cells are gone through: mirrored so that no component of its direction is negative.
struct Mirrored {
    origin: [f64; 3],
    /// The axes along which it was mirrored.
    turned: usize,
    /// The axes that it is across.
    across: usize,
}

const AXES: [usize; 3] = [4, 2, 1];

impl Octree {
    /// The octree of triangles.
    pub fn new(points: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let farthest = points.iter().map(Vec3::amax).filter(|c| c.is_finite()).fold(0.0, f64::max);
        let mut reach = REACH;
        while reach < farthest {
            reach *= 2.0;
        }
        let mut octree = Self { reach, cells: vec![Cell::new([-reach; 3], 2.0 * reach)] };
        for (t, corners) in (0..).zip(triangles) {
            octree.insert_everywhere(t, corners.map(|c| points[c as usize]));
        }
        octree
    }

    /// Puts a triangle into all cells of its size that its box touches.
    fn insert_everywhere(&mut self, triangle: u32, [a, b, c]: [Vec3; 3]) {
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        if !(high - low).amax().is_finite() {
            return;
        }
        let depth = ((2.0 * self.reach / (high - low).amax()).log10() / 2.0_f64.log10()) as i32;
        let step = 2.0 * self.reach / f64::from(1 << depth.clamp(0, DEEPEST));
        let reach = self.reach;
        let along = |k: usize| {
            let first = ((low[k] + reach) / step).trunc() * step - reach;
            std::iter::successors(Some(first), move |x| Some(x + step)).take_while(move |x| *x <= high[k])
        };
        for x in along(0) {
            for y in along(1) {
                for z in along(2) {
                    self.insert(triangle, [x, y, z], step);
                }
            }
        }
    }

    /// Puts a triangle into the cell of a size that holds a place.
    fn insert(&mut self, triangle: u32, at: [f64; 3], size: f64) {
        let mut cell = 0;
        while size < self.cells[cell].size {
            let Cell { low, size: of, eighths, .. } = self.cells[cell];
            let half = of / 2.0;
            let upper = [0, 1, 2].map(|k| at[k] >= low[k] + half);
            let place: usize = AXES.iter().zip(upper).filter(|(_, u)| *u).map(|(a, _)| a).sum();
            if eighths[place] == 0 {
                let begin = |k: usize| low[k] + if upper[k] { half } else { 0.0 };
                let next = self.cells.len() as u32;
                self.cells.push(Cell::new([0, 1, 2].map(begin), half));
                (self.cells[cell].eighths[place], self.cells[cell].is_leaf) = (next, false);
            }
            cell = self.cells[cell].eighths[place] as usize;
        }
        self.cells[cell].triangles.push(triangle);
    }

    /// The triangles that a ray may cross, in the order in which they are found; some of them several times.
    pub fn along(&self, origin: &Vec3, direction: &Vec3) -> Vec<u32> {
        let mut ray = Mirrored { origin: [origin.x, origin.y, origin.z], turned: 0, across: 0 };
        let mut d = [direction.x, direction.y, direction.z];
        for k in 0..3 {
            if d[k] == 0.0 {
                (d[k], ray.across) = (0.0, ray.across | AXES[k]);
            } else if d[k] < 0.0 {
                (d[k], ray.origin[k], ray.turned) = (-d[k], -ray.origin[k], ray.turned | AXES[k]);
            }
        }
        let enters = [0, 1, 2].map(|k| (-self.reach - ray.origin[k]) / d[k]);
        let leaves = [0, 1, 2].map(|k| (self.reach - ray.origin[k]) / d[k]);
        let mut found = Vec::new();
        if enters.into_iter().fold(f64::NEG_INFINITY, f64::max)
            < leaves.into_iter().fold(f64::INFINITY, f64::min)
        {
            self.trace(0, &ray, enters, leaves, &mut found);
        }
        found
    }

    /// Goes through a cell that the ray enters and leaves at these times, axis by axis.
    ///
    /// **Source:** Revelles, Ureña, Lastra 2000, An Efficient Parametric Algorithm for Octree Traversal; as SOFA's, which does not mirror
    /// the cells that it asks for their middles.
    fn trace(&self, cell: usize, ray: &Mirrored, enters: [f64; 3], leaves: [f64; 3], found: &mut Vec<u32>) {
        if leaves.iter().any(|t| *t < 0.0) {
            return;
        }
        let Cell { low, size, triangles, eighths, is_leaf } = &self.cells[cell];
        if *is_leaf {
            found.extend(triangles);
            return;
        }
        let middle = |k: usize| {
            if ray.across & AXES[k] == 0 {
                return 0.5 * (enters[k] + leaves[k]);
            }
            if ray.origin[k] < 0.5 * (low[k] + (low[k] + size)) { NEVER } else { -NEVER }
        };
        let middles = [0, 1, 2].map(middle);
        let last = if enters[0] > enters[1] && enters[0] > enters[2] {
            0
        } else if enters[0] <= enters[1] && enters[1] > enters[2] {
            1
        } else {
            2
        };
        let is_upper = |k: usize| k != last && middles[k] < enters[last];
        let mut place: usize = (0..3).filter(|k| is_upper(*k)).map(|k| AXES[k]).sum();
        loop {
            let is_upper = |k: usize| place & AXES[k] != 0;
            let ends = [0, 1, 2].map(|k| if is_upper(k) { leaves[k] } else { middles[k] });
            let eighth = eighths[place ^ ray.turned];
            if eighth != 0 {
                let begins = [0, 1, 2].map(|k| if is_upper(k) { middles[k] } else { enters[k] });
                self.trace(eighth as usize, ray, begins, ends, found);
            }
            let first = match (ends[0] < ends[1], ends[0] < ends[2], ends[1] < ends[2]) {
                (true, true, _) => 0,
                (false, _, true) => 1,
                _ => 2,
            };
            if is_upper(first) {
                break;
            }
            place |= AXES[first];
        }
        found.extend(triangles);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A closed fan of triangles around the origin, none of whose edges lies along an axis.
    fn ball() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let n = 12;
        let ring = |k: u32| {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / f64::from(n) + 0.1).sin_cos();
            Vec3::new(30.0 * c, 30.0 * s, 2.0 * s)
        };
        let points =
            [Vec3::new(1.0, 2.0, 25.0), Vec3::new(-2.0, 1.0, -27.0)].into_iter().chain((0..n).map(ring));
        let triangles = (0..n).flat_map(|k| {
            let (p, q) = (2 + k, 2 + (k + 1) % n);
            [[0, p, q], [1, q, p]]
        });
        (points.collect(), triangles.collect())
    }

    proptest! {
        #[test]
        fn a_ray_finds_all_triangles_that_it_crosses(from in prop::array::uniform3(-60.0..60.0_f64), to in prop::array::uniform3(-9.0..9.0_f64), axis in 0..4_usize) {
            let (points, triangles) = ball();
            let octree = Octree::new(&points, &triangles);
            let origin = Vec3::from(from);
            let mut direction = Vec3::from(to) - origin;
            if axis < 3 {
                direction = Vec3::from_fn(|k, _| if k == axis { direction[k].signum() } else { 0.0 });
            }
            let found = octree.along(&origin, &direction);
            for (t, corners) in (0..).zip(&triangles) {
                let [a, b, c] = corners.map(|i| points[i as usize]);
                let m = sim_core::math::Mat3::from_columns(&[b - a, c - a, -direction]);
                let Some(inverse) = m.try_inverse() else { continue };
                let at = inverse * (origin - a);
                // Well inside of the triangle, and ahead.
                if at.x > 1e-6 && at.y > 1e-6 && at.x + at.y < 1.0 - 1e-6 && at.z > 1e-6 {
                    prop_assert!(found.contains(&t), "{} {:?}", t, at);
                }
            }
        }
    }

    #[test]
    fn a_surface_beyond_sofas_cube_is_found_too() {
        let points = [[900.0, 0.0, 0.0], [900.0, 9.0, 0.0], [900.0, 0.0, 9.0]].map(Vec3::from);
        let octree = Octree::new(&points, &[[0, 1, 2], [0, 0, 0]]);
        assert!(octree.along(&Vec3::new(0.0, 1.0, 1.5), &Vec3::x()).contains(&0));
        assert!(octree.along(&Vec3::new(0.0, -300.0, 1.5), &Vec3::x()).is_empty());
    }
}
