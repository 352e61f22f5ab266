//! The syntax of attribute values.
//!
//! **Source:** as SOFA's data fields (booleans by their first letter, ranges of indices, 32-bit floats where SOFA reads such),
//! but what SOFA drops with a message, we report as an error.

use sim_core::component::description::AttributeKind;
use sim_core::component::value::Value;

use crate::diagnostics::did_you_mean;

/// Ranges may not make lists longer than this.
const LONGEST_LIST: usize = 50_000_000;

/// Numbers per row of a mechanical state's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Of a position.
    pub coord: usize,
    /// Of a velocity or force.
    pub deriv: usize,
}

impl Widths {
    /// Of a template, if it is known.
    pub fn of_template(template: &str) -> Option<Self> {
        let (coord, deriv) = match template {
            "Vec3" => (3, 3),
            "Rigid3" => (7, 6),
            "Vec1" => (1, 1),
            "Vec2" => (2, 2),
            "Vec6" => (6, 6),
            "Rigid2" => (3, 3),
            _ => return None,
        };
        Some(Self { coord, deriv })
    }

    /// Of points.
    pub const VEC3: Self = Self { coord: 3, deriv: 3 };
}

/// What a text means.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value; none where an empty text leaves a scalar as it is.
    pub value: Option<Value>,
    /// Something was left out.
    pub warning: Option<String>,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// In one line.
    pub message: String,
    /// What may be meant.
    pub suggestion: Option<String>,
}

fn malformed<T>(message: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { message: message.into(), suggestion: None })
}

/// Parses the text of an attribute. Links are not values: their kinds yield the text itself.
///
/// # Errors
/// The text is not of this kind.
pub fn parse(kind: AttributeKind, text: &str, widths: Widths) -> Result<Parsed, Malformed> {
    let words = || text.split_ascii_whitespace();
    let value = |value: Value| Ok(Parsed { value: Some(value), warning: None });
    match kind {
        AttributeKind::Text | AttributeKind::File => return value(Value::Text(text.to_owned())),
        AttributeKind::Link | AttributeKind::Links | AttributeKind::Ignored => {
            return value(Value::Text(text.to_owned()));
        }
        AttributeKind::RealRows(width) => return rows(text, width),
        AttributeKind::Coords => return rows(text, widths.coord),
        AttributeKind::Derivs => return rows(text, widths.deriv),
        AttributeKind::IndexRows(width) => return index_rows(text, width),
        AttributeKind::Bools => {
            return value(Value::Bools(words().map(boolean).collect::<Result<_, _>>()?));
        }
        AttributeKind::Texts => return value(Value::Texts(texts(text)?)),
        _ => {}
    }
    let Some(first) = words().next() else {
        let warning = "is empty and has no effect".to_owned();
        return Ok(Parsed { value: None, warning: Some(warning) });
    };
    let one = |v: Value| {
        let extra = words().count() - 1;
        let warning = (extra > 0).then(|| format!("takes one value: {extra} more are left out"));
        Ok(Parsed { value: Some(v), warning })
    };
    match kind {
        AttributeKind::Bool => one(Value::Bool(boolean(first)?)),
        AttributeKind::Integer => one(Value::Integer(integer(first)?)),
        AttributeKind::Real => one(Value::Real(real(first)?)),
        AttributeKind::Real32 => one(Value::Real(real32(first)?)),
        AttributeKind::Reals(n) => fixed(words().map(real), n, "numbers")
            .map(|(v, w)| Parsed { value: Some(Value::Reals(v)), warning: w }),
        AttributeKind::Integers(n) => fixed(words().map(integer), n, "integers")
            .map(|(v, w)| Parsed { value: Some(Value::Integers(v)), warning: w }),
        AttributeKind::Option(options) => value(Value::Text(option(text.trim(), options)?)),
        // The kinds above returned already.
        _ => value(Value::Text(text.to_owned())),
    }
}

/// One finite real number.
fn real(word: &str) -> Result<f64, Malformed> {
    match word.parse::<f64>() {
        Ok(r) if r.is_finite() => Ok(r),
        _ => not_a_number(word),
    }
}

fn real32(word: &str) -> Result<f64, Malformed> {
    match word.parse::<f32>() {
        Ok(r) if r.is_finite() => Ok(f64::from(r)),
        _ => not_a_number(word),
    }
}

fn not_a_number<T>(word: &str) -> Result<T, Malformed> {
    let hint = word.contains(',').then(|| "numbers are separated by blanks, not commas".to_owned());
    Err(Malformed { message: format!("`{word}` is not a finite number"), suggestion: hint })
}

