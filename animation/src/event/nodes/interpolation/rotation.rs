//! Rotations between keys: axis and angle in and out, quaternions between.
//!
//! Quaternions are `x, y, z, w`, in single precision. Angles between quaternions come from `atan2`, which keeps its digits where they are small.

use super::keys::{Place, find};

/// Rotation about nothing, as X3D writes it.
pub const NO_ROTATION: [f32; 4] = [0.0, 0.0, 1.0, 0.0];

/// A rotation of axis and angle \[rad\] as a unit quaternion. An axis without a direction is no rotation.
pub fn quaternion([x, y, z, angle]: [f32; 4]) -> [f32; 4] {
    let length = (x * x + y * y + z * z).sqrt();
    if !(length > 0.0 && length.is_finite() && angle.is_finite()) {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let (sin, cos) = (angle * 0.5).sin_cos();
    let s = sin / length;
    [x * s, y * s, z * s, cos]
}

/// A unit quaternion as axis and angle, from 0 to a full turn \[rad\].
pub fn axis_angle([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    let sin = (x * x + y * y + z * z).sqrt();
    if sin <= f32::MIN_POSITIVE {
        return NO_ROTATION;
    }
    [x / sin, y / sin, z / sin, 2.0 * upper_angle(sin, w)]
}

/// The angle of a point above the axis (`y` positive), from 0 to half a turn \[rad\]: what `y.atan2(x)` is, within 3e-8 of it before it is
/// rounded, in a quarter of its time, and with the same bits on every system.
///
/// **Source:** Abramowitz and Stegun, *Handbook of Mathematical Functions*, 4.4.49.
#[inline]
fn upper_angle(y: f32, x: f32) -> f32 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (y, x) = (f64::from(y), f64::from(x));
    let across = x.abs();
    let is_steep = y > across;
    let t = if is_steep { across / y } else { y / across };
    let s = t * t;
    let mut sum = 0.002_866_225_7;
    for c in [
        -0.016_165_736_7,
        0.042_909_613_8,
        -0.075_289_640_0,
        0.106_562_639_3,
        -0.142_088_994_4,
        0.199_935_508_5,
        -0.333_331_452_8,
    ] {
        sum = sum * s + c;
    }
    let angle = sum * s * t + t;
    let angle = if is_steep { FRAC_PI_2 - angle } else { angle };
    (if x < 0.0 { PI - angle } else { angle }) as f32
}

fn dot(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// The way from one quaternion to another on the great circle through them: what does not depend on how far one has gone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    from: [f32; 4],
    to: [f32; 4],
    /// The angle between them \[rad\], and its sine.
    angle: f32,
    sin: f32,
}

impl Way {
    /// The shorter way; exactly half a turn apart (but for rounding) the one that is written.
    pub fn shortest(a: &[f32; 4], b: &[f32; 4]) -> Self {
        if dot(a, b) < -1e-6 { Self::as_given(a, &b.map(|v| -v)) } else { Self::as_given(a, b) }
    }

    /// The way as it is given, the long one too.
    fn as_given(a: &[f32; 4], b: &[f32; 4]) -> Self {
        let length = |sign: f32| {
            let d: [f32; 4] = std::array::from_fn(|k| a[k] + sign * b[k]);
            dot(&d, &d).sqrt()
        };
        let angle = 2.0 * length(-1.0).atan2(length(1.0));
        Self { from: *a, to: *b, angle, sin: angle.sin() }
    }

    /// The quaternion after a share `t` of the way.
    #[inline]
    pub fn at(&self, t: f32) -> [f32; 4] {
        let Self { from: a, to: b, angle, sin } = self;
        // Nearly the same, or opposite, where every great circle is as good: a straight line.
        if sin.abs() < 1e-6 {
            let q: [f32; 4] = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t);
            let n = dot(&q, &q).sqrt();
            return if n > 0.0 { q.map(|v| v / n) } else { *a };
        }
        let (wa, wb) = (((1.0 - t) * angle).sin() / sin, (t * angle).sin() / sin);
        std::array::from_fn(|k| wa * a[k] + wb * b[k])
    }
}

