//! Vectors of several `f64`, one per element of a block: the same arithmetic for 2, 4 or 8 elements in one instruction.
//!
//! A kernel is written once, for any [`Lane`], and run by [`dispatch`] with the widest instructions that the processor
//! has. Lanes never mix: each element sees plain IEEE operations in the order the kernel states, without fused
//! multiply-add, so **all instruction sets give the same bits**. Data lies in [`Row`]s of eight whatever the width, and
//! [`Lane::scatter_add`] adds element by element, in increasing order.
//!
//! Everything that a kernel calls must be `#[inline(always)]` and free of closures: only what ends up inside the one
//! function that enables the instruction set is compiled with it.
//!
//! What this is not: a general vector library. It has the operations that element kernels here need.

#![allow(unsafe_code, reason = "vector instructions are unsafe to call; see the comments at each block")]

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::math::Vec3;

/// Elements per block.
pub const BLOCK: usize = 8;

/// One number for each of the eight elements of a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row(pub [f64; BLOCK]);

impl Row {
    /// The same number for all.
    pub const fn splat(value: f64) -> Self {
        Self([value; BLOCK])
    }
}

/// A vector that stands by itself, with a fourth number that is 0, so that one instruction adds it.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointRow([f64; 4]);

/// The rows of a block of eight vectors: the vectors, then their negatives, see [`Lane::store_signed`].
pub const SIGNED_ROWS: usize = 2 * BLOCK;

/// Where the vector of each element lies among the rows of its block; its negative lies [`BLOCK`] rows further.
pub const ROW_OF: [u16; BLOCK] = [0, 4, 1, 5, 2, 6, 3, 7];

/// `WIDTH` numbers, one per element.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The outcome of a comparison, per element.
    type Mask: Copy;
    /// Numbers per vector: 2, 4 or 8.
    const WIDTH: usize;

    /// The same number for all elements.
    fn splat(value: f64) -> Self;
    /// The elements `at .. at + WIDTH` of a row; `at` is a multiple of `WIDTH` below 8.
    fn load(row: &Row, at: usize) -> Self;
    /// Writes the elements `at .. at + WIDTH` of a row.
    fn store(self, row: &mut Row, at: usize);
    /// The square root.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The larger one; `other` if they do not compare.
    fn max(self, other: Self) -> Self;
    /// Whether `self > other`.
    fn gt(self, other: Self) -> Self::Mask;
    /// Whether `self >= other`.
    fn ge(self, other: Self) -> Self::Mask;
    /// Whether `self != other` (or one is not a number).
    fn ne(self, other: Self) -> Self::Mask;
    /// Elements of `yes` where the mask holds, else of `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Where both hold.
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether it holds for any element.
    fn any(mask: Self::Mask) -> bool;
    /// Bit `k` is set where the mask holds for element `k` of the vector.
    fn bits(mask: Self::Mask) -> u8;

    /// The x, y and z of the points that `nodes[at .. at + WIDTH]` name.
    ///
    /// # Panics
    /// Where an index is not below `points.len()`.
    fn gather(points: &[Vec3], nodes: &[u32; BLOCK], at: usize) -> [Self; 3];

    /// Adds vectors to points: for element `at`, then `at + 1` and so on to the smaller of `at + WIDTH` and `count`, for
    /// each of its `N` nodes in order, `points[nodes[n][element]] += values[n]` of this element.
    ///
    /// # Panics
    /// Where an index is not below `points.len()`.
    fn scatter_add<const N: usize>(
        points: &mut [Vec3],
        nodes: &[[u32; BLOCK]; N],
        values: &[[Self; 3]; N],
        at: usize,
        count: usize,
    );

    /// Writes the vectors of the elements `at .. at + WIDTH` as rows, and their negatives, to the places that [`ROW_OF`] says.
    fn store_signed(values: &[Self; 3], rows: &mut [PointRow; SIGNED_ROWS], at: usize);

    /// Adds the rows that `terms` name to a point, one after the other: `((point + rows[terms[0]]) + rows[terms[1]])` and so on.
    /// `ROWS` is a power of two, modulo which terms count.
    fn add_rows<const ROWS: usize>(point: &mut Vec3, rows: &[PointRow; ROWS], terms: &[u16]);
}

