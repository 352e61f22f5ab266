//! Files that commands write.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::program::failure::Failure;

/// A file that is written.
pub type Sink = BufWriter<File>;

/// Begins a file.
///
/// # Errors
/// A path that cannot be written.
pub fn create(path: &Path) -> Result<Sink, Failure> {
    // The system's own message would not say that it is a directory of that name.
    if path.is_dir() {
        return Err(Failure::output(path, "it is a directory"));
    }
    File::create(path).map(|f| BufWriter::with_capacity(1 << 18, f)).map_err(|e| Failure::output(path, e))
}

/// A file that could not be filled: the disk is full, the pipe closed.
pub fn broken(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |e| Failure::Input(format!("cannot write {}: {e}", path.display()))
}
