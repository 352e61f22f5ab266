//! Triangulations of the formats trian and trian2, in text.
//!
//! **Source:** as SOFA's `MeshTrianLoader`: a count, points, a count, and for each triangle its nodes and its three neighbours, which are not kept.
//! Of a trian2 file thirteen lines are left out; then a word and a count stand before points, normals and triangles, which have no neighbours.

use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, shown};
use super::{Mesh, MeshError};

/// Lines in front of the points of a trian2 file.
const HEADER: usize = 13;

/// Reads a trian file, or a trian2 file; `path` is for messages.
///
/// # Errors
/// A number that is malformed or out of range, fewer points or triangles than promised.
pub fn parse(path: &Path, bytes: &[u8], is_second: bool) -> Result<Mesh, MeshError> {
    let mut s = Scanner::new(path, bytes);
    let mut mesh = Mesh::default();
    if is_second {
        for _ in 0..HEADER {
            s.rest_of_line()
                .ok_or_else(|| s.error(format!("the file ends within its {HEADER} lines of header")))?;
        }
    }
    let count = |s: &mut Scanner<'_>, what: &str| {
        if is_second {
            s.expect(&format!("the word before {what}"))?;
        }
        s.integer(what)
    };
    let points = |s: &mut Scanner<'_>, n: u64, what: &str| -> Result<Vec<Vec3>, MeshError> {
        let mut all = Vec::new();
        for _ in 0..n {
            all.push(Vec3::new(s.real(what)?, s.real(what)?, s.real(what)?));
        }
        Ok(all)
    };
    let n_points = count(&mut s, "the number of points")?;
    mesh.positions = points(&mut s, n_points, "a coordinate")?;
    if is_second {
        let n_normals = count(&mut s, "the number of normals")?;
        mesh.normals = points(&mut s, n_normals, "a component of a normal")?;
    }
    let n_triangles = count(&mut s, "the number of triangles")?;
    for _ in 0..n_triangles {
        let mut triangle = [0; 3];
        for node in &mut triangle {
            let mut ahead = s.clone();
            let index = s.integer("a node")?;
            let token = ahead.expect("a node")?;
            if index >= n_points {
                return Err(s.error(format!("`{}` is none of the {n_points} points", shown(token))));
            }
            *node = index as u32;
        }
        if !is_second {
            for _ in 0..3 {
                s.real("the number of a neighbour")?;
            }
        }
        mesh.triangles.push(triangle);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_second: bool) -> Result<Mesh, String> {
        parse(Path::new("m.trian"), text.as_bytes(), is_second).map_err(|e| e.to_string())
    }

    #[test]
    fn points_and_triangles_are_read() {
        let mesh =
            read("4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2\n0 1 2 -1 1 -1\n0 2 3 -1 -1 0\n", false).expect("a mesh");
        assert_eq!((mesh.positions.len(), mesh.triangles.as_slice()), (4, &[[0, 1, 2], [0, 2, 3]][..]));
        let header = "# header\n".repeat(HEADER);
        let text = format!("{header}vertices 3\n0 0 0 1 0 0 0 1 0\nnormals 1\n0 0 1\ntriangles 1\n0 1 2\n");
        let mesh = read(&text, true).expect("a mesh");
        assert_eq!((mesh.normals.as_slice(), mesh.triangles.len()), (&[Vec3::z()][..], 1));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, second, message) in [
            ("x\n", false, "x"),
            ("1\n0 0 0\n1\n0 0 1 -1 -1 -1\n", false, ":4: `1` is none of the 1 points"),
            ("2\n0 0 0\n1 0\n", false, "a coordinate"),
            ("# header\n", true, "ends within its 13 lines"),
        ] {
            let e = read(text, second).expect_err(message);
            assert!(e.contains(message), "{e}");
        }
    }
}
