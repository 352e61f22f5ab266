//! Where entities come into being, and with what velocity.

use crate::rig::math::vector::{Vec3, norm, scale};

/// A well-mixed number from two others.
///
/// **Source:** Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014 (splitmix64).
fn mixed(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number from -1 to 1.
fn signed(seed: u64, n: u64) -> f64 {
    // 2^53 numbers, which f64 has exactly.
    (mixed(seed, n) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Position \[m\] and velocity \[m/s\] of the entity of a number: in a cube about the origin, in any direction, at a speed.
pub(super) fn birth(seed: u64, number: u64, space: f64, speed: f64) -> (Vec3, Vec3) {
    let three = |first: u64| -> Vec3 { std::array::from_fn(|k| signed(seed, 6 * number + first + k as u64)) };
    let direction = three(3);
    let length = norm(direction);
    let velocity = if length > 0.0 { scale(direction, speed / length) } else { [speed, 0.0, 0.0] };
    (scale(three(0), space / 2.0), velocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_fill_the_cube_and_go_all_ways() {
        let all: Vec<_> = (0..2000).map(|n| birth(7, n, 10.0, 3.0)).collect();
        for axis in 0..3 {
            let mean = all.iter().map(|(x, _)| x[axis]).sum::<f64>() / 2000.0;
            let spread = all.iter().map(|(x, _)| x[axis] * x[axis]).sum::<f64>() / 2000.0;
            // Of a uniform distribution from -5 to 5: mean 0 with a deviation of 0.065, mean square 25/3.
            assert!(mean.abs() < 0.3 && (spread - 25.0 / 3.0).abs() < 0.7, "{mean} {spread}");
            assert!(all.iter().all(|(x, _)| x[axis].abs() <= 5.0));
        }
        assert!(all.iter().all(|(_, v)| (norm(*v) - 3.0).abs() < 1e-12));
        assert_eq!(birth(7, 9, 10.0, 3.0), all[9]);
    }
}
