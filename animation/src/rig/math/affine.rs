//! Affine maps: three rows of four numbers.

use super::quaternion::{Quaternion, conjugate, normalized};
use super::vector::{Vec3, cross, dot, scale};

/// Three rows of four numbers, row by row.
pub type Affine = [f64; 12];

/// Scales, rotates, and moves.
pub fn compose(translation: Vec3, rotation: Quaternion, scales: Vec3) -> Affine {
    let [x, y, z, w] = rotation;
    let [sx, sy, sz] = scales;
    [
        (1.0 - 2.0 * (y * y + z * z)) * sx,
        2.0 * (x * y - z * w) * sy,
        2.0 * (x * z + y * w) * sz,
        translation[0],
        2.0 * (x * y + z * w) * sx,
        (1.0 - 2.0 * (x * x + z * z)) * sy,
        2.0 * (y * z - x * w) * sz,
        translation[1],
        2.0 * (x * z - y * w) * sx,
        2.0 * (y * z + x * w) * sy,
        (1.0 - 2.0 * (x * x + y * y)) * sz,
        translation[2],
    ]
}

/// Takes the axes to three vectors, and the origin to a point.
pub fn of_axes(axes: [Vec3; 3], origin: Vec3) -> Affine {
    let [x, y, z] = axes;
    let [row, next, last] = [0, 1, 2].map(|k| [x[k], y[k], z[k], origin[k]]);
    let mut map = [0.0; 12];
    map[..4].copy_from_slice(&row);
    map[4..8].copy_from_slice(&next);
    map[8..].copy_from_slice(&last);
    map
}

/// First `b`, then `a`.
#[inline]
pub fn mul(a: &Affine, b: &Affine) -> Affine {
    let mut c = [0.0; 12];
    for row in 0..3 {
        let a = &a[4 * row..4 * row + 4];
        for column in 0..4 {
            c[4 * row + column] = a[0] * b[column] + a[1] * b[4 + column] + a[2] * b[8 + column];
        }
        c[4 * row + 3] += a[3];
    }
    c
}

/// A mapped point.
#[inline(always)]
pub fn point(a: &Affine, p: Vec3) -> Vec3 {
    [
        a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[3],
        a[4] * p[0] + a[5] * p[1] + a[6] * p[2] + a[7],
        a[8] * p[0] + a[9] * p[1] + a[10] * p[2] + a[11],
    ]
}

/// A mapped direction: without the translation.
#[inline(always)]
pub fn direction(a: &Affine, d: Vec3) -> Vec3 {
    [
        a[0] * d[0] + a[1] * d[1] + a[2] * d[2],
        a[4] * d[0] + a[5] * d[1] + a[6] * d[2],
        a[8] * d[0] + a[9] * d[1] + a[10] * d[2],
    ]
}

/// Where the origin goes.
pub fn translation(a: &Affine) -> Vec3 {
    [a[3], a[7], a[11]]
}

/// Where an axis goes.
pub fn axis(a: &Affine, k: usize) -> Vec3 {
    [a[k], a[4 + k], a[8 + k]]
}

/// The map back; none if volumes vanish.
pub fn inverse(a: &Affine) -> Option<Affine> {
    let (x, y, z) = (axis(a, 0), axis(a, 1), axis(a, 2));
    let volume = dot(x, cross(y, z));
    // Less than this is rounding.
    let of_box = (dot(x, x) * dot(y, y) * dot(z, z)).sqrt();
    if volume.abs() <= 1e-13 * of_box || volume == 0.0 || !volume.is_finite() {
        return None;
    }
    let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| scale(row, 1.0 / volume));
    let back = rows.map(|row| -dot(row, translation(a)));
    let [r, s, t] = rows;
    Some([r[0], r[1], r[2], back[0], s[0], s[1], s[2], back[1], t[0], t[1], t[2], back[2]])
}

/// Translation, rotation and scale of a map without shear; of one with shear, those of the orthonormal axes nearest to x, then y.
///
/// An axis of which nothing is left, as in a map that is flat, is the one that the others leave; of no more than one axis, the rotation
/// is one that moves the others as little as possible.
pub fn decompose(a: &Affine) -> (Vec3, Quaternion, Vec3) {
    let norm = |v: Vec3| dot(v, v).sqrt();
    let [x, y, z] = orthonormal([0, 1, 2].map(|k| axis(a, k)));
    let mirrored = if dot(z, axis(a, 2)) < 0.0 { -1.0 } else { 1.0 };
    let scales = [norm(axis(a, 0)), norm(axis(a, 1)), mirrored * norm(axis(a, 2))];
    (translation(a), rotation_of_axes(x, y, z), scales)
}

/// The axes that are nearest to three vectors: to the first one, then to the second one.
fn orthonormal([x, y, z]: [Vec3; 3]) -> [Vec3; 3] {
    let direction = |v: Vec3| {
        let length = dot(v, v).sqrt();
        (length > 0.0 && length.is_finite()).then(|| scale(v, 1.0 / length))
    };
    // What is left of a vector beside a unit vector, unless it is rounding.
    let beside = |v: Vec3, unit: Vec3| {
        let aside = super::vector::sub(v, scale(unit, dot(unit, v)));
        direction(aside).filter(|_| dot(aside, aside) > 1e-18 * dot(v, v))
    };
    match direction(x) {
        Some(first) => {
            let y = beside(y, first).or_else(|| beside(z, first).map(|z| cross(z, first)));
            let y = y.unwrap_or_else(|| turned(first, 0)[1]);
            [first, y, cross(first, y)]
        }
        None => match (direction(y), direction(z)) {
            (Some(second), z) => {
                let x = z.and_then(|z| beside(z, second)).map(|z| cross(second, z));
                let x = x.unwrap_or_else(|| turned(second, 1)[0]);
                [x, second, cross(x, second)]
            }
            (None, Some(third)) => turned(third, 2),
            (None, None) => turned([1.0, 0.0, 0.0], 0),
        },
    }
}

