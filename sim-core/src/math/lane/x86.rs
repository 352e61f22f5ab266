//! Four numbers with AVX2 and FMA, eight with AVX-512.
//!
//! **Safety of this file.** The types are private and reach a kernel only through [`run_avx2`] and [`run_avx512`], whose
//! caller has asked the processor for the instructions; so wherever one of their methods runs, the instructions exist.
//! What remains is memory: each block that touches some says why it is in bounds.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{BLOCK, Lane, LaneKernel, PointBlock, Row, RunTerm};
use crate::math::Vec3;

/// Runs a kernel four elements at a time.
///
/// # Safety
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// Runs a kernel eight elements at a time.
///
/// # Safety
/// The processor must have AVX-512 F and VL, and FMA.
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) unsafe fn run_avx512<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256d);

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);

macro_rules! operator {
    ($lane:ident, $trait:ident, $function:ident, $intrinsic:ident) => {
        impl $trait for $lane {
            type Output = Self;
            #[inline(always)]
            fn $function(self, o: Self) -> Self {
                // SAFETY: no memory is touched, and the instructions exist (head of the file).
                Self(unsafe { $intrinsic(self.0, o.0) })
            }
        }
    };
}
operator!(Avx2, Add, add, _mm256_add_pd);
operator!(Avx2, Sub, sub, _mm256_sub_pd);
operator!(Avx2, Mul, mul, _mm256_mul_pd);
operator!(Avx2, Div, div, _mm256_div_pd);
operator!(Avx512, Add, add, _mm512_add_pd);
operator!(Avx512, Sub, sub, _mm512_sub_pd);
operator!(Avx512, Mul, mul, _mm512_mul_pd);
operator!(Avx512, Div, div, _mm512_div_pd);

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

impl Neg for Avx512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe {
            let sign = _mm512_set1_epi64(i64::MIN);
            _mm512_castsi512_pd(_mm512_xor_epi64(_mm512_castpd_si512(self.0), sign))
        })
    }
}

/// Panics unless all of the indices are below `limit`.
#[inline(always)]
fn check<const N: usize>(nodes: &[[u32; BLOCK]; N], limit: usize) {
    // SAFETY: each load reads the eight indices of one row; the instructions exist (head of the file).
    let in_range = unsafe {
        let mut largest = _mm256_setzero_si256();
        for row in nodes {
            largest = _mm256_max_epu32(largest, _mm256_loadu_si256(row.as_ptr().cast()));
        }
        let last = _mm256_set1_epi32(limit.min(u32::MAX as usize).wrapping_sub(1) as i32);
        let below = _mm256_cmpeq_epi32(_mm256_max_epu32(largest, last), last);
        limit != 0 && _mm256_movemask_epi8(below) == -1
    };
    if !in_range {
        out_of_range(nodes, limit);
    }
}

#[cold]
#[inline(never)]
fn out_of_range(nodes: &[[u32; BLOCK]], limit: usize) -> ! {
    let index = nodes.as_flattened().iter().max().copied().unwrap_or_default();
    panic!("an element names point {index}, but there are {limit} points")
}

/// The three coordinates of the point that an index names, and a zero.
///
/// # Safety
/// The processor must have AVX2, and `index` must be below `points.len()`.
#[inline(always)]
unsafe fn point(points: &[Vec3], index: &u32) -> __m256d {
    // SAFETY: the caller's; the mask keeps the fourth double from being read, so the three of this point are enough.
    unsafe {
        // Volatile: else the compiler takes the index out of the vector that `check` has loaded, which is slower than a load.
        let index = std::ptr::read_volatile(index);
        let address = points.as_ptr().add(index as usize).cast::<f64>();
        _mm256_maskload_pd(address, _mm256_set_epi64x(0, -1, -1, -1))
    }
}

/// Adds (x, y) and z to a point.
///
/// # Safety
/// `index` must be below `points.len()`.
#[inline(always)]
unsafe fn add_to_point(points: &mut [Vec3], index: u32, xy: __m128d, z: f64) {
    // SAFETY: the caller's; a Vec3 is three consecutive doubles.
    unsafe {
        let address = points.as_mut_ptr().add(index as usize).cast::<f64>();
        _mm_storeu_pd(address, _mm_add_pd(_mm_loadu_pd(address), xy));
        *address.add(2) += z;
    }
}

