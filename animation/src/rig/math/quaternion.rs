//! Rotations as unit quaternions `x y z w`.

use super::vector::{Vec3, add, cross, dot, norm, perpendicular, scale};

/// A quaternion `x y z w`.
pub type Quaternion = [f64; 4];

/// The rotation that changes nothing.
pub const IDENTITY: Quaternion = [0.0, 0.0, 0.0, 1.0];

/// First `b`, then `a`.
pub fn mul(a: Quaternion, b: Quaternion) -> Quaternion {
    let (u, v) = ([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
    let w = a[3] * b[3] - dot(u, v);
    let [x, y, z] = add(add(scale(v, a[3]), scale(u, b[3])), cross(u, v));
    [x, y, z, w]
}

/// The opposite rotation.
pub fn conjugate(q: Quaternion) -> Quaternion {
    [-q[0], -q[1], -q[2], q[3]]
}

/// The rotation of a quaternion of any length; that of zero is none.
pub fn normalized(q: Quaternion) -> Quaternion {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if square == 1.0 {
        return q;
    }
    let length = square.sqrt();
    if length > 1e-300 && length.is_finite() { q.map(|c| c / length) } else { IDENTITY }
}

/// About an axis of any length by an angle [rad].
pub fn about(axis: Vec3, angle: f64) -> Quaternion {
    let length = norm(axis);
    if length < 1e-300 {
        return IDENTITY;
    }
    let (s, c) = (0.5 * angle).sin_cos();
    let [x, y, z] = scale(axis, s / length);
    [x, y, z, c]
}

/// About the fixed axes x, then y, then z, by three angles [rad].
pub fn from_euler(angles: Vec3) -> Quaternion {
    let [(sx, cx), (sy, cy), (sz, cz)] = angles.map(|angle| (0.5 * angle).sin_cos());
    [
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    ]
}

/// A rotated vector.
pub fn rotate(q: Quaternion, v: Vec3) -> Vec3 {
    let u = [q[0], q[1], q[2]];
    let t = scale(cross(u, v), 2.0);
    add(add(v, scale(t, q[3])), cross(u, t))
}

/// The shortest rotation from one unit vector to another.
pub fn between(from: Vec3, to: Vec3) -> Quaternion {
    let cosine = dot(from, to);
    if cosine < -1.0 + 1e-12 {
        return about(perpendicular(from), std::f64::consts::PI);
    }
    let [x, y, z] = cross(from, to);
    normalized([x, y, z, 1.0 + cosine])
}

/// From `a` to `b` along the shorter arc at even speed.
pub fn slerp(a: Quaternion, b: Quaternion, t: f64) -> Quaternion {
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let (b, cosine) = if cosine < 0.0 { (b.map(|c| -c), -cosine) } else { (b, cosine) };
    let (wa, wb) = if cosine > 1.0 - 1e-9 {
        (1.0 - t, t)
    } else {
        let angle = cosine.min(1.0).acos();
        let sine = angle.sin();
        (((1.0 - t) * angle).sin() / sine, (t * angle).sin() / sine)
    };
    normalized([0, 1, 2, 3].map(|k| wa * a[k] + wb * b[k]))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn close<const N: usize>(a: [f64; N], b: [f64; N]) {
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{a:?} is not {b:?}");
    }

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let q = about([0.0, 0.0, 2.0], FRAC_PI_2);
        close(rotate(q, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        close(rotate(conjugate(q), [0.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
        close(mul(q, q), about([0.0, 0.0, 1.0], PI));
    }

    #[test]
    fn euler_angles_turn_about_x_then_y_then_z() {
        let angles = [0.3, -0.8, 1.9];
        let one = |k: usize| about([0, 1, 2].map(|j| f64::from(u8::from(j == k))), angles[k]);
        close(from_euler(angles), mul(one(2), mul(one(1), one(0))));
    }

    #[test]
    fn the_arc_between_two_rotations_is_followed_at_even_speed() {
        let (a, b) = (about([0.0, 1.0, 0.0], 0.2), about([0.0, 1.0, 0.0], 1.4));
        close(slerp(a, b, 0.25), about([0.0, 1.0, 0.0], 0.5));
        close(slerp(a, b.map(|c| -c), 1.0), b);
        close(slerp(a, a, 0.7), a);
    }

    #[test]
    fn the_shortest_rotation_between_opposite_vectors_is_a_half_turn() {
        let x = [1.0, 0.0, 0.0];
        close(rotate(between(x, [-1.0, 0.0, 0.0]), x), [-1.0, 0.0, 0.0]);
        close(rotate(between(x, [0.0, 0.6, 0.8]), x), [0.0, 0.6, 0.8]);
        close(normalized([0.0; 4]), IDENTITY);
    }
}
