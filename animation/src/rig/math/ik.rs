//! Inverse kinematics: of two bones in closed form, of a chain by reaching from both ends.

use super::vector::{Vec3, add, cross, dot, norm, perpendicular, scale, sub, unit_or};

/// Where the middle and the end of two bones come to lie.
///
/// The end lies on the line from `root` to `target`, as near to the target as the lengths allow. The middle lies on the side of
/// `pole`. If the target is at the root, the bones fold towards the pole.
///
/// **Source:** the law of cosines.
pub fn two_bones(root: Vec3, target: Vec3, pole: Vec3, upper: f64, lower: f64) -> (Vec3, Vec3) {
    let (upper, lower) = (upper.max(0.0), lower.max(0.0));
    let towards = unit_or(sub(target, root), unit_or(sub(pole, root), [1.0, 0.0, 0.0]));
    let reach = norm(sub(target, root)).clamp((upper - lower).abs(), upper + lower);
    let aside = sub(pole, root);
    let aside = unit_or(sub(aside, scale(towards, dot(aside, towards))), perpendicular(towards));
    let along =
        if reach > 0.0 { (reach * reach + upper * upper - lower * lower) / (2.0 * reach) } else { 0.0 };
    let height = (upper * upper - along * along).max(0.0).sqrt();
    let middle = add(root, add(scale(towards, along), scale(aside, height)));
    (middle, add(root, scale(towards, reach)))
}

/// Moves a chain of points so that its last one comes to the target; lengths of its bones are kept, and its first point.
///
/// Returns how far the end is from the target. A target out of reach is aimed at.
///
/// **Source:** Aristidou, Lasenby, *FABRIK: A fast, iterative solver for the Inverse Kinematics problem*, Graphical Models 73
/// (2011), algorithm 1.
pub fn chain(points: &mut [f64], lengths: &[f64], target: Vec3, turns: usize, tolerance: f64) -> f64 {
    let n = points.len() / 3;
    let get = |points: &[f64], k: usize| -> Vec3 { [points[3 * k], points[3 * k + 1], points[3 * k + 2]] };
    let put = |points: &mut [f64], k: usize, p: Vec3| points[3 * k..3 * k + 3].copy_from_slice(&p);
    if n == 0 {
        return 0.0;
    }
    let root = get(points, 0);
    let length = |k: usize| lengths.get(k).copied().unwrap_or(0.0).max(0.0);
    let total: f64 = (0..n - 1).map(length).sum();
    if norm(sub(target, root)) >= total {
        let towards = unit_or(sub(target, root), [1.0, 0.0, 0.0]);
        let mut at = root;
        for k in 1..n {
            at = add(at, scale(towards, length(k - 1)));
            put(points, k, at);
        }
        return norm(sub(target, at));
    }
    straight_is_bent(points, target);
    for _ in 0..turns {
        let off = norm(sub(get(points, n - 1), target));
        if off <= tolerance {
            return off;
        }
        put(points, n - 1, target);
        for k in (0..n - 1).rev() {
            let next = get(points, k + 1);
            let way = unit_or(sub(get(points, k), next), [1.0, 0.0, 0.0]);
            put(points, k, add(next, scale(way, length(k))));
        }
        put(points, 0, root);
        for k in 1..n {
            let before = get(points, k - 1);
            let way = unit_or(sub(get(points, k), before), [1.0, 0.0, 0.0]);
            put(points, k, add(before, scale(way, length(k - 1))));
        }
    }
    norm(sub(get(points, n - 1), target))
}

/// Points on one line with the target would stay on it for ever: the inner ones are moved aside a little.
fn straight_is_bent(points: &mut [f64], target: Vec3) {
    let get = |points: &[f64], k: usize| -> Vec3 { [points[3 * k], points[3 * k + 1], points[3 * k + 2]] };
    let (n, root) = (points.len() / 3, get(points, 0));
    let towards = unit_or(sub(target, root), [1.0, 0.0, 0.0]);
    let is_off = |k: usize| norm(cross(sub(get(points, k), root), towards)) > 1e-9;
    if (1..n).any(is_off) {
        return;
    }
    let aside = scale(perpendicular(towards), 1e-3);
    for k in 1..n.saturating_sub(1) {
        let moved = add(get(points, k), aside);
        points[3 * k..3 * k + 3].copy_from_slice(&moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(a: Vec3, b: Vec3) -> f64 {
        norm(sub(a, b))
    }

    #[test]
    fn two_bones_of_three_and_four_reach_five_at_a_right_angle() {
        let (middle, end) = two_bones([0.0; 3], [5.0, 0.0, 0.0], [0.0, 1.0, 0.0], 3.0, 4.0);
        assert!(far(end, [5.0, 0.0, 0.0]) < 1e-12);
        assert!(far(middle, [1.8, 2.4, 0.0]) < 1e-12, "{middle:?}");
    }

    #[test]
    fn lengths_are_kept_wherever_the_target_is() {
        for target in [[9.0, 1.0, 0.0], [0.1, 0.0, 0.0], [0.0; 3], [1.0, 2.0, -1.0]] {
            let (middle, end) = two_bones([0.0; 3], target, [0.0, 0.0, 1.0], 2.0, 1.5);
            assert!((norm(middle) - 2.0).abs() < 1e-9, "{target:?}");
            assert!((far(middle, end) - 1.5).abs() < 1e-9, "{target:?}");
        }
    }

    #[test]
    fn a_chain_reaches_and_keeps_its_lengths() {
        let mut points: Vec<f64> = (0..5).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let target = [1.0, 2.0, 1.5];
        let off = chain(&mut points, &[1.0; 4], target, 100, 1e-10);
        assert!(off <= 1e-9, "{off}");
        for pair in points.chunks(3).collect::<Vec<_>>().windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|p| [p[0], p[1], p[2]]);
            assert!((far(a, b) - 1.0).abs() < 1e-12);
        }
        assert_eq!(points[..3], [0.0; 3]);
    }

    #[test]
    fn a_target_out_of_reach_is_aimed_at_and_one_on_the_line_is_reached() {
        let mut points: Vec<f64> = (0..4).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let off = chain(&mut points, &[1.0; 3], [0.0, 5.0, 0.0], 10, 1e-10);
        assert!((off - 2.0).abs() < 1e-12);
        assert!(far([points[9], points[10], points[11]], [0.0, 3.0, 0.0]) < 1e-12);
        let mut straight: Vec<f64> = (0..4).flat_map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let off = chain(&mut straight, &[1.0; 3], [1.5, 0.0, 0.0], 500, 1e-6);
        assert!(off <= 1e-5, "{off}");
        assert_eq!(chain(&mut [], &[], [0.0; 3], 1, 0.0), 0.0);
    }
}
