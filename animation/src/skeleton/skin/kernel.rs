//! Skinning eight vertices at a time: matrices are summed vertex by vertex, two columns side by side, and then move all eight.

use bytemuck::{cast_slice, cast_slice_mut};

use super::super::carry::{Vector, carried, combined, turned};
use super::super::lane::{Kernel, LANES, Lanes, Row};
use super::super::transform::Matrix;
use super::super::vertex::Vertex;
use super::{Influences, Vertices};

/// Columns 0 and 1 of a matrix, then 2 and 3.
type Columns = [Row; 2];

/// A vertex: its position and the first number of its normal, then the others and its place in a texture.
type Halves = [[f32; 4]; 2];

/// Moves vertices.
pub(super) struct Skinned<'s> {
    pub matrices: &'s [Matrix],
    pub of: Vertices<'s>,
    pub to: &'s mut [Vertex],
}

impl Kernel for Skinned<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { matrices, of: Vertices { influences, first, positions, normals }, to } = self;
        let (by, to) = (By { matrices: cast_slice(matrices), influences }, cast_slice_mut(to));
        // Groups are the same wherever vertices are cut: at the ends there may be less than a group.
        let n = positions.len();
        let head = (first.next_multiple_of(LANES) - first).min(n);
        let tail = head + (n - head) / LANES * LANES;
        for few in [0..head, tail..n] {
            if !few.is_empty() {
                let some_normals = (!normals.is_empty()).then(|| padded(&normals[few.clone()]));
                let (p, mut moved) = (padded(&positions[few.clone()]), padded(&to[few.clone()]));
                let sums = by.few(lanes, first + few.start, few.len());
                move_all(lanes, &sums, (&p, some_normals.as_ref()), &mut moved);
                to[few.clone()].copy_from_slice(&moved[..few.len()]);
            }
        }
        let normals = normals.get(head..).unwrap_or_default().as_chunks().0;
        let (positions, to) = (positions[head..].as_chunks().0, to[head..].as_chunks_mut().0);
        let at = first + head..first + tail;
        let joints = influences.joints[at.clone()].as_chunks().0.iter();
        let weights = influences.weights[at.clone()].as_chunks().0;
        let mut sums = Pairs::default();
        for (k, ((block, p), to)) in joints.zip(weights).zip(positions).zip(to).enumerate() {
            by.sum(lanes, at.start + k * LANES, block, &mut sums);
            move_all(lanes, &sums, (p, normals.get(k)), to);
        }
    }
}

/// Values for all lanes, of too few.
fn padded<T: Copy + Default>(few: &[T]) -> [T; LANES] {
    let mut all = [T::default(); LANES];
    all[..few.len()].copy_from_slice(few);
    all
}

/// Columns of eight matrices: those of the first and the fifth side by side, of the second and the sixth and so on.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Pairs([[Row; 4]; 4]);

/// What moves vertices.
struct By<'s> {
    matrices: &'s [Columns],
    influences: &'s Influences,
}

impl By<'_> {
    /// The weighted sums of matrices of less than a group from a vertex on.
    #[inline(always)]
    fn few<L: Lanes>(&self, lanes: L, first: usize, n: usize) -> Pairs {
        let of = self.influences;
        let (joints, weights) = (padded(&of.joints[first..first + n]), padded(&of.weights[first..first + n]));
        let mut sums = Pairs::default();
        // What the other lanes hold is not looked at.
        self.sum_blocks(lanes, first, (&joints, &weights), &mut sums);
        self.add_further(lanes, first, n, &mut sums);
        sums
    }

    /// The weighted sums of matrices of a group from a vertex on, whose first blocks are these.
    #[inline(always)]
    fn sum<L: Lanes>(&self, lanes: L, first: usize, block: Blocks<'_>, to: &mut Pairs) {
        self.sum_blocks(lanes, first, block, to);
        if self.influences.joints.len() > self.influences.n_vertices {
            self.add_further(lanes, first, LANES, to);
        }
    }

    /// Those of first blocks, as far as one of the group's vertices has a weight.
    #[inline(always)]
    fn sum_blocks<L: Lanes>(&self, lanes: L, first: usize, of: Blocks<'_>, to: &mut Pairs) {
        match self.influences.reach[first / LANES] {
            1 => sum::<L, 1>(lanes, self.matrices, of, to),
            2 => sum::<L, 2>(lanes, self.matrices, of, to),
            3 => sum::<L, 3>(lanes, self.matrices, of, to),
            _ => sum::<L, 4>(lanes, self.matrices, of, to),
        }
    }

    /// Adds those of further blocks of so many vertices.
    #[inline(always)]
    fn add_further<L: Lanes>(&self, lanes: L, first: usize, n: usize, to: &mut Pairs) {
        let of = self.influences;
        let (mut at, mut more) = (first + of.n_vertices, Pairs::default());
        while at < of.joints.len() {
            let (joints, weights) = (padded(&of.joints[at..at + n]), padded(&of.weights[at..at + n]));
            sum::<L, 4>(lanes, self.matrices, (&joints, &weights), &mut more);
            for (to, more) in to.0.as_flattened_mut().iter_mut().zip(more.0.as_flattened()) {
                let sum = lanes.add(lanes.load(to), lanes.load(more));
                lanes.store(sum, to);
            }
            at += of.n_vertices;
        }
    }
}

/// Joints and weights of a group's vertices.
type Blocks<'s> = (&'s [[u16; 4]; LANES], &'s [[f32; 4]; LANES]);

