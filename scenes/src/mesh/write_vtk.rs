//! Writes meshes in VTK's legacy format, with data of points and elements.

use std::io::{self, Write};

use sim_core::math::Vec3;

use super::General;
use super::Mesh;

/// Numbers of each point or each element.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// What they are called; blanks are written as underscores.
    pub name: String,
    /// How many numbers each point or element has.
    pub width: usize,
    /// The numbers, rows flattened.
    pub values: Vec<f64>,
    /// Whether they are integers.
    pub integers: bool,
}

impl DataArray {
    /// The name as a file can hold it.
    pub(super) fn written_name(&self) -> String {
        self.name.replace(char::is_whitespace, "_")
    }
}

/// VTK's numbers of the shapes, in the order in which elements are written.
pub(super) const SHAPES: [u32; 5] = [3, 5, 9, 10, 12];

/// The elements in the order in which they are written, with the place of their shape in [`SHAPES`].
pub(super) fn elements(mesh: &Mesh) -> impl Iterator<Item = (usize, &[u32])> {
    let edges = mesh.edges.iter().map(|e| (0, &e[..]));
    let triangles = mesh.triangles.iter().map(|e| (1, &e[..]));
    let quads = mesh.quads.iter().map(|e| (2, &e[..]));
    let tetrahedra = mesh.tetrahedra.iter().map(|e| (3, &e[..]));
    edges.chain(triangles).chain(quads).chain(tetrahedra).chain(mesh.hexahedra.iter().map(|e| (4, &e[..])))
}

/// Writes a mesh as text, with so many significant digits.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_vtk(
    out: &mut impl Write,
    title: &str,
    mesh: &Mesh,
    [points, cells]: [&[DataArray]; 2],
    digits: usize,
) -> io::Result<()> {
    writeln!(out, "# vtk DataFile Version 2.0\n{title}\nASCII\n\nDATASET UNSTRUCTURED_GRID")?;
    writeln!(out, "POINTS {} float", mesh.positions.len())?;
    for x in &mesh.positions {
        write_point(out, x, digits)?;
        writeln!(out)?;
    }
    let (n, size) = elements(mesh).fold((0, 0), |(n, size), (_, e)| (n + 1, size + 1 + e.len()));
    writeln!(out, "\nCELLS {n} {size}")?;
    for (_, element) in elements(mesh) {
        write!(out, "{}", element.len())?;
        element.iter().try_for_each(|i| write!(out, " {i}"))?;
        writeln!(out)?;
    }
    writeln!(out, "\nCELL_TYPES {n}")?;
    for (shape, _) in elements(mesh) {
        writeln!(out, "{}", SHAPES[shape])?;
    }
    for (what, n, arrays) in [("POINT_DATA", mesh.positions.len(), points), ("CELL_DATA", n, cells)] {
        if !arrays.is_empty() {
            writeln!(out, "\n{what} {n}")?;
        }
        arrays.iter().try_for_each(|a| write_array(out, a, n, digits))?;
    }
    Ok(())
}

/// Three numbers.
pub(super) fn write_point(out: &mut impl Write, x: &Vec3, digits: usize) -> io::Result<()> {
    write!(out, "{} {} {}", General(x.x, digits), General(x.y, digits), General(x.z, digits))
}

fn write_array(out: &mut impl Write, array: &DataArray, n: usize, digits: usize) -> io::Result<()> {
    let (name, width) = (array.written_name(), array.width);
    let kind = if array.integers { "int" } else { "double" };
    match width {
        1 | 2 => writeln!(out, "SCALARS {name} {kind} {width}\nLOOKUP_TABLE default")?,
        3 => writeln!(out, "VECTORS {name} {kind}")?,
        _ => writeln!(out, "FIELD FieldData 1\n{name} {width} {n} {kind}")?,
    }
    write_rows(out, "", array, digits)
}

/// The rows of an array, a line each.
pub(super) fn write_rows(
    out: &mut impl Write,
    indent: &str,
    array: &DataArray,
    digits: usize,
) -> io::Result<()> {
    for row in array.values.chunks(array.width.max(1)) {
        write!(out, "{indent}")?;
        for (k, x) in row.iter().enumerate() {
            write!(out, "{}{}", if k > 0 { " " } else { "" }, General(*x, digits))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{vtk, vtu, write_vtu};
    use super::*;

    fn mesh() -> Mesh {
        Mesh {
            positions: (0..9).map(|i| Vec3::new(f64::from(i) / 4.0, 0.5, -1e-7)).collect(),
            edges: vec![[0, 1]],
            triangles: vec![[0, 1, 2], [3, 2, 1]],
            quads: vec![[0, 1, 2, 3]],
            tetrahedra: vec![[4, 5, 6, 8]],
            hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]],
            ..Mesh::default()
        }
    }

    #[test]
    fn both_formats_are_read_back() {
        let mesh = mesh();
        let array = |name: &str, width: usize, n: usize| DataArray {
            name: name.to_owned(),
            width,
            values: (0..n * width).map(|k| k as f64).collect(),
            integers: false,
        };
        let points = [array("force", 3, 9), array("a b", 1, 9), array("frame", 7, 9)];
        let cells = [array("stress", 1, 6)];
        let mut legacy = Vec::new();
        write_vtk(&mut legacy, "t", &mesh, [&points, &cells], 9).expect("written");
        assert_eq!(vtk::parse(Path::new("m.vtk"), &legacy).expect("read").tetrahedra, mesh.tetrahedra);
        let text = String::from_utf8(legacy).expect("text");
        assert!(text.contains("CELLS 6 30\n2 0 1\n") && text.contains("SCALARS a_b double 1\n"), "{text}");
        let mut xml = Vec::new();
        write_vtu::write_vtu(&mut xml, &mesh, [&points, &cells], 9).expect("written");
        let again = vtu::parse(Path::new("m.vtu"), &xml).expect("read");
        assert_eq!((again.positions, again.hexahedra), (mesh.positions, mesh.hexahedra));
    }
}
