//! Files that commands write.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::program::failure::Failure;

/// A file that is written.
pub type Sink = BufWriter<Begun>;

/// A file that is open, and keeps what was in it until the first byte comes: a command that fails before has destroyed nothing.
pub struct Begun {
    file: File,
    path: PathBuf,
    /// Whether it was not there before.
    is_new: bool,
    has_begun: bool,
}

impl Begun {
    /// Empties the file, the first time.
    fn begin(&mut self) -> io::Result<()> {
        // Devices and pipes have no length.
        if !self.has_begun && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.has_begun = true;
        Ok(())
    }
}

impl Write for Begun {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        self.file.flush()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.is_new && !self.has_begun {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Opens a file to be written. What was in it goes with the first byte, or when it is flushed.
///
/// # Errors
/// A path that cannot be written.
pub fn create(path: &Path) -> Result<Sink, Failure> {
    // The system's own message would not say that it is a directory of that name.
    if path.is_dir() {
        return Err(Failure::output(path, "it is a directory"));
    }
    let is_new = !path.exists();
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let begun = |file| Begun { file, path: path.to_owned(), is_new, has_begun: false };
    file.map(|f| BufWriter::with_capacity(1 << 18, begun(f))).map_err(|e| Failure::output(path, e))
}

/// A file that could not be filled: the disk is full, the pipe closed.
pub fn broken(path: &Path) -> impl Fn(io::Error) -> Failure + '_ {
    move |e| Failure::Input(format!("cannot write {}: {e}", path.display()))
}

/// Refuses files that would destroy each other, or the scene: two options that name one file, or one that names the scene's.
///
/// # Errors
/// What they are.
pub fn apart<'p>(
    scene: Option<&str>,
    files: impl IntoIterator<Item = (&'static str, &'p Path)>,
) -> Result<(), Failure> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in files {
        // A device takes what several write.
        if path.exists() && !path.is_file() {
            continue;
        }
        let place = place(path);
        if scene.is_some_and(|s| Path::new(s).is_file() && self::place(Path::new(s)) == place) {
            return Err(Failure::Usage(format!("{option} {}: this is the scene itself", path.display())));
        }
        if let Some((other, _)) = seen.iter().find(|(_, p)| *p == place) {
            let message = format!("{other} and {option} name the same file, {}", path.display());
            return Err(Failure::Usage(message));
        }
        seen.push((option, place));
    }
    Ok(())
}

/// Where a path leads, however it is written; of a file that is not there yet the folder decides.
fn place(path: &Path) -> PathBuf {
    let whole = path.canonicalize().ok();
    let by_folder = || {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    whole.or_else(by_folder).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_the_first_byte() {
        let folder = std::env::temp_dir().join(format!("weft_sink_{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("a.txt");
        drop(create(&path).expect("opened"));
        assert!(!path.exists(), "nothing was written");
        std::fs::write(&path, "the last results").expect("written");
        let read = || std::fs::read_to_string(&path).expect("there");
        drop(create(&path).expect("opened"));
        assert_eq!(read(), "the last results");
        create(&path).and_then(|mut f| f.write_all(b"new").map_err(broken(&path))).expect("written");
        assert_eq!(read(), "new");
        create(&path).and_then(|mut f| f.flush().map_err(broken(&path))).expect("emptied");
        assert_eq!(read(), "");
        assert!(create(&folder).is_err(), "a directory");
        let twice = folder.join("../").join(folder.file_name().expect("a name")).join("a.txt");
        assert!(apart(None, [("--report", path.as_path()), ("--trace", &twice)]).is_err());
        assert!(apart(path.to_str(), [("--report", twice.as_path())]).is_err());
        assert!(apart(None, [("--report", path.as_path()), ("--trace", &folder.join("b"))]).is_ok());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
