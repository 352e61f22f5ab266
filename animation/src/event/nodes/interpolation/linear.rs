//! Straight lines between keys: numbers, positions, coordinates.
//!
//! All is calculated in single precision, as `a + (b - a) * t`; a key's own value comes out with its bits.

use super::keys::{Place, find};

/// The number between two.
#[inline]
pub fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// The vector between two.
#[inline]
pub fn mix_all<const N: usize>(a: &[f32; N], b: &[f32; N], t: f32) -> [f32; N] {
    std::array::from_fn(|k| mix(a[k], b[k], t))
}

/// A number among key values (ScalarInterpolator). Keys do not decrease, and there is a value for each.
pub fn scalar(keys: &[f32], values: &[f32], fraction: f32, cursor: &mut usize) -> Option<f32> {
    let Place { index, weight } = find(keys, fraction, cursor)?;
    let a = *values.get(index)?;
    if weight == 0.0 { Some(a) } else { Some(mix(a, *values.get(index + 1)?, weight)) }
}

/// A position among key values, in 2 or 3 dimensions (PositionInterpolator, PositionInterpolator2D).
pub fn position<const N: usize>(
    keys: &[f32],
    values: &[[f32; N]],
    fraction: f32,
    cursor: &mut usize,
) -> Option<[f32; N]> {
    let Place { index, weight } = find(keys, fraction, cursor)?;
    let a = values.get(index)?;
    if weight == 0.0 { Some(*a) } else { Some(mix_all(a, values.get(index + 1)?, weight)) }
}

/// Coordinates among key values (CoordinateInterpolator, CoordinateInterpolator2D): each key has `out.len()` of them, one key's after the other's.
/// Whether there is a value; without one `out` stays as it is.
pub fn coordinates<const N: usize>(
    keys: &[f32],
    values: &[[f32; N]],
    fraction: f32,
    cursor: &mut usize,
    out: &mut [[f32; N]],
) -> bool {
    each(keys, values, fraction, cursor, out, |a| *a, mix_all)
}

/// The same with other ways to take a key's own value and to find one between two.
#[inline]
pub fn each<const N: usize>(
    keys: &[f32],
    values: &[[f32; N]],
    fraction: f32,
    cursor: &mut usize,
    out: &mut [[f32; N]],
    own: impl Fn(&[f32; N]) -> [f32; N],
    between: impl Fn(&[f32; N], &[f32; N], f32) -> [f32; N],
) -> bool {
    let Some(Place { index, weight }) = find(keys, fraction, cursor) else { return false };
    let n = out.len();
    let Some(a) = values.get(index * n..(index + 1) * n) else { return false };
    if weight == 0.0 {
        for (out, a) in out.iter_mut().zip(a) {
            *out = own(a);
        }
        return true;
    }
    let Some(b) = values.get((index + 1) * n..(index + 2) * n) else { return false };
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = between(a, b, weight);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_keys_come_out_with_their_bits() {
        let (keys, values) = ([0.0, 0.1, 0.7, 1.0], [0.3f32, 1e-7, 12345.678, -0.0]);
        for (key, value) in keys.iter().zip(values) {
            assert_eq!(scalar(&keys, &values, *key, &mut 0).map(f32::to_bits), Some(value.to_bits()));
        }
        assert_eq!(scalar(&keys, &values, 0.05, &mut 2), Some(0.3f32 + (1e-7 - 0.3) * 0.5));
        assert_eq!(scalar(&keys, &values, -5.0, &mut 2), Some(0.3));
    }

    #[test]
    fn a_position_lies_on_the_line() {
        let at = position(&[0.0, 1.0], &[[0.0, 2.0, 4.0], [1.0, 2.0, 0.0]], 0.25, &mut 0);
        assert_eq!(at, Some([0.25, 2.0, 3.0]));
        assert_eq!(position::<2>(&[], &[], 0.25, &mut 0), None);
    }

    #[test]
    fn coordinates_of_a_key_stand_together() {
        let values = [[0.0, 0.0], [1.0, 0.0], [2.0, 2.0], [3.0, 4.0]];
        let mut out = [[0.0; 2]; 2];
        assert!(coordinates(&[0.0, 1.0], &values, 0.5, &mut 0, &mut out));
        assert_eq!(out, [[1.0, 1.0], [2.0, 2.0]]);
        assert!(!coordinates(&[0.0, 1.0], &values[..3], 0.5, &mut 0, &mut out));
    }
}
