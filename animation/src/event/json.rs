//! Values as JSON.

use std::fmt::{self, Display, Write};

use super::field::{Image, Value};
use super::ids::NodeId;

/// A value as JSON: numbers with the fewest digits that give the same bits back, vectors and lists as arrays, nodes as their numbers. What JSON has no number
/// for is a string: `"NaN"`, `"Infinity"`, `"-Infinity"`.
pub struct Json<'a>(pub &'a Value);

impl Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::SFBool(v) => v.json(f),
            Value::MFBool(v) => v.json(f),
            Value::SFInt32(v) => v.json(f),
            Value::MFInt32(v) => v.json(f),
            Value::SFFloat(v) => v.json(f),
            Value::MFFloat(v) => v.json(f),
            Value::SFDouble(v) | Value::SFTime(v) => v.json(f),
            Value::MFDouble(v) | Value::MFTime(v) => v.json(f),
            Value::SFString(v) => v.json(f),
            Value::MFString(v) => v.json(f),
            Value::SFVec2f(v) => v.json(f),
            Value::MFVec2f(v) => v.json(f),
            Value::SFVec2d(v) => v.json(f),
            Value::MFVec2d(v) => v.json(f),
            Value::SFVec3f(v) | Value::SFColor(v) => v.json(f),
            Value::MFVec3f(v) | Value::MFColor(v) => v.json(f),
            Value::SFVec3d(v) => v.json(f),
            Value::MFVec3d(v) => v.json(f),
            Value::SFVec4f(v) | Value::SFRotation(v) | Value::SFColorRGBA(v) => v.json(f),
            Value::MFVec4f(v) | Value::MFRotation(v) | Value::MFColorRGBA(v) => v.json(f),
            Value::SFVec4d(v) => v.json(f),
            Value::MFVec4d(v) => v.json(f),
            Value::SFMatrix3f(v) => v.json(f),
            Value::MFMatrix3f(v) => v.json(f),
            Value::SFMatrix3d(v) => v.json(f),
            Value::MFMatrix3d(v) => v.json(f),
            Value::SFMatrix4f(v) => v.json(f),
            Value::MFMatrix4f(v) => v.json(f),
            Value::SFMatrix4d(v) => v.json(f),
            Value::MFMatrix4d(v) => v.json(f),
            Value::SFImage(v) => v.json(f),
            Value::MFImage(v) => v.json(f),
            Value::SFNode(v) => v.json(f),
            Value::MFNode(v) => v.json(f),
        }
    }
}

/// As [`Json`].
impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Json(self).fmt(f)
    }
}

trait ToJson {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl ToJson for bool {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
impl ToJson for i32 {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
impl ToJson for u32 {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {
        $(
            impl ToJson for $t {
                fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    if self.is_nan() {
                        f.write_str("\"NaN\"")
                    } else if self.is_infinite() {
                        f.write_str(if *self > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" })
                    } else {
                        // Not `Display`, which writes 1e30 with all its zeros.
                        write!(f, "{self:?}")
                    }
                }
            }
        )*
    };
}
numbers!(f32 f64);

impl ToJson for std::sync::Arc<str> {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

impl<T: ToJson> ToJson for [T] {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (k, value) in self.iter().enumerate() {
            if k > 0 {
                f.write_char(',')?;
            }
            value.json(f)?;
        }
        f.write_char(']')
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().json(f)
    }
}

impl ToJson for Option<NodeId> {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Some(node) => node.0.json(f),
            None => f.write_str("null"),
        }
    }
}

impl ToJson for Image {
    fn json(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, components, pixels } = self;
        write!(f, "{{\"width\":{width},\"height\":{height},\"components\":{components},\"pixels\":")?;
        pixels.json(f)?;
        f.write_char('}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        let cases: [(Value, &str); 9] = [
            (Value::SFFloat(0.1), "0.1"),
            (Value::SFFloat(1.0), "1.0"),
            (Value::SFTime(1e30), "1e30"),
            (Value::SFFloat(f32::NAN), "\"NaN\""),
            (Value::SFBool(true), "true"),
            (Value::SFVec3f([1.5, -0.0, 3.0]), "[1.5,-0.0,3.0]"),
            (Value::MFString(["a\"b\n\u{1}".into()].into()), "[\"a\\\"b\\n\\u0001\"]"),
            (Value::MFVec2f([[0.0, 1.0], [2.0, 3.0]].into()), "[[0.0,1.0],[2.0,3.0]]"),
            (Value::MFNode([Some(NodeId(3)), None].into()), "[3,null]"),
        ];
        for (value, json) in cases {
            assert_eq!(value.to_string(), json);
        }
    }
}
