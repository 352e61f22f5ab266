//! Writes volumes in TetGen's formats: nodes, elements, faces.

use std::io::{self, Write};

use super::Mesh;
use super::write_netgen::surface;
use super::write_vtk::write_point;

/// Writes the points (`.node`), numbered from 1, with so many significant digits.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_nodes(out: &mut impl Write, mesh: &Mesh, digits: usize) -> io::Result<()> {
    writeln!(out, "{} 3 0 0", mesh.positions.len())?;
    for (i, x) in mesh.positions.iter().enumerate() {
        write!(out, "{} ", i + 1)?;
        write_point(out, x, digits)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the tetrahedra (`.ele`), turned as TetGen wants them.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_elements(out: &mut impl Write, mesh: &Mesh) -> io::Result<()> {
    writeln!(out, "{} 4 0", mesh.tetrahedra.len())?;
    for (k, t) in mesh.tetrahedra.iter().enumerate() {
        let [a, b, mut c, mut d] = *t;
        let x = t.map(|i| mesh.positions.get(i as usize).copied().unwrap_or_default());
        if (x[1] - x[0]).dot(&(x[2] - x[0]).cross(&(x[3] - x[0]))) > 0.0 {
            (c, d) = (d, c);
        }
        writeln!(out, "{} {} {} {} {}", k + 1, a + 1, b + 1, c + 1, d + 1)?;
    }
    Ok(())
}

/// Writes the triangles of the surface (`.face`).
///
/// # Errors
/// Whatever `out` reports.
pub fn write_faces(out: &mut impl Write, mesh: &Mesh) -> io::Result<()> {
    let surface = surface(mesh);
    writeln!(out, "{} 0", surface.len())?;
    for (k, [a, b, c]) in surface.iter().enumerate() {
        writeln!(out, "{} {} {} {}", k + 1, a + 1, b + 1, c + 1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sim_core::math::Vec3;

    use super::super::write_netgen::write_netgen;
    use super::*;

    /// Two tetrahedra with a face in common, the second one turned inside out.
    #[test]
    fn volumes_and_their_surface_are_counted_from_one() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let mesh = Mesh {
            positions: positions.iter().map(|x| Vec3::new(x[0], x[1], x[2])).collect(),
            triangles: vec![[0, 1, 2], [1, 2, 3], [1, 2, 4]],
            tetrahedra: vec![[0, 1, 2, 3], [1, 3, 2, 4]],
            ..Mesh::default()
        };
        let text = |write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
            let mut out = Vec::new();
            write(&mut out).expect("written");
            String::from_utf8(out).expect("text")
        };
        assert!(text(&|out| write_nodes(out, &mesh, 6)).starts_with("5 3 0 0\n1 0 0 0\n2 1 0 0\n"));
        // The first one is right-handed, which TetGen calls inside out; the second is not.
        let wanted = "2 4 0\n1 1 2 4 3\n2 2 4 3 5\n";
        assert_eq!(text(&|out| write_elements(out, &mesh)), wanted);
        // The face between them is not on the surface.
        assert_eq!(text(&|out| write_faces(out, &mesh)), "2 0\n1 1 2 3\n2 2 3 5\n");
        let netgen = text(&|out| write_netgen(out, &mesh, 6));
        assert!(netgen.ends_with("2\n0 1 2 3 4\n0 2 4 3 5\n2\n0 1 2 3\n0 2 3 5\n"), "{netgen}");
    }
}
