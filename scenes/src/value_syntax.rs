//! The syntax of attribute values.
//!
//! **Source:** as SOFA's data fields. Booleans count by their first letter, lists of indices may hold ranges, some numbers are
//! 32-bit floats. Numbers are taken from the text one after the other, as C++ streams take them: a number ends where it can go
//! no further (`20]` is 20, `1,5` is 1), and a list ends at the first thing that is no number. What is left out is warned of.
//! A square matrix may have brackets around it and commas between its rows.
//! Numbers that are not finite are errors.
//! Where SOFA itself can read nothing and leaves a value as it was, we report an error.

use sim_core::component::description::AttributeKind;
use sim_core::component::mechanical_state::for_template;
use sim_core::component::value::Value;
use sim_core::math::{Coord, Deriv, StateType};

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
        for_template!(template, S => Self::of::<S>())
    }

    fn of<S: StateType>() -> Self {
        Self { coord: S::Coord::SIZE, deriv: S::Deriv::SIZE }
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
        AttributeKind::Text | AttributeKind::File | AttributeKind::Lists => {
            return value(Value::Text(text.to_owned()));
        }
        AttributeKind::Link | AttributeKind::Links | AttributeKind::Ignored | AttributeKind::Unsupported => {
            return value(Value::Text(text.to_owned()));
        }
        AttributeKind::RealRows(width) => return rows(text, width),
        AttributeKind::PointVector => return rows(text, 1),
        AttributeKind::RigidMasses => return rows(&text.replace(['[', ']', ','], " "), 1),
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
    match kind {
        AttributeKind::Bool => one(Value::Bool(boolean(first)?), after_word(text)),
        AttributeKind::Integer => {
            let (value, rest) = integer_at(text).ok_or_else(|| not_an_integer(first))?;
            one(Value::Integer(value), rest)
        }
        AttributeKind::Real => {
            let (value, rest) = real_at(text).ok_or_else(|| not_a_number(first))?;
            one(Value::Real(value), rest)
        }
        // SOFA reads these by hand, and takes a text as a whole or not at all.
        AttributeKind::Real32 => {
            let value = real32(first)?;
            let rest = after_word(text);
            if rest.is_empty() {
                return one(Value::Real(value), "");
            }
            let what = if rest.trim().is_empty() { ", with a blank after it" } else { "" };
            let warning = format!(
                "has no effect: it is one number, not `{}`{what}, and is left out as in SOFA",
                shortened(text)
            );
            Ok(Parsed { value: None, warning: Some(warning) })
        }
        AttributeKind::Reals(n @ (4 | 9 | 16)) if text.trim_start().starts_with('[') => {
            let plain = text.replace(['[', ']', ','], " ");
            fixed(&plain, n, "numbers", real_at, not_a_number)
                .map(|(v, w)| Parsed { value: Some(Value::Reals(v)), warning: w })
        }
        AttributeKind::Reals(n) => fixed(text, n, "numbers", real_at, not_a_number)
            .map(|(v, w)| Parsed { value: Some(Value::Reals(v)), warning: w }),
        AttributeKind::Integers(n) => fixed(text, n, "integers", integer_at, not_an_integer)
            .map(|(v, w)| Parsed { value: Some(Value::Integers(v)), warning: w }),
        AttributeKind::Option(options) => value(Value::Text(option(text.trim(), options)?)),
        AttributeKind::WordOrDefault(words) => Ok(word_or_default(text.trim(), words)),
        // The kinds above returned already.
        _ => value(Value::Text(text.to_owned())),
    }
}

/// Whether two texts mean the same: words, numbers however they are written, booleans by their first letter. An empty text
/// means whatever the default is.
pub fn is_same(text: &str, default: &str) -> bool {
    let meant = |word: &str| -> String {
        match real_at(word) {
            Some((r, "")) => r.to_string(),
            _ => match word.to_ascii_lowercase().as_str() {
                "true" => "1".to_owned(),
                "false" => "0".to_owned(),
                _ => word.to_owned(),
            },
        }
    };
    let words = |text: &str| text.split_ascii_whitespace().map(meant).collect::<Vec<_>>();
    text.trim().is_empty() || words(text) == words(default)
}