/// The axes as the shortest rotation leaves them that takes one of them to a unit vector.
fn turned(to: Vec3, which: usize) -> [Vec3; 3] {
    let unit = |k: usize| [0, 1, 2].map(|j| f64::from(u8::from(j == k)));
    let turn = super::quaternion::between(unit(which), to);
    [0, 1, 2].map(|k| if k == which { to } else { super::quaternion::rotate(turn, unit(k)) })
}

/// The rotation that takes the axes to three orthonormal vectors.
pub fn rotation_of_axes(x: Vec3, y: Vec3, z: Vec3) -> Quaternion {
    // The largest of the four components is found first, so that nothing cancels.
    let (xx, yy, zz) = (x[0], y[1], z[2]);
    let trace = xx + yy + zz;
    let q = if trace > 0.0 {
        [y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace]
    } else if xx >= yy && xx >= zz {
        [1.0 + xx - yy - zz, x[1] + y[0], x[2] + z[0], y[2] - z[1]]
    } else if yy >= zz {
        [x[1] + y[0], 1.0 - xx + yy - zz, y[2] + z[1], z[0] - x[2]]
    } else {
        [x[2] + z[0], y[2] + z[1], 1.0 - xx - yy + zz, x[1] - y[0]]
    };
    normalized(q)
}

/// The map back of a rotation and translation.
pub fn inverse_rigid(translation: Vec3, rotation: Quaternion) -> (Vec3, Quaternion) {
    let back = conjugate(rotation);
    (scale(super::quaternion::rotate(back, translation), -1.0), back)
}

#[cfg(test)]
mod tests {
    use super::super::quaternion::{from_euler, rotate};
    use super::*;
    use crate::rig::value::IDENTITY;

    fn close<const N: usize>(a: [f64; N], b: [f64; N]) {
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{a:?} is not {b:?}");
    }

    #[test]
    fn a_composed_map_scales_then_rotates_then_moves() {
        let (t, q, s) = ([1.0, 2.0, 3.0], from_euler([0.4, 1.1, -0.6]), [2.0, 0.5, 3.0]);
        let a = compose(t, q, s);
        let p = [0.3, -0.7, 0.9];
        let expected = super::super::vector::add(rotate(q, [0.6, -0.35, 2.7]), t);
        close(point(&a, p), expected);
        close(mul(&a, &inverse(&a).unwrap()), IDENTITY);
        let (t2, q2, s2) = decompose(&a);
        close(t2, t);
        close(s2, s);
        close(compose(t2, q2, s2), a);
    }

    #[test]
    fn products_map_one_after_the_other() {
        let a = compose([1.0, 0.0, 0.0], from_euler([0.0, 0.3, 0.0]), [1.0, 2.0, 1.0]);
        let b = compose([0.0, -1.0, 0.5], from_euler([1.0, 0.0, 2.0]), [1.0; 3]);
        let p = [0.2, 0.4, -0.8];
        close(point(&mul(&a, &b), p), point(&a, point(&b, p)));
        close(direction(&a, p), super::super::vector::sub(point(&a, p), translation(&a)));
    }

    #[test]
    fn axes_of_which_nothing_is_left_are_completed() {
        let q = from_euler([0.4, 1.1, -0.6]);
        for scales in [[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 3.0, 0.0], [1.0, 1e-200, 1.0]] {
            let (_, found, s) = decompose(&compose([0.0; 3], q, scales));
            close(found, q);
            assert!((0..3).all(|k| (s[k] - scales[k]).abs() < 1e-12), "{s:?}");
        }
        for scales in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]] {
            close(decompose(&compose([0.0; 3], [0.0, 0.0, 0.0, 1.0], scales)).1, [0.0, 0.0, 0.0, 1.0]);
            let a = compose([0.0; 3], q, scales);
            let (_, found, s) = decompose(&a);
            close(compose([0.0; 3], found, s), a);
        }
        // Two axes on one line.
        let a = [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        close(decompose(&a).1, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(inverse(&compose([0.0; 3], q, [1.0, 0.0, 1.0])), None);
        close(
            mul(&inverse(&compose([0.0; 3], q, [1e-30; 3])).unwrap(), &compose([0.0; 3], q, [1e-30; 3])),
            IDENTITY,
        );
    }

    #[test]
    fn a_flat_map_has_no_inverse_and_half_turns_are_found() {
        assert_eq!(inverse(&compose([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0])), None);
        for angles in [[3.1, 0.0, 0.0], [0.0, 3.1, 0.0], [0.0, 0.0, 3.1], [0.1, 0.2, 0.3]] {
            let a = compose([0.0; 3], from_euler(angles), [1.0; 3]);
            let (t, q, s) = decompose(&a);
            close(compose(t, q, s), a);
        }
        let (t, q) = inverse_rigid([1.0, 2.0, 3.0], from_euler([0.4, 0.0, 0.2]));
        let forth = compose([1.0, 2.0, 3.0], from_euler([0.4, 0.0, 0.2]), [1.0; 3]);
        close(mul(&compose(t, q, [1.0; 3]), &forth), IDENTITY);
    }
}
