//! Smooth curves through keys, by Hermite's cubics with the keys' velocities.
//!
//! **Source:** ISO/IEC 19775-1, 19.2.4, *Hermite spline interpolation*.

use super::keys::{Place, find};

/// What [`spline`] needs of keys, values and velocities: the tangents with which the curve leaves and reaches each key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tangents<const N: usize> {
    leaving: Vec<[f32; N]>,
    reaching: Vec<[f32; N]>,
}

fn length<const N: usize>(v: &[f32; N]) -> f32 {
    v.iter().map(|c| c * c).sum::<f32>().sqrt()
}

fn minus<const N: usize>(a: &[f32; N], b: &[f32; N]) -> [f32; N] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// The keys' velocities: as given for each, or for the first and the last, and half the way from the key before to the next one otherwise;
/// at an open curve's ends none.
fn velocities<const N: usize>(values: &[[f32; N]], given: &[[f32; N]], closed: bool) -> Vec<[f32; N]> {
    let n = values.len();
    if given.len() == n {
        return given.to_vec();
    }
    let half_way = |before: usize, next: usize| minus(&values[next], &values[before]).map(|c| c / 2.0);
    let mut all: Vec<[f32; N]> = (0..n)
        .map(|k| match k {
            _ if n < 2 => [0.0; N],
            0 if closed => half_way(n - 2, 1),
            k if k == n - 1 && closed => half_way(n - 2, 1),
            0 => [0.0; N],
            k if k == n - 1 => [0.0; N],
            _ => half_way(k - 1, k + 1),
        })
        .collect();
    if let ([first, last], true) = (given, n >= 2) {
        all[0] = *first;
        all[n - 1] = *last;
    }
    all
}

/// The tangents of a curve. `closed` counts only if the first and the last value are the same. `normalized` makes all given velocities as long as
/// the way through all values. Keys that stand unevenly scale them, as the standard says.
pub fn tangents<const N: usize>(
    keys: &[f32],
    values: &[[f32; N]],
    given: &[[f32; N]],
    (closed, normalized): (bool, bool),
) -> Tangents<N> {
    let n = keys.len().min(values.len());
    let (keys, values) = (&keys[..n], &values[..n]);
    let closed = closed && n > 2 && values[0] == values[n - 1];
    let mut at = velocities(values, given, closed);
    if normalized && !given.is_empty() {
        let way: f32 = values.windows(2).map(|w| length(&minus(&w[0], &w[1]))).sum();
        for v in &mut at {
            let size = length(v);
            if size > 0.0 {
                *v = v.map(|c| c * (way / size));
            }
        }
    }
    // Twice the share of the step after a key, and of the one before it.
    let shares = |before: f32, after: f32| {
        let both = before + after;
        if both > 0.0 { (2.0 * after / both, 2.0 * before / both) } else { (1.0, 1.0) }
    };
    let of_key = |k: usize| match k {
        k if k > 0 && k + 1 < n => shares(keys[k] - keys[k - 1], keys[k + 1] - keys[k]),
        _ if closed => shares(keys[n - 1] - keys[n - 2], keys[1] - keys[0]),
        _ => (1.0, 1.0),
    };
    Tangents {
        leaving: (0..n).map(|k| at[k].map(|c| c * of_key(k).1)).collect(),
        reaching: (0..n).map(|k| at[k].map(|c| c * of_key(k).0)).collect(),
    }
}

/// A point of the curve (SplinePositionInterpolator, SplinePositionInterpolator2D; SplineScalarInterpolator with `N = 1`).
pub fn spline<const N: usize>(
    keys: &[f32],
    values: &[[f32; N]],
    tangents: &Tangents<N>,
    fraction: f32,
    cursor: &mut usize,
) -> Option<[f32; N]> {
    let Place { index, weight: s } = find(keys, fraction, cursor)?;
    let a = values.get(index)?;
    if s == 0.0 {
        return Some(*a);
    }
    let b = values.get(index + 1)?;
    let (from, to) = (tangents.leaving.get(index)?, tangents.reaching.get(index + 1)?);
    let (s2, s3) = (s * s, s * s * s);
    let (ha, hb) = (2.0 * s3 - 3.0 * s2 + 1.0, -2.0 * s3 + 3.0 * s2);
    let (hf, ht) = (s3 - 2.0 * s2 + s, s3 - s2);
    Some(std::array::from_fn(|k| ha * a[k] + hb * b[k] + hf * from[k] + ht * to[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_curve_stands_still_at_its_ends() {
        let (keys, values) = ([0.0, 1.0], [[0.0], [1.0]]);
        let t = tangents(&keys, &values, &[], (false, false));
        // Without velocities it is the smooth step 3 s^2 - 2 s^3.
        assert_eq!(spline(&keys, &values, &t, 0.25, &mut 0), Some([0.15625]));
        assert_eq!(spline(&keys, &values, &t, 0.5, &mut 0), Some([0.5]));
    }

    #[test]
    fn two_velocities_are_those_of_the_ends() {
        let (keys, values) = ([0.0, 0.5, 1.0], [[0.0], [1.0], [2.0]]);
        let t = tangents(&keys, &values, &[[1.0], [1.0]], (false, false));
        for f in [0.1f32, 0.3, 0.6, 0.9] {
            let [v] = spline(&keys, &values, &t, f, &mut 0).unwrap();
            assert!((v - 2.0 * f).abs() < 1e-6, "a straight line stays one: {f} {v}");
        }
    }

    #[test]
    fn a_closed_curve_has_one_velocity_at_its_ends() {
        let keys = [0.0, 0.25, 0.5, 0.75, 1.0];
        let values = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
        let t = tangents(&keys, &values, &[], (true, false));
        assert_eq!(t.leaving[0], [0.0, 1.0]);
        assert_eq!(t.reaching[4], [0.0, 1.0]);
        // If the ends are not the same, it is open whatever the file says.
        let t = tangents(&keys[..4], &values[..4], &[], (true, false));
        assert_eq!(t.leaving[0], [0.0, 0.0]);
    }

    #[test]
    fn normalized_velocities_are_as_long_as_the_way() {
        let (keys, values) = ([0.0, 0.5, 1.0], [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 4.0, 0.0]]);
        let given = [[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]];
        let t = tangents(&keys, &values, &given, (false, true));
        assert_eq!(t.leaving, vec![[7.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 0.0]]);
    }

    #[test]
    fn uneven_keys_scale_the_velocity() {
        let (keys, values) = ([0.0, 0.25, 1.0], [[0.0], [1.0], [2.0]]);
        let t = tangents(&keys, &values, &[], (false, false));
        assert_eq!((t.leaving[1], t.reaching[1]), ([0.5], [1.5]));
    }

    #[test]
    fn one_key_and_none() {
        assert_eq!(tangents::<3>(&[], &[], &[], (true, true)), Tangents::default());
        let t = tangents(&[0.5], &[[2.0]], &[], (true, false));
        assert_eq!(spline(&[0.5], &[[2.0]], &t, 0.1, &mut 0), Some([2.0]));
    }
}
