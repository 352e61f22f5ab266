//! Blending eight joints at a time.

use super::super::lane::{Kernel, Lanes};
use super::super::pose::{Pose, ROTATION, SCALE};

/// The weighted mean of poses, of which there is at least one; weights sum to one.
pub(super) struct Blended<'b, I> {
    pub layers: I,
    pub into: &'b mut Pose,
}

impl<'p, I: Iterator<Item = (&'p Pose, f32)> + Clone> Kernel for Blended<'_, I> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { mut layers, into } = self;
        let Some((first, weight)) = layers.next() else { return };
        let (zero, weight) = (lanes.splat(0.0), lanes.splat(weight));
        for (k, to) in into.groups_mut().iter_mut().enumerate() {
            let side = &first.groups()[k];
            let mut sum = [zero; 10];
            for c in 0..sum.len() {
                sum[c] = lanes.mul(weight, lanes.load(&side[c]));
            }
            for (pose, weight) in layers.clone() {
                let of = &pose.groups()[k];
                let (weight, other) = (lanes.splat(weight), lanes.splat(-weight));
                let mut dot = lanes.mul(lanes.load(&of[ROTATION]), lanes.load(&side[ROTATION]));
                for c in ROTATION + 1..SCALE {
                    dot = lanes.add(dot, lanes.mul(lanes.load(&of[c]), lanes.load(&side[c])));
                }
                let signed = lanes.select(lanes.is_greater(zero, dot), other, weight);
                for c in 0..sum.len() {
                    let weight = if (ROTATION..SCALE).contains(&c) { signed } else { weight };
                    sum[c] = lanes.add(sum[c], lanes.mul(weight, lanes.load(&of[c])));
                }
            }
            let mut square = lanes.mul(sum[ROTATION], sum[ROTATION]);
            for number in &sum[ROTATION + 1..SCALE] {
                square = lanes.add(square, lanes.mul(*number, *number));
            }
            // Opposite rotations of equal weights have no mean: none is better than another.
            let (is_some, one) = (lanes.is_greater(square, zero), lanes.splat(1.0));
            let factor = lanes.select(is_some, lanes.div(one, lanes.sqrt(square)), zero);
            for number in &mut sum[ROTATION..SCALE] {
                *number = lanes.mul(*number, factor);
            }
            sum[SCALE - 1] = lanes.add(sum[SCALE - 1], lanes.select(is_some, zero, one));
            for c in 0..sum.len() {
                lanes.store(sum[c], &mut to[c]);
            }
        }
    }
}