/// A single value; what follows it in the text has no effect.
fn one(value: Value, rest: &str) -> Result<Parsed, Malformed> {
    let rest = shortened(rest.trim_ascii());
    let warning = (!rest.is_empty()).then(|| format!("takes one value: `{rest}` is left out"));
    Ok(Parsed { value: Some(value), warning })
}

/// What follows the first word of a text.
fn after_word(text: &str) -> &str {
    let text = text.trim_ascii_start();
    text.find(|c: char| c.is_ascii_whitespace()).map_or("", |i| &text[i..])
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> &str {
    const LONGEST: usize = 20;
    text.char_indices().nth(LONGEST).map_or(text, |(i, _)| &text[..i])
}

/// The finite number that a text begins with, and what follows it.
///
/// **Source:** as C++ streams read numbers: neither hexadecimal ones nor `nan` and `inf`, and an exponent needs digits.
fn real_at(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_ascii_start();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(from.min(bytes.len()));
        if exponent == 0 {
            return None;
        }
        end = from + exponent;
    }
    let value = text[..end].parse::<f64>().ok().filter(|r| r.is_finite())?;
    Some((value, &text[end..]))
}

/// The integer that a text begins with, and what follows it.
///
/// **Source:** as C++ streams read integers: digits only, so that `1e4` is 1. Where a real number begins with the digits and is the
/// same (`25.`, `10.0`), nothing of it is left over.
fn integer_at(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_ascii_start();
    let sign = usize::from(matches!(text.bytes().next(), Some(b'+' | b'-')));
    let end = sign + text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let value: i64 = text[..end].parse().ok()?;
    match real_at(text) {
        Some((r, rest)) if r == value as f64 => Some((value, rest)),
        _ => Some((value, &text[end..])),
    }
}

fn real32(word: &str) -> Result<f64, Malformed> {
    match word.parse::<f32>() {
        Ok(r) if r.is_finite() => Ok(f64::from(r)),
        _ => Err(not_a_number(word)),
    }
}

fn not_a_number(word: &str) -> Malformed {
    let hint = word.contains(',').then(|| "numbers are separated by blanks, not commas".to_owned());
    Malformed { message: format!("`{}` is not a finite number", shortened(word)), suggestion: hint }
}

fn not_an_integer(word: &str) -> Malformed {
    Malformed { message: format!("`{}` is not an integer", shortened(word)), suggestion: None }
}

fn integer(word: &str) -> Result<i64, Malformed> {
    if let Ok(i) = word.parse::<i64>() {
        return Ok(i);
    }
    match word.parse::<f64>() {
        // A whole number written as a real one.
        Ok(r) if r.fract() == 0.0 && r.abs() < 9e15 => Ok(r as i64),
        _ => Err(not_an_integer(word)),
    }
}

fn boolean(word: &str) -> Result<bool, Malformed> {
    match word.chars().next() {
        Some('t' | 'T') => Ok(true),
        Some('f' | 'F') => Ok(false),
        Some('0'..='9' | '-') => integer(word).map(|i| i != 0),
        _ => malformed(format!("`{}` is neither true nor false", shortened(word))),
    }
}

/// The `n` values that a text begins with, and what is to be said of the rest.
fn fixed<T>(
    text: &str,
    n: usize,
    what: &str,
    next: impl Fn(&str) -> Option<(T, &str)>,
    wrong: impl Fn(&str) -> Malformed,
) -> Result<(Vec<T>, Option<String>), Malformed> {
    let mut values = Vec::with_capacity(n);
    let mut rest = text;
    while values.len() < n {
        let Some((value, after)) = next(rest) else {
            return match rest.split_ascii_whitespace().next() {
                Some(word) => Err(wrong(word)),
                None => malformed(format!("needs {n} {what}, not {}", values.len())),
            };
        };
        values.push(value);
        rest = after;
    }
    let rest = shortened(rest.trim_ascii());
    let warning = (!rest.is_empty()).then(|| format!("takes {n} {what}: `{rest}` is left out"));
    Ok((values, warning))
}

/// What is to be said of a list that is cut.
fn cut(stopped_at: Option<&str>, given: usize, width: usize) -> Option<String> {
    let extra = given % width.max(1);
    let incomplete = format!("holds rows of {width}: the last {extra} of {given} numbers are left out");
    let Some(word) = stopped_at else { return (extra > 0).then_some(incomplete) };
    let comma = if word.contains(',') { " (numbers are separated by blanks)" } else { "" };
    let mut message = format!("ends at `{}`, which is not a finite number{comma}", shortened(word));
    message += &format!(": {given} numbers before it are read, what follows is left out, as in SOFA");
    if extra > 0 {
        message += &format!("; it {incomplete}");
    }
    Some(message)
}

