//! On which node of memory a page lies.
#![allow(unsafe_code, reason = "a call of the system")]

use std::io;

/// The size of a page [bytes], and where the pages of some memory begin: `bytes` of it from `address` on.
pub fn pages_of(address: usize, bytes: usize) -> impl Iterator<Item = usize> {
    let page = page_size();
    let first = address / page * page;
    (first..address + bytes).step_by(page).take(if bytes == 0 { 0 } else { usize::MAX })
}

/// The node of each page, by the system's numbers; none for a page that nobody has touched yet.
///
/// # Errors
/// The system has no such call, or refuses it (some containers do).
///
/// **Source:** move_pages(2) without target nodes, which moves nothing.
#[cfg(target_os = "linux")]
pub fn nodes_of_pages(pages: &[usize]) -> io::Result<Vec<Option<u32>>> {
    let mut nodes = Vec::with_capacity(pages.len());
    for some in pages.chunks(1 << 16) {
        let mut status = vec![0 as libc::c_int; some.len()];
        let nowhere = std::ptr::null::<libc::c_int>();
        // SAFETY: the system reads as many addresses as there are, which it does not follow for us, and writes as many numbers.
        let answer = unsafe {
            libc::syscall(libc::SYS_move_pages, 0, some.len(), some.as_ptr(), nowhere, status.as_mut_ptr(), 0)
        };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        nodes.extend(status.iter().map(|&s| u32::try_from(s).ok()));
    }
    Ok(nodes)
}

/// Not known on this system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn nodes_of_pages(_: &[usize]) -> io::Result<Vec<Option<u32>>> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(unix)]
fn page_size() -> usize {
    // SAFETY: asks for a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).ok().filter(|p| p.is_power_of_two()).unwrap_or(4096)
}

#[cfg(not(unix))]
fn page_size() -> usize {
    4096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_covers_pages() {
        let page = page_size();
        assert_eq!(pages_of(5 * page + 7, 0).count(), 0);
        assert_eq!(pages_of(5 * page + 7, 1).collect::<Vec<_>>(), [5 * page]);
        assert_eq!(pages_of(6 * page - 1, 2).collect::<Vec<_>>(), [5 * page, 6 * page]);
        assert_eq!(pages_of(5 * page, 2 * page).count(), 2);
    }

    #[test]
    fn touched_pages_lie_on_a_node_of_the_machine() {
        let memory = vec![1u8; 64 * page_size()];
        let pages: Vec<usize> = pages_of(memory.as_ptr() as usize, memory.len()).collect();
        // Where the system refuses, there is nothing to check.
        let Ok(nodes) = nodes_of_pages(&pages) else { return };
        assert_eq!(nodes.len(), pages.len());
        let known = crate::topology::Topology::system();
        let is_known = |n: u32| known.nodes.iter().any(|node| node.number == n);
        assert!(nodes.iter().all(|n| n.is_some_and(is_known)), "{nodes:?}");
    }
}
