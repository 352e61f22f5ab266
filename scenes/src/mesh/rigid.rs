//! Mass and inertia of a rigid body (`.rigid`), as SOFA's `UniformMass` reads them.

use std::path::Path;

use sim_core::math::{Mat3, Vec3};

use super::scanner::{Scanner, lines, not_a, real, shown, tokens};
use super::{MeshError, read_text_file};

/// What a file says of a rigid body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidBody {
    /// `vertexMass`: mass [kg].
    pub mass: Option<f64>,
    /// `volm`: volume [m^3].
    pub volume: Option<f64>,
    /// `inrt`: inertia per unit mass [m^2].
    pub inertia: Option<Mat3>,
    /// `center` or `cntr`: center of mass [m]; SOFA reads and ignores it.
    pub center: Option<Vec3>,
    /// Keywords that are not known, with their lines; SOFA reports and ignores them.
    pub unknown: Vec<(usize, String)>,
}

/// Reads a `.rigid` file.
///
/// # Errors
/// A file that cannot be read or is not what [`parse`] asks for.
pub fn load(path: &Path) -> Result<RigidBody, MeshError> {
    parse(path, &read_text_file(path)?)
}

/// Reads the text of a `.rigid` file: a line `Xsp 3.0`, then keywords with their numbers; `#` begins a comment.
///
/// # Errors
/// Another first line, or a malformed or missing number.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<RigidBody, MeshError> {
    let scanner = Scanner::new(path, bytes);
    if !bytes.starts_with(b"Xsp") {
        return Err(scanner.error("not a description of a rigid body: the first line should be `Xsp 3.0`"));
    }
    let mut body = RigidBody::default();
    // Numbers may go on in the next line, so that the tokens of all lines are one stream.
    let text = |bytes| -> &[u8] { <[u8]>::split(bytes, |b| *b == b'#').next().unwrap_or_default() };
    let mut fields =
        lines(bytes).skip(1).flat_map(|(line, bytes)| tokens(text(bytes)).map(move |t| (line, t)));
    while let Some((line, keyword)) = fields.next() {
        let mut numbers = |n: usize| -> Result<Vec<f64>, MeshError> {
            let what = shown(keyword);
            (0..n)
                .map(|k| {
                    let (line, token) = fields
                        .next()
                        .ok_or_else(|| scanner.error_at(line, format!("{what} has {k} numbers, not {n}")))?;
                    real(token).ok_or_else(|| {
                        scanner.error_at(line, not_a(&format!("{what}'s value"), "finite number", token))
                    })
                })
                .collect()
        };
        match keyword {
            b"inrt" => body.inertia = Some(Mat3::from_row_slice(&numbers(9)?)),
            b"vertexMass" => body.mass = Some(numbers(1)?[0]),
            b"volm" => body.volume = Some(numbers(1)?[0]),
            b"cntr" | b"center" => body.center = Some(Vec3::from_row_slice(&numbers(3)?)),
            b"grav" => drop(numbers(3)?),
            b"frme" => drop(numbers(4)?),
            b"visc" | b"stck" | b"step" | b"prec" => drop(numbers(1)?),
            other => {
                // Its numbers go with it; a word that follows is a keyword again.
                if real(other).is_none() {
                    body.unknown.push((line, shown(other)));
                }
            }
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RigidBody, String> {
        parse(Path::new("m.rigid"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn keywords_are_read_and_unknown_ones_reported() {
        let body = read(
            "Xsp 3.0\nvertexMass 5 # kg\nvolm 8.5\nmass 3\ninrt 1 2 3 4 5\n 6 7 8 9\ncenter 1 2 3\r\nvisc 0",
        )
        .unwrap();
        assert_eq!(
            (body.mass, body.volume, body.center),
            (Some(5.0), Some(8.5), Some(Vec3::new(1.0, 2.0, 3.0)))
        );
        assert_eq!(body.inertia.unwrap()[(0, 2)], 3.0);
        assert_eq!(body.unknown, [(4, "mass".to_owned())]);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("", "m.rigid:1: not a description of a rigid body: the first line should be `Xsp 3.0`"),
            ("Xsp 3.0\ninrt 1 2", "m.rigid:2: inrt has 2 numbers, not 9"),
            ("Xsp 3.0\n\nvolm big", "m.rigid:3: volm's value is not a finite number: `big`"),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
