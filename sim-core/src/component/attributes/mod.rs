//! The attributes of a component, declared once as the fields of a struct: their description, their reader and their
//! documentation are made of it.
//!
//! ```
//! # extern crate weft_sim_core as sim_core;
//! use sim_core::component::attributes::Attributes;
//! use sim_core::math::Vec3;
//!
//! /// Pulls every point toward a fixed center.
//! #[derive(Attributes)]
//! #[attributes(ignored("showColor"))]
//! struct Attractor {
//!     /// where everything is pulled to [m]
//!     #[attribute(default = "0 0 0")]
//!     center: Vec3,
//!     /// distance below which the pull levels off [m]
//!     #[attribute(default = "0.05", positive)]
//!     softening: f64,
//!     /// largest pull; without limit if not given [N]
//!     max_force: Option<f64>,
//! }
//! assert_eq!(Attractor::SUMMARY, "Pulls every point toward a fixed center");
//! let last = &Attractor::ATTRIBUTES[2];
//! assert_eq!((last.name, last.unit), ("maxForce", "N"));
//! ```
//!
//! A field's doc comment is the summary of the attribute, and there must be one; brackets at its end hold the unit. Its name in
//! camel case is the attribute's, its type says the form of the value ([`ReadAttribute`]). An `Option` is empty where the scene
//! does not set the attribute, a list has no entries then, and a `bool` is false; other types need a default, or the attribute is
//! required. A field that nobody looks at, since the builder reads its attribute (`topology`), has an underscore before its name.
//! `#[attribute(...)]` takes:
//!
//! | option | meaning |
//! |---|---|
//! | `default = "..."` | the default, as it would be written in a scene |
//! | `name = "..."` | its name, where that is not the field's |
//! | `alias = "..."` | another name that sets it; may be repeated |
//! | `positive`, `non_negative` | other numbers are an error that names the attribute |
//! | `or_default` | another word than those of the type stands for the default, with a warning; without it, it is an error |
//! | `kind = ...` | an [`AttributeKind`] besides that of the type: `Real32`, `File`, `RigidMasses` |
//! | `flatten` | the field is a struct of attributes itself |
//!
//! `#[attributes(...)]` on the struct lists what is accepted without a field: `ignored("showColor", ...)` for what has no effect
//! in SOFA either, `unsupported("name", default = "...", summary = "...")` for what SOFA does and Weft does not, where the
//! default is the value under which both do the same.
//!
//! The first paragraph of the struct's documentation is the summary of the component. What all components of a family have
//! (`mstate` and `rayleighStiffness` of a force field) is described and read without a line.
//!
//! [`AttributeKind`]: super::description::AttributeKind

mod lists;
mod range;
mod read;
mod rows;
mod shared;
mod word;

pub use derive::{Attributes, Word};
pub use lists::Lists;
pub use range::{Numbers, non_negative, positive};
pub use read::{Deferred, ReadAttribute};
pub(in crate::component) use rows::rows_below;
pub use rows::{CoordRows, DerivRows, Index, IndexRows, Indices, PointRange, PointVector};
pub use shared::{ConstraintAttributes, ForceFieldAttributes, MappingAttributes, MassAttributes};
pub use word::Word;

use super::build::{BuildError, Builder};
use super::description::AttributeDescription;

/// The attributes of a component; derived, see [the module](self).
pub trait Attributes: Sized {
    /// What the component is, in one sentence.
    const SUMMARY: &'static str;
    /// What each attribute is.
    const ATTRIBUTES: &'static [AttributeDescription];
    /// Reads what the scene sets, and the defaults of the rest.
    ///
    /// # Errors
    /// A value out of range, or an attribute without default that the scene does not set.
    fn read(builder: &Builder<'_>) -> Result<Self, BuildError>;
}

/// What describes a component: one struct of attributes; none; or several, of which the first one has the summary.
pub trait AttributeGroups {
    /// What the component is, in one sentence.
    const SUMMARY: &'static str;
    /// The attributes of each struct.
    const GROUPS: &'static [&'static [AttributeDescription]];
}

impl<A: Attributes> AttributeGroups for A {
    const SUMMARY: &'static str = A::SUMMARY;
    const GROUPS: &'static [&'static [AttributeDescription]] = &[A::ATTRIBUTES];
}

impl AttributeGroups for () {
    const SUMMARY: &'static str = "";
    const GROUPS: &'static [&'static [AttributeDescription]] = &[];
}

macro_rules! several_groups {
    ($($First:ident $($Other:ident)+;)*) => {$(
        impl<$First: Attributes, $($Other: Attributes),+> AttributeGroups for ($First, $($Other),+) {
            const SUMMARY: &'static str = $First::SUMMARY;
            const GROUPS: &'static [&'static [AttributeDescription]] =
                &[$First::ATTRIBUTES, $($Other::ATTRIBUTES),+];
        }
    )*};
}

several_groups! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

/// Number of descriptions in some groups.
pub const fn total(groups: &[&[AttributeDescription]]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < groups.len() {
        n += groups[i].len();
        i += 1;
    }
    n
}

/// The descriptions of some groups in one array; `N` is their [`total`].
pub const fn concat<const N: usize>(groups: &[&[AttributeDescription]]) -> [AttributeDescription; N] {
    let mut all = [AttributeDescription::ignored(""); N];
    let (mut n, mut i) = (0, 0);
    while i < groups.len() {
        let mut k = 0;
        while k < groups[i].len() {
            all[n] = groups[i][k];
            n += 1;
            k += 1;
        }
        i += 1;
    }
    all
}

#[cfg(test)]
mod tests;
