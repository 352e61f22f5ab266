//! A chain of bones, by reaching from both ends.

use crate::rig::math::quaternion::{between, rotate};
use crate::rig::math::vector::{Vec3, add, cross, lerp, norm, perpendicular, scale, sub, unit_or};

/// How a chain of points is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// How often it is gone through at most.
    pub turns: usize,
    /// How near to the target is near enough, as a share of the chain's length.
    pub tolerance: f64,
}

impl Reach {
    /// What is usual.
    pub const USUAL: Self = Self { turns: 100, tolerance: 1e-4 };
}

/// How far a chain that is straight is bent, as a share of its length.
const BEND: f64 = 0.05;

/// Moves a chain of points so that its last one comes to the target; lengths of its bones are kept, and its first point.
///
/// Returns how far the end is from the target. A target out of reach, too far or too near, is aimed at, and the end is as near as can be.
///
/// **Source:** Aristidou, Lasenby, *FABRIK: A fast, iterative solver for the Inverse Kinematics problem*, Graphical Models 73
/// (2011), algorithm 1.
pub fn chain(points: &mut [f64], lengths: &[f64], target: Vec3, reach: Reach) -> f64 {
    let n = points.len() / 3;
    if n == 0 {
        return 0.0;
    }
    let root = at(points, 0);
    let length = |k: usize| lengths.get(k).copied().unwrap_or(0.0).max(0.0);
    let total: f64 = (0..n - 1).map(length).sum();
    let longest = (0..n - 1).fold(0, |most, k| if length(k) > length(most) { k } else { most });
    let far = norm(sub(target, root));
    // All bones but the longest one together are shorter than it by this.
    let nearest = 2.0 * length(longest) - total;
    if far >= total || far <= nearest {
        let towards = unit_or(sub(target, root), [1.0, 0.0, 0.0]);
        let mut end = root;
        for k in 1..n {
            let back = if far >= total || k - 1 == longest { 1.0 } else { -1.0 };
            end = add(end, scale(towards, back * length(k - 1)));
            put(points, k, end);
        }
        return norm(sub(target, end));
    }
    if reach.turns > 0 && norm(sub(at(points, n - 1), target)) > reach.tolerance * total {
        bend_if_straight(points, target, total);
    }
    for _ in 0..reach.turns {
        let off = norm(sub(at(points, n - 1), target));
        if off <= reach.tolerance * total {
            return off;
        }
        put(points, n - 1, target);
        for k in (0..n - 1).rev() {
            let next = at(points, k + 1);
            let way = unit_or(sub(at(points, k), next), [1.0, 0.0, 0.0]);
            put(points, k, add(next, scale(way, length(k))));
        }
        put(points, 0, root);
        for k in 1..n {
            let before = at(points, k - 1);
            let way = unit_or(sub(at(points, k), before), [1.0, 0.0, 0.0]);
            put(points, k, add(before, scale(way, length(k - 1))));
        }
    }
    if reach.tolerance > 0.0 {
        open_or_fold(points, target, &length, longest);
    }
    norm(sub(at(points, n - 1), target))
}

/// What turns approach slowly, near the ends of its reach: all bones of a chain are turned by the same share towards the chain that is
/// straight, or folded at its longest bone, so that its end is as far from its root as the target is; then the chain is turned to the target.
fn open_or_fold(points: &mut [f64], target: Vec3, length: &dyn Fn(usize) -> f64, longest: usize) {
    const HALVINGS: usize = 48;
    let (n, root) = (points.len() / 3, at(points, 0));
    let (out, way) = (sub(at(points, n - 1), root), sub(target, root));
    let (towards, opens) = (unit_or(out, [1.0, 0.0, 0.0]), norm(way) > norm(out));
    let bone = |points: &[f64], k: usize, share: f64| {
        let now = unit_or(sub(at(points, k + 1), at(points, k)), towards);
        let last = if opens || k == longest { towards } else { scale(towards, -1.0) };
        scale(unit_or(lerp(now, last, share), perpendicular(towards)), length(k))
    };
    let end = |points: &[f64], share: f64| (0..n - 1).fold([0.0; 3], |e, k| add(e, bone(points, k, share)));
    let (mut low, mut high) = (0.0, 1.0);
    if (norm(end(points, high)) > norm(way)) != opens {
        return;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let is_beyond = (norm(end(points, middle)) > norm(way)) == opens;
        (low, high) = if is_beyond { (low, middle) } else { (middle, high) };
    }
    let found = end(points, high);
    let turn = between(unit_or(found, towards), unit_or(way, towards));
    if norm(sub(rotate(turn, found), way)) >= norm(sub(out, way)) {
        return;
    }
    let mut next = root;
    for k in 0..n - 1 {
        let bone = rotate(turn, bone(points, k, high));
        put(points, k, next);
        next = add(next, bone);
    }
    put(points, n - 1, next);
}

fn at(points: &[f64], k: usize) -> Vec3 {
    [points[3 * k], points[3 * k + 1], points[3 * k + 2]]
}

fn put(points: &mut [f64], k: usize, p: Vec3) {
    points[3 * k..3 * k + 3].copy_from_slice(&p);
}

