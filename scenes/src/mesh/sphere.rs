//! Lists of spheres (`.sph`), as SOFA's `SphereLoader` reads them.

use std::path::Path;

use sim_core::math::Vec3;
use sim_core::topology::Topology;

use super::scanner::{Scanner, integer, lines, not_a, real, shown, tokens};
use super::{Mesh, MeshError, Transform, read_text_file, to_topology};

/// Spheres, as read from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spheres {
    /// Centers [m].
    pub centers: Vec<Vec3>,
    /// Radii [m], one per center.
    pub radii: Vec<f64>,
}

/// Reads a file of spheres and moves their centers; the radii are not scaled, as in SOFA.
///
/// # Errors
/// A file that cannot be read or is not what [`parse`] asks for.
pub fn load(path: &Path, transform: &Transform) -> Result<Spheres, MeshError> {
    let mut spheres = parse(path, &read_text_file(path)?)?;
    transform.apply(&mut spheres.centers);
    Ok(spheres)
}

/// The centers of a file of spheres as the points of a topology; none where the file's name is not that of one.
///
/// # Errors
/// As [`load`].
pub fn points(path: &Path) -> Option<Result<Topology, MeshError>> {
    path.extension().filter(|e| e.eq_ignore_ascii_case("sph"))?;
    let spheres = load(path, &Transform::default());
    Some(spheres.map(|s| to_topology(Mesh { positions: s.centers, ..Mesh::default() })))
}

/// Reads the text of a file of spheres: a line `sph 1.0`, then `sphe ID x y z radius`; `#` begins a comment.
///
/// # Errors
/// Another first line, a malformed number, a radius below zero, or no sphere at all.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Spheres, MeshError> {
    let scanner = Scanner::new(path, bytes);
    if !bytes.starts_with(b"sph") {
        return Err(scanner.error("not a file of spheres: the first line should be `sph 1.0`"));
    }
    let mut spheres = Spheres::default();
    for (line, text) in lines(bytes).skip(1) {
        let text = text.split(|b| *b == b'#').next().unwrap_or_default();
        let mut fields = tokens(text);
        match fields.next() {
            None | Some(b"nums") => {}
            Some(b"sphe") => {
                let mut field = |what: &str| {
                    fields.next().ok_or_else(|| {
                        scanner.error_at(line, format!("the line ends where {what} is expected"))
                    })
                };
                let id = field("the sphere's number")?;
                integer(id).ok_or_else(|| {
                    scanner.error_at(line, not_a("the sphere's number", "whole number", id))
                })?;
                let mut number = |what: &str| {
                    let token = field(what)?;
                    real(token).ok_or_else(|| scanner.error_at(line, not_a(what, "finite number", token)))
                };
                let center = Vec3::new(number("x")?, number("y")?, number("z")?);
                let radius = number("the radius")?;
                if radius < 0.0 {
                    return Err(scanner.error_at(line, format!("the radius is negative: {radius}")));
                }
                spheres.centers.push(center);
                spheres.radii.push(radius);
            }
            Some(other) => {
                return Err(scanner.error_at(line, format!("`{}` is unknown; known is sphe", shown(other))));
            }
        }
    }
    if spheres.centers.is_empty() {
        return Err(scanner.error_at(lines(bytes).count(), "the file ends without a sphere"));
    }
    Ok(spheres)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Spheres, String> {
        parse(Path::new("m.sph"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn spheres_are_read_and_comments_are_not() {
        let spheres =
            read("sph 1.0\n#nums 2\nnums 2\nsphe 1 -4 1.25 0 0.85 # first\r\n\nsphe 2 1 2 3 4").unwrap();
        assert_eq!(spheres.centers, [Vec3::new(-4.0, 1.25, 0.0), Vec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(spheres.radii, [0.85, 4.0]);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("", "m.sph:1: not a file of spheres: the first line should be `sph 1.0`"),
            ("sph 1.0\n", "m.sph:2: the file ends without a sphere"),
            ("sph 1.0\nsphe 1 0 0 0", "m.sph:2: the line ends where the radius is expected"),
            ("sph 1.0\nsphe 1 0 0 0 -1", "m.sph:2: the radius is negative: -1"),
            ("sph 1.0\nsphe a 0 0 0 1", "m.sph:2: the sphere's number is not a whole number: `a`"),
            ("sph 1.0\nball 1", "m.sph:2: `ball` is unknown; known is sphe"),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
