//! From the type of a field to the form of its attribute.

use std::marker::PhantomData;

use super::super::build::{BuildError, Builder, LinkTarget};
use super::super::description::AttributeKind;
use crate::math::Vec3;

/// A type that holds the value of an attribute.
pub trait ReadAttribute: Sized {
    /// The form of the value in a scene file.
    const KIND: AttributeKind;
    /// The default where the field names none; empty where there is none then.
    const DEFAULT: &'static str = "";

    /// Reads it.
    ///
    /// # Errors
    /// It is missing, or not of this form; the error names the attribute.
    fn read(builder: &Builder<'_>, name: &'static str) -> Result<Self, BuildError>;

    /// Whether the scene sets it.
    fn is_set(builder: &Builder<'_>, name: &'static str) -> bool {
        builder.is_set(name)
    }
}

/// Implements the trait by a method of the builder.
macro_rules! read_by {
    ($($Type:ty, $kind:expr, |$b:ident, $name:ident| $read:expr;)*) => {$(
        impl ReadAttribute for $Type {
            const KIND: AttributeKind = $kind;
            fn read($b: &Builder<'_>, $name: &'static str) -> Result<Self, BuildError> {
                $read
            }
        }
    )*};
}

read_by! {
    f64, AttributeKind::Real, |b, name| b.real(name);
    i64, AttributeKind::Integer, |b, name| b.integer(name);
    String, AttributeKind::Text, |b, name| b.text(name).map(str::to_owned);
    Vec3, AttributeKind::Reals(3), |b, name| b.vec3(name);
    Vec<f64>, AttributeKind::RealRows(1), |b, name| b.reals(name);
    Vec<Vec3>, AttributeKind::RealRows(3), |b, name| b.points(name);
    Vec<i64>, AttributeKind::IndexRows(1), |b, name| b.integers(name);
    Vec<bool>, AttributeKind::Bools, |b, name| b.booleans(name);
    Vec<String>, AttributeKind::Texts, |b, name| b.texts(name);
    Vec<LinkTarget>, AttributeKind::Links, |b, name| Ok(b.links(name).to_vec());
}

/// False, if nothing else is said.
impl ReadAttribute for bool {
    const KIND: AttributeKind = AttributeKind::Bool;
    const DEFAULT: &'static str = "0";
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        b.boolean(name)
    }
}

impl ReadAttribute for LinkTarget {
    const KIND: AttributeKind = AttributeKind::Link;

    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        let missing = || BuildError::attribute(name, format!("the link `{name}` is required"));
        b.link(name).ok_or_else(missing)
    }

    fn is_set(b: &Builder<'_>, name: &'static str) -> bool {
        b.link(name).is_some()
    }
}

impl<const N: usize> ReadAttribute for [f64; N] {
    const KIND: AttributeKind = AttributeKind::Reals(N);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        exactly(name, &b.reals(name)?)
    }
}

impl<const N: usize> ReadAttribute for [i64; N] {
    const KIND: AttributeKind = AttributeKind::Integers(N);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        exactly(name, &b.integers(name)?)
    }
}

fn exactly<T: Copy, const N: usize>(name: &str, given: &[T]) -> Result<[T; N], BuildError> {
    <[T; N]>::try_from(given).map_err(|_| {
        let n = given.len();
        BuildError::attribute(name, format!("`{name}` must be {N} numbers; there are {n}"))
    })
}

/// Rows of so many numbers; any that are left over are an error.
impl<const N: usize> ReadAttribute for Vec<[f64; N]> {
    const KIND: AttributeKind = AttributeKind::RealRows(N);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        let reals = b.reals(name)?;
        let (rows, rest) = reals.as_chunks::<N>();
        if !rest.is_empty() {
            let n = reals.len();
            return Err(BuildError::attribute(
                name,
                format!("`{name}` needs {N} numbers a row; there are {n}"),
            ));
        }
        Ok(rows.to_vec())
    }
}

/// Empty where the scene does not set the attribute.
impl<T: ReadAttribute> ReadAttribute for Option<T> {
    const KIND: AttributeKind = T::KIND;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        T::is_set(b, name).then(|| T::read(b, name)).transpose()
    }
}

/// An attribute that counts under some conditions only.
///
/// It is read by [`get`](Self::get). Where a scene sets it and nobody gets it, the loader warns that it has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Deferred<T> {
    name: &'static str,
    value: PhantomData<T>,
}

impl<T: ReadAttribute> Deferred<T> {
    /// Reads it.
    ///
    /// # Errors
    /// It is missing, or not of this form.
    pub fn get(&self, builder: &Builder<'_>) -> Result<T, BuildError> {
        T::read(builder, self.name)
    }
    /// Its name in a scene.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Whether the scene sets it.
    pub fn is_set(&self, builder: &Builder<'_>) -> bool {
        T::is_set(builder, self.name)
    }
}

impl<T: ReadAttribute> ReadAttribute for Deferred<T> {
    const KIND: AttributeKind = T::KIND;
    const DEFAULT: &'static str = T::DEFAULT;
    fn read(_: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, value: PhantomData })
    }
}
