//! The light that is shown in a color: kiss3d takes light, and shows it through a tone mapping.

/// What kiss3d raises a color to before it shows it.
const GAMMA: f32 = 1.0 / 2.2;
/// From here on bright light is compressed.
const COMPRESSED: f32 = 0.76;
/// The brightest that is asked for, which is white but for one step of a screen's. Of more light, fog would be white where it is still thin.
const BRIGHTEST: f32 = 0.99;
/// How many strengths are tried of bright light.
const TRIED: u32 = 256;

/// The light that is shown in a color, red, green and blue from 0 to 1 as a screen has them; what is both bright and colorful is paled
/// somewhat.
pub(super) fn light_of(color: [f32; 3]) -> [f32; 3] {
    let wanted = color.map(|c| c.clamp(0.0, 1.0).powf(1.0 / GAMMA));
    let peak = wanted.into_iter().fold(0.0, f32::max);
    if peak < COMPRESSED {
        return lifted(wanted);
    }
    let most = strength(peak.min(BRIGHTEST));
    let error = |light: &[f32; 3]| {
        let shown = shown(*light);
        (0..3).map(|k| (shown[k] - color[k]).abs()).fold(0.0, f32::max)
    };
    let tried = (0..=TRIED).map(|k| {
        let peak = COMPRESSED + (most - COMPRESSED) * (k as f32 / TRIED as f32).powi(2);
        lifted(expanded(wanted, peak))
    });
    tried.min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(wanted)
}

/// How kiss3d shows a light (Khronos PBR Neutral).
fn shown(light: [f32; 3]) -> [f32; 3] {
    let least = light.into_iter().fold(f32::INFINITY, f32::min);
    let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let color = light.map(|c| c - offset);
    let peak = color.into_iter().fold(0.0, f32::max);
    if peak < COMPRESSED {
        return color.map(|c| c.powf(GAMMA));
    }
    let lower = compressed(peak);
    let pale = paleness(peak, lower);
    color.map(|c| (c * lower / peak * (1.0 - pale) + lower * pale).powf(GAMMA))
}

/// The light that is shown so, but for the compression: the inverse of what takes a little from each channel.
fn lifted(color: [f32; 3]) -> [f32; 3] {
    let least = color.into_iter().fold(f32::INFINITY, f32::min);
    let before = if least < 0.04 { (least / 6.25).sqrt() } else { least + 0.04 };
    color.map(|c| c + before - least)
}

/// A color before the compression, if its strongest channel was so strong.
fn expanded(color: [f32; 3], peak: f32) -> [f32; 3] {
    let lower = compressed(peak);
    let pale = paleness(peak, lower);
    color.map(|c| ((c - lower * pale) / (1.0 - pale) * peak / lower).clamp(0.0, peak))
}

fn compressed(peak: f32) -> f32 {
    let d = 1.0 - COMPRESSED;
    1.0 - d * d / (peak + d - COMPRESSED)
}

fn strength(compressed: f32) -> f32 {
    let d = 1.0 - COMPRESSED;
    d * d / (1.0 - compressed) - d + COMPRESSED
}

fn paleness(peak: f32, lower: f32) -> f32 {
    1.0 - 1.0 / (0.15 * (peak - lower) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_is_shown_in_the_color_that_was_asked_for() {
        for color in [
            [0.1, 0.1, 0.4],
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [1.0, 1.0, 1.0],
            [0.9, 0.92, 0.95],
            [0.8, 0.2, 0.1],
            [0.02, 0.3, 0.0],
        ] {
            let shown = shown(light_of(color));
            assert!((0..3).all(|k| (shown[k] - color[k]).abs() < 1.5 / 255.0), "{color:?}: {shown:?}");
        }
        // No light is shown as a color so bright and pure; the nearest is.
        let red = shown(light_of([1.0, 0.0, 0.0]));
        assert!(red[0] > 0.9 && red[1] < 0.2 && red[1] == red[2], "{red:?}");
    }
}
