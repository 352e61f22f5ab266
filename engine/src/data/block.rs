//! Blocks of memory that several buffers share: from the heap, or whole pages that nobody has touched yet.
#![allow(unsafe_code, reason = "allocates memory, and maps it from the system")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// A block of memory, freed when dropped.
pub(super) struct Block {
    /// Where it begins.
    pub address: NonNull<u8>,
    /// Its size [bytes].
    pub bytes: usize,
    source: Source,
}

enum Source {
    Heap(Layout),
    #[cfg(unix)]
    Mapped,
}

impl Block {
    /// A block from the heap, of a size above zero.
    pub fn on_heap(layout: Layout) -> Self {
        assert!(layout.size() > 0, "a block without memory");
        // SAFETY: the size is not zero.
        let address = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Self { address, bytes: layout.size(), source: Source::Heap(layout) }
    }
}

#[cfg(unix)]
mod mapped {
    use super::{Block, Layout, NonNull, Source, handle_alloc_error};

    /// Blocks of this size and more begin where a large page may.
    const LARGE_PAGE: usize = 2 << 20;

    impl Block {
        /// Size of a page [bytes].
        pub fn page() -> usize {
            // SAFETY: asks for a constant of the system.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            usize::try_from(page).ok().filter(|p| p.is_power_of_two()).unwrap_or(4096)
        }

        /// Whole pages for `bytes`, zero, and not touched: each comes to lie on the node of the thread that writes it first.
        pub fn of_pages(bytes: usize) -> Self {
            let bytes = bytes.max(1).next_multiple_of(Self::page());
            let spare = if bytes >= LARGE_PAGE { LARGE_PAGE } else { 0 };
            let begin = map(bytes + spare);
            let address = begin.next_multiple_of(if spare > 0 { LARGE_PAGE } else { 1 });
            // What the alignment left over goes back.
            unmap(begin, address - begin);
            unmap(address + bytes, begin + spare - address);
            #[cfg(target_os = "linux")]
            if spare > 0 {
                // SAFETY: these pages were just mapped. A refusal is no loss: pages are small then.
                unsafe { libc::madvise(pointer(address), bytes, libc::MADV_HUGEPAGE) };
            }
            let address = NonNull::new(pointer(address).cast()).unwrap_or_else(|| refuse(bytes));
            Self { address, bytes, source: Source::Mapped }
        }
    }

    fn pointer(address: usize) -> *mut libc::c_void {
        std::ptr::with_exposed_provenance_mut(address)
    }

    fn map(bytes: usize) -> usize {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: asks for new pages anywhere.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED { refuse(bytes) } else { address.expose_provenance() }
    }

    pub(super) fn unmap(address: usize, bytes: usize) {
        if bytes > 0 {
            // SAFETY: callers pass whole pages that `map` returned and nobody uses.
            unsafe { libc::munmap(pointer(address), bytes) };
        }
    }

    fn refuse<T>(bytes: usize) -> T {
        let layout = Layout::from_size_align(bytes, Block::page())
            .expect("a size below the limit of the address space");
        handle_alloc_error(layout)
    }
}

#[cfg(not(unix))]
impl Block {
    /// Size of a page [bytes].
    pub fn page() -> usize {
        4096
    }

    /// Whole pages for `bytes`. The heap may give pages that were touched before: this system has no better way.
    pub fn of_pages(bytes: usize) -> Self {
        let bytes = bytes.max(1).next_multiple_of(Self::page());
        Self::on_heap(
            Layout::from_size_align(bytes, Self::page())
                .expect("a size below the limit of the address space"),
        )
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.source {
            // SAFETY: allocated by `on_heap` with this layout.
            Source::Heap(layout) => unsafe { dealloc(self.address.as_ptr(), layout) },
            #[cfg(unix)]
            Source::Mapped => mapped::unmap(self.address.as_ptr().expose_provenance(), self.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_whole_zero_and_writable() {
        for bytes in [1, 4096, 5000, (2 << 20) + 1, 5 << 20] {
            let block = Block::of_pages(bytes);
            assert!(block.bytes >= bytes && block.bytes.is_multiple_of(Block::page()));
            let align = if bytes >= 2 << 20 { 2 << 20 } else { Block::page() };
            if cfg!(target_os = "linux") {
                assert!((block.address.as_ptr() as usize).is_multiple_of(align));
            }
            // SAFETY: the block is this test's.
            let contents = unsafe { std::slice::from_raw_parts_mut(block.address.as_ptr(), block.bytes) };
            assert!(contents.iter().all(|&b| b == 0) || !cfg!(unix));
            contents.fill(7);
        }
    }
}
