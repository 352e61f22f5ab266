//! Two bones, in closed form.

use crate::rig::math::vector::{Vec3, add, cross, dot, norm, perpendicular, scale, sub, unit_or};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
