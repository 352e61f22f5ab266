//! Colours between keys, by hue, saturation and value.

use super::keys::{Place, find};
use super::linear::mix;

/// Hue (0 to less than 1, a full turn), saturation and value of a colour of red, green and blue; a grey's hue is 0.
///
/// **Source:** Smith, *Color gamut transform pairs*, 1978.
pub fn hsv([r, g, b]: [f32; 3]) -> [f32; 3] {
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    let range = high - low;
    if range <= 0.0 || high <= 0.0 {
        return [0.0, 0.0, high];
    }
    let sector = if r == high {
        (g - b) / range
    } else if g == high {
        2.0 + (b - r) / range
    } else {
        4.0 + (r - g) / range
    };
    let hue = sector / 6.0;
    [if hue < 0.0 { hue + 1.0 } else { hue }, range / high, high]
}

/// Red, green and blue of hue (any number of turns), saturation and value.
pub fn rgb([hue, saturation, value]: [f32; 3]) -> [f32; 3] {
    let sector = (hue - hue.floor()) * 6.0;
    let within = sector - sector.floor();
    let p = value * (1.0 - saturation);
    let q = value * (1.0 - saturation * within);
    let t = value * (1.0 - saturation * (1.0 - within));
    match sector as u8 {
        1 => [q, value, p],
        2 => [p, value, t],
        3 => [p, q, value],
        4 => [t, p, value],
        5 => [value, p, q],
        _ => [value, t, p],
    }
}

/// The colour between two, the shorter way round the hues. A grey has the other one's hue.
pub fn mix_hsv(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    let (mut a, mut b) = (hsv(a), hsv(b));
    if a[1] == 0.0 {
        a[0] = b[0];
    } else if b[1] == 0.0 {
        b[0] = a[0];
    }
    if b[0] - a[0] > 0.5 {
        a[0] += 1.0;
    } else if a[0] - b[0] > 0.5 {
        b[0] += 1.0;
    }
    rgb(std::array::from_fn(|k| mix(a[k], b[k], t)))
}

/// A colour among key values (ColorInterpolator); a key's own comes out with its bits.
///
/// **Source:** ISO/IEC 19775-1, 19.4.1: keys are interpolated in HSV space.
pub fn color(keys: &[f32], values: &[[f32; 3]], fraction: f32, cursor: &mut usize) -> Option<[f32; 3]> {
    let Place { index, weight } = find(keys, fraction, cursor)?;
    let a = *values.get(index)?;
    if weight == 0.0 { Some(a) } else { Some(mix_hsv(a, *values.get(index + 1)?, weight)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_the_same_colour() {
        for r in 0..5 {
            for g in 0..5 {
                for b in 0..5 {
                    let c = [r, g, b].map(|v| v as f32 / 4.0);
                    let back = rgb(hsv(c));
                    assert!(c.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-6), "{c:?} {back:?}");
                }
            }
        }
    }

    #[test]
    fn between_red_and_green_is_yellow_and_not_brown() {
        let c = mix_hsv([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.5);
        assert!(c.iter().zip([1.0, 1.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{c:?}");
        // Between red and magenta the hue runs by its end.
        let c = mix_hsv([1.0, 0.0, 0.0], [1.0, 0.0, 1.0], 0.5);
        assert!(c.iter().zip([1.0, 0.0, 0.5]).all(|(a, b)| (a - b).abs() < 1e-6), "{c:?}");
        // From white to blue there is no other hue.
        let c = mix_hsv([1.0, 1.0, 1.0], [0.0, 0.0, 1.0], 0.5);
        assert!(c.iter().zip([0.5, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{c:?}");
    }
}
