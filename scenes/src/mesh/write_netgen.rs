//! Writes volumes in Netgen's neutral format.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Mesh;
use super::write_vtk::write_point;

/// Writes points, tetrahedra, and the triangles of their surface, with so many significant digits.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_netgen(out: &mut impl Write, mesh: &Mesh, digits: usize) -> io::Result<()> {
    writeln!(out, "{}", mesh.positions.len())?;
    for x in &mesh.positions {
        write_point(out, x, digits)?;
        writeln!(out)?;
    }
    writeln!(out, "{}", mesh.tetrahedra.len())?;
    for [a, b, c, d] in &mesh.tetrahedra {
        writeln!(out, "0 {} {} {} {}", a + 1, b + 1, c + 1, d + 1)?;
    }
    let surface = surface(mesh);
    writeln!(out, "{}", surface.len())?;
    for [a, b, c] in surface {
        writeln!(out, "0 {} {} {}", a + 1, b + 1, c + 1)?;
    }
    Ok(())
}

/// The triangles that fewer than two tetrahedra have.
pub(super) fn surface(mesh: &Mesh) -> Vec<[u32; 3]> {
    let sorted = |mut t: [u32; 3]| {
        t.sort_unstable();
        t
    };
    let mut around: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    for [a, b, c, d] in &mesh.tetrahedra {
        for face in [[*a, *b, *c], [*a, *b, *d], [*a, *c, *d], [*b, *c, *d]] {
            *around.entry(sorted(face)).or_default() += 1;
        }
    }
    let is_outside = |t: &&[u32; 3]| around.get(&sorted(**t)).is_none_or(|n| *n < 2);
    mesh.triangles.iter().filter(is_outside).copied().collect()
}
