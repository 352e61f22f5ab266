//! Meshes of GiD, in text.
//!
//! **Source:** as SOFA's `GIDMeshLoader`: the first mesh of the file is read (there is a warning of others); of an element with nodes on its edges,
//! those at the corners. Elements name points by their numbers. SOFA takes the first for 1, the second for 2 and so on, whatever their
//! numbers are; where they are others, there is a warning.

use std::collections::BTreeMap;
use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, content_lines, integer, not_a, real, shown, tokens};
use super::{Mesh, MeshError};

/// What a line of elements holds.
#[derive(Clone, Copy)]
enum Shape {
    Edge,
    Triangle,
    Quad,
    Tetrahedron,
    Hexahedron,
}

impl Shape {
    fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"Linear" => Some(Self::Edge),
            b"Triangle" => Some(Self::Triangle),
            b"Quadrilateral" => Some(Self::Quad),
            b"Tetrahedra" => Some(Self::Tetrahedron),
            b"Hexahedra" => Some(Self::Hexahedron),
            _ => None,
        }
    }

    /// How many nodes an element may have: those at the corners first.
    fn nodes(self) -> &'static [u64] {
        match self {
            Self::Edge => &[2, 3],
            Self::Triangle => &[3, 6],
            Self::Quad => &[4, 8, 9],
            Self::Tetrahedron => &[4, 10],
            Self::Hexahedron => &[8, 20, 27],
        }
    }
}

/// Reads a mesh of GiD; `path` is for messages.
///
/// # Errors
/// A header that is not understood, elements of other shapes, a number that is malformed or out of range, an end that is missing.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let scanner = Scanner::new(path, bytes);
    let mut rest = content_lines(bytes);
    let (line, text) = rest.next().unwrap_or((1, b""));
    let (dimension, shape) = header(&scanner, line, text)?;
    let mut mesh = Mesh::default();
    let mut places = BTreeMap::new();
    for (line, text) in section(&scanner, &mut rest, "coordinates")? {
        let mut numbers = tokens(text);
        let number = numbers.next().unwrap_or_default();
        let number = integer(number)
            .ok_or_else(|| scanner.error_at(line, not_a("the number of a point", "whole number", number)))?;
        if places.insert(number, mesh.positions.len() as u32).is_some() {
            return Err(scanner.error_at(line, format!("two points have the number {number}")));
        }
        let mut x = Vec3::zeros();
        for c in x.iter_mut().take(dimension) {
            let token =
                numbers.next().ok_or_else(|| scanner.error_at(line, "a point has too few numbers"))?;
            *c = real(token)
                .ok_or_else(|| scanner.error_at(line, not_a("a coordinate", "finite number", token)))?;
        }
        mesh.positions.push(x);
    }
    let n = mesh.positions.len();
    if places.iter().any(|(number, place)| *number != u64::from(*place) + 1) {
        mesh.warn("the points are not numbered 1, 2, 3 ...; elements go by their numbers (SOFA would go by their order)");
    }
    for (line, text) in section(&scanner, &mut rest, "elements")? {
        let mut numbers = tokens(text).skip(1);
        let mut node = || -> Result<u32, MeshError> {
            let token =
                numbers.next().ok_or_else(|| scanner.error_at(line, "an element has too few nodes"))?;
            let place = integer(token).and_then(|number| places.get(&number).copied());
            place.ok_or_else(|| {
                scanner.error_at(line, format!("`{}` is none of the {n} points", shown(token)))
            })
        };
        match shape {
            Shape::Edge => mesh.edges.push(corners(&mut node)?),
            Shape::Triangle => mesh.triangles.push(corners(&mut node)?),
            Shape::Quad => mesh.quads.push(corners(&mut node)?),
            Shape::Tetrahedron => mesh.tetrahedra.push(corners(&mut node)?),
            Shape::Hexahedron => mesh.hexahedra.push(corners(&mut node)?),
        }
    }
    if rest.any(|(_, text)| tokens(text).next().is_some_and(|t| t.eq_ignore_ascii_case(b"MESH"))) {
        mesh.warn("there are more meshes in this file; the first one is read, as in SOFA");
    }
    Ok(mesh)
}

fn corners<const N: usize>(node: &mut impl FnMut() -> Result<u32, MeshError>) -> Result<[u32; N], MeshError> {
    let mut nodes = [0; N];
    for n in &mut nodes {
        *n = node()?;
    }
    Ok(nodes)
}

/// How many numbers a point has, and what the elements are: `MESH dimension 3 ElemType Tetrahedra Nnode 4`.
fn header(scanner: &Scanner<'_>, line: usize, text: &[u8]) -> Result<(usize, Shape), MeshError> {
    let error = |message: String| scanner.error_at(line, message);
    let words: Vec<&[u8]> = tokens(text).collect();
    let after = |key: &[u8]| {
        let at = words.iter().position(|w| *w == key).and_then(|i| words.get(i + 1));
        at.copied().ok_or_else(|| error(format!("the first line has no `{}`", shown(key))))
    };
    if words.first() != Some(&&b"MESH"[..]) {
        return Err(error("the first line does not begin with `MESH`".to_owned()));
    }
    let dimension = after(b"dimension")?;
    let dimension = integer(dimension)
        .filter(|d| (1..=3).contains(d))
        .ok_or_else(|| error(not_a("the dimension", "number from 1 to 3", dimension)))?;
    let name = after(b"ElemType")?;
    let shape = Shape::of(name)
        .ok_or_else(|| error(format!("elements of type `{}` are not supported", shown(name))))?;
    let nodes = after(b"Nnode")?;
    if !integer(nodes).is_some_and(|n| shape.nodes().contains(&n)) {
        let allowed: Vec<String> = shape.nodes().iter().map(ToString::to_string).collect();
        let text = format!("{} has {} nodes, not {}", shown(name), allowed.join(" or "), shown(nodes));
        return Err(error(text));
    }
    Ok((dimension as usize, shape))
}

