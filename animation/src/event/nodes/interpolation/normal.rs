//! Directions between keys, on the sphere.

use super::linear::each;

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    if length > 0.0 && length.is_finite() { v.map(|c| c / length) } else { v }
}

/// The direction between two on the great circle through them, of length 1. Between opposite ones there is no such circle: the nearer
/// one is taken.
pub fn mix_normal(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    let (a, b) = (unit(a), unit(b));
    let length = |sign: f32| {
        let d: [f32; 3] = std::array::from_fn(|k| a[k] + sign * b[k]);
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    };
    let angle = 2.0 * length(-1.0).atan2(length(1.0));
    let sin = angle.sin();
    if sin.abs() < 1e-6 {
        return if t < 0.5 { a } else { b };
    }
    let (wa, wb) = (((1.0 - t) * angle).sin() / sin, (t * angle).sin() / sin);
    unit(std::array::from_fn(|k| wa * a[k] + wb * b[k]))
}

/// Normals among key values (NormalInterpolator): each key has `out.len()` of them. Whether there is a value.
///
/// **Source:** ISO/IEC 19775-1, 19.4.5: interpolated on the surface of the unit sphere.
pub fn normals(
    keys: &[f32],
    values: &[[f32; 3]],
    fraction: f32,
    cursor: &mut usize,
    out: &mut [[f32; 3]],
) -> bool {
    each(keys, values, fraction, cursor, out, |a| unit(*a), |a, b, t| mix_normal(*a, *b, t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_way_is_a_third_of_the_angle() {
        let n = mix_normal([2.0, 0.0, 0.0], [0.0, 0.0, 1.0], 1.0 / 3.0);
        let (sin, cos) = std::f32::consts::FRAC_PI_6.sin_cos();
        assert!((n[0] - cos).abs() < 1e-6 && n[1] == 0.0 && (n[2] - sin).abs() < 1e-6, "{n:?}");
    }

    #[test]
    fn opposite_directions_and_none_at_all_are_finite() {
        assert_eq!(mix_normal([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], 0.4), [1.0, 0.0, 0.0]);
        assert_eq!(mix_normal([0.0; 3], [0.0; 3], 0.4), [0.0; 3]);
    }
}