fn slerp_as_given(a: &[f32; 4], b: &[f32; 4], t: f32) -> [f32; 4] {
    Way::as_given(a, b).at(t)
}

/// The rotation between two, the shortest way; exactly half a turn apart (but for rounding) the way that is written.
pub fn slerp(a: &[f32; 4], b: &[f32; 4], t: f32) -> [f32; 4] {
    Way::shortest(a, b).at(t)
}

/// The rotation of one after another: first `b`, then `a`.
pub fn multiply(a: &[f32; 4], b: &[f32; 4]) -> [f32; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (*a, *b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The rotation back.
pub fn inverse([x, y, z, w]: &[f32; 4]) -> [f32; 4] {
    [-x, -y, -z, *w]
}

/// A vector, rotated.
pub fn rotate(q: &[f32; 4], v: [f32; 3]) -> [f32; 3] {
    let [x, y, z, _] = multiply(&multiply(q, &[v[0], v[1], v[2], 0.0]), &inverse(q));
    [x, y, z]
}

/// A rotation among key values (OrientationInterpolator). `quaternions` are those of `values`; a key's own value comes out as it is written, any other
/// with an angle of 0 to a full turn.
pub fn orientation(
    keys: &[f32],
    values: &[[f32; 4]],
    quaternions: &[[f32; 4]],
    fraction: f32,
    cursor: &mut usize,
) -> Option<[f32; 4]> {
    let Place { index, weight } = find(keys, fraction, cursor)?;
    if weight == 0.0 {
        return values.get(index).copied();
    }
    Some(axis_angle(slerp(quaternions.get(index)?, quaternions.get(index + 1)?, weight)))
}

fn logarithm(q: &[f32; 4]) -> [f32; 3] {
    let sin = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
    if sin <= f32::MIN_POSITIVE {
        return [0.0; 3];
    }
    let s = sin.atan2(q[3]) / sin;
    [q[0] * s, q[1] * s, q[2] * s]
}

fn exponential(v: [f32; 3]) -> [f32; 4] {
    let angle = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    if angle <= f32::MIN_POSITIVE {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let (sin, cos) = angle.sin_cos();
    [v[0] * sin / angle, v[1] * sin / angle, v[2] * sin / angle, cos]
}

/// What [`squad`] needs of key values: their quaternions, each turned to the side of the one before it, and the points between.
///
/// `s[i] = q[i] exp(-(log(q[i]' q[i+1]) + log(q[i]' q[i-1])) / 4)`, the ends being their own.
///
/// **Source:** Shoemake, *Quaternion calculus and fast animation*, 1987; ISO/IEC 19775-1, 19.4.13.
pub fn squad_points(values: &[[f32; 4]]) -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
    let mut q: Vec<[f32; 4]> = values.iter().map(|v| quaternion(*v)).collect();
    for k in 1..q.len() {
        if dot(&q[k - 1], &q[k]) < 0.0 {
            q[k] = q[k].map(|v| -v);
        }
    }
    let last = q.len().saturating_sub(1);
    let points = (0..q.len())
        .map(|k| {
            if k == 0 || k == last {
                return q[k];
            }
            let back = inverse(&q[k]);
            let (next, before) =
                (logarithm(&multiply(&back, &q[k + 1])), logarithm(&multiply(&back, &q[k - 1])));
            multiply(&q[k], &exponential(std::array::from_fn(|c| -(next[c] + before[c]) / 4.0)))
        })
        .collect();
    (q, points)
}

/// A rotation among key values, without corners at the keys (SquadOrientationInterpolator).
pub fn squad(
    keys: &[f32],
    values: &[[f32; 4]],
    (quaternions, points): (&[[f32; 4]], &[[f32; 4]]),
    fraction: f32,
    cursor: &mut usize,
) -> Option<[f32; 4]> {
    let Place { index, weight: t } = find(keys, fraction, cursor)?;
    if t == 0.0 {
        return values.get(index).copied();
    }
    let outer = slerp_as_given(quaternions.get(index)?, quaternions.get(index + 1)?, t);
    let inner = slerp_as_given(points.get(index)?, points.get(index + 1)?, t);
    Some(axis_angle(slerp_as_given(&outer, &inner, 2.0 * t * (1.0 - t))))
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, PI};

    use super::*;

    #[test]
    fn angles_are_those_of_the_arc_tangent() {
        for k in 1..20_000 {
            let exact = f64::from(k) * std::f64::consts::PI / 20_000.0;
            for length in [1e-3, 1.0, 50.0] {
                let (y, x) = ((length * exact.sin()) as f32, (length * exact.cos()) as f32);
                let (found, known) = (f64::from(upper_angle(y, x)), f64::from(y).atan2(f64::from(x)));
                assert!((found - known).abs() < 1.5e-7 * known.max(0.2), "{y} {x}: {found} {known}");
            }
        }
        assert_eq!(upper_angle(1.0, 0.0), std::f32::consts::FRAC_PI_2);
        assert_eq!(upper_angle(1e-30, 1.0), 1e-30);
    }

    fn between(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
        axis_angle(slerp(&quaternion(a), &quaternion(b), t))
    }
    fn near(a: [f32; 4], b: [f32; 4]) -> bool {
        // A rotation is the same about the opposite axis.
        let (p, q) = (quaternion(a), quaternion(b));
        dot(&p, &q).abs() > 1.0 - 1e-6
    }

    #[test]
    fn half_way_is_half_the_angle() {
        let r = between([0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, FRAC_PI_2], 0.5);
        assert!(near(r, [0.0, 1.0, 0.0, FRAC_PI_2 / 2.0]) && (r[3] - FRAC_PI_2 / 2.0).abs() < 1e-6, "{r:?}");
    }

    #[test]
    fn the_shortest_way_is_taken() {
        // From 10 to 350 degrees by 0, not by 180.
        let degrees = PI / 180.0;
        let r = between([0.0, 0.0, 1.0, 10.0 * degrees], [0.0, 0.0, 1.0, 350.0 * degrees], 0.5);
        assert!(near(r, [0.0, 0.0, 1.0, 0.0]), "{r:?}");
    }

    #[test]
    fn an_axis_without_direction_is_no_rotation() {
        assert_eq!(quaternion([0.0, 0.0, 0.0, 1.0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(quaternion([f32::NAN, 0.0, 0.0, 1.0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(axis_angle([0.0, 0.0, 0.0, 1.0]), NO_ROTATION);
    }

    #[test]
    fn opposite_rotations_give_a_rotation() {
        let r = between([1.0, 0.0, 0.0, PI], [1.0, 0.0, 0.0, -PI], 0.5);
        assert!(r.iter().all(|v| v.is_finite()), "{r:?}");
        let r = between([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, PI], 0.5);
        assert!(near(r, [0.0, 1.0, 0.0, FRAC_PI_2]), "{r:?}");
    }

    #[test]
    fn small_angles_keep_their_digits() {
        let r = between([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1e-4], 0.25);
        assert!((r[3] - 2.5e-5).abs() < 1e-10, "{r:?}");
    }

    #[test]
    fn a_key_s_own_value_comes_out_as_written() {
        let values = [[0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 6.25]];
        let q: Vec<_> = values.iter().map(|v| quaternion(*v)).collect();
        assert_eq!(orientation(&[0.0, 1.0], &values, &q, 1.0, &mut 0), Some(values[1]));
    }

    #[test]
    fn squad_goes_through_its_keys_and_is_slerp_on_a_straight_way() {
        let values: Vec<[f32; 4]> = (0..5).map(|k| [0.0, 1.0, 0.0, 0.4 * k as f32]).collect();
        let keys = [0.0, 0.25, 0.5, 0.75, 1.0];
        let (q, s) = squad_points(&values);
        for k in 4..=12 {
            let f = k as f32 / 16.0;
            let r = squad(&keys, &values, (&q, &s), f, &mut 0).unwrap();
            assert!((r[3] - 1.6 * f).abs() < 1e-5, "{f}: {r:?}");
        }
    }

    #[test]
    fn rotating_turns_x_into_y() {
        let v = rotate(&quaternion([0.0, 0.0, 1.0, FRAC_PI_2]), [1.0, 0.0, 0.0]);
        assert!((v[0]).abs() < 1e-6 && (v[1] - 1.0).abs() < 1e-6);
    }
}