/// The weighted sums of the first N matrices of each of eight vertices.
#[inline(always)]
fn sum<L: Lanes, const N: usize>(
    lanes: L,
    matrices: &[Columns],
    (joints, weights): Blocks<'_>,
    to: &mut Pairs,
) {
    for (k, pair) in to.0.iter_mut().enumerate() {
        let a = mean::<L, N>(lanes, matrices, &joints[k], &weights[k]);
        let b = mean::<L, N>(lanes, matrices, &joints[k + 4], &weights[k + 4]);
        let [[c0, c1], [c2, c3]] = [lanes.exchanged(a[0], b[0]), lanes.exchanged(a[1], b[1])];
        lanes.store(c0, &mut pair[0]);
        lanes.store(c1, &mut pair[1]);
        lanes.store(c2, &mut pair[2]);
        lanes.store(c3, &mut pair[3]);
    }
}

/// The weighted sum of the first N of four matrices, from the first on.
#[inline(always)]
fn mean<L: Lanes, const N: usize>(
    lanes: L,
    matrices: &[Columns],
    joints: &[u16; 4],
    weights: &[f32; 4],
) -> [L::V; 2] {
    let mut sum = weighted(lanes, matrices, joints[0], lanes.splat(weights[0]));
    if N > 1 {
        sum = added(lanes, sum, weighted(lanes, matrices, joints[1], lanes.splat(weights[1])));
    }
    if N > 2 {
        sum = added(lanes, sum, weighted(lanes, matrices, joints[2], lanes.splat(weights[2])));
    }
    if N > 3 {
        sum = added(lanes, sum, weighted(lanes, matrices, joints[3], lanes.splat(weights[3])));
    }
    sum
}

#[inline(always)]
fn weighted<L: Lanes>(lanes: L, matrices: &[Columns], joint: u16, weight: L::V) -> [L::V; 2] {
    let [a, b] = &matrices[usize::from(joint)];
    [lanes.mul(weight, lanes.load(a)), lanes.mul(weight, lanes.load(b))]
}

#[inline(always)]
fn added<L: Lanes>(lanes: L, a: [L::V; 2], b: [L::V; 2]) -> [L::V; 2] {
    [lanes.add(a[0], b[0]), lanes.add(a[1], b[1])]
}

#[inline(always)]
fn minor<L: Lanes>(lanes: L, [a, b]: [L::V; 2], [c, d]: [L::V; 2]) -> L::V {
    lanes.sub(lanes.mul(a, b), lanes.mul(c, d))
}

#[inline(always)]
fn cross<L: Lanes>(lanes: L, p: Vector<L>, q: Vector<L>) -> Vector<L> {
    [
        minor(lanes, [p[1], q[2]], [p[2], q[1]]),
        minor(lanes, [p[2], q[0]], [p[0], q[2]]),
        minor(lanes, [p[0], q[1]], [p[1], q[0]]),
    ]
}

/// The numbers of a column of all eight matrices.
#[inline(always)]
fn column<L: Lanes>(lanes: L, by: &Pairs, c: usize) -> Vector<L> {
    let rows =
        [lanes.load(&by.0[0][c]), lanes.load(&by.0[1][c]), lanes.load(&by.0[2][c]), lanes.load(&by.0[3][c])];
    let [x, y, z, _] = lanes.transposed(rows);
    [x, y, z]
}

/// Moves eight vertices by a matrix each.
#[inline(always)]
fn move_all<L: Lanes>(
    lanes: L,
    by: &Pairs,
    (p, n): (&[[f32; 3]; LANES], Option<&[[f32; 3]; LANES]>),
    to: &mut [Halves; LANES],
) {
    let m = [column(lanes, by, 0), column(lanes, by, 1), column(lanes, by, 2)];
    let [x, y, z] = carried(lanes, &m, column(lanes, by, 3), lanes.columns(p));
    let Some(n) = n else {
        let moved = lanes.transposed([x, y, z, z]);
        for (k, moved) in moved.into_iter().enumerate() {
            let [low, high] = lanes.split(moved);
            to[k][0][..3].copy_from_slice(&low[..3]);
            to[k + 4][0][..3].copy_from_slice(&high[..3]);
        }
        return;
    };
    let [u, v, w] = upright(lanes, &m, lanes.columns(n));
    let moved = lanes.transposed([x, y, z, u]);
    let others = lanes.transposed([v, w, v, w]);
    for (k, (moved, others)) in moved.into_iter().zip(others).enumerate() {
        let ([low, high], [low_others, high_others]) = (lanes.split(moved), lanes.split(others));
        to[k][0] = low;
        to[k][1][..2].copy_from_slice(&low_others[..2]);
        to[k + 4][0] = high;
        to[k + 4][1][..2].copy_from_slice(&high_others[..2]);
    }
}

/// Normals under the inverse transpose of matrices, of length one; as they were where there is none.
#[inline(always)]
fn upright<L: Lanes>(lanes: L, [p, q, r]: &[Vector<L>; 3], normal: Vector<L>) -> Vector<L> {
    let [a, b, c] = [cross(lanes, *q, *r), cross(lanes, *r, *p), cross(lanes, *p, *q)];
    let sign = lanes.with_sign_of(lanes.splat(1.0), combined(lanes, *p, a));
    let v = turned(lanes, &[a, b, c], normal);
    let square = combined(lanes, v, v);
    let (length, is_some) = (lanes.sqrt(square), lanes.is_greater(square, lanes.splat(0.0)));
    [
        lanes.select(is_some, lanes.div(lanes.mul(v[0], sign), length), normal[0]),
        lanes.select(is_some, lanes.div(lanes.mul(v[1], sign), length), normal[1]),
        lanes.select(is_some, lanes.div(lanes.mul(v[2], sign), length), normal[2]),
    ]
}
