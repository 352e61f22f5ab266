//! Object files of Geomview (OFF), in text.
//!
//! **Source:** as SOFA's `MeshOffLoader`: the word `OFF`, lines that are empty or begin with `#`, counts, points, then faces: triangles and quads
//! are kept, others left out (with a warning) without being counted, so that the faces promised may be fewer. Unlike SOFA, a file that
//! ends before its faces do is an error, and points may have normals, colors and texture coordinates (`NOFF`, `COFF`, `STOFF`), which are
//! left out.

use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, content_lines, integer, not_a, real, shown, tokens};
use super::{Mesh, MeshError};

/// Reads an OFF file; `path` is for messages.
///
/// # Errors
/// Another first word, a number that is malformed or out of range, fewer points than promised.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let scanner = Scanner::new(path, bytes);
    let mut rest = content_lines(bytes);
    let (mut line, text) = rest.next().unwrap_or((1, b""));
    let mut counts = words(text).peekable();
    if !counts.next().is_some_and(is_header) {
        return Err(scanner.error_at(line, "the file does not begin with `OFF`"));
    }
    if counts.peek().is_some_and(|t| t.eq_ignore_ascii_case(b"BINARY")) {
        return Err(scanner.error_at(line, "binary OFF files cannot be read; save as text"));
    }
    if counts.peek().is_none() {
        let (next, text) = rest.next().ok_or_else(|| scanner.error("the file ends before its counts"))?;
        (line, counts) = (next, words(text).peekable());
    }
    let whole = |line: usize, what: &str, token: Option<&[u8]>| {
        let token = token.ok_or_else(|| scanner.error_at(line, format!("{what} is missing")))?;
        integer(token).ok_or_else(|| scanner.error_at(line, not_a(what, "whole number", token)))
    };
    let n_points = whole(line, "the number of points", counts.next())?;
    let n_faces = whole(line, "the number of faces", counts.next())?;
    let mut mesh = Mesh::default();
    for _ in 0..n_points {
        let (line, text) = rest.next().ok_or_else(|| {
            scanner
                .error_at(line, format!("{n_points} points are promised; there are {}", mesh.positions.len()))
        })?;
        let mut numbers = tokens(text);
        let mut x = Vec3::zeros();
        for c in x.iter_mut() {
            let token =
                numbers.next().ok_or_else(|| scanner.error_at(line, "a point has too few numbers"))?;
            *c = real(token)
                .ok_or_else(|| scanner.error_at(line, not_a("a coordinate", "finite number", token)))?;
        }
        mesh.positions.push(x);
    }
    let (mut n, mut left_out) = (0, 0);
    for (line, text) in rest {
        if n == n_faces {
            break;
        }
        let mut numbers = tokens(text);
        let size = whole(line, "the number of nodes", numbers.next())?;
        let mut nodes = [0; 4];
        if !matches!(size, 3 | 4) {
            left_out += 1;
            continue;
        }
        for node in nodes.iter_mut().take(size as usize) {
            let token = numbers.next().ok_or_else(|| scanner.error_at(line, "a face has too few nodes"))?;
            let index = integer(token).filter(|i| *i < n_points);
            let wrong =
                || scanner.error_at(line, format!("`{}` is none of the {n_points} points", shown(token)));
            *node = index.ok_or_else(wrong)? as u32;
        }
        let [a, b, c, d] = nodes;
        if size == 3 {
            mesh.triangles.push([a, b, c]);
        } else {
            mesh.quads.push([a, b, c, d]);
        }
        n += 1;
    }
    if n + left_out < n_faces {
        let message = format!("{n_faces} faces are promised; there are {}", n + left_out);
        return Err(scanner.error_at(line, message));
    }
    if left_out > 0 {
        mesh.warn(format!("{left_out} faces with other than 3 or 4 corners are left out, as in SOFA"));
    }
    Ok(mesh)
}

/// The words of a line, without its comment.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    tokens(text).take_while(|t| !t.starts_with(b"#"))
}

/// The first word: `OFF`, and before it what points have besides: `ST`, `C`, `N`, in this order.
fn is_header(word: &[u8]) -> bool {
    let mut rest = word;
    for more in [&b"ST"[..], b"C", b"N"] {
        rest = rest.strip_prefix(more).unwrap_or(rest);
    }
    rest == b"OFF"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Mesh, String> {
        parse(Path::new("m.off"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn points_triangles_and_quads_are_read() {
        let points = "0 0 0\n1 0 0\n# a comment\n\n1 1 0\n0 1 0\n";
        let mesh = read(&format!("OFF\n#\n4 3 0\n{points}3 0 1 2\n5 0 1 2 3 0\n4 0 1 2 3 1.0 0 0\n"))
            .expect("a mesh");
        assert_eq!((mesh.positions.len(), mesh.positions[2]), (4, Vec3::new(1.0, 1.0, 0.0)));
        assert_eq!(
            (mesh.triangles.as_slice(), mesh.quads.as_slice()),
            (&[[0, 1, 2]][..], &[[0, 1, 2, 3]][..])
        );
        let first = read(&format!("OFF\n4 1 0\n{points}3 0 1 2\n3 0 2 3\n")).expect("a mesh");
        assert_eq!(first.triangles.len(), 1, "no more than promised");
        assert_eq!((mesh.warnings.len(), first.warnings.len()), (1, 0));
        let short = read(&format!("OFF 4 1 0 # counts\n{points}3 0 1 2\n")).expect("a mesh");
        assert_eq!(short, first);
        let colored =
            read("CNOFF\n3 1 0\n0 0 0 0 0 1 1 0 0 1\n1 0 0 0 0 1 1 0 0 1\n0 1 0 0 0 1 1 0 0 1\n3 0 1 2");
        assert_eq!(colored.expect("a mesh").triangles.len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("off\n", "does not begin with `OFF`"),
            ("OFF\n", "ends before its counts"),
            ("OFF\n2\n", ":2: the number of faces is missing"),
            ("OFF\n2 1 0\n0 0 0\n", "2 points are promised; there are 1"),
            ("OFF BINARY\n", "save as text"),
            ("OFF\n2 1 0\n0 0 0\n3 0 1 1\n", ":2: 1 faces are promised; there are 0"),
            ("OFF\n1 1 0\n0 0\n", ":3: a point has too few numbers"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", ":4: `1` is none of the 1 points"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0\n", ":4: a face has too few nodes"),
        ] {
            let e = read(text).expect_err(message);
            assert!(e.contains(message), "{e}");
        }
    }
}
