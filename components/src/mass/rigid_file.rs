//! Files of rigid bodies (`.rigid`): mass and inertia.

use std::path::Path;

use sim_core::math::Mat3;

/// What a `.rigid` file says.
///
/// **Source:** as SOFA reads them: the first line is skipped; then a keyword and its numbers on each line, `#` begins a
/// comment; `vertexMass` and `inrt` count, the volume has no effect, the centre of mass is ignored.
#[derive(Debug, Default)]
pub(super) struct RigidFile {
    /// Mass [kg], keyword `vertexMass`.
    pub mass: Option<f64>,
    /// Inertia per unit of mass [m^2], keyword `inrt`, row by row.
    pub inertia: Option<Mat3>,
    /// What else was found.
    pub warnings: Vec<String>,
}

/// Keywords that are read over, with how many numbers they have.
const READ_OVER: &[&str] = &["volm", "cntr", "center", "frme", "grav", "visc", "stck", "step", "prec"];

impl RigidFile {
    /// Reads a file.
    ///
    /// # Errors
    /// One line that names the file and the line in it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| format!("cannot read the file {}: {e}", path.display()))?;
        Self::parse(&text).map_err(|m| format!("{}: {m}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut file = Self::default();
        if text.trim().is_empty() {
            return Err("the file is empty".to_owned());
        }
        for (i, line) in text.lines().enumerate().skip(1) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((keyword, rest)) =
                line.trim().split_once(char::is_whitespace).or_else(|| Some((line.trim(), "")))
            else {
                continue;
            };
            let at = |m: String| format!("line {}: {m}", i + 1);
            match keyword {
                "" => {}
                "vertexMass" => file.mass = Some(numbers::<1>(keyword, rest).map_err(at)?[0]),
                "inrt" => {
                    file.inertia = Some(Mat3::from_row_slice(&numbers::<9>(keyword, rest).map_err(at)?));
                }
                k if READ_OVER.contains(&k) => {}
                other => file.warnings.push(at(format!("unknown keyword `{other}`; the line is skipped"))),
            }
        }
        Ok(file)
    }
}

fn numbers<const N: usize>(keyword: &str, text: &str) -> Result<[f64; N], String> {
    let mut found = [0.0; N];
    let mut words = text.split_whitespace();
    for f in &mut found {
        *f = words
            .next()
            .and_then(|w| w.parse().ok())
            .filter(|f: &f64| f.is_finite())
            .ok_or_else(|| format!("`{keyword}` needs {N} numbers"))?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_mass_and_inertia_and_skips_the_rest() {
        let text = "Xsp 3.0\nvertexMass 5 # kg\ninrt 1 2 3 2 4 5 3 5 6\ncenter 1 2 3\n\nmass 9\n";
        let file = RigidFile::parse(text).unwrap();
        assert_eq!(file.mass, Some(5.0));
        assert_eq!(file.inertia, Some(Mat3::new(1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0)));
        assert_eq!(file.warnings, ["line 6: unknown keyword `mass`; the line is skipped"]);
    }

    #[test]
    fn names_the_line_of_a_missing_number() {
        let e = RigidFile::parse("Xsp 3.0\ninrt 1 2 3\n").unwrap_err();
        assert_eq!(e, "line 2: `inrt` needs 9 numbers");
        assert!(RigidFile::parse("").is_err());
        assert!(RigidFile::read(Path::new("/")).is_err());
    }
}