fn integer(word: &str) -> Result<i64, Malformed> {
    if let Ok(i) = word.parse::<i64>() {
        return Ok(i);
    }
    match word.parse::<f64>() {
        // A whole number written as a real one.
        Ok(r) if r.fract() == 0.0 && r.abs() < 9e15 => Ok(r as i64),
        _ => malformed(format!("`{word}` is not an integer")),
    }
}

fn boolean(word: &str) -> Result<bool, Malformed> {
    match word.chars().next() {
        Some('t' | 'T') => Ok(true),
        Some('f' | 'F') => Ok(false),
        Some('0'..='9' | '-') => integer(word).map(|i| i != 0),
        _ => malformed(format!("`{word}` is neither true nor false")),
    }
}

fn fixed<T>(
    values: impl Iterator<Item = Result<T, Malformed>>,
    n: usize,
    what: &str,
) -> Result<(Vec<T>, Option<String>), Malformed> {
    let mut values = values.collect::<Result<Vec<T>, _>>()?;
    let given = values.len();
    if given < n {
        return malformed(format!("needs {n} {what}, not {given}"));
    }
    values.truncate(n);
    let warning = (given > n).then(|| format!("takes {n} {what}: {} more are left out", given - n));
    Ok((values, warning))
}

fn incomplete(given: usize, width: usize) -> Option<String> {
    let extra = given % width.max(1);
    (extra > 0).then(|| format!("holds rows of {width}: the last {extra} of {given} numbers are left out"))
}

fn rows(text: &str, width: usize) -> Result<Parsed, Malformed> {
    let mut values = text.split_ascii_whitespace().map(real).collect::<Result<Vec<_>, _>>()?;
    let warning = incomplete(values.len(), width);
    values.truncate(values.len() - values.len() % width.max(1));
    Ok(Parsed { value: Some(Value::Reals(values)), warning })
}

fn index_rows(text: &str, width: usize) -> Result<Parsed, Malformed> {
    let mut values = Vec::new();
    for word in text.split_ascii_whitespace() {
        expand_range(word, &mut values)?;
    }
    let warning = incomplete(values.len(), width);
    values.truncate(values.len() - values.len() % width.max(1));
    Ok(Parsed { value: Some(Value::Integers(values)), warning })
}

/// `a`, `a-b` (both ends included, either direction) or `a-b-step`.
fn expand_range(word: &str, values: &mut Vec<i64>) -> Result<(), Malformed> {
    let bad = || Malformed {
        message: format!("`{word}` is neither an integer nor a range such as `3-7` or `0-10-2`"),
        suggestion: None,
    };
    let number = |s: &str| s.parse::<i64>().ok().filter(|i| i.unsigned_abs() < 1 << 53).ok_or_else(bad);
    // A hyphen in front is a sign.
    let hyphen = |from: usize| word.bytes().skip(from).position(|b| b == b'-').map(|i| i + from);
    if !word.is_ascii() {
        return Err(bad());
    }
    let Some(first) = hyphen(1) else {
        values.push(integer(word).map_err(|_| bad())?);
        return Ok(());
    };
    let second = hyphen(first + 2);
    let mut a = number(&word[..first])?;
    let mut b = number(&word[first + 1..second.unwrap_or(word.len())])?;
    let mut step = second.map_or(Ok(0), |s| number(&word[s + 1..]))?;
    if step != 0 && (step > 0) != (b >= a) {
        (a, b) = (b, a);
    }
    if step == 0 {
        step = if a <= b { 1 } else { -1 };
    }
    let count = ((b - a) / step).unsigned_abs() as usize + 1;
    if values.len() + count > LONGEST_LIST {
        return malformed(format!("the range `{word}` makes more than {LONGEST_LIST} indices"));
    }
    values.extend((0..count as i64).map(|i| a + i * step));
    Ok(())
}

/// Words separated by blanks, or a list `["a","b"]`.
fn texts(text: &str) -> Result<Vec<String>, Malformed> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('[') else {
        return Ok(text.split_ascii_whitespace().map(str::to_owned).collect());
    };
    let Some(inner) = inner.strip_suffix(']') else {
        return malformed("the list lacks its closing `]`");
    };
    let items = inner.split(',').map(str::trim).filter(|s| !s.is_empty());
    Ok(items.map(|s| s.trim_matches(['"', '\'']).to_owned()).collect())
}

