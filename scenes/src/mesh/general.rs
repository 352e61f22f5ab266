//! Numbers as C++ streams write them.

use std::fmt;

/// A number with so many significant digits, without trailing zeros, with an exponent where it is shorter.
///
/// **Source:** the default format of C++ streams (`%g` of C), by which SOFA writes its files.
#[derive(Clone, Copy, Debug)]
pub struct General(
    /// The number.
    pub f64,
    /// Significant digits, at least 1.
    pub usize,
);

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(x, digits) = *self;
        let digits = digits.max(1);
        if !x.is_finite() {
            return f.write_str(if x.is_nan() {
                "nan"
            } else if x > 0.0 {
                "inf"
            } else {
                "-inf"
            });
        }
        let scientific = format!("{x:.*e}", digits - 1);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if exponent < -4 || exponent >= digits as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return write!(f, "{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
        }
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        f.write_str(trimmed(&format!("{x:.decimals$}")))
    }
}

/// Without zeros at the end of the fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_those_of_c() {
        let six = |x: f64| General(x, 6).to_string();
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (7.0 / 6.0, "1.16667"),
            (2e-12, "2e-12"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.23457e+06"),
            (0.000_1, "0.0001"),
            (0.000_012_345_67, "1.23457e-05"),
            (999_999.5, "1e+06"),
            (-100.0, "-100"),
            (1e100, "1e+100"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(six(x), text);
        }
        assert_eq!(General(0.1 + 0.2, 17).to_string(), "0.30000000000000004");
        assert_eq!(General(1.0 / 3.0, 9).to_string(), "0.333333333");
    }
}
