//! Inverse kinematics: of two bones in closed form, of a chain by reaching from both ends.

use super::quaternion::{between, rotate};
use super::vector::{Vec3, add, cross, dot, lerp, norm, perpendicular, scale, sub, unit_or};

/// Where two bones come to lie. Their axes are columns of rotations: x along the bone, z at right angles to the plane of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBones {
    /// Where they meet.
    pub middle: Vec3,
    /// Where the second one ends.
    pub end: Vec3,
    /// The axes of the first one.
    pub first: [Vec3; 3],
    /// The axes of the second one.
    pub second: [Vec3; 3],
}

/// Below which share of its length what is left of a vector beside another one is rounding.
const COLLINEAR: f64 = 1e-9;

/// The direction of the part of `v` that is at right angles to a unit vector; none if there is none.
fn beside(v: Vec3, unit: Vec3) -> Option<Vec3> {
    let part = |v: Vec3| sub(v, scale(unit, dot(unit, v)));
    let aside = part(v);
    let length = norm(aside);
    let is_there = length > COLLINEAR * norm(v) && length.is_finite();
    // What the first subtraction has rounded, the second one takes away.
    is_there.then(|| unit_or(part(scale(aside, 1.0 / length)), perpendicular(unit)))
}

/// Two bones from a root to a target.
///
/// The end lies on the line from `root` to `target`, as near to the target as the lengths allow. The middle lies on the side of
/// `pole`, a point. Both bones lie in the plane of root, target and pole, whose normal, (target - root) x (pole - root), is the z axis
/// of both, however they bend. If the target is at the root, the bones fold towards the pole. Where the pole is on the line, some
/// direction beside it is taken. Lengths below zero count as zero.
///
/// **Source:** the law of cosines; the height of a triangle by Heron's formula, which loses nothing where it is flat.
pub fn two_bones(root: Vec3, target: Vec3, pole: Vec3, upper: f64, lower: f64) -> TwoBones {
    // What is no number stays so.
    let [upper, lower] = [upper, lower].map(|length| if length < 0.0 { 0.0 } else { length });
    let (way, aside) = (sub(target, root), sub(pole, root));
    let far = norm(way);
    let (towards, aside) = if far > 1e-12 && far.is_finite() {
        let towards = scale(way, 1.0 / far);
        (towards, beside(aside, towards).unwrap_or_else(|| perpendicular(towards)))
    } else {
        folded(unit_or(aside, [0.0, 1.0, 0.0]), upper, lower)
    };
    let (longest, shortest) = (upper + lower, (upper - lower).abs());
    let (reach, along, height) = if far >= longest {
        (longest, upper, 0.0)
    } else if far <= shortest && shortest > 0.0 {
        (shortest, if upper < lower { -upper } else { upper }, 0.0)
    } else {
        let area = (longest + far) * (longest - far) * (far - (upper - lower)) * (far + (upper - lower));
        // At no distance at all, both bones have the same length, and stand at right angles to the way.
        let height = if far > 0.0 { area.max(0.0).sqrt() / (2.0 * far) } else { upper };
        (far, if far > 0.0 { 0.5 * (far + (upper + lower) / far * (upper - lower)) } else { 0.0 }, height)
    };
    let (up, down) = (add(scale(towards, along), scale(aside, height)), scale(aside, -height));
    let down = add(scale(towards, reach - along), down);
    let (middle, normal) = (add(root, up), cross(towards, aside));
    let axes = |bone: Vec3| {
        // A bone without length points the way.
        let x = unit_or(bone, towards);
        [x, cross(normal, x), normal]
    };
    TwoBones { middle, end: add(root, scale(towards, reach)), first: axes(up), second: axes(down) }
}

