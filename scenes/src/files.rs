//! Where files are found: beside the file that names them, beside the scene, and in the data paths.

use std::path::{Path, PathBuf};

/// The places where meshes and included scenes are looked for.
#[derive(Clone, Debug, Default)]
pub struct FileFinder {
    /// The directory of the scene file, if it is one.
    pub scene_directory: Option<PathBuf>,
    /// The data paths, in order.
    pub data_paths: Vec<PathBuf>,
}

impl FileFinder {
    /// Finds a file named in the file `from`.
    ///
    /// # Errors
    /// One line that names the file and where it was looked for.
    pub fn find(&self, name: &str, from: &str) -> Result<PathBuf, String> {
        let name = name.trim();
        if name.is_empty() {
            return Err("the file name is empty".to_owned());
        }
        if name.contains('\0') {
            return Err("the file name holds a zero character".to_owned());
        }
        let mut directory = None;
        for candidate in self.candidates(name, from) {
            if candidate.is_file() {
                return Ok(candidate);
            }
            if directory.is_none() && candidate.is_dir() {
                directory = Some(candidate);
            }
        }
        if let Some(d) = directory {
            return Err(format!("`{}` is a directory, not a file", d.display()));
        }
        Err(self.not_found(name, from))
    }

    /// Whether there is such a file.
    pub fn exists(&self, name: &str, from: &str) -> bool {
        self.candidates(name, from).any(|c| c.is_file())
    }

    fn places(&self, from: &str) -> Vec<PathBuf> {
        let mut places = Vec::new();
        if let Some(beside) = Path::new(from).parent() {
            places.push(beside.to_path_buf());
        }
        for p in self.scene_directory.iter().chain(&self.data_paths) {
            if !places.contains(p) {
                places.push(p.clone());
            }
        }
        places
    }

    fn candidates(&self, name: &str, from: &str) -> impl Iterator<Item = PathBuf> {
        let path = PathBuf::from(name);
        let places = if path.is_absolute() { vec![PathBuf::new()] } else { self.places(from) };
        places.into_iter().map(move |p| p.join(&path))
    }

    fn not_found(&self, name: &str, from: &str) -> String {
        if Path::new(name).is_absolute() {
            return format!("the file `{name}` does not exist");
        }
        let places: Vec<String> = self
            .places(from)
            .iter()
            .map(|p| if p.as_os_str().is_empty() { "`.`".to_owned() } else { format!("`{}`", p.display()) })
            .collect();
        format!("the file `{name}` is not found in {} (--data-path adds a place)", places.join(", "))
    }
}
