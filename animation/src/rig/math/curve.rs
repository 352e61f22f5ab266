//! Animation curves: cubic pieces through keys.

/// The value of a curve at a time. A key is four numbers: time, value, slope before it and slope behind it.
///
/// Keys may come in any order; of several at one time, the last one counts behind it, the first one before it. Before the first key and
/// behind the last one, the curve stays as it is there. Between keys it is the cubic with their values and slopes. A slope that is infinite
/// holds the value until the next key. A curve without keys is zero.
pub fn sample(keys: &[f64], time: f64) -> f64 {
    let n = keys.len() / 4;
    let key = |k: usize| -> [f64; 4] { [keys[4 * k], keys[4 * k + 1], keys[4 * k + 2], keys[4 * k + 3]] };
    let sorted = (1..n).all(|k| keys[4 * k - 4] <= keys[4 * k]);
    let (before, behind) = if sorted { around(keys, time) } else { around_unsorted(keys, time) };
    match (before.map(key), behind.map(key)) {
        (None, None) => 0.0,
        (Some([_, value, ..]), None) | (None, Some([_, value, ..])) => value,
        (Some([_, v0, _, out]), Some([_, _, into, _])) if out.is_infinite() || into.is_infinite() => v0,
        (Some([t0, v0, _, out]), Some([t1, v1, into, _])) => {
            hermite(v0, v1, out, into, t1 - t0, (time - t0) / (t1 - t0))
        }
    }
}

/// The last key that is not later than a time, and the first one that is; none is later than a time that is no number.
fn around(keys: &[f64], time: f64) -> (Option<usize>, Option<usize>) {
    let n = keys.len() / 4;
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = usize::midpoint(low, high);
        if keys[4 * middle] <= time {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low.checked_sub(1), (low < n).then_some(low))
}

/// The same of keys in any order.
fn around_unsorted(keys: &[f64], time: f64) -> (Option<usize>, Option<usize>) {
    let at = |k: usize| keys[4 * k];
    let (mut before, mut behind): (Option<usize>, Option<usize>) = (None, None);
    for k in 0..keys.len() / 4 {
        if at(k) <= time {
            before = before.filter(|b| at(*b) > at(k)).or(Some(k));
        } else {
            behind = behind.filter(|b| at(*b) <= at(k)).or(Some(k));
        }
    }
    (before, behind)
}

/// The cubic with values and slopes at both ends of an interval of length `h`, at the share `s` of it.
pub fn hermite(v0: f64, v1: f64, m0: f64, m1: f64, h: f64, s: f64) -> f64 {
    let (s2, s3) = (s * s, s * s * s);
    (2.0 * s3 - 3.0 * s2 + 1.0) * v0
        + (s3 - 2.0 * s2 + s) * h * m0
        + (3.0 * s2 - 2.0 * s3) * v1
        + (s3 - s2) * h * m1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_followed_exactly() {
        let (f, df) = (|t: f64| t * t * t - 2.0 * t, |t: f64| 3.0 * t * t - 2.0);
        let keys: Vec<f64> = [-1.0, 0.5, 2.0].iter().flat_map(|&t| [t, f(t), df(t), df(t)]).collect();
        for k in 0..=30 {
            let t = -1.0 + 0.1 * f64::from(k);
            assert!((sample(&keys, t) - f(t)).abs() < 1e-12, "{t}");
        }
        assert_eq!(sample(&keys, -7.0), f(-1.0));
        assert_eq!(sample(&keys, 7.0), f(2.0));
    }

    #[test]
    fn steps_hold_and_strange_keys_do_no_harm() {
        let step = [0.0, 1.0, 0.0, f64::INFINITY, 1.0, 5.0, 0.0, 0.0];
        assert_eq!((sample(&step, 0.99), sample(&step, 1.0)), (1.0, 5.0));
        assert_eq!(sample(&[], 1.0), 0.0);
        assert!(sample(&step, f64::NAN).is_finite());
        let (keys, mixed) = (
            [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 0.0, 3.0, 5.0, 0.0, 0.0],
            [3.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 0.0],
        );
        for k in -5..40 {
            let t = 0.1 * f64::from(k);
            assert_eq!(sample(&keys, t), sample(&mixed, t), "{t}");
        }
        let same = [1.0, 2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0];
        assert_eq!(sample(&same, 1.0), 3.0);
    }
}
