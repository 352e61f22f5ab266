//! Values on their way between the graph and a Script: booleans, numbers, strings, or a flat list of them.

use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::{FieldType, Image, Value};
use rquickjs::{Array, Ctx, Error, IntoJs, Value as Js};

fn list<'js, T: IntoJs<'js>>(ctx: &Ctx<'js>, items: impl Iterator<Item = T>) -> rquickjs::Result<Js<'js>> {
    let array = Array::new(ctx.clone())?;
    for (k, item) in items.enumerate() {
        array.set(k, item)?;
    }
    Ok(array.into_value())
}

fn number(node: Option<NodeId>) -> f64 {
    node.map_or(-1.0, |n| f64::from(n.0))
}

fn image(image: &Image) -> impl Iterator<Item = f64> {
    let head = [image.width, image.height, u32::from(image.components)];
    head.into_iter().chain(image.pixels.iter().copied()).map(f64::from)
}

/// A value for a Script.
pub(super) fn to_js<'js>(ctx: &Ctx<'js>, value: &Value) -> rquickjs::Result<Js<'js>> {
    macro_rules! rows {
        ($v:expr) => {
            list(ctx, $v.iter().map(|n| f64::from(*n)))
        };
    }
    macro_rules! tables {
        ($v:expr) => {
            list(ctx, $v.iter().flatten().map(|n| f64::from(*n)))
        };
    }
    match value {
        Value::SFBool(v) => v.into_js(ctx),
        Value::SFInt32(v) => v.into_js(ctx),
        Value::SFFloat(v) => f64::from(*v).into_js(ctx),
        Value::SFDouble(v) | Value::SFTime(v) => v.into_js(ctx),
        Value::SFString(v) => (**v).into_js(ctx),
        Value::SFNode(v) => number(*v).into_js(ctx),
        Value::SFImage(v) => list(ctx, image(v)),
        Value::SFVec2f(v) => rows!(v),
        Value::SFVec2d(v) => rows!(v),
        Value::SFVec3f(v) | Value::SFColor(v) => rows!(v),
        Value::SFVec3d(v) => rows!(v),
        Value::SFVec4f(v) | Value::SFRotation(v) | Value::SFColorRGBA(v) => rows!(v),
        Value::SFVec4d(v) => rows!(v),
        Value::SFMatrix3f(v) => rows!(v),
        Value::SFMatrix3d(v) => rows!(v),
        Value::SFMatrix4f(v) => rows!(v),
        Value::SFMatrix4d(v) => rows!(v),
        Value::MFBool(v) => list(ctx, v.iter().copied()),
        Value::MFInt32(v) => rows!(v),
        Value::MFFloat(v) => rows!(v),
        Value::MFDouble(v) | Value::MFTime(v) => rows!(v),
        Value::MFString(v) => list(ctx, v.iter().map(|s| &**s)),
        Value::MFNode(v) => list(ctx, v.iter().map(|n| number(*n))),
        Value::MFImage(v) => {
            let all: rquickjs::Result<Vec<_>> = v.iter().map(|i| list(ctx, image(i))).collect();
            list(ctx, all?.into_iter())
        }
        Value::MFVec2f(v) => tables!(v),
        Value::MFVec2d(v) => tables!(v),
        Value::MFVec3f(v) | Value::MFColor(v) => tables!(v),
        Value::MFVec3d(v) => tables!(v),
        Value::MFVec4f(v) | Value::MFRotation(v) | Value::MFColorRGBA(v) => tables!(v),
        Value::MFVec4d(v) => tables!(v),
        Value::MFMatrix3f(v) => tables!(v),
        Value::MFMatrix3d(v) => tables!(v),
        Value::MFMatrix4f(v) => tables!(v),
        Value::MFMatrix4d(v) => tables!(v),
    }
}

fn refused(field_type: FieldType) -> Error {
    Error::new_from_js("a Script's value", field_type.name())
}

fn numbers(js: &Js<'_>, field_type: FieldType) -> rquickjs::Result<Vec<f64>> {
    let array = js.as_array().ok_or_else(|| refused(field_type))?;
    array.iter::<f64>().collect()
}

fn node(n: f64) -> Option<NodeId> {
    (n >= 0.0 && n <= f64::from(u32::MAX)).then_some(NodeId(n as u32))
}

fn picture(n: &[f64]) -> Option<Image> {
    let [width, height, components, pixels @ ..] = n else { return None };
    Some(Image {
        width: *width as u32,
        height: *height as u32,
        components: *components as u8,
        pixels: pixels.iter().map(|p| *p as u32).collect(),
    })
}