/// Where eight points from `first` on begin.
///
/// # Panics
/// Where there are fewer.
#[inline(always)]
fn eight(points: &[Vec3], first: usize) -> *const f64 {
    points[first..][..BLOCK].as_ptr().cast()
}

/// Where eight vectors begin.
///
/// # Panics
/// Where there are fewer.
#[inline(always)]
fn vectors_of(vectors: &[PointBlock], term: &RunTerm) -> *const f64 {
    let begin = usize::from(term.begin);
    assert!(begin + BLOCK <= BLOCK * vectors.len(), "a term reads vectors that are not there");
    // SAFETY: a block is 24 doubles and no more, so vector `begin` starts 3 `begin` doubles after the first block; with it eight are there.
    unsafe { vectors.as_ptr().cast::<f64>().add(3 * begin) }
}

/// Each bit of a byte three times: which of 24 coordinates belong to some of eight points.
const COORDINATES: [u32; 256] = {
    let mut table = [0; 256];
    let mut lanes = 0;
    while lanes < 256 {
        let mut k = 0;
        while k < BLOCK {
            if lanes >> k & 1 == 1 {
                table[lanes] |= 0b111 << (3 * k);
            }
            k += 1;
        }
        lanes += 1;
    }
    table
};

/// `yes` where one of the lowest four bits is set, else `no`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn chosen(bits: u32, no: __m256d, yes: __m256d) -> __m256d {
    // SAFETY: the caller's; no memory is touched.
    unsafe {
        let one_each = _mm256_set_epi64x(8, 4, 2, 1);
        let bits = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), one_each);
        _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(_mm256_cmpeq_epi64(bits, one_each)))
    }
}

/// A vector, negative where `sign` has the sign's bit.
///
/// # Safety
/// The processor must have AVX-512 F, and eight doubles must follow.
#[inline(always)]
unsafe fn signed(from: *const f64, sign: __m512i) -> __m512d {
    // SAFETY: the caller's.
    unsafe { _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(_mm512_loadu_pd(from)), sign)) }
}

/// Corners of boxes are the same for both widths: three coordinates, and a fourth number that is not looked at.
macro_rules! corners {
    () => {
        #[inline(always)]
        fn corner(at: &[f64; 3]) -> __m256d {
            // SAFETY: the mask keeps the fourth double from being read; the instructions exist (head of the file).
            unsafe { _mm256_maskload_pd(at.as_ptr(), _mm256_set_epi64x(0, -1, -1, -1)) }
        }
        #[inline(always)]
        fn shifted(corner: __m256d, by: f64) -> __m256d {
            // SAFETY: no memory is touched, and the instructions exist (head of the file).
            unsafe { _mm256_add_pd(corner, _mm256_set1_pd(by)) }
        }
        #[inline(always)]
        fn lower(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: as above.
            unsafe { _mm256_min_pd(a, b) }
        }
        #[inline(always)]
        fn upper(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: as above.
            unsafe { _mm256_max_pd(a, b) }
        }
        #[inline(always)]
        fn coordinates(corner: __m256d) -> [f64; 3] {
            let mut all = [0.0; 3];
            // SAFETY: the destination is an array of three doubles, of which two are written and then the last one.
            unsafe {
                _mm_storeu_pd(all.as_mut_ptr(), _mm256_castpd256_pd128(corner));
                _mm_store_sd(&mut all[2], _mm256_extractf128_pd::<1>(corner));
            }
            all
        }
        #[inline(always)]
        fn meet([a, b]: [__m256d; 2], [c, d]: [__m256d; 2]) -> bool {
            // SAFETY: as above.
            unsafe {
                let (first, second) = (_mm256_cmp_pd::<_CMP_LE_OQ>(a, d), _mm256_cmp_pd::<_CMP_LE_OQ>(c, b));
                _mm256_movemask_pd(_mm256_and_pd(first, second)) & 0b111 == 0b111
            }
        }
    };
}

