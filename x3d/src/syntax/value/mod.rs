//! What a field is given, as a value of its type.
//!
//! **Source:** ISO/IEC 19776-1 and -2, clause 5 (encoding of fields).

mod reader;

use std::sync::Arc;

use animation::event::field::{FieldType, Image, Value};

use self::reader::Reader;

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// An attribute: a string has no quotes, and nothing is a comment.
    Attribute,
    /// ClassicVRML.
    Classic,
}

/// Why a text is no value.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    /// Where in the text.
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// A value, and what is odd about its text.
pub(crate) type Read = (Value, Option<String>);

/// The value of a text.
pub(crate) fn read(field_type: FieldType, text: &str, style: Style) -> Result<Read, Fault> {
    use FieldType as T;
    let mut r = Reader::new(text, style);
    macro_rules! single {
        ($kind:ident, $element:expr) => {{
            let value = Value::$kind($element(&mut r)?);
            r.end(field_type)?;
            value
        }};
    }
    macro_rules! many {
        ($kind:ident, $element:expr) => {
            Value::$kind(r.many($element)?)
        };
    }
    let value = match field_type {
        T::SFBool => single!(SFBool, Reader::truth),
        T::MFBool => many!(MFBool, Reader::truth),
        T::SFInt32 => single!(SFInt32, Reader::integer),
        T::MFInt32 => many!(MFInt32, Reader::integer),
        T::SFFloat => single!(SFFloat, Reader::float),
        T::MFFloat => many!(MFFloat, Reader::float),
        T::SFDouble => single!(SFDouble, Reader::float),
        T::MFDouble => many!(MFDouble, Reader::float),
        T::SFTime => single!(SFTime, Reader::float),
        T::MFTime => many!(MFTime, Reader::float),
        T::SFString if style == Style::Attribute => Value::SFString(text.into()),
        T::SFString => single!(SFString, Reader::string),
        T::MFString => Value::MFString(r.strings()?),
        T::SFVec2f => single!(SFVec2f, Reader::floats),
        T::MFVec2f => many!(MFVec2f, Reader::floats),
        T::SFVec2d => single!(SFVec2d, Reader::floats),
        T::MFVec2d => many!(MFVec2d, Reader::floats),
        T::SFVec3f => single!(SFVec3f, Reader::floats),
        T::MFVec3f => many!(MFVec3f, Reader::floats),
        T::SFVec3d => single!(SFVec3d, Reader::floats),
        T::MFVec3d => many!(MFVec3d, Reader::floats),
        T::SFVec4f => single!(SFVec4f, Reader::floats),
        T::MFVec4f => many!(MFVec4f, Reader::floats),
        T::SFVec4d => single!(SFVec4d, Reader::floats),
        T::MFVec4d => many!(MFVec4d, Reader::floats),
        T::SFRotation => single!(SFRotation, Reader::floats),
        T::MFRotation => many!(MFRotation, Reader::floats),
        T::SFColor => single!(SFColor, Reader::floats),
        T::MFColor => many!(MFColor, Reader::floats),
        T::SFColorRGBA => single!(SFColorRGBA, Reader::floats),
        T::MFColorRGBA => many!(MFColorRGBA, Reader::floats),
        T::SFMatrix3f => single!(SFMatrix3f, Reader::floats),
        T::MFMatrix3f => many!(MFMatrix3f, Reader::floats),
        T::SFMatrix3d => single!(SFMatrix3d, Reader::boxed),
        T::MFMatrix3d => many!(MFMatrix3d, Reader::floats),
        T::SFMatrix4f => single!(SFMatrix4f, Reader::boxed),
        T::MFMatrix4f => many!(MFMatrix4f, Reader::floats),
        T::SFMatrix4d => single!(SFMatrix4d, Reader::boxed),
        T::MFMatrix4d => many!(MFMatrix4d, Reader::floats),
        T::SFImage => single!(SFImage, Reader::image),
        T::MFImage => many!(MFImage, Reader::image),
        T::SFNode | T::MFNode => {
            match r.word() {
                None | Some((_, "NULL")) => r.end(field_type)?,
                Some((at, word)) => return Err(r.fault(at, &format!("`{word}` is no node"))),
            }
            zero(field_type)
        }
    };
    Ok((value, r.oddity))
}