/// A Script's value of a type.
pub(super) fn from_js(field_type: FieldType, js: &Js<'_>) -> rquickjs::Result<Value> {
    let wrong = || refused(field_type);
    let one = || js.as_number().ok_or_else(wrong);
    let many = || numbers(js, field_type);
    macro_rules! row {
        ($single:ident, $t:ty) => {{
            let all = many()?;
            let parts: Vec<$t> = all.iter().map(|n| *n as $t).collect();
            Value::$single(parts.try_into().map_err(|_| wrong())?)
        }};
    }
    macro_rules! table {
        ($many:ident, $t:ty) => {{
            let all = many()?;
            let parts: Vec<$t> = all.iter().map(|n| *n as $t).collect();
            Value::$many(parts.as_chunks().0.into())
        }};
    }
    use FieldType as T;
    Ok(match field_type {
        T::SFBool => Value::SFBool(js.as_bool().ok_or_else(wrong)?),
        T::SFInt32 => Value::SFInt32(one()? as i32),
        T::SFFloat => Value::SFFloat(one()? as f32),
        T::SFDouble => Value::SFDouble(one()?),
        T::SFTime => Value::SFTime(one()?),
        T::SFString => Value::SFString(js.get::<String>()?.into()),
        T::SFNode => Value::SFNode(node(one()?)),
        T::SFImage => Value::SFImage(picture(&many()?).ok_or_else(wrong)?),
        T::SFVec2f => row!(SFVec2f, f32),
        T::SFVec2d => row!(SFVec2d, f64),
        T::SFVec3f => row!(SFVec3f, f32),
        T::SFVec3d => row!(SFVec3d, f64),
        T::SFVec4f => row!(SFVec4f, f32),
        T::SFVec4d => row!(SFVec4d, f64),
        T::SFRotation => row!(SFRotation, f32),
        T::SFColor => row!(SFColor, f32),
        T::SFColorRGBA => row!(SFColorRGBA, f32),
        T::SFMatrix3f => row!(SFMatrix3f, f32),
        T::SFMatrix3d => row!(SFMatrix3d, f64),
        T::SFMatrix4f => row!(SFMatrix4f, f32),
        T::SFMatrix4d => row!(SFMatrix4d, f64),
        T::MFBool => Value::MFBool(js.get::<Vec<bool>>()?.into()),
        T::MFInt32 => Value::MFInt32(many()?.iter().map(|n| *n as i32).collect()),
        T::MFFloat => Value::MFFloat(many()?.iter().map(|n| *n as f32).collect()),
        T::MFDouble => Value::MFDouble(many()?.into()),
        T::MFTime => Value::MFTime(many()?.into()),
        T::MFString => {
            let all: Vec<String> = js.get()?;
            Value::MFString(all.into_iter().map(Arc::from).collect())
        }
        T::MFNode => Value::MFNode(many()?.into_iter().map(node).collect()),
        T::MFImage => {
            let all: Vec<Vec<f64>> = js.get()?;
            let pictures: Option<Vec<Image>> = all.iter().map(|i| picture(i)).collect();
            Value::MFImage(pictures.ok_or_else(wrong)?.into())
        }
        T::MFVec2f => table!(MFVec2f, f32),
        T::MFVec2d => table!(MFVec2d, f64),
        T::MFVec3f => table!(MFVec3f, f32),
        T::MFVec3d => table!(MFVec3d, f64),
        T::MFVec4f => table!(MFVec4f, f32),
        T::MFVec4d => table!(MFVec4d, f64),
        T::MFRotation => table!(MFRotation, f32),
        T::MFColor => table!(MFColor, f32),
        T::MFColorRGBA => table!(MFColorRGBA, f32),
        T::MFMatrix3f => table!(MFMatrix3f, f32),
        T::MFMatrix3d => table!(MFMatrix3d, f64),
        T::MFMatrix4f => table!(MFMatrix4f, f32),
        T::MFMatrix4d => table!(MFMatrix4d, f64),
    })
}

/// A thrown value in a line.
pub(super) fn shown(js: &Js<'_>) -> String {
    if js.is_null() {
        // What the runtime throws where there is no memory for an error.
        return "null".to_owned();
    }
    js.get::<rquickjs::Coerced<String>>().map_or_else(|_| "an object".to_owned(), |s| s.0)
}
