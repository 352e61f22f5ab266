//! Four numbers with AVX2, eight with AVX-512.
//!
//! **Safety of this file.** The types are private and reach a kernel only through [`run_avx2`] and [`run_avx512`], whose
//! caller has asked the processor for the instructions; so wherever one of their methods runs, the instructions exist.
//! What remains is memory: each block that touches some says why it is in bounds.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{BLOCK, Lane, LaneKernel, PointRow, Row, SIGNED_ROWS};
use crate::math::Vec3;

/// Runs a kernel four elements at a time.
///
/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run_avx2<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// Runs a kernel eight elements at a time.
///
/// # Safety
/// The processor must have AVX-512 F and VL.
#[target_feature(enable = "avx512f,avx512vl,avx2")]
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

/// Adds rows to a point, one after the other.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn add_rows<const ROWS: usize>(at: &mut Vec3, rows: &[PointRow; ROWS], terms: &[u16]) {
    const { assert!(ROWS.is_power_of_two()) };
    // SAFETY: the mask leaves a number below ROWS, and a row has four doubles and is aligned to 32 bytes; a Vec3 is three
    // consecutive doubles, which alone are read and written; the instructions exist.
    unsafe {
        let address = std::ptr::from_mut(at).cast::<f64>();
        let mut sum = _mm256_maskload_pd(address, _mm256_set_epi64x(0, -1, -1, -1));
        for term in terms {
            let row = rows.as_ptr().add(usize::from(*term) & (ROWS - 1)).cast::<f64>();
            sum = _mm256_add_pd(sum, _mm256_load_pd(row));
        }
        _mm_storeu_pd(address, _mm256_castpd256_pd128(sum));
        _mm_store_sd(address.add(2), _mm256_extractf128_pd::<1>(sum));
    }
}

impl Lane for Avx2 {
    type Mask = __m256d;
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
    fn store_signed(values: &[Self; 3], rows: &mut [PointRow; SIGNED_ROWS], at: usize) {
        let [x, y, z] = values;
        // SAFETY: the rows written are at & 4 / 2 + 13 at most, of 16; each is four doubles, aligned to 32 bytes; the instructions exist
        // (head of the file).
        unsafe {
            let to = rows.as_mut_ptr().add((at & 4) / 2).cast::<f64>();
            let (zero, sign) = (_mm256_setzero_pd(), _mm256_set1_pd(-0.0));
            let even = (_mm256_unpacklo_pd(x.0, y.0), _mm256_unpacklo_pd(z.0, zero)); // (x0 y0 x2 y2), (z0 0 z2 0)
            let odd = (_mm256_unpackhi_pd(x.0, y.0), _mm256_unpackhi_pd(z.0, zero)); // (x1 y1 x3 y3), (z1 0 z3 0)
            let vectors = [
                _mm256_permute2f128_pd::<0x20>(even.0, even.1),
                _mm256_permute2f128_pd::<0x31>(even.0, even.1),
                _mm256_permute2f128_pd::<0x20>(odd.0, odd.1),
                _mm256_permute2f128_pd::<0x31>(odd.0, odd.1),
            ];
            let mut i = 0;
            while i < 4 {
                let row = [0, 1, 4, 5][i];
                _mm256_store_pd(to.add(4 * row), vectors[i]);
                _mm256_store_pd(to.add(4 * (row + BLOCK)), _mm256_xor_pd(vectors[i], sign));
                i += 1;
            }
        }
    }

    #[inline(always)]
    fn add_rows<const ROWS: usize>(point: &mut Vec3, rows: &[PointRow; ROWS], terms: &[u16]) {
        // SAFETY: the instructions exist (head of the file).
        unsafe { add_rows(point, rows, terms) }
    }
}

impl Lane for Avx512 {
    type Mask = __mmask8;
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
    fn store_signed(values: &[Self; 3], rows: &mut [PointRow; SIGNED_ROWS], _at: usize) {
        let [x, y, z] = values;
        // SAFETY: the rows written are 0 to 15, two at a time; each is four doubles; the instructions exist (head of the file).
        unsafe {
            let to = rows.as_mut_ptr().cast::<f64>();
            let (zero, sign) = (_mm512_setzero_pd(), _mm512_castpd_si512(_mm512_set1_pd(-0.0)));
            let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            let even = (_mm512_unpacklo_pd(x.0, y.0), _mm512_unpacklo_pd(z.0, zero)); // (x0 y0 x2 y2 ..), (z0 0 z2 0 ..)
            let odd = (_mm512_unpackhi_pd(x.0, y.0), _mm512_unpackhi_pd(z.0, zero)); // (x1 y1 x3 y3 ..), (z1 0 z3 0 ..)
            let vectors = [
                _mm512_permutex2var_pd(even.0, first, even.1),
                _mm512_permutex2var_pd(even.0, second, even.1),
                _mm512_permutex2var_pd(odd.0, first, odd.1),
                _mm512_permutex2var_pd(odd.0, second, odd.1),
            ];
            let mut i = 0;
            while i < 4 {
                let bits = _mm512_castpd_si512(vectors[i]);
                _mm512_storeu_pd(to.add(8 * i), vectors[i]);
                let negative = _mm512_castsi512_pd(_mm512_xor_si512(bits, sign));
                _mm512_storeu_pd(to.add(8 * i + 4 * BLOCK), negative);
                i += 1;
            }
        }
    }

    #[inline(always)]
    fn add_rows<const ROWS: usize>(point: &mut Vec3, rows: &[PointRow; ROWS], terms: &[u16]) {
        // SAFETY: the instructions exist (head of the file).
        unsafe { add_rows(point, rows, terms) }
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
