//! A clock for observed runs: the processor's counter where it runs at one rate, else the system's clock.
#![allow(unsafe_code, reason = "reads the processor's time stamp counter")]

use std::time::Instant;

/// Reads take some nanoseconds; the rate of the counter is found by looking at the system's clock now and then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    origin_ticks: u64,
    has_counter: bool,
    /// What a look at it takes [ticks].
    pub look_ticks: u64,
}

impl Clock {
    /// A clock that starts now.
    pub fn new() -> Self {
        let has_counter = has_steady_counter();
        let origin = Instant::now();
        let origin_ticks = if has_counter { counter() } else { 0 };
        let mut clock = Self { origin, origin_ticks, has_counter, look_ticks: 0 };
        clock.look_ticks = clock.least_look();
        clock
    }

    /// Ticks since any fixed time.
    #[inline(always)]
    pub fn ticks(&self) -> u64 {
        if self.has_counter { counter() } else { self.origin.elapsed().as_nanos() as u64 }
    }

    /// The shortest of a few looks: the others may have been interrupted.
    fn least_look(&self) -> u64 {
        const LOOKS: u64 = 32;
        let series = |_| {
            let begin = self.ticks();
            (1..LOOKS).for_each(|_| {
                std::hint::black_box(self.ticks());
            });
            (self.ticks() - begin) / LOOKS
        };
        (0..8).map(series).min().unwrap_or(0)
    }

    /// Nanoseconds per tick, the more exactly the longer the clock has been running.
    pub fn tick_ns(&self) -> f64 {
        if !self.has_counter {
            return 1.0;
        }
        let (ns, ticks) = (self.origin.elapsed().as_nanos(), counter() - self.origin_ticks);
        if ticks == 0 { 1.0 } else { ns as f64 / ticks as f64 }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and Linux lets processes use it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}

/// Whether the counter runs at the same rate on all cores, whatever their frequency and sleep.
///
/// **Source:** Intel SDM volume 3, "Invariant TSC": bit 8 of EDX of leaf 0x8000_0007.
#[cfg(target_arch = "x86_64")]
fn has_steady_counter() -> bool {
    use core::arch::x86_64::__cpuid;
    const ADVANCED: u32 = 0x8000_0007;
    __cpuid(0x8000_0000).eax >= ADVANCED && __cpuid(ADVANCED).edx >> 8 & 1 == 1
}

#[cfg(not(target_arch = "x86_64"))]
fn has_steady_counter() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_never_fall_and_last_some_time() {
        let clock = Clock::new();
        let ticks: Vec<u64> = (0..1000).map(|_| clock.ticks()).collect();
        assert!(ticks.windows(2).all(|w| w[0] <= w[1]));
        let ns = clock.tick_ns();
        assert!(ns.is_finite() && ns > 0.0, "{ns}");
    }
}
