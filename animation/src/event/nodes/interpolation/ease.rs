//! Fractions that start and end gently.

use super::keys::{Place, find};

/// How far a motion is after a fraction `u` of its time, if it speeds up for a share of `out` of it and slows down for `into` (EaseInEaseOut). Shares
/// above 1 together are scaled down to it.
///
/// **Source:** ISO/IEC 19775-1, 19.4.4, *EaseInEaseOut*.
pub fn eased(u: f32, out: f32, into: f32) -> f32 {
    let (out, into) = (out.max(0.0), into.max(0.0));
    let sum = out + into;
    if sum.is_nan() || sum <= 0.0 {
        return u;
    }
    let (out, into) = if sum > 1.0 { (out / sum, into / sum) } else { (out, into) };
    let speed = 1.0 / (2.0 - out - into);
    if u < out {
        speed / out * u * u
    } else if u <= 1.0 - into {
        speed * (2.0 * u - out)
    } else {
        1.0 - speed * (1.0 - u) * (1.0 - u) / into
    }
}

/// The fraction between two keys, made gentle by the first one's `y` (out of it) and the second one's `x` (into it). Before the first key it is
/// 0, from the last on 1.
pub fn ease_in_ease_out(keys: &[f32], values: &[[f32; 2]], fraction: f32, cursor: &mut usize) -> Option<f32> {
    let Place { index, weight } = find(keys, fraction, cursor)?;
    if index + 1 == keys.len() {
        return Some(1.0);
    }
    Some(eased(weight, values.get(index)?[1], values.get(index + 1)?[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_shares_it_is_the_fraction() {
        assert_eq!(eased(0.3, 0.0, 0.0), 0.3);
        assert_eq!(eased(0.3, -1.0, -1.0), 0.3);
    }

    #[test]
    fn it_runs_from_0_to_1_without_jumps() {
        for (out, into) in [(0.5, 0.5), (0.2, 0.0), (0.0, 0.3), (1.0, 1.0), (0.1, 0.8)] {
            assert!(eased(0.0, out, into).abs() < 1e-6 && (eased(1.0, out, into) - 1.0).abs() < 1e-6);
            let steps: Vec<f32> = (0..=1000).map(|k| eased(k as f32 / 1000.0, out, into)).collect();
            assert!(steps.windows(2).all(|w| w[1] >= w[0] - 1e-6 && w[1] - w[0] < 0.01), "{out} {into}");
        }
    }

    #[test]
    fn between_two_keys_the_first_goes_out_and_the_second_comes_in() {
        let (keys, values) = ([0.0, 0.5, 1.0], [[0.9, 0.5], [0.5, 0.0], [0.0, 0.9]]);
        let f = |u| ease_in_ease_out(&keys, &values, u, &mut 0).unwrap();
        assert_eq!(f(0.25), 0.5);
        assert_eq!(f(0.125), 0.125);
        assert_eq!(f(0.75), 0.5);
        assert_eq!(f(1.0), 1.0);
        assert_eq!(f(-1.0), 0.0);
    }
}
