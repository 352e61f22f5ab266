//! From transforms to matrices: eight joints at a time become matrices relative to their parents, and these are then multiplied, two columns
//! side by side.

use bytemuck::{cast_mut, cast_ref, cast_slice_mut};

use super::super::carry::{axes, combined};
use super::super::lane::{Kernel, LANES, Lanes, Row};
use super::super::pose::{JointGroup, Pose};
use super::super::transform::Matrix;

/// Columns 0 and 1 of a matrix, then 2 and 3.
type Columns = [Row; 2];

/// From a pose to matrices relative to the model.
pub(super) struct ToModel<'s> {
    /// Joints that have a parent, and these; parents come first.
    pub children: &'s [[u32; 2]],
    pub pose: &'s Pose,
    pub into: &'s mut [Matrix],
}

impl Kernel for ToModel<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { children, pose, into } = self;
        let (whole, rest) = cast_slice_mut::<Matrix, Columns>(into).as_chunks_mut::<LANES>();
        for (group, to) in pose.groups().iter().zip(whole) {
            to_matrices(lanes, group, to);
        }
        if let (Some(group), false) = (pose.groups().last(), rest.is_empty()) {
            let mut last = [Columns::default(); LANES];
            to_matrices(lanes, group, &mut last);
            rest.copy_from_slice(&last[..rest.len()]);
        }
        for &[joint, parent] in children {
            let parent = into[parent as usize];
            let local: &mut Columns = cast_mut(&mut into[joint as usize]);
            let [a, b] = product(lanes, &parent, local);
            lanes.store(a, &mut local[0]);
            lanes.store(b, &mut local[1]);
        }
    }
}

/// Products of matrices with others.
pub(in super::super) struct Products<'s> {
    pub left: &'s [Matrix],
    /// By product: which of the left it is of.
    pub of: &'s [u32],
    pub right: &'s [Matrix],
    pub into: &'s mut [Matrix],
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for ((to, &of), right) in self.into.iter_mut().zip(self.of).zip(self.right) {
            let [a, b] = product(lanes, &self.left[of as usize], cast_ref(right));
            let to: &mut Columns = cast_mut(to);
            lanes.store(a, &mut to[0]);
            lanes.store(b, &mut to[1]);
        }
    }
}

/// The matrix that does what `b` does and then what `a` does; last rows are 0, 0, 0, 1.
#[inline(always)]
fn product<L: Lanes>(lanes: L, a: &Matrix, b: &Columns) -> [L::V; 2] {
    let columns = [lanes.halves(&a[0], &a[0]), lanes.halves(&a[1], &a[1]), lanes.halves(&a[2], &a[2])];
    let moved = turned(lanes, columns, lanes.load(&b[1]));
    [turned(lanes, columns, lanes.load(&b[0])), lanes.add(moved, lanes.halves(&[0.0; 4], &a[3]))]
}

/// Two columns, turned by the first three of a matrix.
#[inline(always)]
fn turned<L: Lanes>(lanes: L, [x, y, z]: [L::V; 3], of: L::V) -> L::V {
    combined(lanes, [x, y, z], [lanes.spread::<0>(of), lanes.spread::<1>(of), lanes.spread::<2>(of)])
}

/// The matrices of eight transforms: translation * rotation * scale.
#[inline(always)]
fn to_matrices<L: Lanes>(l: L, of: &JointGroup, to: &mut [Columns; LANES]) {
    let [p, q, r] = axes(l, [l.load(&of[3]), l.load(&of[4]), l.load(&of[5]), l.load(&of[6])]);
    let (a, b, c) = (l.load(&of[7]), l.load(&of[8]), l.load(&of[9]));
    let (zero, one) = (l.splat(0.0), l.one());
    let columns = [
        l.transposed([l.mul(a, p[0]), l.mul(a, p[1]), l.mul(a, p[2]), zero]),
        l.transposed([l.mul(b, q[0]), l.mul(b, q[1]), l.mul(b, q[2]), zero]),
        l.transposed([l.mul(c, r[0]), l.mul(c, r[1]), l.mul(c, r[2]), zero]),
        l.transposed([l.load(&of[0]), l.load(&of[1]), l.load(&of[2]), one]),
    ];
    for k in 0..4 {
        let [low, high] = l.exchanged(columns[0][k], columns[1][k]);
        let [low_rest, high_rest] = l.exchanged(columns[2][k], columns[3][k]);
        l.store(low, &mut to[k][0]);
        l.store(low_rest, &mut to[k][1]);
        l.store(high, &mut to[k + 4][0]);
        l.store(high_rest, &mut to[k + 4][1]);
    }
}