impl Lane for Avx2 {
    type Mask = __m256d;
    type Corner = __m256d;
    const WIDTH: usize = 4;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm256_set1_pd(value) })
    }
    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        // SAFETY: the mask leaves 0 or 4, so four doubles of the eight follow; a row is aligned to 64 bytes.
        Self(unsafe { _mm256_load_pd(row.0.as_ptr().add(at & 4)) })
    }
    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        // SAFETY: as for `load`.
        unsafe { _mm256_store_pd(row.0.as_mut_ptr().add(at & 4), self.0) }
    }
    #[inline(always)]
    fn sub_product(self, a: Self, b: Self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm256_fnmadd_pd(a.0, b.0, self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_max_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn gt(self, other: Self) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn ge(self, other: Self) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_cmp_pd::<_CMP_GE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn ne(self, other: Self) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_cmp_pd::<_CMP_NEQ_UQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __m256d, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_blendv_pd(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn and(a: __m256d, b: __m256d) -> __m256d {
        // SAFETY: as above.
        unsafe { _mm256_and_pd(a, b) }
    }
    #[inline(always)]
    fn any(mask: __m256d) -> bool {
        // SAFETY: as above.
        unsafe { _mm256_movemask_pd(mask) != 0 }
    }
    #[inline(always)]
    fn bits(mask: __m256d) -> u8 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_pd(mask) as u8 }
    }

    #[inline(always)]
    fn gather(points: &[Vec3], nodes: &[u32; BLOCK], at: usize) -> [Self; 3] {
        let at = at & 4;
        check(std::array::from_ref(nodes), points.len());
        let n = &nodes[at..at + 4];
        // SAFETY: `check` found the four indices below `points.len()`.
        unsafe {
            let (a, b) = (point(points, &n[0]), point(points, &n[1]));
            let (c, d) = (point(points, &n[2]), point(points, &n[3]));
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // (x x z z)
            let (y_ab, y_cd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)); // (y y . .)
            [
                Self(_mm256_permute2f128_pd::<0x20>(ab, cd)),
                Self(_mm256_permute2f128_pd::<0x20>(y_ab, y_cd)),
                Self(_mm256_permute2f128_pd::<0x31>(ab, cd)),
            ]
        }
    }

    #[inline(always)]
    fn scatter_add<const N: usize>(
        points: &mut [Vec3],
        nodes: &[[u32; BLOCK]; N],
        values: &[[Self; 3]; N],
        at: usize,
        count: usize,
    ) {
        let at = at & 4;
        let mut rows = [[[0.0; 4]; 3]; N];
        check(nodes, points.len());
        for n in 0..N {
            let [x, y, z] = values[n];
            // SAFETY: the three destinations are arrays of four doubles.
            unsafe {
                _mm256_storeu_pd(rows[n][0].as_mut_ptr(), _mm256_unpacklo_pd(x.0, y.0)); // (x0 y0 x2 y2)
                _mm256_storeu_pd(rows[n][1].as_mut_ptr(), _mm256_unpackhi_pd(x.0, y.0)); // (x1 y1 x3 y3)
                _mm256_storeu_pd(rows[n][2].as_mut_ptr(), z.0);
            }
        }
        for e in 0..4.min(count.saturating_sub(at)) {
            for n in 0..N {
                let row = &rows[n];
                // SAFETY: `check` found the indices below `points.len()`; e is below 4, so the pair lies inside its row.
                unsafe {
                    let xy = _mm_loadu_pd(row[e & 1].as_ptr().add(e & 2));
                    add_to_point(points, nodes[n][at + e], xy, row[2][e]);
                }
            }
        }
    }

    #[inline(always)]
    fn differences(points: &[Vec3], i: usize, j: usize, at: usize) -> [Self; 3] {
        let at = 3 * (at & 4);
        let (i, j) = (eight(points, i), eight(points, j));
        // SAFETY: eight points are 24 doubles, of which twelve from 0 or 12 on are read; the instructions exist (head of the file).
        unsafe {
            let (i, j) = (i.add(at), j.add(at));
            let a = _mm256_sub_pd(_mm256_loadu_pd(j), _mm256_loadu_pd(i)); // (x0 y0 z0 x1)
            let b = _mm256_sub_pd(_mm256_loadu_pd(j.add(4)), _mm256_loadu_pd(i.add(4))); // (y1 z1 x2 y2)
            let c = _mm256_sub_pd(_mm256_loadu_pd(j.add(8)), _mm256_loadu_pd(i.add(8))); // (z2 x3 y3 z3)
            let xy = _mm256_blend_pd::<0b1100>(a, b); // (x0 y0 x2 y2)
            let zx = _mm256_permute2f128_pd::<0x21>(a, c); // (z0 x1 z2 x3)
            let yz = _mm256_blend_pd::<0b1100>(b, c); // (y1 z1 y3 z3)
            [
                Self(_mm256_shuffle_pd::<0b1010>(xy, zx)),
                Self(_mm256_shuffle_pd::<0b0101>(xy, yz)),
                Self(_mm256_shuffle_pd::<0b1010>(zx, yz)),
            ]
        }
    }

    #[inline(always)]
    fn store_points(values: &[Self; 3], to: &mut PointBlock, at: usize) {
        let [x, y, z] = values;
        // SAFETY: of 24 doubles, twelve from 0 or 12 on are written; blocks are aligned to 64 bytes; the instructions exist.
        unsafe {
            let to = to.0.as_mut_ptr().add(3 * (at & 4));
            let (xy, yz) = (_mm256_unpacklo_pd(x.0, y.0), _mm256_unpackhi_pd(y.0, z.0)); // (x0 y0 x2 y2), (y1 z1 y3 z3)
            let zx = _mm256_shuffle_pd::<0b1010>(z.0, x.0); // (z0 x1 z2 x3)
            _mm256_store_pd(to, _mm256_permute2f128_pd::<0x20>(xy, zx));
            _mm256_store_pd(to.add(4), _mm256_blend_pd::<0b1100>(yz, xy));
            _mm256_store_pd(to.add(8), _mm256_permute2f128_pd::<0x31>(zx, yz));
        }
    }

    corners!();

    #[inline(always)]
    fn add_runs(points: &mut [Vec3], first: usize, vectors: &[PointBlock], terms: &[RunTerm]) {
        let to: *mut f64 = points[first..][..BLOCK].as_mut_ptr().cast();
        // SAFETY: eight points are 24 doubles, as many as are read and written; the instructions exist (head of the file).
        unsafe {
            let (mut a, mut b) = (_mm256_loadu_pd(to), _mm256_loadu_pd(to.add(4)));
            let (mut c, mut d) = (_mm256_loadu_pd(to.add(8)), _mm256_loadu_pd(to.add(12)));
            let (mut e, mut f) = (_mm256_loadu_pd(to.add(16)), _mm256_loadu_pd(to.add(20)));
            for term in terms {
                let from = vectors_of(vectors, term);
                let sign = _mm256_castsi256_pd(_mm256_set1_epi64x(i64::from(term.negative) << 63));
                let [p, q, r, s, t, u] = [
                    _mm256_add_pd(a, _mm256_xor_pd(_mm256_loadu_pd(from), sign)),
                    _mm256_add_pd(b, _mm256_xor_pd(_mm256_loadu_pd(from.add(4)), sign)),
                    _mm256_add_pd(c, _mm256_xor_pd(_mm256_loadu_pd(from.add(8)), sign)),
                    _mm256_add_pd(d, _mm256_xor_pd(_mm256_loadu_pd(from.add(12)), sign)),
                    _mm256_add_pd(e, _mm256_xor_pd(_mm256_loadu_pd(from.add(16)), sign)),
                    _mm256_add_pd(f, _mm256_xor_pd(_mm256_loadu_pd(from.add(20)), sign)),
                ];
                if term.lanes == u8::MAX {
                    (a, b, c, d, e, f) = (p, q, r, s, t, u);
                } else {
                    let of = COORDINATES[usize::from(term.lanes)];
                    (a, b) = (chosen(of, a, p), chosen(of >> 4, b, q));
                    (c, d) = (chosen(of >> 8, c, r), chosen(of >> 12, d, s));
                    (e, f) = (chosen(of >> 16, e, t), chosen(of >> 20, f, u));
                }
            }
            _mm256_storeu_pd(to, a);
            _mm256_storeu_pd(to.add(4), b);
            _mm256_storeu_pd(to.add(8), c);
            _mm256_storeu_pd(to.add(12), d);
            _mm256_storeu_pd(to.add(16), e);
            _mm256_storeu_pd(to.add(20), f);
        }
    }
}

