//! Inner products of vectors, summed in orders that do not depend on who computes.
#![allow(unsafe_code, reason = "sums parts at addresses that the table of tasks keeps up to date")]

use super::handle::InnerProduct;
use super::store::Slot;

/// The inner product of elements of two vectors, added up as one running sum.
pub(super) type RunningSum = unsafe fn(*const Slot, *const Slot) -> f64;

pub(super) unsafe fn running_sum<D: InnerProduct>(a: *const Slot, b: *const Slot) -> f64 {
    // SAFETY: `TaskTable::add_running_term` stored this function for vectors of `D`.
    unsafe {
        let a = std::slice::from_raw_parts((*a).ptr.cast::<D>(), (*a).len);
        let b = std::slice::from_raw_parts((*b).ptr.cast::<D>(), (*b).len);
        dot_running(a, b)
    }
}

/// The running sum of inner products in index order.
///
/// **Source:** as SOFA's `MechanicalObject::vDot`.
pub fn dot_running<D: InnerProduct>(a: &[D], b: &[D]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a.inner(b);
    }
    sum
}

/// Elements of one partial sum: what [`dot_blocked`] sums up may also be given to it in pieces of so many.
pub const CHUNK: usize = 8192;
const BLOCK: usize = 256;

/// Partial sums of inner products, one per chunk of 8,192 elements: blocks of 256 elements left to right, inside a
/// block 8 lanes `((l0+l1)+(l2+l3))+((l4+l5)+(l6+l7))`, then the tail.
///
/// # Determinism
/// The order of additions follows from the length alone.
pub fn dot_blocked<D: InnerProduct>(a: &[D], b: &[D], out: &mut [f64]) {
    let n = a.len().min(b.len());
    for (chunk, out) in out.iter_mut().enumerate() {
        let begin = (chunk * CHUNK).min(n);
        let end = (begin + CHUNK).min(n);
        let mut sum = 0.0;
        for (a, b) in a[begin..end].chunks(BLOCK).zip(b[begin..end].chunks(BLOCK)) {
            let mut lane = [0.0; 8];
            let (a8, a_tail) = a.as_chunks::<8>();
            let (b8, b_tail) = b.as_chunks::<8>();
            for (a, b) in a8.iter().zip(b8) {
                for i in 0..8 {
                    lane[i] += a[i].inner(&b[i]);
                }
            }
            let lanes =
                ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
            sum += lanes + dot_running(a_tail, b_tail);
        }
        *out = sum;
    }
}

/// What a worker sums when it gathers a dot product.
#[derive(Debug, Default)]
pub struct DotList {
    /// The partial sums in canonical order (object, then chunk).
    pub(super) partials: Vec<*const f64>,
    /// The vectors, where the sum is a running one, in recorded order.
    pub(super) running: Vec<(*const Slot, *const Slot, RunningSum)>,
}

impl DotList {
    /// The sum: 4 lanes over the position, `(a0 + a1) + (a2 + a3)`; or the running sums in recorded order.
    ///
    /// # Safety
    /// All parts are complete and in place.
    #[inline]
    pub(crate) unsafe fn sum(&self) -> f64 {
        // SAFETY: the caller's promise; addresses are refreshed when buffers move.
        unsafe {
            let mut lane = [0.0; 4];
            let (quads, tail) = self.partials.as_chunks::<4>();
            for quad in quads {
                for i in 0..4 {
                    lane[i] += *quad[i];
                }
            }
            for (i, &p) in tail.iter().enumerate() {
                lane[i] += *p;
            }
            let mut sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
            for &(a, b, running) in &self.running {
                sum += running(a, b);
            }
            sum
        }
    }
}