/// A computation written for any width.
pub trait LaneKernel {
    /// What it returns.
    type Output;
    /// Performs it; must be `#[inline(always)]`.
    fn run<L: Lane>(self) -> Self::Output;
}

/// The instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What every processor of the target has, two numbers at a time.
    Portable,
    /// AVX2, four at a time.
    Avx2,
    /// AVX-512 (F and VL), eight at a time.
    Avx512,
}

impl Instructions {
    /// The widest that this processor has; the processor is asked once.
    #[inline]
    pub fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                return Self::Avx512;
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// All that this processor has, for tests and benchmarks.
    pub fn available() -> Vec<Self> {
        let widest = Self::widest();
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|i| *i <= widest).collect()
    }
}

/// Runs a kernel with the widest instructions that the processor has.
#[inline]
pub fn dispatch<K: LaneKernel>(kernel: K) -> K::Output {
    dispatch_with(Instructions::widest(), kernel)
}

/// Runs a kernel with the given instructions, or with narrower ones where the processor lacks them.
#[inline]
pub fn dispatch_with<K: LaneKernel>(instructions: Instructions, kernel: K) -> K::Output {
    match instructions.min(Instructions::widest()) {
        Instructions::Portable => kernel.run::<portable::Portable>(),
        // SAFETY: `widest` found the processor to have the instructions, and the minimum is at most that.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { x86::run_avx2(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { x86::run_avx512(kernel) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => kernel.run::<portable::Portable>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    struct Arithmetic<'a> {
        a: &'a [Row],
        b: &'a [Row],
        out: &'a mut [Row],
    }

    impl LaneKernel for Arithmetic<'_> {
        type Output = (bool, Vec<u8>);
        #[inline(always)]
        fn run<L: Lane>(self) -> (bool, Vec<u8>) {
            let (mut any, mut not_less) = (false, Vec::new());
            for ((a, b), out) in self.a.iter().zip(self.b).zip(self.out) {
                let mut at = 0;
                not_less.push(0);
                while at < BLOCK {
                    let (x, y) = (L::load(a, at), L::load(b, at));
                    let larger = x.gt(y);
                    any |= L::any(L::and(larger, x.ne(L::splat(0.25))));
                    if let Some(row) = not_less.last_mut() {
                        *row |= L::bits(x.ge(y)) << at;
                    }
                    let r = (x * y + x / y - -x).abs().sqrt().max(y);
                    L::select(larger, r, r + L::splat(1.0)).store(out, at);
                    at += L::WIDTH;
                }
            }
            (any, not_less)
        }
    }

    struct Move<'a> {
        from: &'a [Vec3],
        to: &'a mut [Vec3],
        nodes: &'a [[u32; BLOCK]; 2],
        count: usize,
    }

    impl LaneKernel for Move<'_> {
        type Output = ();
        #[inline(always)]
        fn run<L: Lane>(self) {
            let mut at = 0;
            while at < BLOCK {
                let a = L::gather(self.from, &self.nodes[0], at);
                let b = L::gather(self.from, &self.nodes[1], at);
                let sum = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
                L::scatter_add(self.to, self.nodes, &[sum, b], at, self.count);
                at += L::WIDTH;
            }
        }
    }

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        let mut random = Random::new(3);
        let mut rows =
            |n: usize| -> Vec<Row> { (0..n).map(|_| Row(std::array::from_fn(|_| random.real()))).collect() };
        let (mut a, b) = (rows(50), rows(50));
        a[0].0 = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-310, f64::MAX, f64::MIN_POSITIVE, -1.0];
        a[1] = b[1];
        let not_less =
            |(a, b): (&Row, &Row)| (0..BLOCK).fold(0, |bits, k| bits | (u8::from(a.0[k] >= b.0[k]) << k));
        let expected: Vec<u8> = a.iter().zip(&b).map(not_less).collect();
        let mut results = Vec::new();
        for instructions in Instructions::available() {
            let mut out = vec![Row::default(); 50];
            let any = dispatch_with(instructions, Arithmetic { a: &a, b: &b, out: &mut out });
            let bits: Vec<u64> =
                out.iter().flat_map(|r| r.0).filter(|x| !x.is_nan()).map(f64::to_bits).collect();
            assert_eq!(any.1, expected, "{instructions:?}");
            results.push((any, bits));
        }
        assert!(results.windows(2).all(|w| w[0] == w[1]));
    }

    #[test]
    fn gather_and_scatter_agree_with_a_plain_loop() {
        let mut random = Random::new(4);
        let from: Vec<Vec3> = (0..9).map(|_| random.vec3()).collect();
        let start: Vec<Vec3> = (0..9).map(|_| random.vec3()).collect();
        let nodes = [[8, 0, 3, 3, 8, 1, 2, 5], [0, 1, 2, 8, 4, 4, 7, 6]];
        for count in [1, 3, 4, 7, 8] {
            let mut expected = start.clone();
            for (a, b) in nodes[0].iter().zip(&nodes[1]).take(count) {
                let (a, b) = (*a as usize, *b as usize);
                expected[a] += from[a] + from[b];
                expected[b] += from[b];
            }
            for instructions in Instructions::available() {
                let mut to = start.clone();
                dispatch_with(instructions, Move { from: &from, to: &mut to, nodes: &nodes, count });
                assert_eq!(to, expected, "{instructions:?}, {count} elements");
            }
        }
    }

    struct Signed<'a> {
        values: [Row; 3],
        terms: &'a [u16],
        point: &'a mut Vec3,
    }

    impl LaneKernel for Signed<'_> {
        type Output = [PointRow; SIGNED_ROWS];
        #[inline(always)]
        fn run<L: Lane>(self) -> [PointRow; SIGNED_ROWS] {
            let mut rows = [PointRow::default(); SIGNED_ROWS];
            let mut at = 0;
            while at < BLOCK {
                let [x, y, z] = &self.values;
                L::store_signed(&[L::load(x, at), L::load(y, at), L::load(z, at)], &mut rows, at);
                at += L::WIDTH;
            }
            L::add_rows(self.point, &rows, self.terms);
            rows
        }
    }

    #[test]
    fn signed_rows_are_vectors_and_their_negatives_and_add_up_in_order() {
        let mut random = Random::new(5);
        let values: [Row; 3] = std::array::from_fn(|_| Row(std::array::from_fn(|_| random.real())));
        let of = |e: usize| Vec3::new(values[0].0[e], values[1].0[e], values[2].0[e]);
        let begin = random.vec3();
        // Element 3, minus element 6, element 3 again, element 0, and a number of rows too far.
        let terms = [ROW_OF[3], ROW_OF[6] + 8, ROW_OF[3], ROW_OF[0], ROW_OF[1] + 16];
        let expected = (((begin + of(3)) - of(6)) + of(3)) + of(0) + of(1);
        for instructions in Instructions::available() {
            let mut point = begin;
            let rows = dispatch_with(instructions, Signed { values, terms: &terms, point: &mut point });
            assert_eq!(point, expected, "{instructions:?}");
            for (e, row) in ROW_OF.into_iter().enumerate() {
                let ([x, y, z], row) = (of(e).into(), usize::from(row));
                assert_eq!(rows[row], PointRow([x, y, z, 0.0]), "{instructions:?}");
                assert_eq!(rows[row + BLOCK], PointRow([-x, -y, -z, -0.0]), "{instructions:?}");
            }
            let alone = dispatch_with(instructions, Signed { values, terms: &[], point: &mut point });
            assert!(alone == rows && point == expected);
        }
    }

    #[test]
    fn an_index_out_of_range_panics() {
        let from = vec![Vec3::zeros(); 3];
        for instructions in Instructions::available() {
            for bad in 0..BLOCK {
                let mut nodes = [[0; BLOCK]; 2];
                nodes[1][bad] = 3;
                let outcome = std::panic::catch_unwind(|| {
                    let mut to = vec![Vec3::zeros(); 3];
                    dispatch_with(
                        instructions,
                        Move { from: &from, to: &mut to, nodes: &nodes, count: BLOCK },
                    );
                });
                assert!(outcome.is_err(), "{instructions:?}, element {bad}");
            }
        }
    }
}
