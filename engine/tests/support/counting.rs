//! The system's allocator with a counter, on all threads, for the test programs of any crate.
//!
//! Such a program has no test harness, whose main thread allocates when it has begun a test, and when one takes long.
#![allow(unsafe_code, reason = "a counting allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, and how often anything in the process allocated meanwhile.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    COUNTING.store(true, Ordering::Relaxed);
    // A counter that does not count would let every test pass.
    drop(std::hint::black_box(Box::new(0_u8)));
    assert!(COUNT.swap(0, Ordering::Relaxed) > 0, "allocations are not counted");
    let result = work();
    COUNTING.store(false, Ordering::Relaxed);
    (result, COUNT.load(Ordering::Relaxed))
}

fn count() {
    if COUNTING.load(Ordering::Relaxed) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator with the caller's own arguments; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: `block` came from this allocator, which is the system's.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from this allocator, which is the system's.
        unsafe { System.dealloc(block, layout) }
    }
}
