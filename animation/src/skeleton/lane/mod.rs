//! Eight numbers at a time, for the kernels of skeletons: what each of eight joints or vertices has at one place.
//!
//! A kernel is written once, for [`Lanes`]. It runs on vector instructions where the processor has them (AVX2, through pulp, without unsafe
//! code), and else on [`Plain`] arrays. Each lane sees the same operations in the same order on both, each rounded by itself: none are
//! fused, and there are no estimates of reciprocals or roots. So results have the same bits on all processors.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;

pub(super) use plain::Plain;

use super::carry::Arithmetic;

/// Number of lanes.
pub(super) const LANES: usize = 8;

/// Numbers as they lie in memory.
pub(super) type Row = [f32; LANES];

/// What a processor does with eight numbers, or with two halves of four.
pub(super) trait Lanes: Arithmetic {
    /// Eight answers.
    type M: Copy;

    fn load(self, from: &Row) -> Self::V;
    fn store(self, v: Self::V, to: &mut Row);
    fn splat(self, x: f32) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(self, v: Self::V) -> Self::V;
    /// Where the first is greater; not where one is no number.
    fn is_greater(self, a: Self::V, b: Self::V) -> Self::M;
    /// The first where the answer is yes, else the second.
    fn select(self, yes: Self::M, a: Self::V, b: Self::V) -> Self::V;
    /// A number's size with another one's sign.
    fn with_sign_of(self, size: Self::V, sign: Self::V) -> Self::V;
    /// Of two halves.
    fn halves(self, low: &[f32; 4], high: &[f32; 4]) -> Self::V;
    /// Its halves.
    fn split(self, v: Self::V) -> [[f32; 4]; 2];
    /// The low halves of both, and their high halves.
    fn exchanged(self, a: Self::V, b: Self::V) -> [Self::V; 2];
    /// In each half, the number at a place four times.
    fn spread<const AT: i32>(self, v: Self::V) -> Self::V;
    /// In each half, four rows of four numbers by columns.
    fn transposed(self, rows: [Self::V; 4]) -> [Self::V; 4];
    /// The numbers of eight vectors, by number.
    fn columns(self, of: &[[f32; 3]; LANES]) -> [Self::V; 3];
}

/// A kernel that runs on any lanes. Its `run` and all that it calls are inlined always, so that they are compiled for the processor's
/// instructions. Closures are not: none may hold lanes' operations.
pub(super) trait Kernel {
    fn run<L: Lanes>(self, lanes: L);
}

/// Runs a kernel on the widest instructions that there are.
#[inline]
pub(super) fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = pulp::x86::V3::try_new() {
        return avx2::run(wide, kernel);
    }
    kernel.run(Plain);
}

#[cfg(test)]
mod tests;
