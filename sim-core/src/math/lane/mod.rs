//! Vectors of several `f64`, one per element of a block: the same arithmetic for 2, 4 or 8 elements in one instruction.
//!
//! A kernel is written once, for any [`Lane`], and run by [`dispatch`] with the widest instructions that the processor
//! has. Lanes never mix: each element sees plain IEEE operations in the order the kernel states, without fused
//! multiply-add, so **all instruction sets give the same bits**. Data lies in [`Row`]s of eight whatever the width, and
//! [`Lane::scatter_add`] adds element by element, in increasing order.
//!
//! Points that follow each other are read and written as they lie ([`Lane::differences`], [`Lane::add_runs`]), without an index.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Row(pub [f64; BLOCK]);

impl Row {
    /// The same number for all.
    pub const fn splat(value: f64) -> Self {
        Self([value; BLOCK])
    }

    /// The numbers of rows one after the other.
    pub fn flat(rows: &[Self]) -> &[f64] {
        bytemuck::cast_slice(rows)
    }

    /// The numbers of rows one after the other, to be changed.
    pub fn flat_mut(rows: &mut [Self]) -> &mut [f64] {
        bytemuck::cast_slice_mut(rows)
    }
}

/// Eight vectors one after the other, as points lie in memory.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointBlock([f64; 3 * BLOCK]);

impl Default for PointBlock {
    fn default() -> Self {
        Self([0.0; 3 * BLOCK])
    }
}

/// What some of eight points in line get: vectors that lie in line too, or their negatives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTerm {
    /// Number of the vector of the first point; the second gets the next one, and so on.
    pub begin: u16,
    /// Bit `k` is set where point `k` gets its vector.
    pub lanes: u8,
    /// Whether the negatives are added.
    pub negative: bool,
}

/// `WIDTH` numbers, one per element.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The outcome of a comparison, per element.
    type Mask: Copy;
    /// A corner of a box: the three coordinates of one point, whatever the width.
    type Corner: Copy;
    /// Numbers per vector: 2, 4 or 8.
    const WIDTH: usize;

    /// The same number for all elements.
    fn splat(value: f64) -> Self;
    /// The elements `at .. at + WIDTH` of a row; `at` is a multiple of `WIDTH` below 8.
    fn load(row: &Row, at: usize) -> Self;
    /// Writes the elements `at .. at + WIDTH` of a row.
    fn store(self, row: &mut Row, at: usize);
    /// `self - a * b`, rounded once. Where the processor has no such instruction (x86 before 2013), this takes long.
    fn sub_product(self, a: Self, b: Self) -> Self;
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

    /// `points[j + e] - points[i + e]` for the elements `at .. at + WIDTH` of points in line.
    ///
    /// # Panics
    /// Where eight points from `i` or from `j` on are more than there are.
    fn differences(points: &[Vec3], i: usize, j: usize, at: usize) -> [Self; 3];

    /// Writes the vectors of the elements `at .. at + WIDTH` one after the other.
    fn store_points(values: &[Self; 3], to: &mut PointBlock, at: usize);

    /// A corner at these coordinates.
    fn corner(at: &[f64; 3]) -> Self::Corner;
    /// The corner with the same number added to each coordinate.
    fn shifted(corner: Self::Corner, by: f64) -> Self::Corner;
    /// Of each coordinate the smaller one; that of `b` if they do not compare.
    fn lower(a: Self::Corner, b: Self::Corner) -> Self::Corner;
    /// Of each coordinate the larger one; that of `b` if they do not compare.
    fn upper(a: Self::Corner, b: Self::Corner) -> Self::Corner;
    /// The coordinates of a corner.
    fn coordinates(corner: Self::Corner) -> [f64; 3];
    /// Whether two boxes, each from a lower to an upper corner, have a point in common: along each axis, no lower end is above the other
    /// box's upper end. What is not a number has nothing in common with anything.
    fn meet(a: [Self::Corner; 2], b: [Self::Corner; 2]) -> bool;

    /// Adds terms to the eight points from `first` on: each point gets the vectors of its terms one after the other.
    ///
    /// # Panics
    /// Where there are fewer points, or fewer vectors than eight from the beginning of a term on.
    fn add_runs(points: &mut [Vec3], first: usize, vectors: &[PointBlock], terms: &[RunTerm]);
}

