//! Colors as scene files write them.

/// Red, green, blue and alpha, from 0 to 1.
pub type Color = [f32; 4];

/// The names that SOFA knows.
const NAMES: &[(&str, Color)] = &[
    ("white", [1.0, 1.0, 1.0, 1.0]),
    ("black", [0.0, 0.0, 0.0, 1.0]),
    ("red", [1.0, 0.0, 0.0, 1.0]),
    ("green", [0.0, 1.0, 0.0, 1.0]),
    ("blue", [0.0, 0.0, 1.0, 1.0]),
    ("cyan", [0.0, 1.0, 1.0, 1.0]),
    ("magenta", [1.0, 0.0, 1.0, 1.0]),
    ("yellow", [1.0, 1.0, 0.0, 1.0]),
    ("gray", [0.5, 0.5, 0.5, 1.0]),
];

/// The names of colors, in a row.
pub(super) fn names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Reads a color: a name, three or four numbers from 0 to 1, `#rgb`, `#rrggbb` or `#rrggbbaa`.
pub fn parse_color(text: &str) -> Option<Color> {
    let text = text.trim();
    if let Some((_, color)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*color);
    }
    if let Some(digits) = text.strip_prefix('#') {
        return hexadecimal(digits);
    }
    let numbers: Vec<f32> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    match numbers[..] {
        [r, g, b] => Some([r, g, b, 1.0]),
        [r, g, b, a] => Some([r, g, b, a]),
        _ => None,
    }
    .map(|c| c.map(|v| v.clamp(0.0, 1.0)))
}

/// The diffuse color of a material as SOFA writes it: a name, then each term with whether it is used and its numbers.
pub fn parse_material(text: &str) -> Option<Color> {
    let mut words = text.split_whitespace().skip_while(|w| *w != "Diffuse").skip(1);
    if words.next()? != "1" {
        return None;
    }
    let numbers: Vec<f32> = words.map_while(|w| w.parse().ok()).take(4).collect();
    <[f32; 4]>::try_from(numbers).ok().map(|c| c.map(|v| v.clamp(0.0, 1.0)))
}

fn hexadecimal(digits: &str) -> Option<Color> {
    let nibbles: Vec<u32> = digits.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let mut color = [1.0; 4];
    match nibbles.len() {
        3 => (0..3).for_each(|k| color[k] = nibbles[k] as f32 / 15.0),
        6 | 8 => {
            let pairs = nibbles.chunks(2);
            pairs.zip(&mut color).for_each(|(p, c)| *c = (16 * p[0] + p[1]) as f32 / 255.0);
        }
        _ => return None,
    }
    Some(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diffuse_term_of_a_material() {
        let text =
            "Default Diffuse 1 0.4 0.5 0.6 1 Ambient 1 0.1 0.1 0.1 1 Specular 0 1 1 1 1 Shininess 0 45";
        assert_eq!(parse_material(text), Some([0.4, 0.5, 0.6, 1.0]));
        assert_eq!(parse_material("Default Diffuse 0 0.4 0.5 0.6 1 Ambient 1 0 0 0 1"), None);
        assert_eq!(parse_material(""), None);
    }

    #[test]
    fn colors_as_scenes_write_them() {
        assert_eq!(parse_color("red"), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(parse_color("0.8 0.8 0.9 0.4"), Some([0.8, 0.8, 0.9, 0.4]));
        assert_eq!(parse_color("1 0 2"), Some([1.0, 0.0, 1.0, 1.0]));
        assert_eq!(parse_color("#00ff00"), Some([0.0, 1.0, 0.0, 1.0]));
        assert_eq!(parse_color("#f00"), Some([1.0, 0.0, 0.0, 1.0]));
        for bad in ["", "mauve", "1 0", "#12345", "1 2 x"] {
            assert_eq!(parse_color(bad), None, "{bad}");
        }
    }
}
