//! Where the environments of kernels live.
#![allow(unsafe_code, reason = "memory for values whose types the arena does not know")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Size of a kernel's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvLayout(pub(super) Layout);

/// An arena of bytes for environments: stable addresses, freed together.
#[derive(Default)]
pub struct EnvArena {
    chunks: Vec<(NonNull<u8>, Layout)>,
    used: usize,
    /// Environments that are no longer used, by size in units of [`EnvArena::UNIT`].
    free: Vec<Vec<NonNull<u8>>>,
}
// SAFETY: it owns its memory; the contents are `Send + Sync`.
unsafe impl Send for EnvArena {}
// SAFETY: as above.
unsafe impl Sync for EnvArena {}

impl EnvArena {
    const CHUNK: usize = 1 << 15;
    const ALIGN: usize = 128;
    /// Sizes are multiples of this, so that memory can be used again for another environment.
    const UNIT: usize = 16;

    /// Size and alignment that an environment is given.
    fn class(layout: Layout) -> Layout {
        assert!(layout.align() <= Self::ALIGN, "an environment with an alignment above {}", Self::ALIGN);
        let align = layout.align().max(Self::UNIT);
        let size = layout.size().max(1).next_multiple_of(align);
        Layout::from_size_align(size, align).expect("a size below the limit")
    }

    /// Room for `layout`.
    pub(super) fn reserve(&mut self, layout: Layout) -> *mut u8 {
        let layout = Self::class(layout);
        let is_aligned = |env: &mut NonNull<u8>| env.as_ptr().addr().is_multiple_of(layout.align());
        let spare = self.free.get_mut(layout.size() / Self::UNIT).and_then(|free| free.pop_if(is_aligned));
        if let Some(spare) = spare {
            return spare.as_ptr();
        }
        let mut at = self.used.next_multiple_of(layout.align());
        let room = self.chunks.last().map_or(0, |(_, l)| l.size());
        if at + layout.size() > room {
            let size = Self::CHUNK.max(layout.size());
            let chunk = Layout::from_size_align(size, Self::ALIGN).expect("a size below the limit");
            // SAFETY: the size is not zero.
            let block = NonNull::new(unsafe { alloc(chunk) }).unwrap_or_else(|| handle_alloc_error(chunk));
            self.chunks.push((block, chunk));
            at = 0;
        }
        self.used = at + layout.size();
        let (block, _) = self.chunks[self.chunks.len() - 1];
        // SAFETY: `at + size` is within the chunk.
        unsafe { block.as_ptr().add(at) }
    }

    /// Forgets all environments; room for the next ones stays.
    pub(super) fn clear(&mut self) {
        let spare = self.chunks.len().saturating_sub(1);
        for (block, layout) in self.chunks.drain(..spare) {
            // SAFETY: allocated in `reserve` with this layout; environments are `Copy`.
            unsafe { dealloc(block.as_ptr(), layout) };
        }
        self.used = 0;
        self.free.iter_mut().for_each(Vec::clear);
    }

    /// Takes back the room of an environment.
    pub(super) fn release(&mut self, env: *const u8, layout: Layout) {
        let class = Self::class(layout).size() / Self::UNIT;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].extend(NonNull::new(env.cast_mut()));
    }
}

impl Drop for EnvArena {
    fn drop(&mut self) {
        for &(block, layout) in &self.chunks {
            // SAFETY: allocated in `reserve` with this layout; environments are `Copy`.
            unsafe { dealloc(block.as_ptr(), layout) };
        }
    }
}