/// Has something fetched from memory that will be read soon. It changes nothing but time; `at` may be beyond the end.
#[inline(always)]
pub fn fetch<T>(of: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let begin = of.as_ptr().wrapping_add(at).cast::<i8>();
        let mut byte = 0;
        while byte < size_of::<T>() {
            // SAFETY: fetching in advance reads nothing and fails nowhere, whatever the address; every processor of the target has it.
            unsafe {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T0>(begin.wrapping_add(byte));
            }
            byte += 64;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (of, at);
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
    /// AVX2 and FMA, four at a time.
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
                && std::arch::is_x86_feature_detected!("fma")
            {
                return Self::Avx512;
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
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

/// Runs a kernel with what every processor has: for work that is not worth compiling for each instruction set.
#[inline]
pub fn run_plain<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run::<portable::Portable>()
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
                    let r = (x * y + x / y - -x).abs().sqrt().max(y).sub_product(x, y);
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

    struct Runs<'a> {
        points: &'a mut [Vec3],
        ends: [usize; 2],
        first: usize,
        terms: &'a [RunTerm],
    }

    impl LaneKernel for Runs<'_> {
        type Output = ();
        #[inline(always)]
        fn run<L: Lane>(self) {
            let mut vectors = [PointBlock::default(); 2];
            let mut block = 0;
            while block < 2 {
                let mut at = 0;
                while at < BLOCK {
                    let [x, y, z] = L::differences(self.points, self.ends[block], self.ends[1 - block], at);
                    L::store_points(&[x, y, z + z], &mut vectors[block], at);
                    at += L::WIDTH;
                }
                block += 1;
            }
            L::add_runs(self.points, self.first, &vectors, self.terms);
        }
    }

    #[test]
    fn runs_agree_with_a_plain_loop() {
        let mut random = Random::new(5);
        let start: Vec<Vec3> = (0..21).map(|_| random.vec3()).collect();
        let term = |begin, lanes, negative| RunTerm { begin, lanes, negative };
        let terms = [
            term(0, 0xff, false),
            term(8, 0xff, true),
            term(3, 0b1011_0110, true),
            term(7, 0b1000_0001, false),
            term(5, 0b0001_0000, false),
            term(1, 0, true),
        ];
        for (ends, first) in [([0, 13], 5), ([4, 3], 13), ([2, 2], 0)] {
            let vectors: Vec<Vec3> = (0..16)
                .map(|k| {
                    let (block, e) = (k / BLOCK, k % BLOCK);
                    let d = start[ends[1 - block] + e] - start[ends[block] + e];
                    Vec3::new(d.x, d.y, d.z + d.z)
                })
                .collect();
            let mut expected = start.clone();
            for term in &terms {
                for lane in (0..BLOCK).filter(|lane| term.lanes >> lane & 1 == 1) {
                    let v = vectors[usize::from(term.begin) + lane];
                    expected[first + lane] += if term.negative { -v } else { v };
                }
            }
            for instructions in Instructions::available() {
                let mut points = start.clone();
                dispatch_with(instructions, Runs { points: &mut points, ends, first, terms: &terms });
                assert_eq!(points, expected, "{instructions:?}");
            }
        }
    }

    struct Boxes<'a> {
        corners: &'a [[f64; 3]],
    }

    impl LaneKernel for Boxes<'_> {
        type Output = Vec<(bool, [[u64; 3]; 3])>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let mut found = Vec::new();
            for [a, b, c, d] in self.corners.as_chunks::<4>().0 {
                let (low, high) = (L::corner(a), L::shifted(L::corner(b), 0.25));
                let other = [L::corner(c), L::corner(d)];
                let made = [high, L::lower(low, other[0]), L::upper(low, other[0])].map(L::coordinates);
                found.push((L::meet([low, high], other), made.map(|c| c.map(f64::to_bits))));
            }
            found
        }
    }

    #[test]
    fn boxes_meet_with_all_instruction_sets_where_their_intervals_do() {
        let mut random = Random::new(6);
        let mut corners: Vec<[f64; 3]> = (0..800).map(|_| random.vec3().into()).collect();
        // Boxes whose lower corner is below the upper one, some that touch, and numbers that are none.
        for of_pair in corners.as_chunks_mut::<2>().0.iter_mut().skip(100) {
            let [a, b] = *of_pair;
            *of_pair = [[0, 1, 2].map(|k| a[k].min(b[k])), [0, 1, 2].map(|k| a[k].max(b[k]))];
        }
        corners[402] = corners[401].map(|x| x + 0.25);
        corners[406][1] = f64::NAN;
        corners[409][2] = f64::INFINITY;
        let mut expected = Vec::new();
        for [a, b, c, d] in corners.as_chunks::<4>().0 {
            let b = b.map(|x| x + 0.25);
            let meet = (0..3).all(|k| a[k] <= d[k] && c[k] <= b[k]);
            let lower = [0, 1, 2].map(|k| if a[k] < c[k] { a[k] } else { c[k] });
            let upper = [0, 1, 2].map(|k| if a[k] > c[k] { a[k] } else { c[k] });
            expected.push((meet, [b, lower, upper].map(|c| c.map(f64::to_bits))));
        }
        assert!(
            expected.iter().filter(|e| e.0).count() > 20 && expected.iter().filter(|e| !e.0).count() > 20
        );
        for instructions in Instructions::available() {
            assert_eq!(
                dispatch_with(instructions, Boxes { corners: &corners }),
                expected,
                "{instructions:?}"
            );
        }
        assert_eq!(run_plain(Boxes { corners: &corners }), expected);
    }

    #[test]
    fn runs_that_leave_what_is_there_panic() {
        for instructions in Instructions::available() {
            for (ends, first, begin) in [([0, 4], 3, 0), ([5, 0], 3, 0), ([0, 4], 5, 0), ([0, 4], 3, 9)] {
                let outcome = std::panic::catch_unwind(|| {
                    let mut points = vec![Vec3::zeros(); if first + begin == 3 { 11 } else { 12 }];
                    let terms = [RunTerm { begin: begin as u16, lanes: 1, negative: false }];
                    dispatch_with(instructions, Runs { points: &mut points, ends, first, terms: &terms });
                });
                assert!(outcome.is_err(), "{instructions:?}, {ends:?}, {first}, {begin}");
            }
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