/// Points on one line with the target would stay on it for ever, and leave it slowly where they are nearly so: the inner ones are moved
/// aside a little, by turns to the same side.
fn bend_if_straight(points: &mut [f64], target: Vec3, total: f64) {
    let (n, root) = (points.len() / 3, at(points, 0));
    let towards = unit_or(sub(target, root), [1.0, 0.0, 0.0]);
    let is_off = |k: usize| norm(cross(sub(at(points, k), root), towards)) > 0.01 * BEND * total;
    if (1..n).any(is_off) {
        return;
    }
    let aside = scale(perpendicular(towards), BEND * total);
    for k in 1..n.saturating_sub(1) {
        let moved = add(at(points, k), aside);
        put(points, k, moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach::USUAL;

    fn far(a: Vec3, b: Vec3) -> f64 {
        norm(sub(a, b))
    }

    #[test]
    fn a_chain_reaches_and_keeps_its_lengths() {
        let mut points: Vec<f64> = (0..5).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let target = [1.0, 2.0, 1.5];
        let off = chain(&mut points, &[1.0; 4], target, Reach { turns: 100, tolerance: 1e-10 });
        assert!(off <= 1e-9, "{off}");
        for pair in points.chunks(3).collect::<Vec<_>>().windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|p| [p[0], p[1], p[2]]);
            assert!((far(a, b) - 1.0).abs() < 1e-12);
        }
        assert_eq!(points[..3], [0.0; 3]);
    }

    #[test]
    fn a_straight_chain_keeps_its_lengths_where_its_end_is_near_enough() {
        let straight: Vec<f64> = (0..10).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        for (target, turns) in [([8.9995, 0.0, 0.0], 100), ([8.0, 0.0, 0.0], 0), ([8.9, 0.0, 0.0], 1)] {
            let mut points = straight.clone();
            chain(&mut points, &[1.0; 9], target, Reach { turns, ..REACH });
            for pair in points.chunks(3).collect::<Vec<_>>().windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|p| [p[0], p[1], p[2]]);
                assert!((far(a, b) - 1.0).abs() < 1e-9, "{target:?} {points:?}");
            }
        }
    }

    #[test]
    fn a_target_out_of_reach_is_aimed_at_and_one_on_the_line_is_reached() {
        let mut points: Vec<f64> = (0..4).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let off = chain(&mut points, &[1.0; 3], [0.0, 5.0, 0.0], REACH);
        assert!((off - 2.0).abs() < 1e-12);
        assert!(far([points[9], points[10], points[11]], [0.0, 3.0, 0.0]) < 1e-12);
        let mut straight: Vec<f64> = (0..4).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let off = chain(&mut straight, &[1.0; 3], [1.5, 0.0, 0.0], REACH);
        assert!(off <= 3e-4, "{off}");
        assert_eq!(chain(&mut [], &[], [0.0; 3], REACH), 0.0);
    }

    #[test]
    fn a_target_too_near_is_aimed_at() {
        let mut points = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 3.5, 0.0, 0.0, 4.0, 0.0, 0.0];
        let off = chain(&mut points, &[0.5, 3.0, 0.5], [0.0, 0.5, 0.0], REACH);
        assert!(
            (off - 1.5).abs() < 1e-12 && far(at(&points, 3), [0.0, 2.0, 0.0]) < 1e-12,
            "{off} {points:?}"
        );
    }

    #[test]
    fn targets_within_reach_are_reached_by_what_is_usual() {
        let mut seed = crate::rig::generate::Seed::new(1);
        let mut missed = 0;
        for k in 0..2000 {
            let n = 2 + seed.below(8);
            let lengths: Vec<f64> = (0..n).map(|_| seed.between(0.1, 1.0)).collect();
            let total: f64 = lengths.iter().sum();
            let longest = lengths.iter().copied().fold(0.0, f64::max);
            // A straight one, one that is nearly so, and any; on the line of the target and off it.
            let wild = [0.0, 0.01, 1.0][k % 3];
            let mut points = vec![0.0; 3];
            for (j, length) in lengths.iter().enumerate() {
                let way = [1.0, 0.0, 0.0].map(|x| x + wild * seed.between(-1.0, 1.0));
                points.extend(add(at(&points, j), scale(unit_or(way, [1.0, 0.0, 0.0]), *length)));
            }
            let nearest = (2.0 * longest - total).max(0.0);
            let distance = nearest + (total - nearest) * seed.between(0.0, 1.0);
            let any = [0.0; 3].map(|_| seed.between(-1.0, 1.0));
            let way = [any, [1.0, 0.0, 0.0], any, [-1.0, 0.0, 0.0]][k % 4];
            let target = scale(unit_or(way, [1.0, 0.0, 0.0]), distance);
            let off = chain(&mut points, &lengths, target, REACH) / total;
            assert!(off < 2e-3, "{k}: {off}");
            missed += usize::from(off > REACH.tolerance);
            for (j, length) in lengths.iter().enumerate() {
                assert!((far(at(&points, j), at(&points, j + 1)) - length).abs() < 1e-9 * total, "{k}");
            }
        }
        assert!(missed < 5, "{missed}");
    }
}
