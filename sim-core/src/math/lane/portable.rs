//! Two numbers at a time with what every processor has: the reference for the other instruction sets.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{BLOCK, Lane, PointBlock, Row, RunTerm};
use crate::math::Vec3;

#[derive(Clone, Copy)]
pub(super) struct Portable([f64; 2]);

macro_rules! operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for Portable {
            type Output = Self;
            #[inline(always)]
            fn $function(self, o: Self) -> Self {
                Self([self.0[0] $operator o.0[0], self.0[1] $operator o.0[1]])
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Portable {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1]])
    }
}

impl Lane for Portable {
    type Mask = [bool; 2];
    type Corner = [f64; 3];
    const WIDTH: usize = 2;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; 2])
    }
    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        let at = at & (BLOCK - 2);
        Self([row.0[at], row.0[at + 1]])
    }
    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        let at = at & (BLOCK - 2);
        row.0[at] = self.0[0];
        row.0[at + 1] = self.0[1];
    }
    #[inline(always)]
    #[expect(clippy::disallowed_methods, reason = "rounded once on every machine, as the other sets do")]
    fn sub_product(self, a: Self, b: Self) -> Self {
        Self([(-a.0[0]).mul_add(b.0[0], self.0[0]), (-a.0[1]).mul_add(b.0[1], self.0[1])])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self([self.0[0].sqrt(), self.0[1].sqrt()])
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self([self.0[0].abs(), self.0[1].abs()])
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.gt(other), self, other)
    }
    #[inline(always)]
    fn gt(self, other: Self) -> [bool; 2] {
        [self.0[0] > other.0[0], self.0[1] > other.0[1]]
    }
    #[inline(always)]
    fn ge(self, other: Self) -> [bool; 2] {
        [self.0[0] >= other.0[0], self.0[1] >= other.0[1]]
    }
    #[inline(always)]
    fn ne(self, other: Self) -> [bool; 2] {
        [self.0[0] != other.0[0], self.0[1] != other.0[1]]
    }
    #[inline(always)]
    fn select(mask: [bool; 2], yes: Self, no: Self) -> Self {
        Self([if mask[0] { yes.0[0] } else { no.0[0] }, if mask[1] { yes.0[1] } else { no.0[1] }])
    }
    #[inline(always)]
    fn and(a: [bool; 2], b: [bool; 2]) -> [bool; 2] {
        [a[0] & b[0], a[1] & b[1]]
    }
    #[inline(always)]
    fn any(mask: [bool; 2]) -> bool {
        mask[0] | mask[1]
    }
    #[inline(always)]
    fn bits(mask: [bool; 2]) -> u8 {
        u8::from(mask[0]) | (u8::from(mask[1]) << 1)
    }
    #[inline(always)]
    fn gather(points: &[Vec3], nodes: &[u32; BLOCK], at: usize) -> [Self; 3] {
        let at = at & (BLOCK - 2);
        let (p, q) = (&points[nodes[at] as usize], &points[nodes[at + 1] as usize]);
        [Self([p.x, q.x]), Self([p.y, q.y]), Self([p.z, q.z])]
    }
    #[inline(always)]
    fn scatter_add<const N: usize>(
        points: &mut [Vec3],
        nodes: &[[u32; BLOCK]; N],
        values: &[[Self; 3]; N],
        at: usize,
        count: usize,
    ) {
        let at = at & (BLOCK - 2);
        for e in 0..2 {
            if at + e < count {
                for (nodes, value) in nodes.iter().zip(values) {
                    let p = &mut points[nodes[at + e] as usize];
                    p.x += value[0].0[e];
                    p.y += value[1].0[e];
                    p.z += value[2].0[e];
                }
            }
        }
    }
    #[inline(always)]
    fn differences(points: &[Vec3], i: usize, j: usize, at: usize) -> [Self; 3] {
        let at = at & (BLOCK - 2);
        let (a, b) = (&points[i..][..BLOCK], &points[j..][..BLOCK]);
        let (d, e) = (b[at] - a[at], b[at + 1] - a[at + 1]);
        [Self([d.x, e.x]), Self([d.y, e.y]), Self([d.z, e.z])]
    }
    #[inline(always)]
    fn store_points(values: &[Self; 3], to: &mut PointBlock, at: usize) {
        let at = at & (BLOCK - 2);
        for (axis, value) in values.iter().enumerate() {
            to.0[3 * at + axis] = value.0[0];
            to.0[3 * at + 3 + axis] = value.0[1];
        }
    }
    #[inline(always)]
    fn corner(at: &[f64; 3]) -> [f64; 3] {
        *at
    }
    #[inline(always)]
    fn shifted(corner: [f64; 3], by: f64) -> [f64; 3] {
        [corner[0] + by, corner[1] + by, corner[2] + by]
    }
    #[inline(always)]
    fn lower(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let smaller = |k: usize| if a[k] < b[k] { a[k] } else { b[k] };
        [smaller(0), smaller(1), smaller(2)]
    }
    #[inline(always)]
    fn upper(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let larger = |k: usize| if a[k] > b[k] { a[k] } else { b[k] };
        [larger(0), larger(1), larger(2)]
    }
    #[inline(always)]
    fn coordinates(corner: [f64; 3]) -> [f64; 3] {
        corner
    }
    #[inline(always)]
    fn meet([a, b]: [[f64; 3]; 2], [c, d]: [[f64; 3]; 2]) -> bool {
        // No short circuit: six comparisons cost less than one misprediction.
        let along = |k: usize| (a[k] <= d[k]) & (c[k] <= b[k]);
        along(0) & along(1) & along(2)
    }
    #[inline(always)]
    fn add_runs(points: &mut [Vec3], first: usize, vectors: &[PointBlock], terms: &[RunTerm]) {
        let points = &mut points[first..][..BLOCK];
        for term in terms {
            let begin = usize::from(term.begin);
            assert!(begin + BLOCK <= BLOCK * vectors.len());
            for (lane, point) in points.iter_mut().enumerate() {
                if term.lanes >> lane & 1 == 1 {
                    let (block, e) = ((begin + lane) / BLOCK, (begin + lane) % BLOCK);
                    let v = &vectors[block].0[3 * e..3 * e + 3];
                    if term.negative {
                        *point -= Vec3::new(v[0], v[1], v[2]);
                    } else {
                        *point += Vec3::new(v[0], v[1], v[2]);
                    }
                }
            }
        }
    }
}