/// Where the way and the side are if the target is at the root, so that the first bone points to the pole.
fn folded(pole: Vec3, upper: f64, lower: f64) -> (Vec3, Vec3) {
    let across = perpendicular(pole);
    if upper > lower {
        (pole, scale(across, -1.0))
    } else if upper < lower {
        (scale(pole, -1.0), across)
    } else {
        (across, pole)
    }
}

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
    bend_if_straight(points, target, total);
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
    fn two_bones_of_three_and_four_reach_five_at_a_right_angle() {
        let bones = two_bones([0.0; 3], [5.0, 0.0, 0.0], [0.0, 1.0, 0.0], 3.0, 4.0);
        assert!(far(bones.end, [5.0, 0.0, 0.0]) < 1e-12);
        assert!(far(bones.middle, [1.8, 2.4, 0.0]) < 1e-12, "{bones:?}");
    }

    #[test]
    fn lengths_are_kept_wherever_the_target_is() {
        for target in [[9.0, 1.0, 0.0], [0.1, 0.0, 0.0], [0.0; 3], [1.0, 2.0, -1.0]] {
            let bones = two_bones([0.0; 3], target, [0.0, 0.0, 1.0], 2.0, 1.5);
            assert!((norm(bones.middle) - 2.0).abs() < 1e-9, "{target:?}");
            assert!((far(bones.middle, bones.end) - 1.5).abs() < 1e-9, "{target:?}");
        }
    }

    #[test]
    fn both_bones_keep_the_normal_of_their_plane_while_a_foot_is_raised() {
        // Above 0.41 or so, the knee is higher than the line to the pole.
        for k in 0..=65 {
            let y = 0.1 + 0.01 * f64::from(k);
            let leg = two_bones([0.0, 1.0, 0.0], [0.0, y, 0.45], [0.0, 0.7, 2.0], 0.5, 0.5);
            for [_, _, z] in [leg.first, leg.second] {
                assert!(far(z, [-1.0, 0.0, 0.0]) < 1e-12, "{y}: {z:?}");
            }
        }
    }

    #[test]
    fn axes_are_orthonormal_and_x_is_along_the_bone_even_where_the_pole_is_on_the_line() {
        let (root, target) = ([-110.20312, 0.0, -110.20312], [57.17298, 296.81834, 0.0]);
        let near = [-110.0, 0.5, -109.5];
        for (target, pole) in [(target, target), (target, near), (near, target), (near, near), (near, root)] {
            for (upper, lower) in [(0.5, 1.93641), (1.0, 1.0), (300.0, 299.6)] {
                let bones = two_bones(root, target, pole, upper, lower);
                let up = unit_or(sub(bones.middle, root), [0.0; 3]);
                let down = unit_or(sub(bones.end, bones.middle), [0.0; 3]);
                for ([x, y, z], bone) in [(bones.first, up), (bones.second, down)] {
                    assert!(far(x, bone) < 1e-12, "{bones:?}");
                    assert!(far(cross(x, y), z) < 1e-14 && dot(x, y).abs() < 1e-14, "{bones:?}");
                    assert!((norm(x) - 1.0).abs() < 1e-14 && (norm(z) - 1.0).abs() < 1e-14, "{bones:?}");
                }
            }
        }
    }

    #[test]
    fn bones_whose_target_is_at_the_root_fold_towards_the_pole() {
        let pole = [0.0, 3.0, 0.0];
        for lower in [1.0 - 1e-9, 1.0, 1.0 + 1e-9, 0.25, 4.0] {
            let bones = two_bones([0.0; 3], [0.0; 3], pole, 1.0, lower);
            assert!(far(bones.middle, [0.0, 1.0, 0.0]) < 1e-8, "{lower}: {bones:?}");
            assert!((far(bones.middle, bones.end) - lower).abs() < 1e-8, "{lower}: {bones:?}");
            let z = two_bones([0.0; 3], [0.0; 3], pole, 1.0, 1.0).first[2];
            assert!(far(bones.first[2], z) < 1e-8 && far(bones.second[2], z) < 1e-8, "{lower}: {bones:?}");
        }
        let near = two_bones([0.0; 3], [1e-9, 0.0, 0.0], pole, 1.0, 1.0);
        assert!(far(near.middle, [0.0, 1.0, 0.0]) < 1e-8, "{near:?}");
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