impl Lane for Avx512 {
    type Mask = __mmask8;
    type Corner = __m256d;
    const WIDTH: usize = 8;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm512_set1_pd(value) })
    }
    #[inline(always)]
    fn load(row: &Row, _at: usize) -> Self {
        // SAFETY: a row has eight doubles and is aligned to 64 bytes.
        Self(unsafe { _mm512_load_pd(row.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, row: &mut Row, _at: usize) {
        // SAFETY: as for `load`.
        unsafe { _mm512_store_pd(row.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sub_product(self, a: Self, b: Self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm512_fnmadd_pd(a.0, b.0, self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: no memory is touched, and the instructions exist (head of the file).
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_max_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn gt(self, other: Self) -> __mmask8 {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn ge(self, other: Self) -> __mmask8 {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_GE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn ne(self, other: Self) -> __mmask8 {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mask_blend_pd(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn and(a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn any(mask: __mmask8) -> bool {
        mask != 0
    }
    #[inline(always)]
    fn bits(mask: __mmask8) -> u8 {
        mask
    }

    #[inline(always)]
    fn gather(points: &[Vec3], nodes: &[u32; BLOCK], _at: usize) -> [Self; 3] {
        check(std::array::from_ref(nodes), points.len());
        // SAFETY: `check` found the eight indices below `points.len()`.
        unsafe {
            // Elements are paired so that one shuffle at the end puts them in order: (0|2) (1|3) (4|6) (5|7).
            let a = pair(point(points, &nodes[0]), point(points, &nodes[2]));
            let b = pair(point(points, &nodes[1]), point(points, &nodes[3]));
            let c = pair(point(points, &nodes[4]), point(points, &nodes[6]));
            let d = pair(point(points, &nodes[5]), point(points, &nodes[7]));
            let (ab, cd) = (_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d)); // (x0 x1 z0 z1 x2 x3 z2 z3)
            let (y_ab, y_cd) = (_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d)); // (y0 y1 . . y2 y3 . .)
            [
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(ab, cd)),
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(y_ab, y_cd)),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(ab, cd)),
            ]
        }
    }

    #[inline(always)]
    fn scatter_add<const N: usize>(
        points: &mut [Vec3],
        nodes: &[[u32; BLOCK]; N],
        values: &[[Self; 3]; N],
        _at: usize,
        count: usize,
    ) {
        let mut rows = [[Row([0.0; 8]); 3]; N];
        check(nodes, points.len());
        for n in 0..N {
            let [x, y, z] = values[n];
            // SAFETY: no memory is touched, and the instructions exist (head of the file).
            let (even, odd) = unsafe { (_mm512_unpacklo_pd(x.0, y.0), _mm512_unpackhi_pd(x.0, y.0)) };
            Self(even).store(&mut rows[n][0], 0); // (x0 y0 x2 y2 x4 y4 x6 y6)
            Self(odd).store(&mut rows[n][1], 0); // (x1 y1 x3 y3 x5 y5 x7 y7)
            z.store(&mut rows[n][2], 0);
        }
        for e in 0..BLOCK.min(count) {
            for n in 0..N {
                let row = &rows[n];
                // SAFETY: `check` found the indices below `points.len()`; e is below 8, so the pair lies inside its row.
                unsafe {
                    let xy = _mm_loadu_pd(row[e & 1].0.as_ptr().add(e & 6));
                    add_to_point(points, nodes[n][e], xy, row[2].0[e]);
                }
            }
        }
    }

    #[inline(always)]
    fn differences(points: &[Vec3], i: usize, j: usize, _at: usize) -> [Self; 3] {
        let (i, j) = (eight(points, i), eight(points, j));
        // SAFETY: eight points are 24 doubles, as many as are read; the instructions exist (head of the file).
        unsafe {
            let a = _mm512_sub_pd(_mm512_loadu_pd(j), _mm512_loadu_pd(i)); // (x0 y0 z0 x1 y1 z1 x2 y2)
            let b = _mm512_sub_pd(_mm512_loadu_pd(j.add(8)), _mm512_loadu_pd(i.add(8))); // (z2 x3 y3 z3 x4 y4 z4 x5)
            let c = _mm512_sub_pd(_mm512_loadu_pd(j.add(16)), _mm512_loadu_pd(i.add(16))); // (y5 z5 x6 y6 z6 x7 y7 z7)
            let x = _mm512_permutex2var_pd(a, _mm512_set_epi64(0, 0, 15, 12, 9, 6, 3, 0), b);
            let y = _mm512_permutex2var_pd(a, _mm512_set_epi64(0, 0, 0, 13, 10, 7, 4, 1), b);
            let z = _mm512_permutex2var_pd(a, _mm512_set_epi64(0, 0, 0, 14, 11, 8, 5, 2), b);
            [
                Self(_mm512_permutex2var_pd(x, _mm512_set_epi64(13, 10, 5, 4, 3, 2, 1, 0), c)),
                Self(_mm512_permutex2var_pd(y, _mm512_set_epi64(14, 11, 8, 4, 3, 2, 1, 0), c)),
                Self(_mm512_permutex2var_pd(z, _mm512_set_epi64(15, 12, 9, 4, 3, 2, 1, 0), c)),
            ]
        }
    }

    #[inline(always)]
    fn store_points(values: &[Self; 3], to: &mut PointBlock, _at: usize) {
        let [x, y, z] = values;
        // SAFETY: 24 doubles are written, as many as there are; blocks are aligned to 64 bytes; the instructions exist.
        unsafe {
            let a = _mm512_permutex2var_pd(x.0, _mm512_set_epi64(10, 2, 0, 9, 1, 0, 8, 0), y.0); // (x0 y0 . x1 y1 . x2 y2)
            let b = _mm512_permutex2var_pd(x.0, _mm512_set_epi64(5, 0, 12, 4, 0, 11, 3, 0), y.0); // (. x3 y3 . x4 y4 . x5)
            let c = _mm512_permutex2var_pd(x.0, _mm512_set_epi64(0, 15, 7, 0, 14, 6, 0, 13), y.0); // (y5 . x6 y6 . x7 y7 .)
            let to = to.0.as_mut_ptr();
            let place = _mm512_set_epi64(7, 6, 9, 4, 3, 8, 1, 0);
            _mm512_store_pd(to, _mm512_permutex2var_pd(a, place, z.0));
            let place = _mm512_set_epi64(7, 12, 5, 4, 11, 2, 1, 10);
            _mm512_store_pd(to.add(8), _mm512_permutex2var_pd(b, place, z.0));
            let place = _mm512_set_epi64(15, 6, 5, 14, 3, 2, 13, 0);
            _mm512_store_pd(to.add(16), _mm512_permutex2var_pd(c, place, z.0));
        }
    }

    corners!();

    #[inline(always)]
    fn add_runs(points: &mut [Vec3], first: usize, vectors: &[PointBlock], terms: &[RunTerm]) {
        let to: *mut f64 = points[first..][..BLOCK].as_mut_ptr().cast();
        // SAFETY: eight points are 24 doubles, as many as are read and written; the instructions exist (head of the file).
        unsafe {
            let (mut a, mut b, mut c) =
                (_mm512_loadu_pd(to), _mm512_loadu_pd(to.add(8)), _mm512_loadu_pd(to.add(16)));
            for term in terms {
                let from = vectors_of(vectors, term);
                let sign = _mm512_set1_epi64(i64::from(term.negative) << 63);
                let (p, q, r) = (signed(from, sign), signed(from.add(8), sign), signed(from.add(16), sign));
                if term.lanes == u8::MAX {
                    (a, b, c) = (_mm512_add_pd(a, p), _mm512_add_pd(b, q), _mm512_add_pd(c, r));
                } else {
                    let of = COORDINATES[usize::from(term.lanes)];
                    a = _mm512_mask_add_pd(a, of as u8, a, p);
                    b = _mm512_mask_add_pd(b, (of >> 8) as u8, b, q);
                    c = _mm512_mask_add_pd(c, (of >> 16) as u8, c, r);
                }
            }
            _mm512_storeu_pd(to, a);
            _mm512_storeu_pd(to.add(8), b);
            _mm512_storeu_pd(to.add(16), c);
        }
    }
}

/// Two halves as one vector.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn pair(low: __m256d, high: __m256d) -> __m512d {
    // SAFETY: the caller's; no memory is touched.
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high) }
}
