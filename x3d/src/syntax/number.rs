//! Numbers of X3D's text encodings.

/// A finite number, or none. Rust's own reader takes `inf` and `NaN`, too.
pub(crate) fn float<T: std::str::FromStr + Into<f64> + Copy>(word: &str) -> Option<T> {
    let last = *word.as_bytes().last()?;
    if !last.is_ascii_digit() && last != b'.' {
        return None;
    }
    let value: T = word.parse().ok()?;
    value.into().is_finite().then_some(value)
}

/// An integer, decimal or hexadecimal; `0xFFFFFFFF` is -1.
pub(crate) fn integer(word: &str) -> Option<i32> {
    let (sign, digits) = match word.as_bytes().first()? {
        b'-' => (-1, &word[1..]),
        b'+' => (1, &word[1..]),
        _ => (1, word),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let bits = u32::from_str_radix(hex, 16).ok()? as i32;
        return Some(bits.wrapping_mul(sign));
    }
    if !digits.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(["1", "1.", ".5", "+1e3", "-0"].map(float::<f64>), [1., 1., 0.5, 1000., -0.].map(Some));
        assert_eq!(["", "inf", "NaN", "1e999", "0x1", "1-", "e"].map(float::<f64>), [None; 7]);
        assert_eq!(["12", "-3", "+4", "0xFF", "0xFFFFFFFF"].map(integer), [12, -3, 4, 255, -1].map(Some));
        assert_eq!(["", "-", "1.5", "0x", "--1", "99999999999", "+-1"].map(integer), [None; 7]);
    }
}