/// The value that a field of a type has where nothing says more.
pub(crate) fn zero(field_type: FieldType) -> Value {
    use FieldType as T;
    macro_rules! zeros {
        ($($kind:ident: $zero:expr),* $(,)?) => {
            match field_type {
                $(T::$kind => Value::$kind($zero),)*
            }
        };
    }
    let empty = || -> Arc<str> { "".into() };
    const M3: [u8; 9] = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const M4: [u8; 16] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    zeros! {
        SFBool: false, MFBool: [].into(), SFInt32: 0, MFInt32: [].into(), SFFloat: 0., MFFloat: [].into(),
        SFDouble: 0., MFDouble: [].into(), SFTime: 0., MFTime: [].into(), SFString: empty(), MFString: [].into(),
        SFVec2f: [0.; 2], MFVec2f: [].into(), SFVec2d: [0.; 2], MFVec2d: [].into(),
        SFVec3f: [0.; 3], MFVec3f: [].into(), SFVec3d: [0.; 3], MFVec3d: [].into(),
        SFVec4f: [0., 0., 0., 1.], MFVec4f: [].into(), SFVec4d: [0., 0., 0., 1.], MFVec4d: [].into(),
        SFRotation: [0., 0., 1., 0.], MFRotation: [].into(), SFColor: [0.; 3], MFColor: [].into(),
        SFColorRGBA: [0.; 4], MFColorRGBA: [].into(),
        SFMatrix3f: M3.map(f32::from), MFMatrix3f: [].into(), SFMatrix3d: Box::new(M3.map(f64::from)), MFMatrix3d: [].into(),
        SFMatrix4f: Box::new(M4.map(f32::from)), MFMatrix4f: [].into(), SFMatrix4d: Box::new(M4.map(f64::from)), MFMatrix4d: [].into(),
        SFImage: Image::default(), MFImage: [].into(), SFNode: None, MFNode: [].into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(field_type: FieldType, text: &str, style: Style) -> Result<Value, Fault> {
        read(field_type, text, style).map(|r| r.0)
    }

    #[test]
    fn both_styles() {
        use FieldType as T;
        let c = |t, s| value(t, s, Style::Classic);
        let a = |t, s| value(t, s, Style::Attribute);
        assert_eq!(c(T::SFVec3f, "1, 2 #x\n 3"), Ok(Value::SFVec3f([1., 2., 3.])));
        assert_eq!(
            c(T::MFString, r#""a\"b" "c\d""#),
            Ok(Value::MFString(["a\"b".into(), "c\\d".into()].into()))
        );
        assert_eq!(a(T::MFString, r#""a" "b""#), Ok(Value::MFString(["a".into(), "b".into()].into())));
        assert_eq!(a(T::SFString, r#"a "b""#), Ok(Value::SFString(r#"a "b""#.into())));
        assert_eq!(a(T::SFBool, "true"), Ok(Value::SFBool(true)));
        assert_eq!(a(T::MFVec2f, ""), Ok(Value::MFVec2f([].into())));
        let image = Image { width: 1, height: 2, components: 3, pixels: [255, 1].into() };
        assert_eq!(c(T::SFImage, "1 2 3 0xFF 1"), Ok(Value::SFImage(image)));
        assert_eq!(c(T::SFNode, "NULL"), Ok(Value::SFNode(None)));
    }

    #[test]
    fn what_is_no_value_says_where() {
        use FieldType as T;
        let fault = |t, s| value(t, s, Style::Classic).map_err(|f| f.at);
        assert_eq!(fault(T::SFVec3f, "0 0"), Err(3));
        assert_eq!(fault(T::SFVec3f, "0 x 0"), Err(2));
        assert_eq!(fault(T::SFVec3f, "0 0 0 7"), Err(6));
        assert_eq!(fault(T::SFFloat, "nan"), Err(0));
        assert_eq!(fault(T::SFImage, "60000 60000 1 2"), Err(15));
        assert_eq!(fault(T::SFBool, "maybe"), Err(0));
        let (v, oddity) = read(T::MFVec3f, "1 2 3 4", Style::Classic).expect("a list");
        assert_eq!((v, oddity.is_some()), (Value::MFVec3f([[1., 2., 3.]].into()), true));
    }

    #[test]
    fn each_type_has_a_zero() {
        for t in FieldType::ALL {
            assert_eq!(zero(*t).field_type(), *t);
        }
    }
}
