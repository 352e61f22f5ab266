//! What may be wrong with a file.

/// A file that is no character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("{path}: {what}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        what: String,
    },
    /// A line of a BVH file.
    #[error("{path}:{line}: {what}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A part of a glTF file.
    #[error("{path}: {at}: {what}")]
    Part {
        /// The file.
        path: String,
        /// The part, as a path in its JSON or by its name.
        at: String,
        /// What is wrong.
        what: String,
    },
}
