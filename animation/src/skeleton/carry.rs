//! How frames carry points and each other: what the skeletons of characters and the mappings of mechanics share, for one number or several
//! side by side, of single or double precision.
//!
//! Each operation is rounded by itself, and all come in one order. So numbers have the same bits however many are computed side by side, and
//! those of SOFA in `f64`, since the order is the one of its rotations.

use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};

/// What is done with numbers side by side.
pub trait Arithmetic: Copy {
    /// So many numbers.
    type V: Copy;

    /// One in each place.
    fn one(self) -> Self::V;
    /// The sum.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// The difference.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// The product.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
}

/// One number at a time.
#[derive(Clone, Copy, Debug)]
pub struct One<T>(PhantomData<T>);

/// One number of single precision.
pub const SINGLE: One<f32> = One(PhantomData);
/// One number of double precision.
pub const DOUBLE: One<f64> = One(PhantomData);

impl<T> Arithmetic for One<T>
where
    T: Copy + From<f32> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    type V = T;

    #[inline(always)]
    fn one(self) -> T {
        T::from(1.0)
    }

    #[inline(always)]
    fn add(self, a: T, b: T) -> T {
        a + b
    }

    #[inline(always)]
    fn sub(self, a: T, b: T) -> T {
        a - b
    }

    #[inline(always)]
    fn mul(self, a: T, b: T) -> T {
        a * b
    }
}

/// A vector: x, y and z.
pub type Vector<A> = [<A as Arithmetic>::V; 3];

/// a x + b y + c z, from the left.
#[inline(always)]
pub fn combined<A: Arithmetic>(l: A, [a, b, c]: [A::V; 3], [x, y, z]: Vector<A>) -> A::V {
    l.add(l.add(l.mul(a, x), l.mul(b, y)), l.mul(c, z))
}

/// A vector turned by a matrix of these columns.
#[inline(always)]
pub fn turned<A: Arithmetic>(l: A, by: &[Vector<A>; 3], v: Vector<A>) -> Vector<A> {
    [
        combined(l, [by[0][0], by[1][0], by[2][0]], v),
        combined(l, [by[0][1], by[1][1], by[2][1]], v),
        combined(l, [by[0][2], by[1][2], by[2][2]], v),
    ]
}

/// Where a frame of these axes at a place carries a point that has these coordinates in it.
#[inline(always)]
pub fn carried<A: Arithmetic>(l: A, axes: &[Vector<A>; 3], at: Vector<A>, point: Vector<A>) -> Vector<A> {
    let [x, y, z] = turned(l, axes, point);
    [l.add(x, at[0]), l.add(y, at[1]), l.add(z, at[2])]
}

/// The axes of a frame: the columns of the matrix of a unit quaternion, x, y, z and w.
#[inline(always)]
pub fn axes<A: Arithmetic>(l: A, [x, y, z, w]: [A::V; 4]) -> [Vector<A>; 3] {
    // Twice a number is exact: these are the bits of 1 - 2 (y y + z z) and so on.
    let (x2, y2, z2) = (l.add(x, x), l.add(y, y), l.add(z, z));
    let (xx, yy, zz) = (l.mul(x2, x), l.mul(y2, y), l.mul(z2, z));
    let (xy, xz, yz) = (l.mul(x2, y), l.mul(x2, z), l.mul(y2, z));
    let (xw, yw, zw) = (l.mul(x2, w), l.mul(y2, w), l.mul(z2, w));
    let one = l.one();
    [
        [l.sub(one, l.add(yy, zz)), l.add(xy, zw), l.sub(xz, yw)],
        [l.sub(xy, zw), l.sub(one, l.add(zz, xx)), l.add(yz, xw)],
        [l.add(xz, yw), l.sub(yz, xw), l.sub(one, l.add(yy, xx))],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_z_carries_x_to_y() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let by = axes(DOUBLE, [0.0, 0.0, half, half]);
        let to = carried(DOUBLE, &by, [10.0, 20.0, 30.0], [1.0, 0.0, 2.0]);
        for (x, y) in to.iter().zip([10.0, 21.0, 32.0]) {
            assert!((x - y).abs() < 1e-15 * 32.0, "{to:?}");
        }
        let single = axes(SINGLE, [0.0, 0.0, half as f32, half as f32]);
        for (x, y) in single.as_flattened().iter().zip(by.as_flattened()) {
            assert!((f64::from(*x) - y).abs() < 1e-6, "{single:?}");
        }
    }
}
