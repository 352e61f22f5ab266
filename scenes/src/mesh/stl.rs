//! Stereolithography (STL) surfaces, text and binary.
//!
//! **Source:** as SOFA's `MeshSTLLoader`: coordinates of a binary file are 32-bit floats, equal vertices are merged in order of first
//! occurrence, triangles of a binary file with a repeated vertex are dropped. Facet normals are not kept. All solids of a text are read, and
//! bytes behind the triangles of a binary file are passed over, with a warning.

use std::path::Path;

use components::topology::derive::first_equal;
use sim_core::math::Vec3;

use super::scanner::{Scanner, not_a, real, shown, tokens, without_mark};
use super::{Mesh, MeshError};

/// Length of the header of a binary file, with the number of triangles behind it.
const HEADER: usize = 84;
/// Length of a triangle in a binary file.
const FACET: usize = 50;

/// Reads an STL file; `path` is for messages.
///
/// # Errors
/// Anything that is neither a complete text nor a complete binary file.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let scanner = Scanner::new(path, bytes);
    // Many binary files begin with `solid` too, so that their size decides.
    let promised = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let expected = promised.and_then(|n| n.checked_mul(FACET)?.checked_add(HEADER));
    if expected == Some(bytes.len()) {
        let mut mesh = merged(&binary_corners(scanner, &bytes[HEADER..])?);
        drop_repeated(&mut mesh);
        Ok(mesh)
    } else if is_text(path, bytes) {
        Ok(merged(&text_corners(Scanner::new(path, without_mark(bytes)))?))
    } else if let Some(size) = expected.filter(|size| *size < bytes.len()) {
        let mut mesh = merged(&binary_corners(scanner, &bytes[HEADER..size])?);
        drop_repeated(&mut mesh);
        mesh.warn(format!(
            "the last {} bytes belong to no triangle; they are passed over",
            bytes.len() - size
        ));
        Ok(mesh)
    } else {
        Err(scanner.error(match (promised, expected) {
            (Some(n), Some(size)) => {
                format!(
                    "neither a text nor a binary STL file: {n} triangles would make {size} bytes, not {}",
                    bytes.len()
                )
            }
            _ => "not an STL file".to_owned(),
        }))
    }
}

/// Whether a file begins as a text does; a binary one may begin with that word, too.
fn is_text(path: &Path, bytes: &[u8]) -> bool {
    let is_solid = Scanner::new(path, without_mark(bytes)).token() == Some(b"solid");
    is_solid && !bytes.iter().take(HEADER + FACET).any(|b| *b == 0)
}

fn binary_corners(mut scanner: Scanner, facets: &[u8]) -> Result<Vec<[f64; 3]>, MeshError> {
    scanner.take(HEADER, "the header")?;
    let mut corners = Vec::with_capacity(3 * facets.len() / FACET);
    for facet in facets.chunks_exact(FACET) {
        for corner in facet[12..48].chunks_exact(12) {
            let c = |k: usize| f32::from_le_bytes([corner[k], corner[k + 1], corner[k + 2], corner[k + 3]]);
            let x = [c(0), c(4), c(8)];
            if x.iter().any(|c| !c.is_finite()) {
                return Err(scanner.binary_error("a coordinate is not a finite number"));
            }
            corners.push(x.map(f64::from));
        }
        scanner.take(FACET, "a facet")?;
    }
    Ok(corners)
}

fn text_corners(mut scanner: Scanner) -> Result<Vec<[f64; 3]>, MeshError> {
    let mut corners = Vec::new();
    let mut in_facet = None;
    pass_name(&mut scanner, b"facet");
    loop {
        match scanner.expect("endsolid")? {
            b"facet" if in_facet.is_none() => {
                in_facet = Some(0);
                // The normal is not needed, and often not a number.
                for what in ["normal", "the normal", "the normal", "the normal"] {
                    scanner.expect(what)?;
                }
            }
            b"outer" => drop(scanner.expect("loop")?),
            b"endloop" => {}
            b"vertex" if in_facet.is_some() => {
                in_facet = in_facet.map(|n| n + 1);
                let (x, y, z) =
                    (coordinate(&mut scanner)?, coordinate(&mut scanner)?, coordinate(&mut scanner)?);
                corners.push([x, y, z]);
            }
            b"endfacet" => match in_facet.take() {
                Some(3) => {}
                n => return Err(scanner.error(format!("a facet has 3 vertices, not {}", n.unwrap_or(0)))),
            },
            b"endsolid" | b"end" if in_facet.is_none() => {
                pass_name(&mut scanner, b"solid");
                if scanner.token() != Some(b"solid") {
                    return Ok(corners);
                }
                pass_name(&mut scanner, b"facet");
            }
            other => return Err(scanner.error(format!("`{}` is unexpected here", shown(other)))),
        }
    }
}

