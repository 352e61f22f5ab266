//! Words for who may touch a field, X3D's and VRML97's.

use animation::event::field::Access;

use super::encoding::Encoding;

/// The other language's word for an access: VRML97's or X3D's; none if the word is the encoding's own.
pub(crate) fn other_word(word: &str, encoding: Encoding) -> Option<&'static str> {
    const WORDS: [(&str, &str); 4] = [
        ("field", "initializeOnly"),
        ("eventIn", "inputOnly"),
        ("eventOut", "outputOnly"),
        ("exposedField", "inputOutput"),
    ];
    let is_old = encoding == Encoding::Vrml97;
    let (theirs, own): (fn(&_) -> _, fn(&_) -> _) = match is_old {
        true => (|w: &(_, _)| w.1, |w: &(_, _)| w.0),
        false => (|w: &(_, _)| w.0, |w: &(_, _)| w.1),
    };
    WORDS.iter().find(|w| theirs(w) == word).map(own)
}

/// The access that a file's word names, X3D's or VRML97's.
pub(crate) fn access_of(word: &str) -> Option<Access> {
    Some(match word {
        "initializeOnly" | "field" => Access::InitializeOnly,
        "inputOnly" | "eventIn" => Access::InputOnly,
        "outputOnly" | "eventOut" => Access::OutputOnly,
        "inputOutput" | "exposedField" => Access::InputOutput,
        _ => return None,
    })
}
