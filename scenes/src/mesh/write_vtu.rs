//! Writes meshes in VTK's XML format, with data of points and elements.

use std::io::{self, Write};

use super::Mesh;
use super::write_vtk::{DataArray, SHAPES, elements, write_point, write_rows};

/// Writes a mesh as text, with so many significant digits.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_vtu(
    out: &mut impl Write,
    mesh: &Mesh,
    [points, cells]: [&[DataArray]; 2],
    digits: usize,
) -> io::Result<()> {
    let n = elements(mesh).count();
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(out, "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">")?;
    writeln!(out, "  <UnstructuredGrid>")?;
    writeln!(out, "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{n}\">", mesh.positions.len())?;
    for (what, arrays) in [("PointData", points), ("CellData", cells)] {
        if arrays.is_empty() {
            continue;
        }
        writeln!(out, "      <{what}>")?;
        for a in arrays {
            let kind = if a.integers { "Int32" } else { "Float64" };
            let name = escaped(&a.written_name());
            write!(out, "        <DataArray type=\"{kind}\" Name=\"{name}\"")?;
            if a.width > 1 {
                write!(out, " NumberOfComponents=\"{}\"", a.width)?;
            }
            writeln!(out, " format=\"ascii\">")?;
            write_rows(out, "          ", a, digits)?;
            writeln!(out, "        </DataArray>")?;
        }
        writeln!(out, "      </{what}>")?;
    }
    writeln!(out, "      <Points>")?;
    writeln!(out, "        <DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">")?;
    for x in &mesh.positions {
        write!(out, "          ")?;
        write_point(out, x, digits)?;
        writeln!(out)?;
    }
    writeln!(out, "        </DataArray>\n      </Points>\n      <Cells>")?;
    writeln!(out, "        <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">")?;
    for (_, element) in elements(mesh) {
        write!(out, "         ")?;
        element.iter().try_for_each(|i| write!(out, " {i}"))?;
        writeln!(out)?;
    }
    writeln!(out, "        </DataArray>")?;
    writeln!(out, "        <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">")?;
    write!(out, "         ")?;
    let mut end = 0;
    for (_, element) in elements(mesh) {
        end += element.len();
        write!(out, " {end}")?;
    }
    writeln!(out, "\n        </DataArray>")?;
    writeln!(out, "        <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">")?;
    write!(out, "         ")?;
    elements(mesh).try_for_each(|(shape, _)| write!(out, " {}", SHAPES[shape]))?;
    writeln!(out, "\n        </DataArray>\n      </Cells>")?;
    writeln!(out, "    </Piece>\n  </UnstructuredGrid>\n</VTKFile>")
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
