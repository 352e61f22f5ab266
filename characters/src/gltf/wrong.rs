//! What is wrong with a part of a file.

/// A part, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Wrong {
    pub at: String,
    pub what: String,
}

/// Something is wrong with a part.
pub(super) fn wrong(at: impl Into<String>, what: impl ToString) -> Wrong {
    Wrong { at: at.into(), what: what.to_string() }
}