/// The lines between a name and its end, in any case.
fn section<'a>(
    scanner: &Scanner<'_>,
    rest: &mut impl Iterator<Item = (usize, &'a [u8])>,
    name: &str,
) -> Result<Vec<(usize, &'a [u8])>, MeshError> {
    let is = |text: &[u8], wanted: &[&str]| {
        let words: Vec<&[u8]> = tokens(text).collect();
        words.len() == wanted.len()
            && words.iter().zip(wanted).all(|(a, b)| a.eq_ignore_ascii_case(b.as_bytes()))
    };
    let mut last = 1;
    let begin = rest.by_ref().inspect(|(line, _)| last = *line).find(|(_, text)| is(text, &[name]));
    begin.ok_or_else(|| scanner.error_at(last, format!("there is no line `{name}`")))?;
    let mut inside = Vec::new();
    for (line, text) in rest {
        if is(text, &["end", name]) {
            return Ok(inside);
        }
        last = line;
        inside.push((line, text));
    }
    Err(scanner.error_at(last, format!("the file ends before `end {name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: &str = "Coordinates\n 1 0 0 0\n 2 1 0 0\n 3 0 1.5 0\n 4 0 0 1\nEnd Coordinates\n\n";

    fn read(text: &str) -> Result<Mesh, String> {
        parse(Path::new("m.gidmsh"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn points_and_elements_are_read() {
        let text = format!(
            "MESH dimension 3 ElemType Tetrahedra Nnode 4\r\n{POINTS}Elements\r\n1 1 2 3 4 7\nend elements\n"
        );
        let mesh = read(&text).expect("a mesh");
        assert_eq!((mesh.positions.len(), mesh.tetrahedra.as_slice()), (4, &[[0, 1, 2, 3]][..]));
        assert_eq!(mesh.positions[2], Vec3::new(0.0, 1.5, 0.0));
        let flat = read(
            "MESH dimension 2 ElemType Linear Nnode 3\ncoordinates\n1 4 5\n2 6 7\n3 5 6\nend coordinates\nelements\n1 2 1 3\nend elements",
        );
        let flat = flat.expect("a mesh");
        assert_eq!((flat.positions[1], flat.edges[0]), (Vec3::new(6.0, 7.0, 0.0), [1, 0]));
    }

    #[test]
    fn elements_name_points_by_their_numbers() {
        let header = "# GiD\n\nMESH dimension 3 ElemType Triangle Nnode 3\nCoordinates\n";
        let text = format!(
            "{header}3 0 0 0\n# a comment\n1 1 0 0\n7 0 1 0\nend coordinates\nelements\n1 1 7 3\nend elements\nMESH dimension 3"
        );
        let mesh = read(&text).expect("a mesh");
        assert_eq!((mesh.triangles.as_slice(), mesh.positions[1].x), (&[[1, 2, 0]][..], 1.0));
        assert_eq!(mesh.warnings.len(), 2, "numbers, and a mesh: {:?}", mesh.warnings);
        let e = read(&text.replace("\n7 0", "\n1 0")).expect_err("twice");
        assert_eq!(e, "m.gidmsh:8: two points have the number 1");
    }

    #[test]
    fn errors_name_the_line() {
        let header = "MESH dimension 3 ElemType Tetrahedra Nnode 4\n";
        for (text, message) in [
            ("mesh\n".to_owned(), ":1: the first line does not begin with `MESH`"),
            (
                "MESH dimension 3 ElemType Prism Nnode 6\n".to_owned(),
                ":1: elements of type `Prism` are not supported",
            ),
            (
                "MESH dimension 3 ElemType Tetrahedra Nnode 5\n".to_owned(),
                ":1: Tetrahedra has 4 or 10 nodes, not 5",
            ),
            (
                "MESH dimension 4 ElemType Tetrahedra Nnode 4\n".to_owned(),
                ":1: the dimension is not a number",
            ),
            (
                format!("{header}Coordinates\n1 0 x 0\nend coordinates"),
                ":3: a coordinate is not a finite number: `x`",
            ),
            (format!("{header}Coordinates\n1 0 0\nend coordinates"), ":3: a point has too few numbers"),
            (format!("{header}Coordinates\n1 0 0 0\n"), ":3: the file ends before `end coordinates`"),
            (format!("{header}{POINTS}"), "there is no line `elements`"),
            (format!("{header}{POINTS}Elements\n1 1 2 3 5\nEnd Elements"), "`5` is none of the 4 points"),
            (format!("{header}{POINTS}Elements\n1 1 2 3\nEnd Elements"), "an element has too few nodes"),
        ] {
            let e = read(&text).expect_err(message);
            assert!(e.contains(message), "{e}");
        }
    }
}
