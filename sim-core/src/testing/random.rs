//! Random numbers for tests: small, seeded, the same on every machine.

use crate::math::{Coord, Deriv, Vec3};

/// A generator of pseudo-random numbers.
///
/// **Source:** Steele, Lea, Flood 2014, SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that always gives the same sequence for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// A number of [-1, 1).
    pub fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// A vector of the cube [-1, 1)³.
    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.real(), self.real(), self.real())
    }
    /// A displacement, each scalar of [-1, 1).
    pub fn deriv<D: Deriv>(&mut self) -> D {
        let scalars: Vec<f64> = (0..D::SIZE).map(|_| self.real()).collect();
        D::from_scalars(&scalars).unwrap_or_default()
    }
    /// `n` displacements.
    pub fn derivs<D: Deriv>(&mut self, n: usize) -> Vec<D> {
        (0..n).map(|_| self.deriv()).collect()
    }
    /// The coordinates, each moved by a random displacement of up to `size` per scalar.
    pub fn moved<C: Coord>(&mut self, x: &[C], size: f64) -> Vec<C> {
        x.iter().map(|c| c.moved(&(self.deriv::<C::Deriv>() * size))).collect()
    }
}