fn option(text: &str, options: &[&str]) -> Result<String, Malformed> {
    if let Some(o) = options.iter().find(|o| **o == text) {
        return Ok((*o).to_owned());
    }
    if let Some(o) = text.parse::<usize>().ok().and_then(|i| options.get(i)) {
        return Ok((*o).to_owned());
    }
    let suggestion = did_you_mean(text, options.iter().copied());
    Err(Malformed { message: format!("`{text}` is none of {}", options.join(", ")), suggestion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use AttributeKind as K;

    fn value(kind: K, text: &str) -> Option<Value> {
        parse(kind, text, Widths::VEC3).ok().and_then(|p| p.value)
    }

    #[test]
    fn scalars() {
        assert_eq!(value(K::Bool, "True"), Some(Value::Bool(true)));
        assert_eq!(value(K::Bool, "fox"), Some(Value::Bool(false)));
        assert_eq!(value(K::Bool, "-1"), Some(Value::Bool(true)));
        assert_eq!(value(K::Bool, "0"), Some(Value::Bool(false)));
        assert_eq!(value(K::Bool, "yes"), None);
        assert_eq!(value(K::Integer, "12"), Some(Value::Integer(12)));
        assert_eq!(value(K::Integer, "1.5"), None);
        assert_eq!(value(K::Real, " 1e-05 "), Some(Value::Real(1e-5)));
        assert_eq!(value(K::Real32, "7.6871"), Some(Value::Real(7.687_099_933_624_268)));
        for bad in ["nan", "inf", "1e999", "1,5", "0x10", "--1"] {
            assert_eq!(value(K::Real, bad), None, "{bad}");
        }
        assert_eq!(value(K::Option(&["small", "large"]), "1"), Some(Value::Text("large".to_owned())));
        let wrong = parse(K::Option(&["small", "large"]), "lage", Widths::VEC3).expect_err("no option");
        assert_eq!(wrong.suggestion.as_deref(), Some("did you mean `large`?"));
        let empty = parse(K::Real, "", Widths::VEC3).expect("parses");
        assert!(empty.value.is_none() && empty.warning.is_some());
    }

    #[test]
    fn vectors() {
        assert_eq!(value(K::Reals(3), "1 2\n3"), Some(Value::Reals(vec![1.0, 2.0, 3.0])));
        assert_eq!(value(K::Reals(3), "1 2"), None);
        assert!(parse(K::Reals(3), "1 2 3 4", Widths::VEC3).expect("parses").warning.is_some());
        assert_eq!(value(K::RealRows(3), "1 2 3 4"), Some(Value::Reals(vec![1.0, 2.0, 3.0])));
        assert_eq!(value(K::RealRows(3), ""), Some(Value::Reals(vec![])));
        assert_eq!(value(K::Bools, "1 true f"), Some(Value::Bools(vec![true, true, false])));
        let words = Some(Value::Texts(vec!["a".to_owned(), "b c".to_owned()]));
        assert_eq!(value(K::Texts, r#"["a", "b c"]"#), words);
        let rigid = parse(K::Coords, "0 0 0 0 0 0 1", Widths { coord: 7, deriv: 6 }).expect("parses");
        assert!(rigid.warning.is_none());
    }

    #[test]
    fn ranges() {
        let indices = |text: &str| match value(K::IndexRows(1), text) {
            Some(Value::Integers(v)) => Some(v),
            _ => None,
        };
        assert_eq!(indices("3-6 1"), Some(vec![3, 4, 5, 6, 1]));
        assert_eq!(indices("6-3"), Some(vec![6, 5, 4, 3]));
        assert_eq!(indices("0-10-4"), Some(vec![0, 4, 8]));
        assert_eq!(indices("10-0-4"), Some(vec![0, 4, 8]));
        assert_eq!(indices("0-10--5"), Some(vec![10, 5, 0]));
        assert_eq!(indices("2-4-0"), Some(vec![2, 3, 4]));
        assert_eq!(indices("-3-2"), Some(vec![-3, -2, -1, 0, 1, 2]));
        assert_eq!(indices("-3--1"), Some(vec![-3, -2, -1]));
        assert_eq!(indices("-5"), Some(vec![-5]));
        for bad in ["a", "1-", "1-x", "1.5", "0-99999999999999999999", "0-9000000000", "1-é"] {
            assert_eq!(indices(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9a-fA-F.@,\\[\\]\" ]{0,30}|\\PC{0,20}") {
            for kind in [
                K::Bool, K::Integer, K::Real, K::Real32, K::Text, K::Reals(3), K::Integers(2), K::RealRows(3),
                K::IndexRows(4), K::Bools, K::Texts, K::Coords, K::Derivs, K::Option(&["a", "b"]),
            ] {
                let _ = parse(kind, &text, Widths::VEC3);
            }
            let _ = crate::path::Path::parse(&text);
            let _ = crate::path::DataPath::parse(&text);
            let _ = crate::path::split_links(&text);
        }
    }
}
