//! What can be wrong with a mesh file.

use std::path::PathBuf;

/// Why a mesh could not be read; the message is one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The file is missing, a directory, or not ours to read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The name's ending tells no format.
    #[error("{}: unknown mesh format; known are .obj, .msh, .vtk, .stl", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The text is not what the format asks for.
    #[error("{}:{line}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The binary data is not what the format asks for.
    #[error("{}: at byte {offset}: {message}", path.display())]
    MalformedBinary {
        /// The file.
        path: PathBuf,
        /// Offset from the file's beginning.
        offset: usize,
        /// What is wrong.
        message: String,
    },
}
