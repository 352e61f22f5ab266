//! Random numbers of a seed.

/// Random numbers of a seed.
#[derive(Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// Those of a mix.
    pub fn of_mix(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        dice.below(2);
        dice
    }

    /// One of `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    /// Whether one of so many cases is the case.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
