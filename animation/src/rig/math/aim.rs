//! Constraints: where something points or lies that follows others.

use super::affine::{Affine, compose, decompose, rotation_of_axes};
use super::quaternion::{Quaternion, mul, normalized, slerp};
use super::vector::{Vec3, add, cross, dot, scale, sub, unit_or};

/// The rotation that points x from `at` to `target`, with y as near as possible to `up`.
pub fn look(at: Vec3, target: Vec3, up: Vec3) -> Quaternion {
    let x = unit_or(sub(target, at), [1.0, 0.0, 0.0]);
    let aside = sub(up, scale(x, dot(x, up)));
    let y = unit_or(aside, super::vector::perpendicular(x));
    rotation_of_axes(x, y, cross(x, y))
}

/// The mean of points by weights; that of no weight at all is `otherwise`.
pub fn mean(points: impl Iterator<Item = (Vec3, f64)>, otherwise: Vec3) -> Vec3 {
    let (sum, weight) =
        points.fold(([0.0; 3], 0.0), |(sum, weight), (p, w)| (add(sum, scale(p, w)), weight + w));
    if weight == 0.0 { otherwise } else { scale(sum, 1.0 / weight) }
}

/// The mean of rotations by weights, each taken on the side of the first; that of no weight at all is none.
pub fn mean_rotation(rotations: impl Iterator<Item = (Quaternion, f64)>) -> Quaternion {
    let (mut sum, mut first) = ([0.0; 4], None);
    for (q, w) in rotations {
        let near: Quaternion = *first.get_or_insert(q);
        let side = if (0..4).map(|k| near[k] * q[k]).sum::<f64>() < 0.0 { -w } else { w };
        sum = [0, 1, 2, 3].map(|k| sum[k] + side * q[k]);
    }
    normalized(sum)
}

/// Between two maps: translation and scale along lines, rotation along the shorter arc.
pub fn blend(a: &Affine, b: &Affine, t: f64) -> Affine {
    let ((ta, qa, sa), (tb, qb, sb)) = (decompose(a), decompose(b));
    compose(super::vector::lerp(ta, tb, t), slerp(qa, qb, t), super::vector::lerp(sa, sb, t))
}

/// A rotation followed by an offset of its own.
pub fn with_offset(rotation: Quaternion, offset: Quaternion) -> Quaternion {
    mul(rotation, offset)
}

#[cfg(test)]
mod tests {
    use super::super::quaternion::{about, rotate};
    use super::*;

    #[test]
    fn what_looks_at_a_target_points_there() {
        let q = look([1.0, 0.0, 0.0], [1.0, 0.0, -4.0], [0.0, 1.0, 0.0]);
        let (x, y) = (rotate(q, [1.0, 0.0, 0.0]), rotate(q, [0.0, 1.0, 0.0]));
        assert!((x[2] + 1.0).abs() < 1e-12 && (y[1] - 1.0).abs() < 1e-12, "{x:?} {y:?}");
    }

    #[test]
    fn means_are_weighted() {
        let points = [([0.0; 3], 1.0), ([4.0, 0.0, 0.0], 3.0)];
        assert_eq!(mean(points.into_iter(), [9.0; 3]), [3.0, 0.0, 0.0]);
        assert_eq!(mean(std::iter::empty(), [9.0; 3]), [9.0; 3]);
        let turns = [0.2, 0.6].map(|angle| (about([0.0, 0.0, 1.0], angle), 1.0));
        let q = mean_rotation(turns.into_iter());
        let expected = about([0.0, 0.0, 1.0], 0.4);
        assert!((0..4).all(|k| (q[k] - expected[k]).abs() < 1e-12));
        assert_eq!(with_offset(q, super::super::quaternion::IDENTITY), q);
    }

    #[test]
    fn half_way_between_two_maps_is_half_of_the_turn() {
        let a = compose([0.0; 3], about([0.0, 1.0, 0.0], 0.0), [1.0; 3]);
        let b = compose([2.0, 0.0, 0.0], about([0.0, 1.0, 0.0], 1.0), [3.0; 3]);
        let half = compose([1.0, 0.0, 0.0], about([0.0, 1.0, 0.0], 0.5), [2.0; 3]);
        let found = blend(&a, &b, 0.5);
        assert!((0..12).all(|k| (found[k] - half[k]).abs() < 1e-12), "{found:?}");
    }
}
