//! Two numbers at a time with what every processor has: the reference for the other instruction sets.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{BLOCK, Lane, PointRow, ROW_OF, Row, SIGNED_ROWS};
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
    fn store_signed(values: &[Self; 3], rows: &mut [PointRow; SIGNED_ROWS], at: usize) {
        let at = at & (BLOCK - 2);
        for e in 0..2 {
            let row = usize::from(ROW_OF[at + e]) & (BLOCK - 1);
            let [x, y, z] = [values[0].0[e], values[1].0[e], values[2].0[e]];
            rows[row] = PointRow([x, y, z, 0.0]);
            rows[row + BLOCK] = PointRow([-x, -y, -z, -0.0]);
        }
    }
    #[inline(always)]
    fn add_rows<const ROWS: usize>(point: &mut Vec3, rows: &[PointRow; ROWS], terms: &[u16]) {
        const { assert!(ROWS.is_power_of_two()) };
        let [mut x, mut y, mut z] = [point.x, point.y, point.z];
        for term in terms {
            let row = &rows[usize::from(*term) & (ROWS - 1)].0;
            x += row[0];
            y += row[1];
            z += row[2];
        }
        *point = Vec3::new(x, y, z);
    }
}