/// Passes over a name: the rest of the line, or what comes before a word where a facet is on the same line.
fn pass_name(scanner: &mut Scanner, word: &[u8]) {
    let mut ahead = scanner.clone();
    let words: Vec<&[u8]> = ahead.rest_of_line().map(|line| tokens(line).collect()).unwrap_or_default();
    let has_facet = words.windows(2).any(|w| w == [&b"facet"[..], b"normal"]);
    match words.iter().position(|w| *w == word).filter(|_| has_facet) {
        Some(n) => (0..n).for_each(|_| {
            scanner.token();
        }),
        None => *scanner = ahead,
    }
}

fn coordinate(scanner: &mut Scanner) -> Result<f64, MeshError> {
    let token = scanner.expect("a coordinate")?;
    real(token).ok_or_else(|| scanner.error(not_a("a coordinate", "finite number", token)))
}

/// The mesh of a list of corners, three per triangle.
fn merged(corners: &[[f64; 3]]) -> Mesh {
    // Adding zero turns -0 into 0, which equals it.
    let keys: Vec<[u64; 3]> = corners.iter().map(|x| x.map(|c| (c + 0.0).to_bits())).collect();
    let first = first_equal(&keys);
    let mut mesh = Mesh::default();
    let mut index = vec![0_u32; corners.len()];
    for (i, x) in corners.iter().enumerate() {
        if first[i] as usize == i {
            index[i] = mesh.positions.len() as u32;
            mesh.positions.push(Vec3::from(*x));
        } else {
            index[i] = index[first[i] as usize];
        }
    }
    mesh.triangles = index.as_chunks::<3>().0.to_vec();
    mesh
}

fn drop_repeated(mesh: &mut Mesh) {
    let n = mesh.triangles.len();
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && a != c);
    if mesh.triangles.len() < n {
        mesh.warn(format!("{} triangles with a repeated vertex are dropped", n - mesh.triangles.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid a square\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\n\
        endfacet\nfacet normal nan nan nan\nouter loop\nvertex -0 0 0\nvertex 1 1 0\nvertex 0 1e0 .1\nendloop\nendfacet\nendsolid\n";

    fn binary() -> Vec<u8> {
        let mut file = b"solid, or so it says".to_vec();
        file.resize(80, b' ');
        file.extend(3_u32.to_le_bytes());
        for triangle in [
            [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.]],
            [[-0., 0., 0.], [1., 1., 0.], [0., 1., 0.1_f32]],
            [[7.; 3]; 3],
        ] {
            file.extend([0; 12]);
            triangle.as_flattened().iter().for_each(|c| file.extend(c.to_le_bytes()));
            file.extend([0; 2]);
        }
        file
    }

    fn read(bytes: &[u8]) -> Result<Mesh, String> {
        parse(Path::new("m.stl"), bytes).map_err(|e| e.to_string())
    }

    #[test]
    fn equal_vertices_are_merged() {
        let last = [(read(TEXT.as_bytes()), 0.1), (read(&binary()), f64::from(0.1_f32))];
        for (mesh, z) in last.map(|(mesh, z)| (mesh.unwrap(), z)) {
            assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
            assert_eq!(mesh.positions[3], Vec3::new(0.0, 1.0, z));
        }
    }

    #[test]
    fn texts_of_several_solids_and_of_one_line_are_read() {
        let whole = read(TEXT.as_bytes()).unwrap();
        let line = TEXT.replace('\n', " ");
        for text in [format!("\u{feff}{TEXT}"), line.clone(), TEXT.replace("endsolid", "end solid a square")]
        {
            assert_eq!(read(text.as_bytes()).unwrap(), whole);
        }
        for text in [format!("{TEXT}\n{}", TEXT.replace("vertex -0", "vertex 9")), format!("{line} {line}")] {
            assert_eq!(read(text.as_bytes()).unwrap().triangles.len(), 4);
        }
        let mut more = binary();
        more.push(b'\n');
        let more = read(&more).unwrap();
        assert_eq!((more.triangles.len(), more.warnings.len()), (2, 2), "{:?}", more.warnings);
    }

    #[test]
    fn a_text_keeps_triangles_with_a_repeated_vertex() {
        let mesh = read(TEXT.replacen("vertex 1 0 0", "vertex 0 0 0", 1).as_bytes()).unwrap();
        assert_eq!((mesh.triangles, mesh.positions.len()), (vec![[0, 0, 1], [0, 1, 2]], 3));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let binary = binary();
        for file in [TEXT.as_bytes(), &binary[..]] {
            for end in 0..file.len() - 9 {
                assert!(read(&file[..end]).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (from, to, message) in [
            ("vertex 1 0 0\n", "", "m.stl:7: a facet has 3 vertices, not 2"),
            ("1e0", "one", "m.stl:13: a coordinate is not a finite number: `one`"),
            ("1e0", "1e999", "m.stl:13: a coordinate is not a finite number: `1e999`"),
            ("endsolid", "end_of_it", "m.stl:16: `end_of_it` is unexpected here"),
            ("endsolid", "", "m.stl:17: the file ends where endsolid is expected"),
            ("solid", "liquid", "m.stl:1: neither a text nor a binary STL file: "),
        ] {
            let error = read(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(from == "solid" || from == "endsolid" || error == message, "{error}");
            assert!(error.starts_with("m.stl:"), "{error}");
        }
    }
}
