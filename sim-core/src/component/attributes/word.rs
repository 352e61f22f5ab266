//! Attributes that are one of some words.

use super::super::build::{BuildError, Builder};
use super::super::description::AttributeKind;
use super::read::ReadAttribute;

/// One of a fixed set of words; derived of an enum without fields.
///
/// ```
/// # extern crate weft_sim_core as sim_core;
/// use sim_core::component::attributes::Word;
///
/// #[derive(Word, Clone, Copy, Debug, PartialEq)]
/// enum Method {
///     Small,
///     Large,
///     #[word("None", "nothing")]
///     Nothing,
/// }
/// assert_eq!(Method::WORDS, ["small", "large", "None", "nothing"]);
/// assert_eq!(Method::named("nothing"), Some(Method::Nothing));
/// assert_eq!(Method::named("smal"), None);
/// ```
///
/// A variant's word is its name with a small first letter, or what `#[word("...")]` says; further words there mean the same.
/// `#[word(of = Method)]` on an enum that has some of the variants of `Method` makes the conversion into it.
///
/// A field of such a type ([`Attributes`](super::Attributes)) describes its words. In a scene a number may stand for a word, as
/// in SOFA: its place in [`Self::WORDS`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no attribute's value",
    label = "take f64 (Real), i64, bool, String, Vec3, Vec<f64>, Vec<i64>, Vec<Vec3>, LinkTarget, an Option of one, or an enum with derive(Word)"
)]
pub trait Word: Sized {
    /// The words in the order of the variants, then the other words that mean the same as one of these.
    const WORDS: &'static [&'static str];
    /// What a word means.
    fn named(word: &str) -> Option<Self>;
}

impl<W: Word> ReadAttribute for W {
    const KIND: AttributeKind = AttributeKind::Option(W::WORDS);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        let word = b.text(name)?;
        W::named(word).ok_or_else(|| {
            let words = W::WORDS.join(", ");
            BuildError::attribute(name, format!("`{name}` is `{word}`, which is none of {words}"))
        })
    }
}