fn rows(text: &str, width: usize) -> Result<Parsed, Malformed> {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((value, after)) = real_at(rest) {
        values.push(value);
        rest = after;
    }
    let stopped_at = rest.split_ascii_whitespace().next();
    // SOFA ends the list here too; but who writes such a number has computed it, and means no shorter list.
    if let Some(word) = stopped_at.filter(|w| w.parse::<f64>().is_ok_and(|r| !r.is_finite())) {
        return Err(not_a_number(word));
    }
    let warning = cut(stopped_at, values.len(), width);
    values.truncate(values.len() - values.len() % width.max(1));
    Ok(Parsed { value: Some(Value::Reals(values)), warning })
}

/// Rows of indices. A list of single indices is one of words in SOFA, which takes a wrong one for 0: an error here. A list of
/// rows is one of numbers, and ends at the first thing that is none.
fn index_rows(text: &str, width: usize) -> Result<Parsed, Malformed> {
    let mut values = Vec::new();
    let mut stopped_at = None;
    for word in text.split_ascii_whitespace() {
        match expand_range(word, &mut values) {
            Ok(()) => {}
            Err(e) if width <= 1 => return Err(e),
            Err(_) => {
                // The word may begin with a number.
                let number = integer_at(word);
                values.extend(number.map(|(i, _)| i));
                stopped_at = Some(number.map_or(word, |(_, rest)| rest));
                break;
            }
        }
    }
    let warning = cut(stopped_at, values.len(), width);
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

fn word_or_default(text: &str, words: &[&str]) -> Parsed {
    if words.contains(&text) {
        return Parsed { value: Some(Value::Text(text.to_owned())), warning: None };
    }
    let text = shortened(text);
    let warning = format!("`{text}` is none of {}; the default is taken, as in SOFA", words.join(", "));
    Parsed { value: None, warning: Some(warning) }
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
        assert_eq!(value(K::Integer, "1.5"), Some(Value::Integer(1)));
        assert_eq!(value(K::Integer, "25."), Some(Value::Integer(25)));
        assert_eq!(value(K::Integer, "1e4"), Some(Value::Integer(1)), "as SOFA, which reads digits");
        assert_eq!(value(K::Real, " 1e-05 "), Some(Value::Real(1e-5)));
        assert_eq!(value(K::Real32, "7.6871"), Some(Value::Real(7.687_099_933_624_268)));
        assert_eq!(value(K::Real, "20]"), Some(Value::Real(20.0)));
        let partly = parse(K::Real, "1,5", Widths::VEC3).expect("parses");
        assert_eq!((partly.value, partly.warning.is_some()), (Some(Value::Real(1.0)), true));
        assert_eq!(value(K::Real32, "1,5"), None);
        let several = parse(K::Real32, "10 10 0", Widths::VEC3).expect("parses");
        assert!(several.value.is_none() && several.warning.is_some_and(|w| w.contains("10 10 0")));
        assert_eq!(value(K::Real32, " 10"), Some(Value::Real(10.0)));
        let blank = parse(K::Real32, "10 ", Widths::VEC3).expect("parses");
        assert!(blank.value.is_none() && blank.warning.is_some_and(|w| w.contains("a blank after it")));
        for bad in ["nan", "inf", "1e999", "[20", ",5", "--1", "1e", "."] {
            assert_eq!(value(K::Real, bad), None, "{bad}");
        }
        assert_eq!(value(K::Option(&["small", "large"]), "1"), Some(Value::Text("large".to_owned())));
        let wrong = parse(K::Option(&["small", "large"]), "lage", Widths::VEC3).expect_err("no option");
        assert_eq!(wrong.suggestion.as_deref(), Some("did you mean `large`?"));
        let known = K::WordOrDefault(&["small", "large"]);
        assert_eq!(value(known, " small "), Some(Value::Text("small".to_owned())));
        let other = parse(known, "1", Widths::VEC3).expect("parses");
        assert!(other.value.is_none() && other.warning.is_some_and(|w| w.contains("none of small, large")));
        let empty = parse(K::Real, "", Widths::VEC3).expect("parses");
        assert!(empty.value.is_none() && empty.warning.is_some());
    }

    #[test]
    fn vectors() {
        assert_eq!(value(K::Reals(3), "1 2\n3"), Some(Value::Reals(vec![1.0, 2.0, 3.0])));
        assert_eq!(value(K::Reals(3), "1 2"), None);
        let matrix = parse(K::Reals(4), "[1 2,3 4]", Widths::VEC3).expect("parses");
        assert_eq!((matrix.value, matrix.warning), (Some(Value::Reals(vec![1.0, 2.0, 3.0, 4.0])), None));
        assert_eq!(value(K::Reals(3), "[1 2 3]"), None, "a vector has no brackets");
        assert!(parse(K::Reals(3), "1 2 3 4", Widths::VEC3).expect("parses").warning.is_some());
        assert_eq!(value(K::RealRows(3), "1 2 3 4"), Some(Value::Reals(vec![1.0, 2.0, 3.0])));
        assert_eq!(value(K::RealRows(3), ""), Some(Value::Reals(vec![])));
        assert_eq!(value(K::Bools, "1 true f"), Some(Value::Bools(vec![true, true, false])));
        let words = Some(Value::Texts(vec!["a".to_owned(), "b c".to_owned()]));
        assert_eq!(value(K::Texts, r#"["a", "b c"]"#), words);
        let lists = "[0,1] [2]";
        assert_eq!(value(K::Lists, lists), Some(Value::Text(lists.to_owned())), "read by the component");
        let rigid = parse(K::Coords, "0 0 0 0 0 0 1", Widths { coord: 7, deriv: 6 }).expect("parses");
        assert!(rigid.warning.is_none());
    }

    #[test]
    fn texts_that_mean_the_same() {
        for (text, default) in
            [("true", "1"), ("0.0", "0"), (" 1  2.50", "1 2.5"), ("", "7"), ("None", "None")]
        {
            assert!(is_same(text, default), "{text} {default}");
        }
        for (text, default) in [("1", "0"), ("0 1 2", ""), ("@a.b", "0"), ("none", "None"), ("1 2", "1")] {
            assert!(!is_same(text, default), "{text} {default}");
        }
    }

    #[test]
    fn lists_end_at_the_first_thing_that_is_no_number() {
        let points = |text: &str| {
            let parsed = parse(K::RealRows(3), text, Widths::VEC3).expect("parses");
            assert!(parsed.warning.is_some(), "{text}");
            let Some(Value::Reals(v)) = parsed.value else { panic!("{text}") };
            v
        };
        assert_eq!(points("1 2 3, 4 5 6"), [1.0, 2.0, 3.0]);
        assert_eq!(points("1 2 3 4 5 6abc 7"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        for none in ["[1 2 3 4 5 6", "1 2,5 3", "1 0x10 3", "1 1d0 3"] {
            assert!(points(none).is_empty(), "{none}");
        }
        for not_finite in ["1 2 nan", "1 2 -inf", "0 0 1e999"] {
            assert!(parse(K::RealRows(3), not_finite, Widths::VEC3).is_err(), "{not_finite}");
        }
        assert_eq!(value(K::RealRows(3), "+3 .5 1e-1"), Some(Value::Reals(vec![3.0, 0.5, 0.1])));
        let masses = Some(Value::Reals(vec![1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]));
        for text in ["1 1 [2 0 0,0 2 0,0 0 2]", "1 1 2 0 0 0 2 0 0 0 2", "1 1 [ 2 0 0 0 2 0 , 0 0 2 ]"] {
            assert_eq!(value(K::RigidMasses, text), masses, "{text}");
        }
        assert_eq!(value(K::IndexRows(2), "0 1 2 3] 4"), Some(Value::Integers(vec![0, 1, 2, 3])));
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
                K::IndexRows(4), K::RigidMasses, K::Bools, K::Texts, K::Lists, K::Coords, K::Derivs, K::Option(&["a", "b"]),
                K::WordOrDefault(&["a", "b"]),
            ] {
                let _ = parse(kind, &text, Widths::VEC3);
            }
            let _ = crate::path::Path::parse(&text);
            let _ = crate::path::DataPath::parse(&text);
            let _ = crate::path::split_links(&text);
        }
    }
}
