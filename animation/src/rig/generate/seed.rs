//! Numbers that look random and are the same every time.

/// A sequence of numbers that follows from a seed.
///
/// **Source:** Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014 (SplitMix64).
#[derive(Clone, Debug)]
pub struct Seed(u64);

impl Seed {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, or zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_bits() >> 33) as usize % n.max(1)
    }

    /// A number from `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next_bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + share * (high - low)
    }
}
