//! Which cores there are, pinning threads to them, and for how long a thread had one.
#![allow(unsafe_code, reason = "calls of the C library")]

use std::sync::OnceLock;

/// Number of cores that this process may use, as it was when first asked: pinning the caller's thread does not change it.
pub(crate) fn n_cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The cores that this process may use, as they were when first asked.
pub(crate) fn allowed_cores() -> Vec<usize> {
    static CORES: OnceLock<Vec<usize>> = OnceLock::new();
    CORES.get_or_init(cores_of_this_thread).clone()
}

/// For how long this thread has had a core since it began [ns], where the system tells: what it takes without the time
/// that other programs had its core.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time, and nothing else.
    let told = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0;
    told.then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// For how long this thread has had a core: unknown on this system.
#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Option<u64> {
    None
}

/// The cores that this thread may use.
#[cfg(target_os = "linux")]
fn cores_of_this_thread() -> Vec<usize> {
    // SAFETY: an all-zero `cpu_set_t` is valid, and the call writes at most its size.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return Vec::new();
        }
        set
    };
    // SAFETY: the index is below the size of the set.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Binds this thread to some cores; says whether that worked.
#[cfg(target_os = "linux")]
pub(crate) fn pin_to(cores: &[usize]) -> bool {
    // SAFETY: as above; indexes are those of `cores_of_this_thread`, below the size of the set.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for &core in cores {
            libc::CPU_SET(core, &mut set);
        }
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) == 0
    }
}

/// The cores that this thread may use: unknown on this system.
#[cfg(not(target_os = "linux"))]
fn cores_of_this_thread() -> Vec<usize> {
    Vec::new()
}

/// Binds this thread to some cores: not done on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin_to(_: &[usize]) -> bool {
    false
}
