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

/// The file is of a version that is not read.
pub(super) fn of_version(version: impl std::fmt::Display) -> Wrong {
    wrong("asset.version", format!("glTF of version {version} is not supported, 2.0 is"))
}
