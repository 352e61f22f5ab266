//! Constraints: where something points or lies that follows others.

use super::affine::rotation_of_axes;
use super::quaternion::{Quaternion, about, conjugate, mul, normalized};
use super::vector::{Vec3, add, cross, dot, scale, sub, unit_or};

/// The rotation that points x from `at` to `target`, with y as near as possible to `up`.
pub fn look(at: Vec3, target: Vec3, up: Vec3) -> Quaternion {
    let x = unit_or(sub(target, at), [1.0, 0.0, 0.0]);
    let aside = sub(up, scale(x, dot(x, up)));
    let y = unit_or(aside, super::vector::perpendicular(x));
    rotation_of_axes(x, y, cross(x, y))
}

/// Whether weights that sum to this weigh nothing: their sum is zero but for rounding, or below it.
fn is_nothing(sum: f64, of_sizes: f64) -> bool {
    sum <= 1e-12 * of_sizes
}

/// The mean of points by weights; that of weights whose sum is not above zero is `otherwise`.
pub fn mean(points: impl Iterator<Item = (Vec3, f64)>, otherwise: Vec3) -> Vec3 {
    let (sum, weight, size) = points.fold(([0.0; 3], 0.0, 0.0), |(sum, weight, size), (p, w)| {
        (add(sum, scale(p, w)), weight + w, size + w.abs())
    });
    if is_nothing(weight, size) { otherwise } else { scale(sum, 1.0 / weight) }
}

/// Some rotations with their weights, gone through more than once.
#[derive(Clone, Copy)]
pub struct Rotations<'r> {
    /// How many they are.
    pub n: usize,
    /// One of them, and its weight.
    pub of: &'r dyn Fn(usize) -> (Quaternion, f64),
}

impl<'r> Rotations<'r> {
    fn each(self) -> impl Iterator<Item = (Quaternion, f64)> + use<'r> {
        (0..self.n).map(self.of)
    }
}

/// The mean of rotations by weights, in whatever order they come: the sum of their quaternions, each on the side on which most of them are.
/// That of weights whose sum is not above zero is none.
///
/// **Source:** Markley et al., *Averaging Quaternions*, Journal of Guidance, Control, and Dynamics 30 (2007): the sides are those of the
/// dominant eigenvector of the sum of w q qT.
pub fn mean_rotation(rotations: Rotations<'_>) -> Option<Quaternion> {
    let (weight, size) =
        rotations.each().fold((0.0, 0.0), |(weight, size), (_, w)| (weight + w, size + w.abs()));
    if is_nothing(weight, size) {
        return None;
    }
    let mut squares = [[0.0; 4]; 4];
    for (q, w) in rotations.each() {
        squares = matrix(|i, j| squares[i][j] + w * q[i] * q[j]);
    }
    // To the sixteenth power, what is dominant is in every column that is not small.
    for _ in 0..4 {
        let size: f64 = squares.iter().flatten().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let m = matrix(|i, j| squares[i][j] / size);
        squares = matrix(|i, j| (0..4).map(|k| m[i][k] * m[k][j]).sum());
    }
    let largest = (0..4).fold(0, |best, k| if squares[k][k] > squares[best][best] { k } else { best });
    let middle = squares[largest];
    let sum = rotations.each().fold([0.0; 4], |sum: Quaternion, (q, w)| {
        let side = if dot4(middle, q) < 0.0 { -w } else { w };
        [0, 1, 2, 3].map(|k| sum[k] + side * q[k])
    });
    Some(normalized(sum))
}

fn matrix(of: impl Fn(usize, usize) -> f64) -> [[f64; 4]; 4] {
    [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| of(i, j)))
}

fn dot4(a: Quaternion, b: Quaternion) -> f64 {
    (0..4).map(|k| a[k] * b[k]).sum()
}

