//! Where the files of a scene go, and what becomes of those that were there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Where the files of a scene begin.
#[derive(Debug, Default)]
pub struct Place {
    directory: PathBuf,
    replaces: bool,
    /// The files that were written, and by which components.
    written: BTreeMap<PathBuf, String>,
    /// Files that others write meanwhile, and who does.
    reserved: Vec<(PathBuf, String)>,
}

impl Place {
    /// Relative names begin at the directory, the present one if it is empty. A file that was there before is replaced, or kept under
    /// another name: `NAME.~1~`, `NAME.~2~` and so on.
    pub fn new(directory: PathBuf, replaces: bool) -> Self {
        Self { directory, replaces, ..Self::default() }
    }

    /// Where a file of this name is.
    pub fn path(&self, name: &str) -> PathBuf {
        // Names of one file are one path.
        self.directory.join(name).components().filter(|c| *c != Component::CurDir).collect()
    }

    /// Keeps a file for who is not of the scene.
    pub fn reserve(&mut self, path: &Path, owner: &str) {
        self.reserved.push((absolute(path), owner.to_owned()));
    }

    /// Makes an empty file for a component, and the folders that lead to it. The component may write it again, another one may not.
    ///
    /// # Errors
    /// The system's; a file that somebody else writes.
    pub fn create(&mut self, path: &Path, owner: &str) -> io::Result<File> {
        let whole = absolute(path);
        let reserved = self.reserved.iter().find(|(p, _)| *p == whole).map(|(_, other)| other);
        let other = reserved.or_else(|| self.written.get(path).filter(|other| *other != owner));
        if let Some(other) = other {
            return Err(io::Error::other(format!("{other} writes this file, too")));
        }
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        if !self.replaces && !self.written.contains_key(path) && path.is_file() {
            let kept = kept_name(path);
            fs::rename(path, &kept)?;
            log::warn!("{} was there before; it is kept as {}", path.display(), kept.display());
        }
        let file = File::create(path)?;
        self.written.insert(path.to_owned(), owner.to_owned());
        Ok(file)
    }

    /// The files that were written, each once.
    pub fn take_written(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.written).into_keys().collect()
    }
}

/// A path from the root on, without what leads nowhere.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The first of the names `NAME.~1~`, `NAME.~2~` ... that is free.
fn kept_name(path: &Path) -> PathBuf {
    let mut k = 1_u64;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".~{k}~"));
        let name = PathBuf::from(name);
        if !name.exists() {
            return name;
        }
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_of_another_run_is_kept_and_one_of_this_run_is_not() {
        let directory = std::env::temp_dir().join(format!("weft_place_{}", std::process::id()));
        let write = |place: &mut Place, text: &str| {
            let path = place.path("a/b.txt");
            place.create(&path, "/a").and_then(|mut f| f.write_all(text.as_bytes())).expect("written");
        };
        let read = |name: &str| fs::read_to_string(directory.join(name)).expect("there");
        let mut place = Place::new(directory.clone(), false);
        write(&mut place, "1");
        write(&mut place, "2");
        assert!(!directory.join("a/b.txt.~1~").exists());
        write(&mut Place::new(directory.clone(), false), "3");
        write(&mut Place::new(directory.clone(), false), "4");
        assert_eq!(
            (read("a/b.txt.~1~"), read("a/b.txt.~2~"), read("a/b.txt")),
            ("2".into(), "3".into(), "4".into())
        );
        write(&mut Place::new(directory.clone(), true), "5");
        assert!(!directory.join("a/b.txt.~3~").exists());
        assert_eq!(place.take_written(), [directory.join("a/b.txt")]);
        assert!(place.create(&directory, "/a").is_err(), "a directory");
        let b = place.path("./a/b.txt");
        place.create(&b, "/a").expect("the first one");
        assert!(place.create(&b, "/b").is_err_and(|e| e.to_string() == "/a writes this file, too"));
        place.reserve(&directory.join("r.json"), "--report");
        assert!(place.create(&place.path("r.json"), "/a").is_err());
        fs::remove_dir_all(&directory).expect("removed");
    }
}
