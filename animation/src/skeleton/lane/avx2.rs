//! Vectors of eight numbers (AVX2).

use std::arch::x86_64::{__m128, __m256};

use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast};

use super::{Arithmetic, Kernel, LANES, Lanes, Row};

/// Runs a kernel, compiled for these instructions.
pub(super) fn run(wide: V3, kernel: impl Kernel) {
    wide.vectorize(Compiled { wide, kernel });
}

struct Compiled<K> {
    wide: V3,
    kernel: K,
}

impl<K: Kernel> NullaryFnOnce for Compiled<K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.kernel.run(self.wide);
    }
}

impl Arithmetic for V3 {
    type V = __m256;

    #[inline(always)]
    fn one(self) -> __m256 {
        self.splat(1.0)
    }

    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_mul_ps(a, b)
    }
}

impl Lanes for V3 {
    type M = __m256;

    #[inline(always)]
    fn load(self, from: &Row) -> __m256 {
        cast(*from)
    }

    #[inline(always)]
    fn store(self, v: __m256, to: &mut Row) {
        *to = cast(v);
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        self.avx._mm256_set1_ps(x)
    }

    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_div_ps(a, b)
    }

    #[inline(always)]
    fn sqrt(self, v: __m256) -> __m256 {
        self.avx._mm256_sqrt_ps(v)
    }

    #[inline(always)]
    fn is_greater(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_cmp_ps::<{ std::arch::x86_64::_CMP_GT_OQ }>(a, b)
    }

    #[inline(always)]
    fn select(self, yes: __m256, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_blendv_ps(b, a, yes)
    }

    #[inline(always)]
    fn with_sign_of(self, size: __m256, sign: __m256) -> __m256 {
        let bit = self.splat(-0.0);
        let size = self.avx._mm256_andnot_ps(bit, size);
        self.avx._mm256_or_ps(size, self.avx._mm256_and_ps(bit, sign))
    }

    #[inline(always)]
    fn halves(self, low: &[f32; 4], high: &[f32; 4]) -> __m256 {
        let (low, high): (__m128, __m128) = (cast(*low), cast(*high));
        self.avx._mm256_insertf128_ps::<1>(self.avx._mm256_castps128_ps256(low), high)
    }

    #[inline(always)]
    fn split(self, v: __m256) -> [[f32; 4]; 2] {
        cast(v)
    }

    #[inline(always)]
    fn exchanged(self, a: __m256, b: __m256) -> [__m256; 2] {
        [self.avx._mm256_permute2f128_ps::<0x20>(a, b), self.avx._mm256_permute2f128_ps::<0x31>(a, b)]
    }

    #[inline(always)]
    fn spread<const AT: i32>(self, v: __m256) -> __m256 {
        match AT {
            0 => self.avx._mm256_permute_ps::<0x00>(v),
            1 => self.avx._mm256_permute_ps::<0x55>(v),
            2 => self.avx._mm256_permute_ps::<0xAA>(v),
            _ => self.avx._mm256_permute_ps::<0xFF>(v),
        }
    }

    #[inline(always)]
    fn transposed(self, [a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
        let avx = self.avx;
        let (ab, ab_high) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpackhi_ps(a, b));
        let (cd, cd_high) = (avx._mm256_unpacklo_ps(c, d), avx._mm256_unpackhi_ps(c, d));
        [
            avx._mm256_shuffle_ps::<0x44>(ab, cd),
            avx._mm256_shuffle_ps::<0xEE>(ab, cd),
            avx._mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            avx._mm256_shuffle_ps::<0xEE>(ab_high, cd_high),
        ]
    }

    /// **Source:** Intel, *3D vector normalization using 256-bit Intel AVX* (2011).
    #[inline(always)]
    fn columns(self, of: &[[f32; 3]; LANES]) -> [__m256; 3] {
        let avx = self.avx;
        let numbers: &[[f32; 4]; 6] = bytemuck::cast_ref(of);
        // x y z x, y z x y, z x y z; and the same further on.
        let [a, b, c] = std::array::from_fn(|k| self.halves(&numbers[k], &numbers[k + 3]));
        let xy = avx._mm256_shuffle_ps::<0x9E>(b, c);
        let yz = avx._mm256_shuffle_ps::<0x49>(a, b);
        [
            avx._mm256_shuffle_ps::<0x8C>(a, xy),
            avx._mm256_shuffle_ps::<0xD8>(yz, xy),
            avx._mm256_shuffle_ps::<0xCD>(yz, c),
        ]
    }
}