/// The rotation from which the arcs to others, by weights, sum to nothing, in whatever order they come: between two, along the shorter arc
/// in the proportion of weights. That of weights whose sum is not above zero is none.
///
/// **Source:** the Riemannian mean, by fixed-point iteration from [`mean_rotation`]: Moakher, *Means and averaging in the group of rotations*,
/// SIAM Journal on Matrix Analysis and Applications 24 (2002).
pub fn mean_of_arcs(rotations: Rotations<'_>) -> Option<Quaternion> {
    const MOST_TURNS: usize = 32;
    let mut mean = mean_rotation(rotations)?;
    let weight: f64 = rotations.each().map(|(_, w)| w).sum();
    for _ in 0..MOST_TURNS {
        let back = conjugate(mean);
        let step =
            rotations.each().fold([0.0; 3], |step, (q, w)| add(step, scale(arc(mul(back, q)), w / weight)));
        mean = normalized(mul(mean, about(step, 2.0 * dot(step, step).sqrt())));
        if dot(step, step) < 1e-30 {
            break;
        }
    }
    Some(mean)
}

/// The axis of a rotation times half of its angle, along the shorter arc.
fn arc(q: Quaternion) -> Vec3 {
    let [x, y, z, w] = if q[3] < 0.0 { q.map(|c| -c) } else { q };
    let sine = (x * x + y * y + z * z).sqrt();
    let factor = if sine > 1e-12 { sine.atan2(w) / sine } else { 1.0 };
    [x * factor, y * factor, z * factor]
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
        let q = mean_rotation(Rotations { n: 2, of: &|k| turns[k] }).unwrap();
        let expected = about([0.0, 0.0, 1.0], 0.4);
        assert!((0..4).all(|k| (q[k] - expected[k]).abs() < 1e-12));
        assert_eq!(with_offset(q, super::super::quaternion::IDENTITY), q);
    }

    #[test]
    fn weights_that_sum_to_nothing_have_no_mean() {
        let p = [([1.0, 0.0, 0.0], 0.1), ([2.0, 0.0, 0.0], 0.2), ([5.0, 0.0, 0.0], -0.3)];
        assert_eq!(mean(p.into_iter(), [9.0; 3]), [9.0; 3]);
        for w in [[0.0; 2], [1.0, -1.0], [-1.0, 0.5]] {
            let of = |k: usize| (about([0.0, 0.0, 1.0], 0.2 + 0.4 * k as f64), w[k]);
            let all = Rotations { n: 2, of: &of };
            assert_eq!((mean_rotation(all), mean_of_arcs(all)), (None, None), "{w:?}");
            assert_eq!(mean(w.map(|w| ([1.0; 3], w)).into_iter(), [9.0; 3]), [9.0; 3]);
        }
    }

    #[test]
    fn means_do_not_depend_on_the_order() {
        let quarter = |k: usize| about([0, 1, 2].map(|j| f64::from(u8::from(j == k))), 1.5);
        // Seen from the second one, the third one is on the other side.
        let third = |angle: f64| about([0.2, 0.1, 1.0], angle);
        for q in [[0, 1, 2].map(quarter), [third(0.3), third(-2.0), third(2.4)]] {
            let w = [0.5, 0.3, 0.4];
            let all = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1]];
            let same = |means: Vec<Quaternion>| {
                means.iter().all(|m| dot4(*m, means[0]).abs() > 1.0 - 1e-12 && dot4(*m, *m) > 1.0 - 1e-12)
            };
            for mean in [mean_rotation, mean_of_arcs] {
                let of = |order: &[usize; 3]| mean(Rotations { n: 3, of: &|k| (q[order[k]], w[order[k]]) });
                assert!(same(all.iter().filter_map(of).collect()), "{q:?}");
            }
        }
    }

    #[test]
    fn arcs_between_two_are_shared_in_proportion() {
        for (a, b) in [(0.1, 2.9), (-1.5, 1.5), (0.0, -3.0), (1.0, 1.0)] {
            let z = [0.0, 0.6, 0.8];
            let turns = [(about(z, a), 3.0), (about(z, b).map(|c| -c), 1.0)];
            let found = mean_of_arcs(Rotations { n: 2, of: &|k| turns[k] });
            let expected = about(z, a + 0.25 * (b - a));
            assert!(dot4(found.unwrap(), expected).abs() > 1.0 - 1e-14, "{a} {b}: {found:?} {expected:?}");
        }
    }
}
